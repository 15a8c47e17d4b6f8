// Media types of files: determined by content. A name or a content type of another type is refused.

/** Text types, which have no magic bytes. */
const texts = ['text/plain', 'text/csv', 'application/json', 'text/calendar', 'text/vcard', 'text/vtt']
const unknown = 'application/octet-stream'
const zipped = (type: string) => [type, 'application/zip']
const office = (name: string) => zipped(`application/vnd.openxmlformats-officedocument.${name}`)
/** Audio and video containers, which are not always recognised by their first bytes. */
const loose = (...types: string[]) => [...types, unknown]

/**
 * The types of a file name extension: its own first, then other types that its content may be detected as. Unknown
 * extensions are not checked.
 */
const endings: Record<string, readonly string[]> = {
  jpg: ['image/jpeg'],
  png: ['image/png', 'image/apng'],
  apng: ['image/apng', 'image/png'],
  gif: ['image/gif'],
  webp: ['image/webp'],
  avif: ['image/avif'],
  tiff: ['image/tiff'],
  heic: ['image/heic', 'image/heif', 'image/heic-sequence', 'image/heif-sequence'],
  bmp: ['image/bmp'],
  ico: ['image/x-icon'],
  jxl: ['image/jxl'],
  psd: ['image/vnd.adobe.photoshop'],
  svg: ['image/svg+xml'],
  pdf: ['application/pdf'],
  zip: ['application/zip'],
  gz: ['application/gzip'],
  tar: ['application/x-tar'],
  '7z': ['application/x-7z-compressed'],
  rar: ['application/x-rar-compressed'],
  docx: office('wordprocessingml.document'),
  xlsx: office('spreadsheetml.sheet'),
  pptx: office('presentationml.presentation'),
  odt: zipped('application/vnd.oasis.opendocument.text'),
  ods: zipped('application/vnd.oasis.opendocument.spreadsheet'),
  odp: zipped('application/vnd.oasis.opendocument.presentation'),
  epub: zipped('application/epub+zip'),
  doc: ['application/msword', 'application/x-cfb'],
  xls: ['application/vnd.ms-excel', 'application/x-cfb'],
  ppt: ['application/vnd.ms-powerpoint', 'application/x-cfb'],
  rtf: ['application/rtf'],
  mp3: loose('audio/mpeg'),
  m4a: loose('audio/mp4', 'audio/x-m4a', 'video/mp4'),
  aac: loose('audio/aac'),
  wav: loose('audio/wav'),
  flac: loose('audio/flac'),
  ogg: loose('audio/ogg', 'video/ogg', 'application/ogg'),
  opus: loose('audio/ogg'),
  mp4: loose('video/mp4', 'video/x-m4v', 'video/quicktime', 'audio/mp4', 'audio/x-m4a'),
  mov: loose('video/quicktime', 'video/mp4'),
  webm: loose('video/webm', 'video/matroska'),
  mkv: loose('video/matroska', 'video/webm'),
  avi: loose('video/vnd.avi'),
  mpg: loose('video/mpeg', 'video/MP2P', 'video/MP1S'),
  woff: ['font/woff'],
  woff2: ['font/woff2'],
  ttf: ['font/ttf'],
  otf: ['font/otf'],
  html: ['text/html', 'text/plain', 'application/xml'],
  xml: ['application/xml'],
  json: ['application/json', ...texts],
  csv: ['text/csv', ...texts],
  ics: ['text/calendar', ...texts],
  vcf: ['text/vcard', ...texts],
  vtt: ['text/vtt', ...texts],
  css: ['text/css', ...texts],
  js: ['text/javascript', ...texts],
  txt: texts,
  // Markdown may begin with an HTML element.
  md: ['text/markdown', 'text/html', ...texts],
}
const sameEnding: Record<string, string> = {
  jpeg: 'jpg',
  jpe: 'jpg',
  jfif: 'jpg',
  tif: 'tiff',
  heif: 'heic',
  htm: 'html',
  xhtml: 'html',
  rss: 'xml',
  atom: 'xml',
  tgz: 'gz',
  m4v: 'mp4',
  mpeg: 'mpg',
  mjs: 'js',
  cjs: 'js',
  geojson: 'json',
  markdown: 'md',
  text: 'txt',
  log: 'txt',
  yml: 'txt',
  yaml: 'txt',
  tsv: 'csv',
}
/** Other names that clients use for these types. */
const sameType: Record<string, string> = {
  'image/jpg': 'jpg',
  'image/pjpeg': 'jpg',
  'image/x-png': 'png',
  'image/vnd.microsoft.icon': 'ico',
  'application/x-zip-compressed': 'zip',
  'application/x-pdf': 'pdf',
  'audio/mp3': 'mp3',
  'audio/x-wav': 'wav',
  'application/xhtml+xml': 'html',
  'text/xml': 'xml',
  'application/javascript': 'js',
}
const endingOfType: Record<string, string> = {
  ...Object.fromEntries(Object.entries(endings).map(([ending, [type]]) => [type, ending])),
  ...sameType,
}

/** The media type without its parameters. */
export const bareType = (type: string): string => (type.split(';')[0] as string).trim()

function endingOf(name: string): string | undefined {
  const ending = /\.([a-z0-9]{1,10})$/i.exec(name)?.[1]?.toLowerCase()
  if (ending === undefined) return undefined
  const canonical = Object.hasOwn(sameEnding, ending) ? sameEnding[ending] : ending
  return canonical !== undefined && Object.hasOwn(endings, canonical) ? canonical : undefined
}

/**
 * The type of the file name extension, or of the content type if the extension is unknown, if it differs from the type
 * of the content; otherwise null. Types that cannot be distinguished reliably count as equal.
 */
export function otherTypeSaid(name: string, sent: string | undefined, found: string): string | null {
  const type = bareType(sent ?? '').toLowerCase()
  const ending = endingOf(name) ?? (Object.hasOwn(endingOfType, type) ? endingOfType[type] : undefined)
  const accepted = ending === undefined ? undefined : endings[ending]
  return !accepted || accepted.includes(found) ? null : (accepted[0] as string)
}

const markup = /^<(html|head|body|script|iframe|h1|div|font|table|a|style|title|b|br|p)[\s>/]/i

/** The text from the first element of XML or HTML on; undefined for an unterminated comment. */
function firstElement(text: string): { rest: string; doctype: string | null; prolog: boolean } | undefined {
  let rest = text
  let doctype: string | null = null
  const prolog = /^<\?xml[\s?]/i.test(text)
  for (;;) {
    rest = rest.trimStart()
    const skipped = /^<\?[^>]*>|^<!--[\s\S]*?-->/.exec(rest)?.[0]
    const declared = skipped === undefined ? /^<!doctype\s+([\w:-]+)(?:[^>[]|\[[^\]]*\])*>/i.exec(rest) : null
    if (skipped === undefined && declared === null)
      return rest.startsWith('<!--') ? undefined : { rest, doctype, prolog }
    doctype ??= declared?.[1]?.toLowerCase() ?? null
    rest = rest.slice((skipped ?? declared?.[0] ?? '').length)
  }
}

/** At least two lines, each with the same number of the same separator. */
function isTable(text: string): boolean {
  const lines = text.split(/\r?\n/).slice(0, -1).slice(0, 10)
  const counts = (separator: string) => lines.map((line) => line.replaceAll(/"[^"]*"/g, '').split(separator).length - 1)
  return (
    lines.length > 1 &&
    [',', ';', '\t'].some((separator) => new Set(counts(separator)).size === 1 && counts(separator)[0] !== 0)
  )
}

/**
 * The type of a text, by its first 64 KiB and its last characters. A text that could be markup is treated as markup: to
 * serve a page as plain text is harmless, the opposite is not.
 */
export function textTypeOf(beginning: string, end: string): string {
  const text = beginning.replace(/^\uFEFF/, '').trimStart()
  if (text.startsWith('<')) {
    const first = firstElement(text)
    if (!first) return 'application/xml'
    const { rest, doctype, prolog } = first
    if (doctype === 'svg' || /^<(\w+:)?svg[\s>/]/i.test(rest)) return 'image/svg+xml'
    if (doctype === 'html' || (!prolog && markup.test(rest))) return 'text/html'
    if (prolog || doctype !== null) return 'application/xml'
  }
  const last = end.trimEnd().at(-1)
  if (
    (text.startsWith('{') && last === '}' && /^\{\s*["}]/.test(text)) ||
    (text.startsWith('[') && last === ']' && /^\[\s*([[{"\]\d-]|true|false|null)/.test(text))
  )
    return 'application/json'
  return isTable(beginning) ? 'text/csv' : 'text/plain'
}
