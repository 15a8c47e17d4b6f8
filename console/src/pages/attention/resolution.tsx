// What a person found at the other party, recorded by the item's own request. It can be corrected by another one.
import { Alert, Button, Group, Radio, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'
import { useHere } from '../../kit/access.tsx'
import { ApiProblem, messageOf, send, Unreachable } from '../../kit/api.ts'
import type { Item } from '../../kit/attention.ts'
import { useTree } from '../../kit/document/load.ts'
import { plainText, propertiesOf, wordsOf } from '../../kit/document/schema.ts'
import type { Audience, Tenant } from '../../kit/document/scope.ts'
import { locate } from '../../kit/document/tree.ts'
import { Json } from '../../kit/ui/copy.tsx'
import { Fault } from '../../kit/ui/ui.tsx'
import classes from './attention-page.module.css'
import { isOfPlatform, mayResolve } from './subjects.ts'

type Choice = NonNullable<Item['resolve']>['choices'][number]

const answers: Record<Choice, [label: string, about: string]> = {
  succeeded: ['It was carried out', 'You found it there.'],
  rejected: ['It was not carried out', 'You looked, and it is not there.'],
  accepted: ['Keep it as it is', 'The amount that was paid is accepted.'],
  start_again: ['Start it again', 'What was not started is started now.'],
  published: ['It was published', 'You see the post there.'],
  completed: ['It was carried out', 'You found its effect there.'],
  failed: ['It was not carried out', 'You looked, and nothing happened there.'],
}

/** Sends the item's own request. It records a fact, so sending it twice records the same. */
async function record(path: string, body: Record<string, unknown>): Promise<void> {
  const answer = await send(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (answer.ok) return
  const document = await answer.json().catch(() => ({}))
  throw new ApiProblem(`POST ${path}`, answer.status, document, answer.headers)
}

/** The outcome that was recorded for the item before. */
function recordedIn({ evidence }: Item): string | undefined {
  const { outcome } = (evidence.resolution ?? {}) as { outcome?: unknown }
  return typeof outcome === 'string' ? outcome : undefined
}

/** Whether the API can check that a correction replaces what its author has seen. */
function useTakesReplaces(path = ''): boolean {
  const { data: tree } = useTree(audienceOfPath(path))
  const operation = tree && locate(tree, path)?.node.post
  return 'replaces' in propertiesOf(operation?.body, tree?.schemas ?? {})
}

const audienceOfPath = (path: string): Audience =>
  path.startsWith('/v1/platform/') ? 'platform' : path.startsWith('/v1/businesses/') ? 'business' : 'operator'

export function Resolution({ item, tenant, isDone }: { item: Item; tenant: Tenant | undefined; isDone: boolean }) {
  const { permissions } = useHere()
  const client = useQueryClient()
  const { resolve } = item
  const takesReplaces = useTakesReplaces(resolve?.path)
  // What this page recorded, or what was recorded when it was read.
  const [recorded, setRecorded] = useState(recordedIn(item))
  const [choice, setChoice] = useState<string | null>(null)
  const [note, setNote] = useState('')
  const [objectId, setObjectId] = useState('')
  const [isOpen, setOpen] = useState(false)
  const [state, setState] = useState<{ isBusy: boolean; error?: unknown }>({ isBusy: false })
  const isBusy = useRef(false)
  if (!resolve) return null
  if (!mayResolve(resolve, tenant, permissions.account.platform_administrator))
    return (
      <Text size="sm" c="dimmed">
        {isOfPlatform(resolve) ? 'A platform administrator' : 'An owner'} can record what was found.
      </Text>
    )
  if (isDone && !isOpen)
    return (
      <Button size="xs" variant="default" onClick={() => setOpen(true)}>
        Correct what was recorded
      </Button>
    )
  const { error } = state
  const isContradicted = error instanceof ApiProblem && error.code === 'contradicts_evidence'
  const faults = error instanceof ApiProblem ? error.errors : []
  const faultAt = (pointer: string) =>
    plainText(faults.find((fault) => fault.pointer === pointer)?.detail ?? '') || undefined
  // Only a form that was found open needs it; the API says so.
  const objectFault = faultAt('/provider_object_id') ?? faultAt('/providerObjectId')
  const needsObject = objectFault !== undefined || objectId !== ''
  async function submit(force: boolean) {
    if (isBusy.current || choice === null || !resolve) return
    isBusy.current = true
    setState({ isBusy: true })
    const extra = needsObject
      ? { [resolve.path.startsWith('/v1/businesses/') ? 'providerObjectId' : 'provider_object_id']: objectId.trim() }
      : {}
    try {
      const replaces = isDone && takesReplaces && recorded !== undefined ? { replaces: recorded } : {}
      const forced = force ? { force: true } : {}
      await record(resolve.path, { outcome: choice, note: note.trim(), ...extra, ...replaces, ...forced })
      setRecorded(choice)
      setState({ isBusy: false })
      setOpen(false)
      await client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'document' })
    } catch (problem) {
      setState({ isBusy: false, error: problem })
    }
    isBusy.current = false
  }
  const isSingle = resolve.choices.length === 1 && resolve.choices[0] === 'start_again'
  return (
    <form
      onSubmit={(event: FormEvent) => {
        event.preventDefault()
        void submit(false)
      }}
    >
      <Stack gap="sm">
        <Radio.Group
          label={isSingle ? 'What do you want to do?' : 'What did you find there?'}
          value={choice}
          onChange={setChoice}
          error={faultAt('/outcome')}
          required
        >
          <div className={classes.choices}>
            {resolve.choices.map((one) => {
              const [label, description] = answers[one] ?? [wordsOf(one), undefined]
              return <Radio key={one} value={one} label={label} description={description} />
            })}
          </div>
        </Radio.Group>
        {needsObject && (
          <TextInput
            label="The provider's id of the form"
            value={objectId}
            onChange={({ currentTarget }) => setObjectId(currentTarget.value)}
            error={objectFault}
            required
            dir="ltr"
          />
        )}
        <Textarea
          label="Note"
          description="How you established it. Others read it here later."
          value={note}
          onChange={({ currentTarget }) => setNote(currentTarget.value)}
          error={faultAt('/note')}
          autosize
          minRows={2}
          required
          dir="auto"
        />
        {isContradicted ? (
          <Alert color="orange" title="The evidence says otherwise" role="alert">
            <Text size="sm" mb="xs" dir="auto">
              {messageOf(error)}
            </Text>
            {error.document.evidence !== undefined && <Json value={error.document.evidence} label="Evidence" />}
            <Button size="xs" color="orange" variant="light" mt="sm" onClick={() => void submit(true)}>
              Record it all the same
            </Button>
          </Alert>
        ) : error instanceof Unreachable ? (
          <Alert color="orange" title="No answer arrived" role="alert">
            It may have been recorded. Record it again: the same outcome is recorded once.
          </Alert>
        ) : error !== undefined && faults.length === 0 ? (
          <Fault error={error} />
        ) : null}
        <Group>
          <Button type="submit" loading={state.isBusy} disabled={choice === null}>
            Record it
          </Button>
          {isDone && (
            <Button variant="subtle" onClick={() => setOpen(false)}>
              Cancel
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  )
}
