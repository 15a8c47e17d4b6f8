// Links in a text, as they stand there for readers: with or without a scheme. Reads any text once.
import { topLevelDomains } from './publications/top-level-domains.ts'

/** What programs of readers open without a host. */
const openers = 'callto|facetime|intent|javascript|magnet|mailto|market|sip|skype|sms|smsto|tel|tg|viber|whatsapp|xmpp'
const opened = new RegExp(`(?<![\\p{L}\\p{M}\\p{N}])(?:${openers}):\\S`, 'iu')
/** A scheme, and an address without one. */
const marked = /\/\/|https?:|www\./iu
const address = /^\d{1,3}(?:\.\d{1,3}){3}$/

/** The label of a domain. Of digits alone, `1.50` is a number. */
const isLabel = (text: string): boolean => /\p{L}/u.test(text) || /^\d{3}/.test(text)

/**
 * The top-level domains in scripts without case. Their sentences often follow each other without a space, so that any
 * word would look like one.
 */
const caseless = new Set(
  '中国 中國 公司 网络 網絡 香港 台湾 台灣 みんな コム 한국 भारत ไทย مصر السعودية امارات ایران ישראל'.split(' '),
)

/**
 * At least two letters in one case, or a domain that exists: `tea.The` is the end of a sentence without a space after
 * it.
 */
function isTopLabel(text: string): boolean {
  if (caseless.has(text) || /^xn--[a-z0-9-]+$/i.test(text)) return true
  const [lower, upper] = [text.toLowerCase(), text.toUpperCase()]
  return (
    lower !== upper &&
    (text === lower || text === upper || topLevelDomains.has(lower)) &&
    /^\p{L}[\p{L}\p{M}]+$/u.test(text)
  )
}

/**
 * Ends of file names that are no top-level domains: `menu.pdf` is no address. Names such as `menu.zip` are, and
 * programs of readers make links of them.
 */
const fileEndings = new Set(
  `apk avi bak bmp conf css csv dmg doc docx eml epub eps exe flac gif gz heic htm html ico ics ini ipa jpeg jpg js json jsx key log m4a mkv mp3 mp4 mpeg mpg msg odp ods odt ogg otf pages pdf php
   png ppt pptx psd rar rtf sql svg tar tex tif tiff toml ts tsx ttf txt vcf wav webm webp woff xls xlsx xml yaml yml`.split(
    /\s+/,
  ),
)

function isDomain(word: string): boolean {
  if (address.test(word)) return true
  const labels = word.split('.')
  const last = labels.findLast((label) => label !== '') ?? ''
  if (fileEndings.has(last.toLowerCase())) return false
  return labels.some((top, at) => {
    const before = labels[at - 1]
    if (before === undefined || !isLabel(before) || !isTopLabel(top)) return false
    // `p.ex.` is an abbreviation.
    return !(at === 1 && before.length === 1 && labels[2] === '')
  })
}

const domainsIn = (text: string): string[] =>
  text.split(/[^\p{L}\p{M}\p{N}.-]+/u).filter((word) => word.includes('.') && isDomain(word))

export const hasLink = (text: string): boolean => marked.test(text) || opened.test(text) || domainsIn(text).length > 0

/**
 * `text`: as it is written. `hosts`: what it leads to, in lower case; none for a telephone number, a script or a chat.
 * `bare`: without a scheme.
 */
export type WrittenLink = { text: string; hosts: string[]; bare: boolean }

const schemed =
  /(?:\bhttps?:|\b[a-z][a-z\d+.-]{1,20}:[\\/]+|(?<![\w:/\\])[\\/]{2}|\b(?=www\.))([^\s\\/?#)\]>"'<]+)[^\s)\]>"'<]*|\b(?:javascript|vbscript|data):[^\s)\]>"']+/gi
const word = /[^\s()[\]{}<>"'`|,;]+/gu

/** A word without the marks around it that belong to its sentence or to its emphasis. */
function coreOf(whole: string): string {
  let [from, to] = [0, whole.length]
  while (from < to && /[^\p{L}\p{M}\p{N}\p{Cs}+/\\]/u.test(whole[from] as string)) from++
  while (to > from && '.:!?…*_~=’”»-'.includes(whole[to - 1] as string)) to--
  return whole.slice(from, to)
}

const hostOf = (authority: string): string =>
  authority
    .replace(/^.*@/s, '')
    .replace(/:\d*$/, '')
    .replace(/[.,;!]+$/, '')
    .toLowerCase()
const hostsOf = (domains: readonly string[]): string[] =>
  domains.map((one) => one.replace(/^[.-]+|[.-]+$/g, '').toLowerCase())

/**
 * A word without a scheme: what stands before its path is its host, or an e-mail address. `after`: the mark behind it,
 * as the full stop of an abbreviation. Undefined: it is no link.
 */
function bareLink(text: string, after: string): WrittenLink | undefined {
  // The text as programs of readers see it: without marks that have no width, and with one kind of dots.
  const seen = `${text}${after === '.' ? after : ''}`
    .normalize('NFKC')
    .replaceAll(/\p{Cf}/gu, '')
    .replaceAll('。', '.')
  if (opened.test(seen))
    return {
      text,
      hosts: /^mailto:/i.test(seen) ? hostsOf(domainsIn(hostOf(seen.split('?')[0] as string))) : [],
      bare: false,
    }
  if (!seen.includes('.')) return undefined
  const authority = seen.split(/[\\/?#]/, 1)[0] as string
  const named = domainsIn(authority.slice(authority.lastIndexOf('@') + 1))
  const domains = named.length > 0 ? named : domainsIn(seen)
  return domains.length > 0 ? { text, hosts: hostsOf(domains), bare: true } : undefined
}

/** Replaces the links that are not kept, so that no program of a reader makes a link, or fetches an image, of them. */
export function withoutLinks(text: string, isKept: (link: WrittenLink) => boolean): string {
  const removed = '[link removed]'
  const withoutBare = (part: string): string =>
    part.replace(word, (whole) => {
      const core = coreOf(whole)
      const link = bareLink(core, whole.charAt(whole.indexOf(core) + core.length))
      return !link || isKept(link) ? whole : whole.replace(core, () => removed)
    })
  let shown = ''
  let at = 0
  for (const { 0: link, 1: authority, index } of text.matchAll(schemed)) {
    const kept = isKept({ text: link, hosts: authority === undefined ? [] : [hostOf(authority)], bare: false })
    shown += withoutBare(text.slice(at, index)) + (kept ? link : removed)
    at = index + link.length
  }
  return shown + withoutBare(text.slice(at))
}

/** The e-mail addresses in a text, in lower case. */
export const addressesIn = (text: string): string[] =>
  (text.match(word) ?? []).flatMap((whole) => {
    const core = coreOf(whole).toLowerCase()
    return /^[^@:/?#\\]+@[^@:/?#\\]+$/.test(core) && domainsIn(core).length > 0 ? [core] : []
  })

/** The hosts that a text names. */
export function hostsIn(text: string): ReadonlySet<string> {
  const hosts = new Set<string>()
  withoutLinks(text, (link) => {
    for (const host of link.hosts) hosts.add(host)
    return true
  })
  return hosts
}
