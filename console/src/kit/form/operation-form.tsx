// The form of an operation: its fields from the schema of the body, its texts from the document.
import { Alert, Button, FileInput, Group, Stack, Switch, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useHere } from '../access.tsx'
import { ApiProblem, ask, messageOf } from '../api.ts'
import { aboutOf } from '../document/forms.ts'
import type { Operation } from '../document/operations.ts'
import { type Schema, wordsOf } from '../document/schema.ts'
import { addressOf, ancestorsOf, type Item, type Place, type Tree, verbOf } from '../document/tree.ts'
import { pageIn, readRecord } from '../read.ts'
import { MissingLink } from '../ui/links.tsx'
import { Fault, Loading, Quiet } from '../ui/ui.tsx'
import { currencyIn, Fields, soleCurrency, useMarkets } from '../value.tsx'
import { isRepeatable, type Outcome, type Sending } from './attempt.ts'
import { newDraft } from './draft.ts'
import { FormProvider, JsonField, ObjectFields } from './fields.tsx'
import classes from './form.module.css'
import { type Body, bodyOf, type Faults, faultsOf, isObject, startOf, valuesOf } from './model.ts'
import { useDraft } from './storage.ts'
import { useSubmit } from './submit.ts'

type Props = {
  tree: Tree
  place: Place
  operation: Operation
  /** The record at the place; of a list undefined. */
  item: Item | undefined
  done(answer: unknown): void
  cancel(): void
}

const only = (record: Item, fields: readonly string[]): Item =>
  Object.fromEntries(fields.map((name) => [name, record[name]]))
const named = (fields: readonly string[]) => fields.map((name) => wordsOf(name).toLowerCase()).join(', ')

type NoteProps = {
  outcome: Outcome
  canRepeat: boolean
  schema?: Schema
  currency?: string | undefined
  send(): void
} & Pick<ReturnType<typeof useSubmit>, 'accept' | 'renew'>

function OutcomeNote({ outcome, canRepeat, schema = {}, currency, send, accept, renew }: NoteProps) {
  if (outcome.kind === 'lost') {
    const isAnswered = outcome.error instanceof ApiProblem
    return (
      <Alert color="orange" title={isAnswered ? 'This did not end' : 'No answer arrived'} role="alert">
        <Text size="sm" dir="auto">
          {isAnswered && `${messageOf(outcome.error)} `}
          {canRepeat
            ? 'It may have been done. Send it again: it is done once, however often it is sent.'
            : 'It may have been done. Look at the list before you send it again: the API cannot tell that it is the same request.'}
        </Text>
        <Button size="xs" variant="default" mt="xs" onClick={send}>
          Send again
        </Button>
      </Alert>
    )
  }
  if (outcome.kind === 'doubt')
    return (
      <Alert color="orange" title="It may have been done" role="alert">
        <Text size="sm">
          An earlier attempt had no answer, and what it was to change has changed since. Look whether it was done. Only
          if it was not, make this a new one.
        </Text>
        <Button size="xs" variant="default" mt="xs" onClick={() => renew(outcome.record)}>
          Make this a new one
        </Button>
      </Alert>
    )
  if (outcome.kind === 'stale')
    return (
      <Alert color="orange" title="Changed meanwhile" role="alert">
        <Text size="sm">
          {outcome.fields.length > 0
            ? `Another operator has changed ${named(outcome.fields)} since you opened this form.`
            : 'The record has changed since you opened this form.'}{' '}
          {outcome.isOwn && 'It may have been your own request, which had no answer. '}
          What you typed is still here.
        </Text>
        {outcome.fields.length > 0 && (
          <Stack gap={4} mt="xs">
            <Text size="sm">There is now:</Text>
            <Fields schema={schema} value={only(outcome.record, outcome.fields)} currency={currency} level={1} />
          </Stack>
        )}
        <Group gap="xs" mt="xs">
          <Button
            size="xs"
            variant="default"
            onClick={() => {
              accept(outcome.record)
              send()
            }}
          >
            Save mine over it
          </Button>
          <Button size="xs" variant="subtle" onClick={() => accept(outcome.record)}>
            Go on editing
          </Button>
        </Group>
      </Alert>
    )
  if (
    outcome.kind === 'refused' &&
    outcome.error instanceof ApiProblem &&
    outcome.error.code === 'idempotency_conflict'
  )
    return (
      <Alert color="orange" title="An earlier one was recorded" role="alert">
        <Text size="sm" dir="auto">
          {messageOf(outcome.error)}
        </Text>
        <Button size="xs" variant="default" mt="xs" onClick={() => renew()}>
          Make this a new one
        </Button>
      </Alert>
    )
  return outcome.kind === 'refused' ? <Refused error={outcome.error} /> : null
}

/** What is refused because the store or business is not set up for it is mended where all that is missing is listed. */
function Refused({ error }: { error: unknown }) {
  const { tenant } = useHere()
  const isUnready = error instanceof ApiProblem && Array.isArray(error.document.mends)
  const isAtField = error instanceof ApiProblem && error.errors.some((one) => one.detail === error.document.detail)
  return (
    <Stack gap="xs" align="flex-start">
      <Fault error={isAtField ? new Error('Some values were not accepted.') : error} />
      {isUnready && tenant && <MissingLink tenant={tenant} />}
    </Stack>
  )
}

type RestoredProps = { isSent: boolean; canRepeat: boolean; hasSecrets: boolean; discard(): void }

/** What was typed before, or sent without an answer, in this tab. */
function RestoredNote({ isSent, canRepeat, hasSecrets, discard }: RestoredProps) {
  const sent = canRepeat
    ? 'This was sent, and no answer arrived. It is still the same request.'
    : 'This was sent, and no answer arrived. The API cannot tell the two requests apart: look at the list first.'
  return (
    <Alert color={isSent ? 'orange' : 'gray'} p="xs">
      <Group justify="space-between" gap="xs">
        <Text size="sm">
          {isSent ? sent : 'What you had typed is here again.'}
          {hasSecrets && ' Secrets are not kept: type them again.'}
        </Text>
        <Button size="compact-xs" variant="subtle" onClick={discard}>
          Start afresh
        </Button>
      </Group>
    </Alert>
  )
}

const submitLabel = (operation: Operation, { node }: Place): string => {
  if (operation.method === 'DELETE') return 'Delete'
  return operation.method === 'PUT' ? 'Save' : verbOf(operation, node)
}

/** Faults of fields that the form does not show. */
function OtherFaults({ faults, names }: { faults: Faults; names: readonly string[] }) {
  const others = [...faults].filter(([pointer]) => !names.includes(pointer.split('/')[1] ?? ''))
  if (others.length === 0) return null
  return (
    <Stack gap={2}>
      {others.map(([pointer, detail]) => (
        <Text key={pointer} size="sm" c="red" dir="auto">
          {pointer.slice(1)}: {detail}
        </Text>
      ))}
    </Stack>
  )
}

/** The faults of the fields, of the form itself or of the API. */
function faultsIn(outcome: Outcome): Faults {
  if (outcome.kind === 'faulty') return outcome.faults
  return faultsOf(outcome.kind === 'refused' && outcome.error instanceof ApiProblem ? outcome.error.errors : [])
}

const none: Body = { schema: {}, fields: [], required: [], callersIds: [], takesVersion: false }

/**
 * Reads what a request is based on: the record at the place, the rows of a list that is written whole, or the record
 * around.
 */
function readerOf(tree: Tree, { node, values }: Place, { method }: Operation, isOfRecord: boolean) {
  if (isOfRecord) return () => readRecord(tree, { node, values })
  if (method === 'PUT' && node.kind === 'list' && node.get)
    return async (): Promise<Item> => ({ items: pageIn(await ask(node.get as Operation, { values })).items })
  const record = ancestorsOf(node).findLast((one) => one.segment === '{}' && one.get)
  const get = record?.get
  return get && (async () => (await ask(get, { values: values.slice(0, record.depth) })) as Item)
}

/** The record around a list says in which currency its amounts are, and which version a change is based on. */
export function OperationForm(props: Props) {
  const { tree, place, operation, item } = props
  const read = readerOf(tree, place, operation, item !== undefined)
  const isAround = read !== undefined && item === undefined
  const { data, error } = useQuery({
    queryKey: ['around', addressOf(place.node, place.values), operation.spec],
    queryFn: read as () => Promise<Item>,
    enabled: isAround,
    // What the request is based on is read when the form is opened.
    gcTime: 0,
    refetchOnWindowFocus: false,
  })
  if (isAround && !data) return error ? <Fault error={error} /> : <Loading />
  return <LoadedForm {...props} read={read} around={data} />
}

type LoadedProps = Props & { read: (() => Promise<Item>) | undefined; around: Item | undefined }

function LoadedForm({ tree, place, operation, item, around, read, done, cancel }: LoadedProps) {
  const { schemas } = tree
  const markets = useMarkets()
  const body = operation.body ? bodyOf(operation.body, schemas) : undefined
  const isChange = operation.method === 'PUT' && item !== undefined
  const address = addressOf(place.node, place.values)
  const drafts = useDraft(`${operation.spec} ${address}`, body, schemas, () => {
    const begun = body ? (isChange ? valuesOf(body, item, schemas) : startOf(body, schemas)) : {}
    return newDraft(begun, item ?? around, body?.callersIds ?? [])
  })
  const { draft, restored, round } = drafts
  const [isJson, setJson] = useState(false)
  const [broken] = useState(() => new Set<string>())
  const sending: Sending = {
    operation,
    body,
    schemas,
    isChange,
    ask: (request) => ask(operation, { values: place.values, ...request }),
    readNow: read,
  }
  const { outcome, submit, refuse, accept, renew, reopen } = useSubmit(sending, drafts, address)
  const faults = faultsIn(outcome)
  const change = (value: Item) => {
    drafts.change({ value })
    if (outcome.kind === 'stale' || (outcome.kind === 'refused' && faults.size === 0)) reopen()
  }
  const send = async () => {
    if (broken.size > 0) return refuse('A value cannot be read. Nothing was sent.')
    const answer = await submit()
    if (answer !== undefined) done(answer)
  }
  const currency = currencyIn(item ?? around, markets, soleCurrency(markets))
  const { fields, required } = body ?? none
  const canRepeat = isRepeatable(sending, draft)
  return (
    <FormProvider value={{ tree, place, faults, markets, broken }}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void send()
        }}
        noValidate
      >
        <Stack gap="md">
          {aboutOf(operation) && <Quiet className={classes.text}>{aboutOf(operation)}</Quiet>}
          {restored && (fields.length > 0 || restored.isSent) && (
            <RestoredNote
              isSent={restored.isSent}
              canRepeat={canRepeat}
              hasSecrets={/write-only/i.test(JSON.stringify(body?.schema ?? {}))}
              discard={() => {
                drafts.discard()
                setJson(false)
                reopen()
              }}
            />
          )}
          <OutcomeNote
            outcome={outcome}
            canRepeat={canRepeat}
            schema={body?.schema ?? {}}
            currency={currency}
            send={() => void send()}
            accept={accept}
            renew={renew}
          />
          {!isJson && <OtherFaults faults={faults} names={fields.map(([name]) => name)} />}
          <Stack gap="md" key={round}>
            {fields.length > 0 &&
              (isJson ? (
                <>
                  <OtherFaults faults={faults} names={[]} />
                  <JsonField
                    label="Body"
                    value={draft.value}
                    change={(value) => change(isObject(value) ? value : {})}
                    rows={16}
                  />
                </>
              ) : (
                <ObjectFields
                  shape={{ properties: Object.fromEntries(fields), required }}
                  value={draft.value}
                  change={change}
                  pointer=""
                  currency={currency}
                  names={fields.map(([name]) => name)}
                />
              ))}
            {body && fields.length === 0 && !isObject(body.schema.properties) && (
              <JsonField label="Body" value={draft.value} change={(value) => change(isObject(value) ? value : {})} />
            )}
          </Stack>
          <Group justify="space-between" mt="xs" className={classes.foot}>
            {fields.length > 0 ? (
              <Switch
                size="xs"
                label="As JSON"
                checked={isJson}
                onChange={({ currentTarget }) => setJson(currentTarget.checked)}
              />
            ) : (
              <span />
            )}
            <Group gap="xs">
              <CancelButton drafts={drafts} cancel={cancel} />
              <Button
                type="submit"
                loading={outcome.kind === 'sending'}
                color={operation.method === 'DELETE' ? 'red' : undefined}
              >
                {submitLabel(operation, place)}
              </Button>
            </Group>
          </Group>
        </Stack>
      </form>
    </FormProvider>
  )
}

/** What was sent without an answer is not forgotten: the form opens with the same request. */
const CancelButton = ({ drafts, cancel }: { drafts: ReturnType<typeof useDraft>; cancel(): void }) => (
  <Button
    variant="default"
    onClick={() => {
      if (!drafts.read().isSent) drafts.drop()
      cancel()
    }}
  >
    Cancel
  </Button>
)

/** Files have a form of their own: they are chosen, and sent together. Nothing makes a second upload the same one. */
export function UploadForm({ tree, place, operation, done, cancel }: Props) {
  const [files, setFiles] = useState<File[]>([])
  const address = addressOf(place.node, place.values)
  const drafts = useDraft(`${operation.spec} ${address}`, undefined, tree.schemas, () => newDraft({}, undefined, []))
  const sending: Sending = {
    operation,
    body: undefined,
    schemas: tree.schemas,
    isChange: false,
    ask() {
      const form = new FormData()
      for (const file of files) form.append(operation.files ?? 'files', file, file.name)
      return ask(operation, { values: place.values, form })
    },
    readNow: undefined,
  }
  const { outcome, submit, accept, renew, reopen } = useSubmit(sending, drafts, address)
  const send = async () => {
    if (files.length === 0) return
    const answer = await submit()
    if (answer !== undefined) done(answer)
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      <Stack>
        {drafts.restored?.isSent && (
          <RestoredNote
            isSent
            canRepeat={false}
            hasSecrets={false}
            discard={() => {
              drafts.discard()
              reopen()
            }}
          />
        )}
        <OutcomeNote outcome={outcome} canRepeat={false} send={() => void send()} accept={accept} renew={renew} />
        <OtherFaults faults={faultsIn(outcome)} names={[]} />
        <FileInput
          label="Files"
          description={aboutOf(operation)}
          multiple
          value={files}
          onChange={setFiles}
          placeholder="Choose files"
          clearable
          required
        />
        <Group justify="flex-end">
          <CancelButton drafts={drafts} cancel={cancel} />
          <Button type="submit" loading={outcome.kind === 'sending'} disabled={files.length === 0}>
            Upload
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
