// The length of a text as network d counts it, and its links, written from the network's description of counting and
// not from the rule that is tested against it.

/** Of the links in a text: indices of code units. A link has a scheme, or is a domain of a well-known end. */
export function linksIn(text: string): { start: number; end: number; url: string }[] {
  const found: { start: number; end: number; url: string }[] = []
  const pattern =
    /(?<![\p{L}\p{N}_@$#./-])(https?:\/\/)?((?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+(?:com|org|net|io|co|dev|app|shop|de))(?![\p{L}\p{N}_@-])((?::\d+)?(?:\/[^\s]*)?(?:\?[^\s]*)?)?/giu
  for (const match of text.matchAll(pattern)) {
    const url = match[0].replace(/[.,;:!?'")\]}]+$/u, '')
    found.push({ start: match.index, end: match.index + url.length, url })
  }
  return found
}

const light: [number, number][] = [
  [0, 0x10ff],
  [0x2000, 0x200d],
  [0x2010, 0x201f],
  [0x2032, 0x2037],
]
const emoji = /\p{RGI_Emoji}/v

/**
 * A link counts 23, an emoji 2, a character of a light range 1, any other 2. The text is counted in its composed form.
 */
export function weightOf(text: string): number {
  const composed = text.normalize('NFC')
  const links = linksIn(composed)
  let rest = ''
  let at = 0
  for (const { start, end } of links) {
    rest += composed.slice(at, start)
    at = end
  }
  rest += composed.slice(at)
  let weight = 23 * links.length
  for (const { segment } of new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(rest)) {
    if (emoji.test(segment)) weight += 2
    else
      for (const char of segment)
        weight += light.some(([from, to]) => Number(char.codePointAt(0)) >= from && Number(char.codePointAt(0)) <= to)
          ? 1
          : 2
  }
  return weight
}
