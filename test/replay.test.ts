// Workflows that run during a deployment continue in the new version: recorded histories of each kind replay, and a
// history holds only what operators may see.
import fs from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, jest, test } from '@jest/globals'
import { bundleWorkflowCode, DefaultLogger, Worker } from '@temporalio/worker'
import { ownProcesses } from '../rules/effects.ts'
import { processKinds } from '../rules/processes.ts'

jest.setTimeout(60_000)

type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
type Event = { eventType: string; workflowExecutionStartedEventAttributes?: { workflowType: { name: string } } }
type History = { events: Event[] }

const folder = path.join(import.meta.dirname, 'histories')
const histories = fs
  .readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .map((name) => ({ name: name.replace('.json', ''), text: fs.readFileSync(path.join(folder, name), 'utf8') }))
const read = (text: string): History => JSON.parse(text)

let code: string
beforeAll(async () => {
  const workflowsPath = path.join(import.meta.dirname, '../workflows/index.ts')
  code = process.env.TEST_BUNDLE
    ? fs.readFileSync(process.env.TEST_BUNDLE, 'utf8')
    : (await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('WARN') })).code
})

/** The error of each replay by name, or undefined. */
async function replayed(workflowCode: string, names: readonly string[]): Promise<Map<string, Error | undefined>> {
  const wanted = histories.filter(({ name }) => names.includes(name))
  const results = Worker.runReplayHistories(
    { workflowBundle: { code: workflowCode } },
    wanted.map(({ name, text }) => ({ workflowId: name, history: read(text) })),
  )
  const found = new Map<string, Error | undefined>()
  for await (const { workflowId, error } of results) found.set(workflowId, error)
  return found
}

const all = histories.map(({ name }) => name)

describe('Recorded histories', () => {
  let found: Map<string, Error | undefined>
  beforeAll(async () => {
    found = await replayed(code, all)
  })
  test.each(all)('The history %s replays in the current workflows', (name) => {
    expect(found.has(name)).toBe(true)
    expect(found.get(name)).toBeUndefined()
  })
})

/** Ids of events from `first` on, and what refers to them, are `by` less. */
const renumbered = (value: Json, first: number, by: number): Json => {
  if (Array.isArray(value)) return value.map((one) => renumbered(one, first, by))
  if (value === null || typeof value !== 'object') return value
  const isId = (name: string, id: Json) => /eventId$/i.test(name) && Number(id) >= first
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name,
      isId(name, one ?? null) ? String(Number(one) - by) : renumbered(one ?? null, first, by),
    ]),
  )
}

test('A deletion that an earlier version did not end the pause of by a signal replays', async () => {
  const { events } = read(histories.find(({ name }) => name === 'erasure-deleted')?.text ?? '')
  const timer = events.findIndex(({ eventType }) => eventType === 'EVENT_TYPE_TIMER_STARTED')
  const before = events.slice(0, timer)
  const started = before.findLastIndex(({ eventType }) => eventType === 'EVENT_TYPE_ACTIVITY_TASK_STARTED')
  const id = started + 1
  // The signal comes while the slice before the pause runs, so that it is read with the answer of the slice.
  const signal = {
    ...{ eventId: String(id), eventType: 'EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED' },
    workflowExecutionSignaledEventAttributes: { signalName: 'changed', identity: 'api' },
  }
  const after = renumbered(events.slice(started) as Json, id, -1) as unknown[]
  const history = { events: [...events.slice(0, started), signal, ...after] }
  const results = Worker.runReplayHistories({ workflowBundle: { code } }, [{ workflowId: 'signalled', history }])
  for await (const { error } of results) expect(error).toBeUndefined()
})

test('A deletion that an earlier version went on with after `attention` replays', async () => {
  const { events } = read(histories.find(({ name }) => name === 'erasure-deleted')?.text ?? '')
  const timer = events.findIndex(({ eventType }) => eventType === 'EVENT_TYPE_TIMER_STARTED')
  // Without the pause: its five events, from the timer to the task that it began.
  const text = JSON.stringify(renumbered([...events.slice(0, timer), ...events.slice(timer + 5)] as Json, timer + 5, 5))
  const answer = (word: string) => Buffer.from(JSON.stringify(word)).toString('base64')
  expect(text).toContain(answer('wait'))
  const history = { events: JSON.parse(text.replace(answer('wait'), answer('attention'))) }
  const results = Worker.runReplayHistories({ workflowBundle: { code } }, [{ workflowId: 'attention', history }])
  for await (const { error } of results) expect(error).toBeUndefined()
})

test('Every workflow that workflows/index.ts exports has a recorded history', () => {
  const recorded = new Set(
    histories.map(({ text }) => read(text).events[0]?.workflowExecutionStartedEventAttributes?.workflowType.name),
  )
  const exported = [
    ...fs.readFileSync(path.join(import.meta.dirname, '../workflows/index.ts'), 'utf8').matchAll(/export \{ (\w+) \}/g),
  ].map(([, name]) => name)
  expect(exported.filter((name) => !recorded.has(name))).toEqual([])
  // The kinds without an export of their own run the default workflow.
  const rest = processKinds.filter((kind) => !exported.includes(kind))
  expect(rest.filter((kind) => !(ownProcesses as readonly string[]).includes(kind))).toEqual([])
  expect(rest.some((kind) => recorded.has(kind))).toBe(true)
})

test.each([
  ['another activity', '{ sendEffect }', '{ giveUpEffect: sendEffect }'],
  ['a timer that was not there', 'if (n > 0)', 'if (n >= 0)'],
])('A change that running workflows would not survive is detected: %s', async (_, from, to) => {
  expect(code.includes(from)).toBe(true)
  const changed = code.replaceAll(from, to)
  const found = await replayed(changed, ['refund-succeeded'])
  expect(found.get('refund-succeeded')?.name).toBe('DeterminismViolationError')
})

test('The bundle contains workflows and rules and nothing of the database', () => {
  const withoutMap = code.slice(0, code.lastIndexOf('//# sourceMappingURL'))
  expect(withoutMap).toMatch('workflows/payments/checkout.ts')
  expect(withoutMap).not.toMatch(
    /@mikro-orm|\/entities\/|\/activities\/|\/config\.ts|node_modules\/(pg|stripe|undici|zod)\//,
  )
})

describe('Contents of histories', () => {
  const payloadsOf = (value: Json): { metadata: { encoding: string }; data?: string }[] => {
    if (value === null || typeof value !== 'object') return []
    if (Array.isArray(value)) return value.flatMap(payloadsOf)
    if (typeof value.metadata === 'object' && value.metadata && 'encoding' in value.metadata) return [value as never]
    // Summaries name an order and an amount: the next test checks them.
    return Object.entries(value).flatMap(([name, inner]) => (name === 'userMetadata' ? [] : payloadsOf(inner)))
  }
  const strings = (value: Json): string[] =>
    typeof value === 'string'
      ? [value]
      : value === null || typeof value !== 'object'
        ? []
        : Object.values(value).flatMap((inner) => strings(inner as Json))

  const uuid = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g
  const sealed = /^[A-Za-z0-9+/]{40,}={0,2}$/
  const moment = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/
  /** An id, a time, or a word of ours; or ids in a token or a summary of them. */
  const idOrWord = (text: string) =>
    sealed.test(text) ||
    /^\d+$/.test(text) ||
    moment.test(text) ||
    /^[a-z_ ]*\/?$/i.test(text.replaceAll(uuid, '').replaceAll(/\/\d+/g, ''))

  test.each(histories)('History $name contains ids and words alone, in at most 2 KiB', ({ text }) => {
    for (const { data = '' } of payloadsOf(JSON.parse(text))) {
      const bytes = Buffer.from(data, 'base64')
      expect(bytes.length).toBeLessThan(2048)
      const held = bytes.length === 0 ? null : (JSON.parse(bytes.toString()) as Json)
      expect(strings(held).filter((one) => !idOrWord(one))).toEqual([])
    }
  })

  test.each(histories)('History $name contains no address, no secret and no path of a machine', ({ text }) => {
    const decoded = text.replaceAll(/"data": "([^"]*)"/g, (_, data: string) => Buffer.from(data, 'base64').toString())
    expect(decoded).not.toMatch(
      /[\w.-]+@([\w-]+\.)+[a-z]{2}|_secret_|whsec_|sk_test|tw[akrv]_|https?:|\/(work|home|root|tmp|Users)\/|node_modules|127\.0\.0\.1/,
    )
  })
})
