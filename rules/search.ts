// Full-text search: the text that a record is indexed by, and the tsquery of a search.

/** Characters that are indexed. A tsvector has at most 1 MiB, which a text of this length cannot exceed. */
const most = 60_000

/** The strings in a JSON value up to the limit, without field names. Fields are visited in the order of their names, as jsonb does not preserve their order. */
export const textsIn = (value: unknown): string[] => {
  const texts: string[] = []
  let left = most
  const gather = (inner: unknown): void => {
    if (left <= 0) return
    if (typeof inner === 'string') {
      texts.push(inner)
      left -= inner.length
    } else if (Array.isArray(inner)) for (const one of inner) gather(one)
    else if (inner !== null && typeof inner === 'object') for (const name of Object.keys(inner).sort()) gather((inner as Record<string, unknown>)[name])
  }
  gather(value)
  return texts
}

/** Longer words are truncated. */
const wordMax = 200

/** Words are sequences of letters, marks and digits. */
const wordsIn = (text: string): string[] => (text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).map((word) => word.slice(0, wordMax))

/** The text to make a tsvector of: words and blanks only. On punctuation, PostgreSQL's parser searches for addresses and tags, which may take seconds. */
export const searchText = (texts: readonly (string | null)[]): string =>
  wordsIn(
    texts
      .filter((text) => text !== null && text !== '')
      .join(' ')
      .slice(0, most),
  ).join(' ')

/**
 * The argument of to_tsquery: each word matches by its beginning, in any case. Words that punctuation joins must be adjacent: `abc-1` finds `ABC-123`. Empty,
 * which matches nothing, for a query without words (design: api, Lists).
 */
export const searchQuery = (query: string): string =>
  query
    .split(/\s+/)
    .map(wordsIn)
    .filter((words) => words.length > 0)
    .slice(0, 20)
    .map((words) => `(${words.map((word, at) => (at === words.length - 1 ? `'${word}':*` : `'${word}'`)).join(' <-> ')})`)
    .join(' & ')
