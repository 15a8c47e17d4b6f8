// Visits every row of some tables by id, in batches. Rows that another transaction has locked are skipped, and visited
// at the end, one at a time.

/** `at`: the current part, null at the end; `read`: its rows were visited, but for the busy ones. */
export type Walk = {
  at: string | null
  after: string
  read: boolean
  busy: string[]
  counts: Record<string, Record<string, number>>
}

/** `last`: the last row of the batch, null where no other follows; `counts`: how many rows, by what was done. */
export type Visited = { last: string | null; busy: string[]; counts: Record<string, number> }
export type Visit = (part: string, rows: { after: string } | { only: string }) => Promise<Visited>

const beginning = '00000000-0000-0000-0000-000000000000'

/** Adds up counts by what was done, then by part. */
function added(counts: Walk['counts'], part: string, more: Visited['counts']): Walk['counts'] {
  const sums = structuredClone(counts)
  for (const [name, count] of Object.entries(more)) {
    const of = sums[name] ?? {}
    if (count > 0) sums[name] = { ...of, [part]: (of[part] ?? 0) + count }
  }
  return sums
}

/** The part after one; where it was removed during the walk, the next by name. */
function partAfter(parts: readonly string[], at: string): string | null {
  const index = parts.indexOf(at)
  return (index < 0 ? parts.find((part) => part > at) : parts[index + 1]) ?? null
}

/** Visits one batch; `before` null begins. */
export async function walkOn(parts: readonly string[], before: Walk | null, visit: Visit): Promise<Walk> {
  const walk = before ?? { at: parts[0] ?? null, after: beginning, read: false, busy: [], counts: {} }
  const { at } = walk
  if (at === null) return walk
  const only = walk.read ? walk.busy[0] : undefined
  const { last, busy, counts } = await visit(at, only === undefined ? { after: walk.after } : { only })
  const here = {
    ...walk,
    after: last ?? walk.after,
    read: walk.read || last === null,
    busy: only === undefined ? [...walk.busy, ...busy] : walk.busy.slice(1),
    counts: added(walk.counts, at, counts),
  }
  if (!here.read || here.busy.length > 0) return here
  return { ...here, at: partAfter(parts, at), after: beginning, read: false }
}

/** `products 12, services 3`, or `nothing`. */
export const countsText = (counts: Record<string, number> | undefined): string =>
  Object.entries(counts ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([part, count]) => `${part} ${count}`)
    .join(', ') || 'nothing'

/** `5 of 14 (webhooks)`. */
export const place = (parts: readonly string[], at: string): string =>
  `${parts.indexOf(at) + 1} of ${parts.length} (${at})`
