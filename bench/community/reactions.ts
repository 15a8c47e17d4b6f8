// Likes of many products beside likes of one, by 8 clients and by 64 on two API processes; their statements, and those
// of stars, through `pg` alone over 64 connections.
// In turns, so that all are measured under the same conditions.
import type { Stack } from '../../dev/stack.ts'
import type { Times } from '../kit/load.ts'
import { lanesOf, type Measure, type Path, type Result } from '../kit/path.ts'
import { type Load, startLoad } from '../kit/processes.ts'
import { forumOf, reaction } from '../kit/reactions.ts'
import { floorOf, perRequest, type Recorded, type Recorder, startRecorder } from '../kit/record.ts'
import { resultOf } from '../kit/report.ts'
import type { Shop } from '../kit/shop.ts'

const products = 1_000
const [few, together] = [8, 64]
const rounds = 4
const turnMs = 2_000
/** V8 has compiled a path after some thousand requests. Processes run for days. */
const warmMs = 6_000
/** Requests that are prepared for a second: more than are made. */
const perS = 2_000

/** Every request is another visitor's. `kind` of the n-th. */
function reactionsOf(name: string, { many, kind }: { many: boolean; kind: (n: number) => string }): Path {
  return {
    ...{ name, floor: 'statements' as const, once: perS },
    async lanes(shop, clients, each) {
      const forum = await forumOf(shop, 'liked', products)
      const only = forum.products[0] as string
      const visitors = await forum.visitors(clients * each)
      return lanesOf(visitors, clients, (visitor, n) =>
        reaction(forum, visitor, many ? (forum.products[n % products] as string) : only, kind(n)),
      )
    },
  }
}

const star = (n: number) => `star_${1 + (n % 5)}`
const like = reactionsOf('like', { many: true, kind: () => 'like' })
const likeOne = reactionsOf('like-one', { many: false, kind: () => 'like' })
export const starsOne: Path = { ...reactionsOf('stars-one', { many: false, kind: star }), once: 8_000 }

const added = (all: readonly Times[]): Times => ({
  ms: all.reduce((sum, { ms }) => sum + ms, 0),
  each: all.flatMap(({ each }) => each),
})
/** Of clients that ran at once. */
const joined = (all: readonly Times[]): Times => ({
  ms: Math.max(...all.map(({ ms }) => ms)),
  each: all.flatMap(({ each }) => each),
})

/** `apis`: addresses of the processes that share the clients. */
type Bench = {
  stack: Stack
  shop: Shop
  recorder: Recorder
  loads: readonly Load[]
  apis: readonly string[]
  clients: number
}
const jobOf = ({ stack, shop }: Bench) => ({
  ...{
    base: shop.api,
    temporal: String(stack.env.TEMPORAL_ADDRESS),
    once: true,
    rounds: 1,
    lanes: [],
    ms: 0,
    floor: null,
    floorMs: 0,
    warmMs: 0,
  },
})

async function served(bench: Bench, path: Path, ms = turnMs): Promise<Times> {
  const { shop, loads, apis, clients } = bench
  const lanes = await path.lanes(shop, clients, Math.ceil((perS * ms) / 1_000 / clients))
  const runs = apis.map((base, at) =>
    loads[at]?.run({ ...jobOf(bench), base, lanes: lanes.filter((_, lane) => lane % apis.length === at), ms }),
  )
  return joined((await Promise.all(runs)).flatMap((run) => (run ? [run.path] : [])))
}

async function alone(bench: Bench, path: Path, recorded: readonly Recorded[]): Promise<Times> {
  const { stack, shop, loads, clients } = bench
  const floor = await floorOf(
    { ...path, once: (perS * turnMs) / 1_000 },
    shop,
    recorded,
    clients,
    String(stack.env.DATABASE_URL),
  )
  const run = await loads[0]?.run({ ...jobOf(bench), floor, floorMs: turnMs, warmMs: 500 })
  return run?.floor ?? { ms: 1, each: [] }
}

/** As `pg` sends them unless it is given names: parsed and planned each time. */
const unprepared = (recorded: readonly Recorded[]): Recorded[] =>
  recorded.map((one) => ({ ...one, statements: one.statements.map(({ text, values }) => ({ text, values })) }))

type Turn = { name: string; sql: number; times: Times[]; floor: Times[] }

/** Both paths and their floors in turns; the statements of the second also unprepared. */
async function inTurns(bench: Bench): Promise<{ paths: Turn[]; texts: Times[] }> {
  const { shop, recorder, clients } = bench
  const turns: (Turn & { path: Path; recorded: Recorded[] })[] = []
  for (const path of [like, likeOne]) {
    const recorded = await recorder.record((await path.lanes(shop, clients, 1)).flatMap((asks) => asks.slice(0, 1)))
    turns.push({ name: path.name, path, recorded, sql: perRequest(recorded), times: [], floor: [] })
    await served(bench, path, warmMs)
  }
  const texts: Times[] = []
  for (let round = 0; round < rounds; round++) {
    // Neither path is always the first.
    for (const turn of round % 2 ? turns.toReversed() : turns) turn.times.push(await served(bench, turn.path))
    for (const turn of turns) turn.floor.push(await alone(bench, turn.path, turn.recorded))
    texts.push(await alone(bench, likeOne, unprepared(turns[1]?.recorded ?? [])))
  }
  return { paths: turns, texts }
}

export const likes: Measure = {
  name: 'likes',
  parts: [
    { name: 'like', target: { sql: 2, of_floor: 0.6 } },
    { name: 'like-one', target: { sql: 2, of_floor: 0.6, like: 'like', alike: 0.9 } },
    { name: 'like-64', target: { clients: together, sql: 2, of_floor: 0.6 } },
    { name: 'like-one-64', target: { clients: together, sql: 2, of_floor: 0.6, like: 'like-64', alike: 0.9 } },
    { name: 'like-one-pg', target: { clients: together, per_s: 1_000 } },
    { name: 'like-one-unprepared-pg', target: { clients: together } },
    { name: 'stars-one-pg', target: { clients: together, per_s: 300 } },
  ],
  async measure(stack, shop): Promise<Result[]> {
    const second = await stack.startApi()
    const recorder = await startRecorder(stack)
    const loads = [startLoad(), startLoad()]
    const of = (clients: number): Bench => ({
      stack,
      shop,
      recorder,
      loads,
      clients,
      apis: clients === few ? [shop.api] : [shop.api, second.url],
    })
    const [some, all] = [await inTurns(of(few)), await inTurns(of(together))]
    const stars = await recorder.record((await starsOne.lanes(shop, together, 1)).flat())
    const ofStars = await alone(of(together), starsOne, stars)
    for (const load of loads) load.stop()
    await recorder.stop()
    await second.stop()
    const results = ({ paths }: typeof some, clients: number, suffix = '') =>
      paths.map(({ name, sql, times, floor }) => resultOf(`${name}${suffix}`, clients, sql, added(times), added(floor)))
    const one = all.paths[1] as Turn
    return [
      ...results(some, few),
      ...results(all, together, '-64'),
      resultOf('like-one-pg', together, one.sql, added(one.floor), null),
      resultOf('like-one-unprepared-pg', together, one.sql, added(all.texts), null),
      resultOf('stars-one-pg', together, perRequest(stars), ofStars, null),
    ]
  },
}
