// The form of an operation: its fields from the schema of the body, its texts from the document.
import { Alert, Button, FileInput, Group, Stack, Switch, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ApiProblem, ask, messageOf } from '../api.ts'
import type { Operation } from '../document/operations.ts'
import { plainText, wordsOf } from '../document/schema.ts'
import { addressOf, ancestorsOf, type Item, type Place, type Tree, verbOf } from '../document/tree.ts'
import { Fault, Loading } from '../ui/ui.tsx'
import { currencyIn, soleCurrency, useMarkets } from '../value.tsx'
import { type Draft, dropDraft, keepDraft, newDraft, readDraft } from './draft.ts'
import { FormProvider, JsonField, ObjectFields } from './fields.tsx'
import classes from './form.module.css'
import { type Body, bodyOf, type Faults, faultsOf, isObject, startOf, valuesOf } from './model.ts'
import { isRepeatable, type Outcome, type Sending, useSubmit } from './submit.ts'

type Props = {
  tree: Tree
  place: Place
  operation: Operation
  /** The record at the place; of a list undefined. */
  item: Item | undefined
  done(answer: unknown): void
  cancel(): void
}

const named = (fields: readonly string[]) => fields.map((name) => wordsOf(name).toLowerCase()).join(', ')

function OutcomeNote({
  outcome,
  sending,
  submit,
  accept,
  renew,
}: { outcome: Outcome; sending: Sending } & Pick<ReturnType<typeof useSubmit>, 'submit' | 'accept' | 'renew'>) {
  if (outcome.kind === 'lost')
    return (
      <Alert color="orange" title="No answer arrived" role="alert">
        <Text size="sm">
          {isRepeatable(sending)
            ? 'It may have been done. Send it again: it is done once, however often it is sent.'
            : 'It may have been done. Look at the list before you send it again: the API cannot tell that it is the same request.'}
        </Text>
        <Button size="xs" variant="default" mt="xs" onClick={() => void submit(true)}>
          Send again
        </Button>
      </Alert>
    )
  if (outcome.kind === 'stale')
    return (
      <Alert color="orange" title="Changed meanwhile" role="alert">
        <Text size="sm">
          {outcome.fields.length > 0
            ? `Somebody else has changed ${named(outcome.fields)} since you opened this form.`
            : 'The record has changed since you opened this form.'}{' '}
          What you typed is still here.
        </Text>
        <Group gap="xs" mt="xs">
          <Button
            size="xs"
            variant="default"
            onClick={() => {
              accept(outcome.record)
              void submit(true)
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
        <Button size="xs" variant="default" mt="xs" onClick={renew}>
          Make this a new one
        </Button>
      </Alert>
    )
  return outcome.kind === 'refused' ? <Fault error={outcome.error} /> : null
}

/** What a person has to know of an operation. Sentences about status codes are for programs. */
const aboutOf = ({ description }: Operation): string =>
  plainText(
    description
      .split(/(?<=[.])\s+/)
      .filter((sentence) => !/\b[2345]\d\d\b/.test(sentence))
      .join(' '),
  )

const submitLabel = (operation: Operation, { node }: Place): string => {
  if (operation.method === 'DELETE') return 'Delete'
  if (operation.method === 'PUT') return 'Save'
  return operation === node.post && node.kind === 'list' ? 'Create' : verbOf(operation)
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

const none: Body = { schema: {}, fields: [], required: [], callersIds: [], takesVersion: false }

/** Reads the record that a change is based on: the one at the place, or the one around it. */
function readerOf({ node, values }: Place): (() => Promise<Item>) | undefined {
  const record = ancestorsOf(node).findLast((one) => one.segment === '{}' && one.get)
  const get = record?.get
  return get && (async () => (await ask(get, { values: values.slice(0, record.depth) })) as Item)
}

/** The record around a list says in which currency its amounts are, and which version a change is based on. */
export function OperationForm(props: Props) {
  const { node, values } = props.place
  const record = ancestorsOf(node).findLast((one) => one.segment === '{}' && one.get)
  const around =
    record && props.item === undefined ? { node: record, values: values.slice(0, record.depth) } : undefined
  const { data, error } = useQuery({
    queryKey: ['record', around && addressOf(around.node, around.values)],
    queryFn: async ({ signal }) =>
      (await ask(around?.node.get as Operation, { values: around?.values ?? [], signal })) as Item,
    enabled: around !== undefined,
  })
  if (around && !data) return error ? <Fault error={error} /> : <Loading />
  return <LoadedForm {...props} around={data} />
}

function LoadedForm({ tree, place, operation, item, around, done, cancel }: Props & { around: Item | undefined }) {
  const markets = useMarkets()
  const body = operation.body ? bodyOf(operation.body, tree.schemas) : undefined
  const isChange = operation.method === 'PUT' && item !== undefined
  const initial = body ? (isChange ? valuesOf(body, item, tree.schemas) : startOf(body, tree.schemas)) : {}
  const under = `${operation.spec} ${addressOf(place.node, place.values)}`
  const [start] = useState(() => ({ initial, before: item ?? around }))
  const [restored] = useState(() => readDraft(under))
  const [draft, setDraft] = useState<Draft>(() => restored ?? newDraft(initial, body?.callersIds ?? []))
  const [isJson, setJson] = useState(false)
  const store = (next: Draft) => {
    setDraft(next)
    if (body) keepDraft(under, next, body.schema, tree.schemas)
  }
  const sending: Sending = {
    operation,
    values: place.values,
    body,
    before: start.before,
    initial: start.initial,
    readNow: readerOf(place),
    place: under,
    address: addressOf(place.node, place.values),
  }
  const { outcome, submit, accept, renew, reopen } = useSubmit(sending, draft, store)
  const known =
    outcome.kind === 'refused' && outcome.error instanceof ApiProblem
      ? faultsOf(outcome.error.errors)
      : new Map<string, string>()
  const change = (value: Item) => {
    store({ ...draft, value })
    if (outcome.kind === 'stale' || (outcome.kind === 'refused' && known.size === 0)) reopen()
  }
  const discard = () => {
    dropDraft(under)
    setDraft(newDraft(start.initial, body?.callersIds ?? []))
    setJson(false)
  }
  const send = async (event: FormEvent) => {
    event.preventDefault()
    const answer = await submit()
    if (answer !== undefined) done(answer)
  }
  const currency = currencyIn(item ?? around, markets, soleCurrency(markets))
  const { fields, required } = body ?? none
  const isBusy = outcome.kind === 'sending'
  return (
    <FormProvider value={{ tree, place, faults: known, markets }}>
      <form onSubmit={(event) => void send(event)} noValidate>
        <Stack gap="md">
          {aboutOf(operation) && (
            <Text size="sm" c="dimmed" className={classes.text}>
              {aboutOf(operation)}
            </Text>
          )}
          {restored && fields.length > 0 && (
            <Alert color="gray" p="xs">
              <Group justify="space-between" gap="xs">
                <Text size="sm">
                  {restored.isSent
                    ? 'This was sent, and no answer arrived. It is still the same request.'
                    : 'What you had typed is here again.'}
                </Text>
                <Button size="compact-xs" variant="subtle" onClick={discard}>
                  Start afresh
                </Button>
              </Group>
            </Alert>
          )}
          <OutcomeNote
            outcome={outcome}
            sending={sending}
            submit={async (isForced) => {
              const answer = await submit(isForced)
              if (answer !== undefined) done(answer)
              return answer
            }}
            accept={accept}
            renew={renew}
          />
          {!isJson && <OtherFaults faults={known} names={fields.map(([name]) => name)} />}
          {fields.length > 0 &&
            (isJson ? (
              <>
                <OtherFaults faults={known} names={[]} />
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
              <Button
                variant="default"
                onClick={() => {
                  dropDraft(under)
                  cancel()
                }}
              >
                Cancel
              </Button>
              <Button type="submit" loading={isBusy} color={operation.method === 'DELETE' ? 'red' : undefined}>
                {submitLabel(operation, place)}
              </Button>
            </Group>
          </Group>
        </Stack>
      </form>
    </FormProvider>
  )
}

/** Files have a form of their own: they are chosen, and sent together. */
export function UploadForm({ place, operation, done, cancel }: Omit<Props, 'tree' | 'item'>) {
  const [files, setFiles] = useState<File[]>([])
  const [state, setState] = useState<{ isBusy: boolean; error?: unknown }>({ isBusy: false })
  const send = async (event: FormEvent) => {
    event.preventDefault()
    if (state.isBusy || files.length === 0) return
    setState({ isBusy: true })
    const form = new FormData()
    for (const file of files) form.append(operation.files ?? 'files', file, file.name)
    try {
      done(await ask(operation, { values: place.values, form }))
    } catch (error) {
      setState({ isBusy: false, error })
    }
  }
  return (
    <form onSubmit={(event) => void send(event)}>
      <Stack>
        {state.error !== undefined && <Fault error={state.error} />}
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
          <Button variant="default" onClick={cancel}>
            Cancel
          </Button>
          <Button type="submit" loading={state.isBusy} disabled={files.length === 0}>
            Upload
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
