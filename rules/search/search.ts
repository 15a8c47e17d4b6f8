// Full-text search: the text that a record is indexed by, and the tsquery of a search. Both are cut into words by the
// same rule.
import { isAscii } from '../input/texts.ts'

/** Characters that are indexed. A tsvector has at most 1 MiB, which a text of this length cannot exceed. */
const most = 60_000

/**
 * The strings in a JSON value up to the limit, without field names. Fields are visited in the order of their names, as
 * jsonb does not preserve their order.
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
    else if (inner !== null && typeof inner === 'object')
      for (const name of Object.keys(inner).sort()) gather((inner as Record<string, unknown>)[name])
  }
  gather(value)
  return texts
}

/** Longer words are truncated. */
const wordMax = 200

/** Scripts that are written without blanks between words. */
const unspaced = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]/u
const segmenter = new Intl.Segmenter('und', { granularity: 'word' })

/**
 * One form of Unicode, in which letters of full width are those of usual width, and without characters that are not
 * seen. A vowel of Thai and one of Lao stay whole, as the dictionaries have them.
 */
function plain(text: string): string {
  if (isAscii(text)) return text
  const form = text
    .normalize('NFKC')
    .replaceAll('\u0e4d\u0e32', '\u0e33')
    .replaceAll('\u0ecd\u0eb2', '\u0eb3')
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
  // A character may stand for eighteen.
  return form.slice(0, most)
}

/** Sequences of letters, marks and digits. */
const runsIn = (text: string): string[] => plain(text).match(/[\p{L}\p{M}\p{N}]+/gu) ?? []

/** The words of such a sequence: `有機栽培の緑茶` is cut by a dictionary. */
const wordsOf = (run: string): string[] =>
  (unspaced.test(run) ? Array.from(segmenter.segment(run), ({ segment }) => segment) : [run]).map((word) =>
    word.slice(0, wordMax),
  )

const wordsIn = (text: string): string[] => {
  const runs = runsIn(text)
  return isAscii(text) ? runs.map((word) => word.slice(0, wordMax)) : runs.flatMap(wordsOf)
}

/**
 * The text to make a tsvector of: words and blanks only. On punctuation, PostgreSQL's parser searches for addresses and
 * tags, which may take seconds.
 */
export const searchText = (texts: readonly (string | null)[]): string =>
  wordsIn(
    texts
      .filter((text) => text !== null && text !== '')
      .join(' ')
      .slice(0, most),
  ).join(' ')

const prefixed = (words: readonly string[]): string =>
  `(${words.map((word, at) => (at === words.length - 1 ? `'${word}':*` : `'${word}'`)).join(' <-> ')})`

/**
 * A part of a query without blanks. A sequence that is cut is also searched for as a whole: its words depend on what
 * stands beside it, and on the dictionary.
 */
function conditionOf(part: string): string | null {
  const runs = runsIn(part)
  const words = runs.flatMap(wordsOf)
  if (words.length === 0) return null
  return words.length === runs.length
    ? prefixed(words)
    : `(${prefixed(words)} | ${prefixed(runs.map((run) => run.slice(0, wordMax)))})`
}

/**
 * The argument of to_tsquery: each word matches by its beginning, in any case. Words that punctuation joins must be
 * adjacent: `abc-1` finds `ABC-123`. Empty, which matches nothing, for a query without words.
 */
export const searchQuery = (query: string): string =>
  query
    .split(/\s+/)
    .map(conditionOf)
    .filter((condition) => condition !== null)
    .slice(0, 20)
    .join(' & ')
