// What an operator found at the other party, recorded by the item's own request: once, however often it is sent. What
// was chosen stays over a reload and another item. It can be corrected by another record.
import { Alert, Button, Group, Radio, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useHere } from '../../kit/access.tsx'
import { ApiProblem, ask, messageOf } from '../../kit/api.ts'
import type { Item } from '../../kit/attention.ts'
import { useTree } from '../../kit/document/load.ts'
import type { Operation } from '../../kit/document/operations.ts'
import { wordsOf } from '../../kit/document/schema.ts'
import { audienceOfPath, type Tenant } from '../../kit/document/scope.ts'
import { locate, type Place, type Tree } from '../../kit/document/tree.ts'
import type { Sending } from '../../kit/form/attempt.ts'
import { newDraft } from '../../kit/form/draft.ts'
import { bodyOf, faultsOf } from '../../kit/form/model.ts'
import { useDraft } from '../../kit/form/storage.ts'
import { useSubmit } from '../../kit/form/submit.ts'
import { Fault, Loading, Time } from '../../kit/ui/ui.tsx'
import classes from './attention-page.module.css'
import { answerOf, choicesOf, decisionOf, objectFieldOf, type Recorded, recordedIn, type Typed } from './resolutions.ts'
import { isOfPlatform, mayResolve } from './subjects.ts'

type Resolve = NonNullable<Item['resolve']>

export const RecordedText = ({ recorded: { outcome, note, at, by } }: { recorded: Recorded }) => (
  <>
    <b>{answerOf(outcome)[0]}</b>
    {at !== undefined && ', '}
    {at !== undefined && <Time at={at} />}
    {by && <span dir="auto">, by {by}</span>}
    {note && <span dir="auto">: {note}</span>}
  </>
)

/** What another party said, a line for each member. */
export const Said = ({ what }: { what: Record<string, unknown> }) =>
  Object.entries(what)
    .filter(([, value]) => value != null)
    .map(([name, value]) => (
      <div key={name} dir="auto">
        {wordsOf(name)}: {typeof value === 'object' ? JSON.stringify(value) : String(value)}
      </div>
    ))

type Props = { item: Item; tenant: Tenant | undefined }

export function Resolution({ item, tenant }: Props) {
  const { permissions } = useHere()
  const { resolve } = item
  if (!resolve) return null
  if (!mayResolve(resolve, tenant, permissions.account.platform_administrator))
    return (
      <Text size="sm" c="dimmed">
        {isOfPlatform(resolve) ? 'A platform administrator' : 'An owner'} can record what was found.
      </Text>
    )
  return <Located item={item} resolve={resolve} />
}

type LocatedProps = { item: Item; resolve: Resolve }

/** The document says which fields the request has. */
function Located({ resolve, ...rest }: LocatedProps) {
  const { data: tree, error } = useTree(audienceOfPath(resolve.path))
  const place = tree && locate(tree, resolve.path)
  const operation = place?.node.post
  if (!tree || !operation) return error ? <Fault error={error} /> : <Loading />
  return <ResolutionForm {...rest} resolve={resolve} tree={tree} place={place} operation={operation} />
}

type FormProps = LocatedProps & { tree: Tree; place: Place; operation: Operation }

function ResolutionForm({ item, resolve, tree, place, operation }: FormProps) {
  const client = useQueryClient()
  const isDone = item.status === 'resolved'
  const recorded = recordedIn(item)
  const choices = choicesOf(item)
  const [seen, setSeen] = useState(recorded?.outcome)
  const [isOpen, setOpen] = useState(false)
  /** Recorded just now; the item is read again. */
  const [isNew, setNew] = useState(false)
  const body = bodyOf(operation.body ?? {}, tree.schemas)
  const drafts = useDraft(`${operation.spec} ${resolve.path}`, body, tree.schemas, () => newDraft({}, undefined, []))
  const sending: Sending = {
    operation,
    body,
    schemas: tree.schemas,
    isChange: false,
    ask: (request) => ask(operation, { values: place.values, ...request }),
    readNow: undefined,
  }
  const { outcome, submit, reopen } = useSubmit(sending, drafts, resolve.path)
  const { value, isSent } = drafts.draft as { value: Typed; isSent: boolean }
  // A draft may have what was recorded meanwhile.
  const isChosen = choices.some((one) => one === value.outcome)
  const isRecorded = isSent && recorded !== undefined && recorded.outcome === value.outcome
  // The answer was lost, and the request was not.
  useEffect(() => {
    if (!isDone || !isRecorded || outcome.kind === 'sending') return
    drafts.discard()
    reopen()
    setOpen(false)
  })
  const error = outcome.kind === 'refused' || outcome.kind === 'lost' ? outcome.error : undefined
  const code = error instanceof ApiProblem ? error.code : undefined
  const faults = faultsOf(outcome.kind === 'refused' && error instanceof ApiProblem ? error.errors : [])
  const isOtherwise = code === 'resolved_otherwise'

  useEffect(() => {
    if (isDone || recorded?.outcome === seen) setNew(false)
  }, [isDone, recorded?.outcome, seen])

  // What was recorded is read before it is offered to be replaced.
  useEffect(() => {
    if (isOtherwise) void client.invalidateQueries({ queryKey: ['attention'] })
  }, [isOtherwise, client])

  function change(part: Typed) {
    drafts.change({ value: { ...drafts.read().value, ...part } })
    if (outcome.kind === 'refused' && faults.size === 0) reopen()
  }
  async function send(more: Typed = {}) {
    const typed = drafts.read().value as Typed
    if (!isChosen) return
    drafts.change({ value: decisionOf(body, typed, seen, more) })
    if ((await submit()) === undefined) return
    drafts.discard()
    setNew(true)
    setSeen(typed.outcome)
    setOpen(false)
  }
  function correct() {
    setSeen(recorded?.outcome)
    setOpen(true)
  }

  if (isNew && !isDone) return <Text role="status">Recorded.</Text>
  if (isDone && !isOpen && !isOtherwise)
    return (
      <Stack gap="xs" align="flex-start">
        {recorded && value.outcome !== undefined && value.outcome !== recorded.outcome && (
          <Text size="sm">
            What you had chosen was not recorded, as another outcome was recorded before. It is kept.
          </Text>
        )}
        <Button size="xs" variant="default" onClick={correct}>
          Correct what was recorded
        </Button>
      </Stack>
    )
  const objectField = objectFieldOf(body)
  const objectFault = objectField && faults.get(`/${objectField}`)
  // Only some outcomes need it; the API says so.
  const object = objectField && (objectFault || value[objectField]) ? objectField : undefined
  const isSingle = resolve.choices.length === 1 && resolve.choices[0] === 'start_again'
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      <Stack gap="sm">
        {drafts.restored && (
          <Group gap="xs" justify="space-between">
            <Text size="sm" c="dimmed">
              {isSent
                ? 'This was sent, and no answer arrived. Record it again: the same outcome is recorded once.'
                : 'What you had chosen is here again.'}
            </Text>
            <Button size="compact-xs" variant="subtle" onClick={drafts.discard}>
              Start afresh
            </Button>
          </Group>
        )}
        <Radio.Group
          label={isSingle ? 'What do you want to do?' : 'What did you find there?'}
          value={value.outcome ?? null}
          onChange={(next) => change({ outcome: next })}
          error={faults.get('/outcome')}
          required
        >
          <div className={classes.choices}>
            {choices.map((one) => {
              const [label, about] = answerOf(one)
              return <Radio key={one} value={one} label={label} description={about} />
            })}
          </div>
        </Radio.Group>
        {object && (
          <TextInput
            label="The id that the provider gave it"
            value={String(value[object] ?? '')}
            onChange={({ currentTarget }) => change({ [object]: currentTarget.value || undefined })}
            error={objectFault}
            required
            dir="ltr"
          />
        )}
        <Textarea
          label="Note"
          description="How you established it. Others read it here later."
          value={value.note ?? ''}
          onChange={({ currentTarget }) => change({ note: currentTarget.value })}
          error={faults.get('/note')}
          autosize
          minRows={2}
          required
          dir="auto"
        />
        {code === 'contradicts_evidence' && error instanceof ApiProblem ? (
          <Alert color="orange" title="The evidence says otherwise" role="alert">
            <Text size="sm" mb="xs">
              What the provider reported contradicts this.
            </Text>
            <Said what={Object(error.document.evidence)} />
            <Button size="xs" color="orange" variant="light" mt="sm" onClick={() => void send({ force: true })}>
              Record it all the same
            </Button>
          </Alert>
        ) : isOtherwise ? (
          <Alert color="orange" title="Another outcome was recorded meanwhile" role="alert">
            {recorded && recorded.outcome !== seen ? (
              <>
                <Text size="sm">
                  <RecordedText recorded={recorded} />
                </Text>
                <Button
                  size="xs"
                  color="orange"
                  variant="light"
                  mt="sm"
                  onClick={() => {
                    setSeen(recorded.outcome)
                    void send({ replaces: recorded.outcome })
                  }}
                >
                  Replace it with mine
                </Button>
              </>
            ) : (
              <Text size="sm">Nothing was changed.</Text>
            )}
          </Alert>
        ) : outcome.kind === 'lost' ? (
          <Alert color="orange" title="No answer arrived" role="alert">
            {error instanceof ApiProblem && `${messageOf(error)} `}
            It may have been recorded. Record it again: the same outcome is recorded once.
          </Alert>
        ) : error !== undefined && faults.size === 0 ? (
          <Fault error={error} />
        ) : null}
        <Group>
          <Button type="submit" loading={outcome.kind === 'sending'} disabled={!isChosen}>
            Record it
          </Button>
          {isDone && (
            <Button
              variant="subtle"
              onClick={() => {
                if (!isSent) drafts.discard()
                reopen()
                setOpen(false)
              }}
            >
              Cancel
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  )
}
