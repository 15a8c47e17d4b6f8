// The deletion of a product with 100,000 reactions, beside one without any, and its sweep, with other requests beside
// it.
import { setTimeout as pause } from 'node:timers/promises'
import type { Measure, Result } from '../kit/path.ts'
import { fillReactions, forumOf, insertProduct } from '../kit/reactions.ts'
import { resultOf, timesOf } from '../kit/report.ts'
import type { Buyer } from '../kit/shop.ts'

const count = 100_000
const rounds = 3
const limitMs = 300_000

export const reactionRemoval: Measure = {
  name: 'reactions-delete-100000',
  parts: [
    // Each is the difference to the deletion of a product without reactions.
    { name: 'reactions-delete-100000', target: { p95_ms: 20, clients: 1 } },
    { name: 'reactions-swept', target: { p95_ms: limitMs, clients: 1 } },
    { name: 'reactions-beside-sweep', target: { of_alone: 1.2, clients: 1 } },
  ],
  async measure(_, shop): Promise<Result[]> {
    const { db, api, operator } = shop
    const forum = await forumOf(shop, 'removed', 200)
    const authors = (await forum.visitors(100)).map(({ contact_id }) => contact_id)
    const remove = async (id: string) => {
      const begun = performance.now()
      const answer = await fetch(`${api}/v1/businesses/${forum.id}/products/${id}`, {
        method: 'DELETE',
        headers: operator,
      })
      if (!answer.ok) throw new Error(`not deleted: ${answer.status} ${await answer.text()}`)
      return performance.now() - begun
    }
    /** Likes by new visitors: the path that the sweep shares its table with. */
    async function likes(enough: (n: number) => Promise<boolean>): Promise<number[]> {
      const each: number[] = []
      for (let n = 0; ; n++) {
        if (n % 100 === 0) waiting.push(...(await forum.visitors(100)))
        const { headers } = waiting.pop() as Buyer
        const body = JSON.stringify({
          target: { type: 'product', id: forum.products[n % forum.products.length] },
          kind: 'like',
        })
        const begun = performance.now()
        const answer = await fetch(`${api}${forum.at}`, {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          body,
        })
        each.push(performance.now() - begun)
        if (!answer.ok) throw new Error(`no like: ${answer.status} ${await answer.text()}`)
        if (await enough(n)) return each
      }
    }
    const waiting: Buyer[] = []

    for (let n = 0; n < 5; n++) await remove(await insertProduct(db, forum.id))
    const alone = await likes(async (n) => n >= 600)
    const more: number[] = []
    const beside: number[] = []
    const swept: number[] = []
    for (let round = 0; round < rounds; round++) {
      const [target, empty] = [await insertProduct(db, forum.id), await insertProduct(db, forum.id)]
      await fillReactions(db, forum.id, target, {
        marks: count / 2,
        contents: count / 2,
        authors,
        since: 1_700_000_000,
      })
      const without = await remove(empty)
      more.push(Math.max(0.1, (await remove(target)) - without))
      const begun = performance.now()
      const isOver = async () =>
        (await db.query('select 1 from reactions where tenant_id = $1 and target_id = $2 limit 1', [forum.id, target]))
          .rowCount === 0
      beside.push(
        ...(await likes(async () => {
          if (performance.now() - begun > limitMs)
            throw new Error('reactions-swept: there are reactions left after five minutes')
          return isOver()
        })),
      )
      while (!(await isOver())) await pause(100)
      swept.push(performance.now() - begun)
    }
    const times = resultOf('reactions-beside-sweep', 1, 0, timesOf(beside), null)
    return [
      resultOf('reactions-delete-100000', 1, 0, timesOf(more), null),
      resultOf('reactions-swept', 1, 0, timesOf(swept), null),
      { ...times, alone_p95_ms: resultOf('alone', 1, 0, timesOf(alone), null).p95_ms },
    ]
  },
}
