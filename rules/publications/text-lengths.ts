// How each network measures a text.
import { topLevelDomains } from './top-level-domains.ts'

/**
 * `characters`: code points. `bytes`: of UTF-8. `weighted`: network d, where a link counts 23, and a wide character or
 * an emoji 2. `emoji_bytes`: network e, where a character counts 1, and an emoji the bytes of its UTF-8.
 */
export const captionUnits = ['characters', 'bytes', 'weighted', 'emoji_bytes'] as const
export type CaptionUnit = (typeof captionUnits)[number]

const encoder = new TextEncoder()
const bytesIn = (text: string): number => encoder.encode(text).length
const charactersIn = (text: string): number => [...text].length

/** Emojis, and the characters that join them or change their look. */
const ofEmoji =
  /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}|[\u200D\u20E3\uFE0F]|[\u{E0020}-\u{E007F}]/u

function emojiBytesIn(text: string): number {
  let length = 0
  for (const char of text) length += ofEmoji.test(char) ? bytesIn(char) : 1
  return length
}

/** Ranges of code points that count 1 (twitter-text, configuration 3). */
const narrow: readonly (readonly [number, number])[] = [
  [0, 4_351],
  [8_192, 8_205],
  [8_208, 8_223],
  [8_242, 8_247],
]
const emoji = /^\p{RGI_Emoji}$/v
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })
const weightOf = (char: string): number => {
  const code = char.codePointAt(0) as number
  return narrow.some(([from, to]) => code >= from && code <= to) ? 1 : 2
}

function plainWeight(text: string): number {
  let weight = 0
  for (const { segment } of graphemes.segment(text)) {
    if (emoji.test(segment)) weight += 2
    else for (const char of segment) weight += weightOf(char)
  }
  return weight
}

const accents =
  '\\xC0-\\xD6\\xD8-\\xF6\\xF8-\\u024F\\u0253\\u0254\\u0256\\u0257\\u0259\\u025B\\u0263\\u0268\\u026F\\u0272\\u0289\\u028B\\u02BB\\u0300-\\u036F\\u1E00-\\u1EFF'
/** Without a scheme a link has Latin letters alone. A scheme begins another link. */
const latin = `(?!https?:\\/\\/)[a-z0-9${accents}][a-z0-9_${accents}-]*`
const anyScript = '[\\p{L}\\p{M}\\p{N}][\\p{L}\\p{M}\\p{N}_-]*'
/** A scheme with what follows it, or a name of at least two labels. */
const candidate = new RegExp(`(https?:\\/\\/)(${anyScript}(?:\\.${anyScript})*)?|${latin}(?:\\.${latin})+`, 'giu')
const pathChars = `a-z0-9\\u0400-\\u04FF!*';:=+,.$/%#\\[\\]\\u2013_~@|&${accents}-`
const rest = new RegExp(
  `((?::\\d+)?(?:\\/(?:[${pathChars}]|\\([${pathChars}]+\\))*)?)(\\?[a-z0-9!?*'@();:&=+$/%#\\[\\]_.,~|-]*)?`,
  'iuy',
)
const pathEnd = new RegExp(`[a-z0-9\\u0400-\\u04FF+=_#/)${accents}-]`, 'iu')
const queryEnd = /[a-z0-9_&=#/-]/i
const linkMax = 4_096

/**
 * The part of a name that ends in a top-level domain, as long as possible; empty: there is none. `next`: the character
 * behind the name.
 */
function hostIn(name: string, next: string): string {
  const labels = name.split('.')
  for (let count = labels.length; count >= 2; count--) {
    const last = labels[count - 1] as string
    const end = /^[a-z]+/i.exec(last)?.[0] ?? last
    const behind = last[end.length] ?? (count < labels.length ? '.' : next)
    if (!/[0-9a-z@+-]/i.test(behind) && topLevelDomains.has(end.toLowerCase()))
      return [...labels.slice(0, count - 1), end].join('.')
  }
  return ''
}

const trimmed = (text: string, last: RegExp): string => {
  let length = text.length
  while (length > 0 && !last.test(text[length - 1] as string)) length--
  return text.slice(0, length)
}

/** What follows a host at this place: port, path and query. */
function tailAt(text: string, at: number): string {
  rest.lastIndex = at
  const [, path = '', queryText = ''] = rest.exec(text) ?? []
  const query = trimmed(queryText, queryEnd)
  return query === '' ? trimmed(path, pathEnd) : path + query
}

/**
 * Links as network d finds them: with a scheme, or a bare name in a top-level domain. Where its rule is hard to follow,
 * a link ends earlier here.
 */
export function linksIn(text: string): { start: number; end: number }[] {
  const found: { start: number; end: number }[] = []
  candidate.lastIndex = 0
  for (let match = candidate.exec(text); match; match = candidate.exec(text)) {
    const [whole, scheme = '', named] = match
    const start = match.index
    const before = start === 0 ? '' : (text[start - 1] as string)
    const isFree = scheme ? !/[a-z0-9@＠$#＃]/i.test(before) : !/[a-z0-9@＠$#＃_./-]/i.test(before)
    const host = isFree ? hostIn(scheme ? (named ?? '') : whole, text[start + whole.length] ?? '') : ''
    if (host === '') {
      // Another link may begin with its last label.
      const next = /https?$/i.exec(whole)?.index ?? 0
      if (next > 0 && text.startsWith('://', start + whole.length)) candidate.lastIndex = start + next
      continue
    }
    const behind = start + scheme.length + host.length
    const end = behind + tailAt(text, behind).length
    candidate.lastIndex = end
    if (end - start <= linkMax) found.push({ start, end })
  }
  return found
}

/** A longer text is too long with any links: it is not searched for them. */
const searchedMax = 10_000

/** Network d counts the composed form of a text. */
function weightedLength(original: string): number {
  const text = original.normalize('NFC')
  if (text.length > searchedMax) return text.length
  let weight = 0
  let from = 0
  for (const { start, end } of linksIn(text)) {
    weight += plainWeight(text.slice(from, start)) + 23
    from = end
  }
  return weight + plainWeight(text.slice(from))
}

const measures: Record<CaptionUnit, (text: string) => number> = {
  characters: charactersIn,
  bytes: bytesIn,
  weighted: weightedLength,
  emoji_bytes: emojiBytesIn,
}
export const captionLength = (unit: CaptionUnit, text: string): number => measures[unit](text)

/** Counted with generosity: `#` with a letter, digit or line behind it, wherever it stands. */
export const hashtagsIn = (text: string): number => text.match(/[#＃][\p{L}\p{N}_]/gu)?.length ?? 0
export const mentionsIn = (text: string): number => text.match(/[@＠][\p{L}\p{N}_.]/gu)?.length ?? 0
/** Different addresses with a scheme. */
export const addressesIn = (text: string): number => new Set(text.match(/https?:\/\/\S+/giu) ?? []).size
