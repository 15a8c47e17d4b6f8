// A long campaign over three mailboxes while each second a worker, a server or a connection fails.
import { setTimeout as pause } from 'node:timers/promises'
import type { Connection } from '@temporalio/client'
import { diagnose } from './diagnosis.ts'
import { explainBy, heal, strike } from './faults.ts'
import type { Violation } from './history.ts'
import { gather } from './judges/gather.ts'
import { judge } from './judges/judges.ts'
import type { Launched, Round } from './people/acts.ts'
import { sendCampaign } from './people/campaigns.ts'
import { newClient } from './people/client.ts'
import { type FaultPlan, fault } from './plan.ts'
import { random } from './random.ts'
import type { Found } from './report.ts'
import { settled, tenantsOf } from './settling.ts'
import { openStore } from './store.ts'
import type { World } from './world.ts'

/** The campaign that is judged, and for how long faults strike at most. */
const strikeMaxMs = 600_000
const settleMs = 300_000
/** A worker is paused for so long at most: another fault follows each second. */
const stopMaxMs = 8_000

const kinds: [number, FaultPlan['kind']][] = [
  [5, 'sink'],
  [2, 'kill'],
  [1, 'stop'],
  [0.3, 'restart'],
  [0.3, 'crash'],
]

/** Faults of API processes belong to the rounds: here the workers and their servers are struck. */
function next(seed: number, n: number): FaultPlan {
  const r = random(seed, 'long', `fault ${n}`)
  const drawn = fault(r, r.weighted(kinds))
  if (drawn.kind === 'kill') return { ...drawn, at_ms: 0, victim: r.pick(['worker-1', 'worker-2'] as const) }
  if (drawn.kind === 'stop')
    return {
      ...drawn,
      at_ms: 0,
      ms: Math.min(drawn.ms, stopMaxMs),
      victim: r.pick(['worker-1', 'worker-2', 'postgres', 'temporal'] as const),
    }
  return { ...drawn, at_ms: 0 }
}

const sent = async ({ db }: World, { id }: Launched): Promise<boolean> =>
  (await db.query<{ status: string }>('select status from campaigns where id = $1', [id]).catch(() => ({ rows: [] })))
    .rows[0]?.status === 'completed'

/** Plays it and judges it as a round; that orders and members are missing is no violation. */
export async function longProof(
  world: World,
  engine: Connection,
  seed: number,
  recipients: number,
  say: (line: string) => void,
): Promise<Found> {
  const store = await openStore(world)
  const client = newClient(world.apis)
  const c: Round = {
    client,
    store,
    acknowledged: [],
    merges: [],
    campaigns: [],
    chats: [],
    talks: [],
    posts: [],
    surprises: [],
  }
  world.timeline.clear()
  world.explain = explainBy(world, [])
  const zero = Date.now()
  await sendCampaign(c, { at_ms: 0, recipients, mailboxes: 3, pauses: [], twice: true })
  const [launched] = c.campaigns
  if (!launched) throw new Error('the campaign was not launched')
  say(`campaigns: ${recipients} recipients were enrolled and launched in ${((Date.now() - zero) / 1000).toFixed(1)} s`)
  const begun = Date.now()
  const struck: Promise<void>[] = []
  for (let n = 0; Date.now() - begun < strikeMaxMs && !(await sent(world, launched)); n++) {
    struck.push(strike(world, next(seed, n)).catch(() => {}))
    await pause(1_000)
  }
  await Promise.all(struck)
  await heal(world)
  const healed = Date.now()
  say(
    `campaigns: ${struck.length} faults in ${((healed - begun) / 1000).toFixed(0)} s, ${await world.sink.count()} bodies`,
  )
  const { left, last } = await settled(world.db, store, settleMs)
  const diagnosis = left.length > 0 ? await diagnose(world, engine, tenantsOf(store), begun) : []
  const history = await gather(world, store, {
    acknowledged: [],
    merges: [],
    campaigns: c.campaigns,
    chats: c.chats,
    talks: [],
    posts: [],
    surprises: c.surprises,
    deaths: world.deaths.splice(0),
    unsettled: left,
  })
  const violations = judge(history).filter(({ invariant }: Violation) => invariant !== 'Rounds without activity')
  return {
    ...{
      round: 'campaigns',
      store,
      history,
      violations,
      diagnosis,
      last,
      orders: 0,
      pages: 0,
      recovered: [],
      statuses: client.statuses,
    },
    took: { load: (healed - zero) / 1000, calls: 0, settling: (Date.now() - healed) / 1000 },
  }
}
