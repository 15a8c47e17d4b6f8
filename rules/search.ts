// A record is found by its words: this gathers them into one text, which the database takes apart.

/** A tsvector holds 1 MiB; a text of this many characters stays below it, and what comes after is not searched. */
const most = 60_000

/**
 * The texts in a value of JSON, however deep, as far as they are searched; the names of fields are not texts. By their names: the database keeps fields in
 * an order of its own.
 */
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
