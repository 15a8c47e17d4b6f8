// The beginning of a text that others wrote. It ends between two characters as people see them: not within an emoji or
// a letter with its accents, and not within a surrogate pair.

const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' })
/** No language has a longer character. */
const characterMax = 64

/** The first `max` UTF-16 units, without the part of a character at their end. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text
  const { index = max } = graphemes.segment(text.slice(0, max + characterMax)).containing(max) ?? {}
  const end = max - index < characterMax ? index : max
  return text.slice(0, end).replace(/[\ud800-\udbff]$/, '')
}

/** The same, with an ellipsis in place of what is left out: `max` UTF-16 units at most. */
export const shortened = (text: string, max: number): string =>
  text.length <= max ? text : `${cut(text, max - 1).trimEnd()}…`
