// Campaigns from their launch to the last body in the sink, beside the same bytes through the same client without
// database and rendering; imports, lists and states of large ones.
import { setTimeout as pause } from 'node:timers/promises'
import { Client, Connection } from '@temporalio/client'
import type { Stack } from '../../dev/stack.ts'
import { type Caller, callerOf, draftOf, filledAudience, importInto, mailboxAt, untilStatus } from '../kit/campaigns.ts'
import { openSink, type Sink, smtpFloor } from '../kit/mail.ts'
import type { Measure, Result } from '../kit/path.ts'
import { resultOf, timesOf } from '../kit/report.ts'
import { newStore, type Shop } from '../kit/shop.ts'
import type { Arrival } from '../kit/sink.ts'
import type { BenchWorker } from '../kit/worker.ts'

type Scene = {
  stack: Stack
  shop: Shop
  worker: BenchWorker
  caller: Caller
  sink: Sink
  connections: number
  pageBytes: number
}

const say = (line: string) => process.stderr.write(`${line}\n`)
const stallMs = 60_000

/** Waits for so many bodies; the limit is for the time without a new one. */
async function untilArrived({ sink }: Scene, wanted: number): Promise<void> {
  let [come, since] = [0, Date.now()]
  while (come < wanted) {
    const count = await sink.count()
    if (count > come) since = Date.now()
    if (Date.now() - since > stallMs)
      throw new Error(`${count} of ${wanted} bodies arrived, and no other one in a minute`)
    come = count
    await pause(50)
  }
}

/** Every message came once, as a whole, and its row says so. */
async function prove({ shop, sink }: Scene, campaignId: string, count: number): Promise<Arrival[]> {
  const arrivals = await sink.ledger()
  const rows = new Set(arrivals.map(({ row }) => row))
  if (arrivals.length !== count || rows.size !== count || arrivals.some(({ whole, code }) => !whole || code !== 250))
    throw new Error(`${arrivals.length} bodies of ${rows.size} messages arrived instead of ${count}`)
  const { rows: stored } = await shop.db.query<{ id: string }>(
    `select id from campaign_messages where campaign_id = $1 and status = 'succeeded'`,
    [campaignId],
  )
  if (stored.length !== count || stored.some(({ id }) => !rows.has(id)))
    throw new Error(`${stored.length} messages succeeded instead of ${count}`)
  return arrivals
}

/** A store with one mailbox. */
async function sceneOf(
  stack: Stack,
  shop: Shop,
  worker: BenchWorker,
  name: string,
  o: { delayMs: number; connections: number; pageBytes: number },
) {
  const { id } = await newStore(shop, `${name}-${Date.now()}`)
  const [caller, sink] = [callerOf(shop, id), await openSink(o.delayMs)]
  const scene: Scene = { stack, shop, worker, caller, sink, connections: o.connections, pageBytes: o.pageBytes }
  return { scene, mailbox: await mailboxAt(caller, sink.port, o.connections) }
}

type Run = { launchedAt: number; arrivals: Arrival[]; memoryMb: number; mailbox: string; campaign: string }

/** Launches the draft and waits for its last body. */
async function run(
  scene: Scene,
  mailbox: string,
  campaign: string,
  count: number,
  meanwhile?: () => Promise<void>,
): Promise<Run> {
  const { worker, caller, sink } = scene
  await sink.forget()
  const before = worker.memoryMb()
  let most = before
  const watch = setInterval(() => {
    most = Math.max(most, worker.memoryMb())
  }, 200)
  const launchedAt = Date.now()
  try {
    await caller.ask('POST', `/campaigns/${campaign}/launch`)
    await meanwhile?.()
    await untilArrived(scene, count)
  } finally {
    clearInterval(watch)
  }
  await untilStatus(caller, campaign, 'completed')
  return { launchedAt, arrivals: await prove(scene, campaign, count), memoryMb: most - before, mailbox, campaign }
}

/** Events of all runs of the mailbox's workflow. */
async function eventsOf(stack: Stack, mailbox: string): Promise<number> {
  const connection = await Connection.connect({ address: String(stack.env.TEMPORAL_ADDRESS) })
  try {
    let events = 0
    for await (const one of new Client({ connection }).workflow.list({ query: `WorkflowId = 'dispatch/${mailbox}'` }))
      events += one.historyLength
    return events
  } finally {
    await connection.close()
  }
}

const tables = ['campaign_messages', 'enrollments', 'campaign_stats', 'campaign_steps']
/** Without the versions of rows that the next messages replace. */
async function stored({ db }: Shop): Promise<number> {
  for (const table of tables) await db.query(`vacuum full ${table}`)
  return Number(
    (
      await db.query(`select sum(pg_total_relation_size(name::regclass)) as bytes from unnest($1::text[]) as t(name)`, [
        tables,
      ])
    ).rows[0].bytes,
  )
}

const sinceLaunch = ({ launchedAt, arrivals }: Run) => arrivals.map(({ at }) => at - launchedAt)

/** The same bytes, through as many sessions. */
const floorFor = ({ sink, connections }: Scene, arrivals: readonly Arrival[], count: number) =>
  smtpFloor({
    port: sink.port,
    sessions: connections,
    count,
    bytes: arrivals.reduce((sum, { bytes }) => sum + bytes, 0) / arrivals.length,
    perSession: 1_000,
  })

const counted = 5_000

/** One campaign of `count` members, a floor, and a smaller campaign whose statements are counted. */
async function measured(
  stack: Stack,
  shop: Shop,
  worker: BenchWorker,
  name: string,
  count: number,
  o: { delayMs: number; connections: number; pageBytes: number },
) {
  const { scene, mailbox } = await sceneOf(stack, shop, worker, name, o)
  const { caller } = scene
  try {
    const small = await filledAudience(shop, caller, counted)
    const draft = async (audience: string, members: number) => {
      const campaign = await draftOf(caller, [mailbox], o.pageBytes)
      await importInto(caller, campaign, { audience_ids: [audience] }, members)
      return campaign
    }
    const first = await draft(small, counted)
    const statements = await worker.statementsOf(async () => void (await run(scene, mailbox, first, counted)))
    // The worker is warm, as it is in production.
    await run(scene, mailbox, await draft(small, counted), counted)
    const campaign = await draft(await filledAudience(shop, caller, count), count)
    const [bytes, events] = [await stored(shop), await eventsOf(stack, mailbox)]
    const done = await run(scene, mailbox, campaign, count)
    const each = sinceLaunch(done)
    const floor = await floorFor(scene, done.arrivals, count)
    const per = {
      statements: statements / counted,
      events: ((await eventsOf(stack, mailbox)) - events) / count,
      bytes: ((await stored(shop)) - bytes) / count,
    }
    say(
      `${name}: ${per.statements.toFixed(3)} statements, ${per.events.toFixed(4)} events and ${Math.round(per.bytes)} stored bytes a message; the worker's memory +${Math.round(done.memoryMb)} MB`,
    )
    return {
      ...resultOf(name, o.connections, 0, { ms: Math.max(...each), each }, floor),
      sql: Math.round(per.statements * 1000) / 1000,
    }
  } finally {
    await scene.sink.stop()
  }
}

export const campaign: Measure = {
  name: 'campaign',
  target: { per_s: 2_500, of_floor: 0.45, sql: 0.1, clients: 50 },
  measure: (stack, shop, worker) =>
    measured(stack, shop, worker, 'campaign', 20_000, { delayMs: 0, connections: 50, pageBytes: 10_000 }),
}

export const campaignFar: Measure = {
  name: 'campaign-far',
  target: { per_s: 1_100, sql: 0.1, clients: 50 },
  measure: (stack, shop, worker) =>
    measured(stack, shop, worker, 'campaign-far', 20_000, { delayMs: 20, connections: 50, pageBytes: 25_000 }),
}

const large = 100_000
const controls = 5

/**
 * How long pausing, resuming and launching take while the campaign sends. Each small campaign has one recipient, whose
 * message is waited for after the large one.
 */
async function control(
  { caller }: Scene,
  campaignId: string,
  others: readonly string[],
  into: number[],
): Promise<void> {
  for (const other of others) {
    await pause(1_500)
    into.push(await caller.timed('POST', `/campaigns/${campaignId}/pause`))
    into.push(await caller.timed('POST', `/campaigns/${campaignId}/resume`))
    into.push(await caller.timed('POST', `/campaigns/${other}/launch`))
  }
}

const listsOf = (campaignId: string) => [
  `/campaigns/${campaignId}/enrollments?limit=20`,
  `/campaigns/${campaignId}/enrollments?limit=20&status=completed`,
  `/campaigns/${campaignId}/enrollments?limit=20&status=completed&step=1`,
  `/campaigns/${campaignId}/enrollments?limit=20&query=reader9`,
  `/campaigns/${campaignId}/messages?limit=20`,
  `/campaigns/${campaignId}/messages?limit=20&status=succeeded`,
  `/campaigns/${campaignId}/messages?limit=20&status=unknown`,
  `/campaigns/${campaignId}/messages?limit=20&kind=step&step=0`,
  `/campaigns/${campaignId}`,
]

export const campaignImport: Measure = {
  name: 'campaign-import-100000',
  target: { p95_ms: 10_000, clients: 1 },
  async measure(_, shop) {
    const { id } = await newStore(shop, `campaign-import-${Date.now()}`)
    const caller = callerOf(shop, id)
    const audience = await filledAudience(shop, caller, large)
    // No mail is sent.
    const campaign = await draftOf(caller, [await mailboxAt(caller, 2_525, 1)], 1_000)
    return resultOf(
      'campaign-import-100000',
      1,
      0,
      timesOf([await importInto(caller, campaign, { audience_ids: [audience] }, large)]),
      null,
    )
  },
}

export const campaignLarge: Measure = {
  name: 'campaign-100000',
  parts: [
    { name: 'campaign-100000', target: { per_s: 1_100, clients: 20 } },
    { name: 'campaign-100000-end', target: { of_floor: 0.85, clients: 20 } },
    { name: 'campaign-control', target: { p95_ms: 100, clients: 1 } },
    { name: 'campaign-lists-100000', target: { p95_ms: 30, clients: 1 } },
  ],
  async measure(stack, shop, worker): Promise<Result[]> {
    const { scene, mailbox } = await sceneOf(stack, shop, worker, 'campaign-100000', {
      delayMs: 0,
      connections: 20,
      pageBytes: 25_000,
    })
    const { caller } = scene
    try {
      const audience = await filledAudience(shop, caller, large)
      const campaign = await draftOf(caller, [mailbox], scene.pageBytes)
      await importInto(caller, campaign, { audience_ids: [audience] }, large)
      // Their own server: the sink of the campaign counts its bodies alone.
      const aside = await openSink()
      const other = await mailboxAt(caller, aside.port, 1)
      const others: string[] = []
      for (let n = 0; n < controls; n++) {
        others.push(await draftOf(caller, [other], 1_000))
        await importInto(caller, others.at(-1) as string, { emails: [`aside${n}@aside.example`] }, 1)
      }
      const bytes = await stored(shop)
      const times: number[] = []
      const done = await run(scene, mailbox, campaign, large, () => control(scene, campaign, others, times))
      for (const one of others) await untilStatus(caller, one, 'completed')
      await aside.stop()
      say(
        `campaign-100000: ${Math.round(((await stored(shop)) - bytes) / large)} stored bytes a message; the worker's memory +${Math.round(done.memoryMb)} MB`,
      )
      const each = sinceLaunch(done)
      // Without the part in which it was paused.
      const quarter = large / 4
      const slice = (from: number) => ({
        ms: (each[from + quarter - 1] ?? 0) - (each[from] ?? 0),
        each: each.slice(from, from + quarter),
      })
      const lists: number[] = []
      for (const path of listsOf(campaign)) {
        await caller.timed('GET', path)
        for (let n = 0; n < 20; n++) lists.push(await caller.timed('GET', path))
      }
      return [
        resultOf('campaign-100000', scene.connections, 0, { ms: Math.max(...each), each }, null),
        // Its floor is the quarter before the last half: the controls ran in the first one.
        resultOf('campaign-100000-end', scene.connections, 0, slice(3 * quarter), slice(quarter)),
        resultOf('campaign-control', 1, 0, timesOf(times), null),
        resultOf('campaign-lists-100000', 1, 0, timesOf(lists), null),
      ]
    } finally {
      await scene.sink.stop()
    }
  },
}
