// The summary of a product with 1,000,000 reactions, pages of its comments with marks and stars, and every list of a
// product with 100,000.
import { client } from '../../client/client.ts'
import type { Ask, Measure, Path, Result } from '../kit/path.ts'
import { fillReactions, forumOf, insertProduct } from '../kit/reactions.ts'
import { resultOf, timesOf } from '../kit/report.ts'
import type { Buyer, Shop } from '../kit/shop.ts'

const since = 1_700_000_000

type Ready = {
  at: string
  target: string
  readers: Buyer[]
  authors: Buyer[]
  root: string
  operator: Record<string, string>
}
const ready = new Map<string, Promise<Ready>>()

function targetWith(shop: Shop, marks: number, contents: number): Promise<Ready> {
  const name = `${marks} ${contents}`
  const known = ready.get(name) ?? make(shop, marks, contents)
  ready.set(name, known)
  return known
}

async function make(shop: Shop, marks: number, contents: number): Promise<Ready> {
  const { db, api, operator } = shop
  const forum = await forumOf(shop, 'read', 10)
  const [authors, readers] = [await forum.visitors(1_000), await forum.visitors(16)]
  const target = await insertProduct(db, forum.id)
  await fillReactions(db, forum.id, target, {
    marks,
    contents,
    authors: authors.map(({ contact_id }) => contact_id),
    since,
  })
  const { items } = await client({ base: api, headers: operator })('GET /v1/businesses/{businessId}/reactions', {
    path: { businessId: forum.id },
    query: { targetType: 'product', targetId: target, parentId: 'null', contentOnly: true, limit: 100 },
  })
  const [root] = items
  if (!root) throw new Error('The target has no comments.')
  for (const { headers } of readers) {
    // Their own marks and stars are on the pages.
    for (const [kind, parentId] of [['star_4'], ['like'], ...items.slice(0, 20).map(({ id }) => ['love', id])])
      await fetch(`${api}${forum.at}`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ target: { type: 'product', id: target }, kind, ...(parentId ? { parentId } : {}) }),
      })
  }
  return { at: forum.at, target, readers, authors, root: root.id, operator }
}

const read = ({ at, target }: Ready, headers: Record<string, string>, query: string, list = ''): Ask => ({
  ...{ method: 'GET', headers },
  path: `${at}${list}?targetType=product&targetId=${target}${query}`,
})

export const reactionSummary: Path = {
  name: 'reaction-summary-1000000',
  floor: 'statements',
  target: { sql: 2, p95_ms: 5, clients: 1 },
  async lanes(shop, clients) {
    const found = await targetWith(shop, 950_000, 50_000)
    return Array.from({ length: clients }, (_, lane) => [
      read(found, (found.readers[lane] as Buyer).headers, '', '/summary'),
    ])
  },
}

/** Newest first, of a target with 100,000 reactions. */
const pageOf = (limit: number): Path => ({
  name: `comments-${limit}`,
  floor: 'statements',
  target: { sql: 4, clients: 1 },
  async lanes(shop, clients) {
    const found = await targetWith(shop, 50_000, 50_000)
    return Array.from({ length: clients }, (_, lane) => [
      read(found, (found.readers[lane] as Buyer).headers, `&parentId=null&contentOnly=true&limit=${limit}`),
    ])
  },
})
export const comments20 = pageOf(20)
export const comments100 = pageOf(100)

/** The n-th page of 20. */
async function pageAt(api: string, first: Ask, page: number): Promise<Ask> {
  let { path } = first
  for (let n = 1; n < page; n++) {
    const answer = await fetch(`${api}${path}`, { headers: first.headers })
    const { cursor } = (await answer.json()) as { cursor: string | null }
    if (!cursor) throw new Error(`${first.path}: ${answer.status}, no page ${n + 1}`)
    path = `${first.path}&cursor=${encodeURIComponent(cursor)}`
  }
  return { ...first, path }
}

const filters = [
  '',
  '&parentId=null',
  '&kind=comment',
  '&kind=like',
  '&kind=like&kind=comment',
  '&contentOnly=true',
  '&query=good',
  '&query=rare',
  '&sortField=replyCount',
]
const adminFilters = [
  '',
  '&status=pending',
  '&status=published',
  '&kind=comment',
  '&contentOnly=true',
  '&query=rare',
  '&sortField=updatedAt',
  '&sortDirection=asc',
]
const deep = 1_000

async function everyList(shop: Shop): Promise<Ask[]> {
  const found = await targetWith(shop, 50_000, 50_000)
  const [reader, author] = [found.readers[0], found.authors[77]] as [Buyer, Buyer]
  const first = [
    ...filters.map((query) => read(found, reader.headers, `&limit=20${query}`)),
    read(found, reader.headers, `&limit=20&parentId=${found.root}`),
    read(found, reader.headers, `&limit=20&customerId=${author.contact_id}`),
    read(found, author.headers, '&limit=20&status=pending'),
    ...adminFilters.map((query) => read(found, found.operator, `&limit=20${query}`, '/admin')),
    { ...read(found, found.operator, '', '/admin'), path: `${found.at}/admin?limit=20` },
    { ...read(found, found.operator, '', '/admin'), path: `${found.at}/admin?limit=20&status=pending` },
  ]
  const far = await Promise.all([first[0], first[5], first[12]].map((ask) => pageAt(shop.api, ask as Ask, deep)))
  return [...first, ...far]
}

const times = 30

/** Of each list alone: the figures are those of the slowest. */
export const reactionLists: Measure = {
  name: 'reaction-lists-100000',
  target: { p95_ms: 30, clients: 1 },
  async measure(_, shop) {
    const results: { path: string; result: Result }[] = []
    for (const { path, headers } of await everyList(shop)) {
      const each: number[] = []
      for (let n = -3; n < times; n++) {
        const since = performance.now()
        const answer = await fetch(`${shop.api}${path}`, { headers })
        await answer.arrayBuffer()
        if (!answer.ok) throw new Error(`${path}: ${answer.status}`)
        if (n >= 0) each.push(performance.now() - since)
      }
      results.push({ path, result: resultOf('reaction-lists-100000', 1, 0, timesOf(each), null) })
    }
    const { path, result } = results.reduce((slowest, one) =>
      one.result.p95_ms > slowest.result.p95_ms ? one : slowest,
    )
    process.stderr.write(`the slowest of ${results.length} lists: ${path}\n`)
    return result
  },
}
