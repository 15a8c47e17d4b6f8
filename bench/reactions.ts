// Likes and stars: of many products and of one, by 8 clients, by 64 on two API processes, and by `pg` alone over 64 connections.
import type { Times } from './kit/load.ts'
import { lanesOf, type Measure, type Path } from './kit/path.ts'
import { startLoad } from './kit/processes.ts'
import { forumOf, reaction } from './kit/reactions.ts'
import { floorOf, perRequest, startRecorder } from './kit/record.ts'
import { type Result, resultOf } from './kit/report.ts'

const products = 1_000
const together = 64
const seconds = 4

/** Every request is another visitor's. `kind` of the n-th. */
function reactionsOf(name: string, { many, kind, once }: { many: boolean; kind: (n: number) => string; once: number }): Path {
  return {
    ...{ name, floor: 'statements' as const, once },
    async lanes(shop, clients, each) {
      const forum = await forumOf(shop, 'liked', products)
      const only = forum.products[0] as string
      const visitors = await forum.visitors(clients * each)
      return lanesOf(visitors, clients, (visitor, n) => reaction(forum, visitor, many ? (forum.products[n % products] as string) : only, kind(n)))
    },
  }
}

const star = (n: number) => `star_${1 + (n % 5)}`
export const like: Path = {
  ...reactionsOf('like', { many: true, kind: () => 'like', once: 14_000 }),
  target: { sql: 2, of_floor: 0.6 },
}
export const likeOne: Path = {
  ...reactionsOf('like-one', { many: false, kind: () => 'like', once: 14_000 }),
  target: { sql: 2, of_floor: 0.6, like: 'like', alike: 0.9 },
}
export const starsOne: Path = reactionsOf('stars-one', { many: false, kind: star, once: 8_000 })

const joined = (all: readonly Times[]): Times => ({ ms: Math.max(...all.map(({ ms }) => ms)), each: all.flatMap(({ each }) => each) })
const added = (all: readonly Times[]): Times => ({ ms: all.reduce((sum, { ms }) => sum + ms, 0), each: all.flatMap(({ each }) => each) })

/** By clients of two API processes, half of them each; in turns, so that all are measured under the same conditions. */
export const likesTogether: Measure = {
  name: 'like-64',
  parts: [
    { name: 'like-64', target: { clients: together, sql: 2 } },
    { name: 'like-one-64', target: { clients: together, sql: 2, like: 'like-64', alike: 0.9 } },
    { name: 'like-one-pg', target: { clients: together, per_s: 1_000 } },
    { name: 'stars-one-pg', target: { clients: together, per_s: 300 } },
  ],
  async measure(stack, shop): Promise<Result[]> {
    const second = await stack.startApi()
    const recorder = await startRecorder(stack)
    const [loads, url] = [[startLoad(), startLoad()] as const, String(stack.env.DATABASE_URL)]
    const job = { temporal: String(stack.env.TEMPORAL_ADDRESS), once: true, rounds: 1, floorMs: 0, warmMs: 500, floor: null }

    async function served(path: Path): Promise<Times> {
      const lanes = await path.lanes(shop, together, Math.ceil(10_000 / together))
      const halves = [lanes.slice(0, together / 2), lanes.slice(together / 2)]
      const run = (at: 0 | 1) => loads[at].run({ ...job, base: at === 0 ? shop.api : second.url, lanes: halves[at] ?? [], ms: (seconds * 1_000) / 2 })
      return joined((await Promise.all([run(0), run(1)])).map(({ path: times }) => times))
    }
    async function alone(path: Path): Promise<{ sql: number; floor: Times }> {
      const recorded = await recorder.record((await path.lanes(shop, together, 1)).flat())
      const floor = await floorOf(path, shop, recorded, together, url)
      const { floor: times } = await loads[0].run({ ...job, base: shop.api, lanes: [], floor, ms: 0, floorMs: seconds * 1_000 })
      return { sql: perRequest(recorded), floor: times ?? { ms: 1, each: [] } }
    }

    const [many, one]: [Times[], Times[]] = [[], []]
    for (let round = 0; round < 2; round++) {
      many.push(await served(like))
      one.push(await served(likeOne))
    }
    const [ofMany, ofOne, ofStars] = [await alone(like), await alone(likeOne), await alone(starsOne)]
    for (const each of loads) each.stop()
    await recorder.stop()
    await second.stop()
    return [
      resultOf('like-64', together, ofMany.sql, added(many), ofMany.floor),
      resultOf('like-one-64', together, ofOne.sql, added(one), ofOne.floor),
      resultOf('like-one-pg', together, ofOne.sql, ofOne.floor, null),
      resultOf('stars-one-pg', together, ofStars.sql, ofStars.floor, null),
    ]
  },
}
