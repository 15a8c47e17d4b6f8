// What the parts of the demo store share: prices, hours, and the terms that records are filed under.
import type { WorkingDay } from '../../rules/scheduling/calendars.ts'
import type { Call } from './call.ts'

export type Room = 'kitchen' | 'living-room' | 'bath' | 'gifts'
export type Topic = 'care' | 'craft'

export const everywhere = (amount: number) => ['us', 'eu'].map((market) => ({ market, amount }))

export const hours = (days: WorkingDay['day'][], from: string, to: string) =>
  days.map((day) => ({ day, windows: [{ from, to }] }))

export const ofKey = <T extends { key: string }>(items: readonly T[], wanted: string) =>
  items.find(({ key }) => key === wanted)

/** A tree of one level. `under`: how a record is filed under one of its terms. Keeps existing terms. */
export async function taxonomies<Term extends string>(
  call: Call,
  storeId: string,
  root: string,
  terms: readonly Term[],
): Promise<{ under(term: Term): { taxonomy_id: string; entry_ids: string[] } }> {
  const path = { storeId }
  const term = async (key: string, parent_id: string | null) =>
    ofKey((await call('GET /v1/stores/{storeId}/taxonomies', { path, query: { key } })).items, key) ??
    (await call('POST /v1/stores/{storeId}/taxonomies', { path, body: { key, parent_id } }))
  const { id: taxonomy_id } = await term(root, null)
  const ids = new Map<Term, string>()
  for (const one of terms) ids.set(one, (await term(one, taxonomy_id)).id)
  return { under: (one) => ({ taxonomy_id, entry_ids: [ids.get(one) as string] }) }
}
