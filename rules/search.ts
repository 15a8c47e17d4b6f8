// A record is found by its words: this gathers them into one text, which the database takes apart.

/** A tsvector holds 1 MiB; a text of this many characters stays below it, and what comes after is not searched. */
const most = 60_000

/** Every text in a value of JSON, however deep; the names of fields are not texts. By their names: the database keeps fields in an order of its own. */
export const textsIn = (value: unknown): string[] => {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(textsIn)
  if (value === null || typeof value !== 'object') return []
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, inner]) => textsIn(inner))
}

/**
 * The text to make a tsvector of. What is put together by punctuation is there twice, whole and in parts: `ABC-123` is found by `abc-1` and
 * by `123` (design: api, Lists).
 */
export const searchText = (texts: readonly (string | null)[]): string => {
  const whole = texts
    .filter((text) => text !== null && text !== '')
    .join(' ')
    .slice(0, most)
  const parts = whole.replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, ' ').trim()
  return parts === whole ? whole : `${whole} ${parts}`
}
