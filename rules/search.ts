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

/** What no index needs: nobody types a word of this many characters. */
const wordMax = 200

/** Letters, marks and digits; everything else stands between words. */
const wordsIn = (text: string): string[] => (text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).map((word) => word.slice(0, wordMax))

/**
 * The text to make a tsvector of: words and blanks, and nothing else. PostgreSQL's own parser looks for addresses and tags in punctuation, and takes
 * seconds where it nearly finds them.
 */
export const searchText = (texts: readonly (string | null)[]): string =>
  wordsIn(
    texts
      .filter((text) => text !== null && text !== '')
      .join(' ')
      .slice(0, most),
  ).join(' ')

/**
 * What is looked for, for to_tsquery: each word by its beginning, in any case. What is put together by punctuation is found as it was typed: `abc-1`
 * finds `ABC-123`, where `abc` comes right before `1…`. Empty, and finding nothing, for what has no words (design: api, Lists).
 */
export const searchQuery = (query: string): string =>
  query
    .split(/\s+/)
    .map(wordsIn)
    .filter((words) => words.length > 0)
    .slice(0, 20)
    .map((words) => `(${words.map((word, at) => (at === words.length - 1 ? `'${word}':*` : `'${word}'`)).join(' <-> ')})`)
    .join(' & ')
