// Contacts: the words that they are found by, and the taxonomies of two contacts that become one.
import type { TaxonomyEntry } from '../content/taxonomies.ts'

/** The terms of both: what the contact has itself stays as it is, and it gets what only the other has. */
export function mergedTaxonomies(own: readonly TaxonomyEntry[], others: readonly TaxonomyEntry[]): TaxonomyEntry[] {
  const merged = new Map(own.map((entry) => [entry.taxonomy_id, entry]))
  for (const other of others) {
    const same = merged.get(other.taxonomy_id)
    if (!same) merged.set(other.taxonomy_id, other)
    else if (other.entry_ids)
      merged.set(other.taxonomy_id, {
        ...same,
        entry_ids: [...new Set([...(same.entry_ids ?? []), ...other.entry_ids])],
      })
  }
  return [...merged.values()]
}
