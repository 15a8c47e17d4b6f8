// One round: buyers order while faults strike, everything is healed, and the final state is judged.
import { setTimeout as pause } from 'node:timers/promises'
import type { Connection } from '@temporalio/client'
import { diagnose } from './diagnosis.ts'
import { explainBy, heal, strike } from './faults.ts'
import { gather } from './judges/gather.ts'
import { judge } from './judges/judges.ts'
import type { Round } from './people/acts.ts'
import { buy } from './people/buyers.ts'
import { sendCampaign } from './people/campaigns.ts'
import { talkTo } from './people/chats.ts'
import { newClient } from './people/client.ts'
import { join } from './people/members.ts'
import { post } from './people/posts.ts'
import { converse } from './people/talks.ts'
import { planOf } from './plan.ts'
import { type Held, heldBy, recoveries } from './recovery.ts'
import type { Found } from './report.ts'
import { pagesEnd, settled, tenantsOf } from './settling.ts'
import { openStore } from './store.ts'
import type { World } from './world.ts'

/**
 * After healing, callers repeat their calls for so long: on a machine at a load of 15 the last ones were answered after
 * 80 s.
 */
const answerMs = 180_000
/** From then on, for the work that they asked for: a call that is answered late does not shorten its time. */
const settleMs = 120_000
/** The time for faults while buyers order; longer only if a fault takes longer. */
const loadMs = 15_000

export async function playRound(world: World, engine: Connection, seed: number, n: number): Promise<Found> {
  const plan = planOf(seed, n)
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
  const held: Promise<Held>[] = []
  world.timeline.clear()
  world.explain = explainBy(world, plan.faults)
  world.onKill = (name, pid, at) => void held.push(heldBy(world.db, engine, name, pid, at))

  const zero = Date.now()
  const struck = Promise.all(plan.faults.map((fault) => strike(world, fault)))
  const bought = Promise.allSettled([
    ...plan.buyers.map((one) => buy(c, one)),
    ...plan.members.map((one) => join(c, one)),
    sendCampaign(c, plan.campaign),
    ...plan.chats.map((one) => talkTo(c, one)),
    converse(c, plan.talks),
    ...plan.posts.map((one) => post(c, one)),
  ])
  await struck
  // Faults armed at the oracles strike the next requests, which need time to arrive.
  await Promise.race([bought, pause(Math.max(0, zero + loadMs - Date.now()))])
  await heal(world)
  const healed = Date.now()
  const ending = pagesEnd(world.db, store)
  const late = setTimeout(() => client.giveUp(), answerMs)
  const unanswered = (await bought).flatMap((one) =>
    one.status === 'rejected' ? [String(one.reason?.message ?? one.reason)] : [],
  )
  clearTimeout(late)
  const answered = Date.now()
  const { left, last } = await settled(world.db, store, settleMs)
  const diagnosis = left.length > 0 ? await diagnose(world, engine, tenantsOf(store), zero) : []
  const pages = await ending.stop()
  const over = Date.now()

  const history = await gather(world, store, {
    acknowledged: c.acknowledged,
    merges: c.merges,
    campaigns: c.campaigns,
    chats: c.chats,
    talks: c.talks,
    posts: c.posts,
    surprises: c.surprises,
    // Later faults belong to the next round, or are reported at the end of the run.
    deaths: world.deaths.splice(0),
    unsettled: [...left, ...unanswered],
  })
  return {
    round: String(n),
    store,
    history,
    violations: judge(history),
    diagnosis,
    last,
    orders: c.acknowledged.length,
    pages: pages.length,
    recovered: recoveries(await Promise.all(held), history.effects, history.faults),
    took: { load: (healed - zero) / 1000, calls: (answered - healed) / 1000, settling: (over - healed) / 1000 },
    statuses: client.statuses,
  }
}
