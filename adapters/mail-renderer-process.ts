// The process that renders e-mails: Liquid has access to the variables only, MJML reads no files, and a fault names its
// line.
import { createHash } from 'node:crypto'
import v8 from 'node:v8'
import { compile as textMaker } from 'html-to-text'
import {
  Context,
  Liquid,
  LiquidError,
  Tag,
  type TagToken,
  type Template,
  type Token,
  Tokenizer,
  TokenKind,
  type TopLevelToken,
} from 'liquidjs'
import core from 'mjml-core'
import preset from 'mjml-preset-core'
import { cut } from '../rules/excerpts.ts'

export type EmailPart = 'subject' | 'body' | 'text'
/** `line` counts from 1 in the part as its author wrote it; null if it is not known. */
export type EmailFault = { part: EmailPart; line: number | null; message: string }
export type EmailSource = { format: 'mjml' | 'html'; subject: string; body: string; text?: string | null | undefined }
export type RenderedEmail = { subject: string; html: string; text: string }
/** `variables`: JSON of each e-mail; null: the template is only checked. */
export type EmailTask = { source: EmailSource; variables: readonly string[] | null }
export type EmailResult = { rendered: RenderedEmail } | { faults: EmailFault[] }
/**
 * `results`: of the first e-mails of the task, at least one, as many as take half of the processor time of a task.
 * `faults`: those of the template.
 * `spent`: the template has filled the heap, in which the next one might fail.
 */
export type EmailReply = ({ faults: EmailFault[] } | { results: EmailResult[] }) & { spent?: true }

const subjectMax = 500
const outputMax = 1_048_576
const keptMax = 50
const renderMs = 300
/** Milliseconds of processor time after which a task begins no further e-mail. */
const taskMs = 250
const messageMax = 300
/** Bytes of the heap after a template, which are 60 million as a rule. */
const heapMax = 134_217_728

class Failed extends Error {
  readonly faults: EmailFault[]
  constructor(faults: EmailFault[]) {
    super('a template failed')
    this.faults = faults
  }
}

/** Missing values are errors: an e-mail never contains a placeholder for them. */
function print(value: unknown): string {
  if (value === null || value === undefined)
    throw new Error('the value is null: add `| default: "…"` to print a text instead')
  if (Array.isArray(value)) return value.map(print).join('')
  if (typeof value === 'object') throw new Error('the value is an object: print one of its fields')
  return String(value)
}

const marks: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&#34;', "'": '&#39;' }
const escapeHtml = (value: unknown): string => print(value).replace(/[&<>"']/g, (mark) => marks[mark] as string)

class Unavailable extends Tag {
  constructor(token: TagToken, rest: TopLevelToken[], liquid: Liquid) {
    super(token, rest, liquid)
    throw new Error(`the tag ${token.name} is not available`)
  }
  *render(): Generator<unknown, void, unknown> {}
}

function engine(outputEscape: (value: unknown) => string): Liquid {
  const liquid = new Liquid({
    strictVariables: true,
    strictFilters: true,
    // A missing variable may be tested (`if`) and replaced (`default`); printing it is an error.
    lenientIf: true,
    ownPropertyOnly: true,
    dynamicPartials: false,
    templates: {},
    locale: 'en-US',
    timezoneOffset: 0,
    parseLimit: 2 * outputMax,
    renderLimit: renderMs,
    memoryLimit: 4 * outputMax,
    outputEscape,
  })
  // Tags that read other templates or print without escaping are not available.
  for (const name of ['include', 'render', 'layout', 'block', 'echo', 'liquid', 'cycle'])
    liquid.registerTag(name, Unavailable)
  liquid.registerFilter('raw', { raw: true, handler: print })
  return liquid
}
const plain = engine(print)
const html = engine(escapeHtml)
const textOf = textMaker({
  wordwrap: false,
  selectors: [
    { selector: 'img', format: 'skip' },
    { selector: 'div[style*="display:none"]', format: 'skip' },
    { selector: 'tr', format: 'block', options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } },
    ...['td', 'th'].map((selector) => ({ selector, format: 'inlineSurround', options: { suffix: ' ' } })),
    { selector: 'a', options: { hideLinkHrefIfSameAsText: true, ignoreHref: false } },
  ],
})

/**
 * Without blanks at the ends of lines, and without more than one empty line in a row. Most texts need no replacement,
 * which would take longer than the rest.
 */
function tidy(text: string): string {
  const trimmed = text.includes(' \n') || text.includes('\t\n') ? text.replaceAll(/[ \t]+\n/g, '\n') : text
  return (trimmed.includes('\n\n\n') ? trimmed.replaceAll(/\n{3,}/g, '\n\n') : trimmed).trim()
}
const toText = (page: string): string => tidy(textOf(page))

const lineAt = (source: string, at: number): number => source.slice(0, at).split('\n').length
/** Halves of characters, as a template can make them, become U+FFFD. */
const messageOf = (text: string): string => cut(text, messageMax).toWellFormed()

/** Liquid's message, without the lines and positions that it appends. */
function faultOf(part: EmailPart, error: unknown, lineOf: (at: number) => number): EmailFault {
  if (!(error instanceof LiquidError))
    return { part, line: null, message: messageOf(error instanceof Error ? error.message : String(error)) }
  const { token, originalError } = error as LiquidError & { token?: Token; originalError?: Error }
  const said = error.name === 'RenderError' && originalError ? originalError.message : error.message
  const text = (said.split('\n')[0] as string).replace(/, line:\d+, col:\d+$/, '')
  const where = token && error.name === 'RenderError' ? ` (${cut(token.getText(), 80)})` : ''
  return { part, line: token ? lineOf(token.begin) : null, message: messageOf(text + where) }
}

/** A parsed part. `lineOf`: the line of the source for a position in it. */
type Parsed = { templates: Template[]; lineOf: (at: number) => number }
/** A body, with its HTML. */
type Page = Parsed & { page: string }

function parse(part: EmailPart, source: string, liquid: Liquid): Parsed {
  const lineOf = (at: number) => lineAt(source, at)
  try {
    return { templates: liquid.parse(source), lineOf }
  } catch (error) {
    throw new Failed([faultOf(part, error, lineOf)])
  }
}

const liquidTokens = (source: string) =>
  new Tokenizer(source).readTopLevelTokens().filter(({ kind }) => kind === TokenKind.Tag || kind === TokenKind.Output)

/**
 * Compiles MJML, which does not know Liquid: each tag and output is replaced by a word, and put back afterwards. A word
 * that MJML drops is a fault.
 */
async function pageOf(source: string): Promise<Page> {
  parse('body', source, html)
  const fault = (at: number, message: string): EmailFault => ({ part: 'body', line: lineAt(source, at), message })
  const include = source.search(/<mj-include\b/i)
  if (include >= 0) throw new Failed([fault(include, 'mj-include is not available: a template is one file')])
  const found = liquidTokens(source)
  const salt = createHash('sha256').update(source).digest('hex').slice(0, 12)
  let marked = ''
  let from = 0
  for (const [index, { begin, end }] of found.entries()) {
    // Line breaks are kept, so that MJML's line numbers are those of the source.
    marked += `${source.slice(from, begin)}lq${salt}n${index}q${'\n'.repeat(source.slice(begin, end).split('\n').length - 1)}`
    from = end
  }
  marked += source.slice(from)
  const word = new RegExp(`lq${salt}n(\\d+)q`, 'g')
  const restored = (text: string) =>
    text.replace(word, (_, index) => source.slice(found[index]?.begin, found[index]?.end))

  let made: Awaited<ReturnType<typeof core.default>>
  try {
    made = await core.default(marked, {
      presets: [preset],
      ignoreIncludes: true,
      // MJML requires a path, though it reads nothing there. The process may read this one.
      filePath: import.meta.filename,
      useMjmlConfigOptions: false,
      validationLevel: 'soft',
      keepComments: false,
      minify: false,
    })
  } catch (error) {
    throw new Failed([
      { part: 'body', line: null, message: messageOf(error instanceof Error ? error.message : String(error)) },
    ])
  }
  // A colour may be a variable. A width may not, since MJML calculates with it.
  const wrong = made.errors.filter(({ message }) => !(/ for type Color/.test(message) && message.search(word) >= 0))
  const faults: EmailFault[] = wrong.map(({ line, message, tagName }) => ({
    part: 'body',
    line,
    message: messageOf(`${tagName}: ${restored(message).trim()}`),
  }))
  const kept = new Set([...made.html.matchAll(word)].map(([, index]) => Number(index)))
  for (const [index, { begin, end }] of faults.length > 0 ? [] : found.entries())
    if (!kept.has(index))
      faults.push(
        fault(begin, `MJML drops ${messageOf(source.slice(begin, end))} here: between elements, put it into <mj-raw>`),
      )
  if (faults.length > 0) throw new Failed(faults.slice(0, 50))

  const places: { begin: number; source: number }[] = []
  let page = ''
  from = 0
  for (const { index: at, 0: text, 1: index } of made.html.matchAll(word)) {
    const { begin, end } = found[Number(index)] as TopLevelToken
    page += made.html.slice(from, at)
    places.push({ begin: page.length, source: begin })
    page += source.slice(begin, end)
    from = at + text.length
  }
  page += made.html.slice(from)
  const lineOf = (at: number) => lineAt(source, places.findLast(({ begin }) => begin <= at)?.source ?? 0)
  try {
    return { templates: html.parse(page), lineOf, page }
  } catch (error) {
    throw new Failed([faultOf('body', error, lineOf)])
  }
}

/**
 * The template of the text of a page, made of the page with its Liquid: converting each rendered page would take most
 * of the time. Undefined where the conversion would drop or move a tag, and where Liquid prints HTML: then each page is
 * converted.
 */
function textTemplateOf(page: string): Parsed | undefined {
  const found = liquidTokens(page)
  const texts = found.map(({ begin, end }) => page.slice(begin, end))
  if (texts.some((text) => /\braw\b/.test(text))) return
  const salt = createHash('sha256').update(page).digest('hex').slice(0, 12)
  // Equal tokens have equal words: a link whose text is its address is printed once.
  const wordOf = (text: string) => `lq${salt}n${texts.indexOf(text)}q`
  let marked = ''
  let from = 0
  for (const [index, { begin, end }] of found.entries()) {
    marked += page.slice(from, begin) + wordOf(texts[index] as string)
    from = end
  }
  // Headings are printed in upper case, and their words with them.
  const word = new RegExp(`lq${salt}n(\\d+)q`, 'gi')
  const text = toText(marked + page.slice(from))
  const isTag = (token: string | undefined) => token?.startsWith('{%') ?? false
  const kept = [...text.matchAll(word)].map(([, index]) => texts[Number(index)]).filter(isTag)
  if (JSON.stringify(kept) !== JSON.stringify(texts.filter(isTag))) return
  // A line of tags alone prints no line break. Braces that the author wrote as entities are no Liquid.
  const restored = text
    .replace(/\{(?=[{%])/g, '{{ "{" }}')
    .replace(new RegExp(`^((?:lq${salt}n\\d+q)+)\\n`, 'gim'), (line, words: string) =>
      [...words.matchAll(word)].every(([, index]) => isTag(texts[Number(index)])) ? words : line,
    )
    .replace(word, (_, index) => texts[Number(index)] as string)
  try {
    return { templates: plain.parse(restored), lineOf: () => 0 }
  } catch {
    return
  }
}

/**
 * `text`: of the author, or made of the page; a string: the page that it is made of for the first e-mail; undefined:
 * each page is converted.
 */
type Compiled = Record<'subject' | 'body', Parsed> & { text: Parsed | string | undefined; isMade: boolean }
const compiled = new Map<string, Compiled>()

async function compile(source: EmailSource): Promise<Compiled> {
  const faults: EmailFault[] = []
  const tried = async <T>(work: () => T | Promise<T>): Promise<T | null> => {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof Failed)) throw error
      faults.push(...error.faults)
      return null
    }
  }
  const subject = await tried(() => parse('subject', source.subject, plain))
  const body = await tried((): Page | Promise<Page> =>
    source.format === 'mjml' ? pageOf(source.body) : { ...parse('body', source.body, html), page: source.body },
  )
  const text = await tried(() => (source.text ? parse('text', source.text, plain) : null))
  if (!subject || !body || faults.length > 0) throw new Failed(faults)
  return { subject, body, text: text ?? body.page, isMade: !text }
}

async function compiledOf(source: EmailSource): Promise<Compiled> {
  const key = createHash('sha256')
    .update(JSON.stringify([source.format, source.subject, source.body, source.text]))
    .digest('base64')
  const known = compiled.get(key) ?? (await compile(source))
  // Moved to the end: the first entry is the one that was not used for the longest time.
  compiled.delete(key)
  compiled.set(key, known)
  for (const [oldest] of compiled) {
    if (compiled.size <= keptMax) break
    compiled.delete(oldest)
  }
  return known
}

const usedMs = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

/**
 * Liquid limits the elapsed time. Here the limit counts only if the process has also used as much processor time: a
 * busy machine causes no timeout.
 */
function contextOf(variables: object, liquid: Liquid, used: number): Context {
  const context = new Context(variables, liquid.options, { sync: true }, { liquid })
  const { renderLimit } = context
  const check = renderLimit.check.bind(renderLimit)
  const [over, until] = [performance.now() + renderMs, used + renderMs]
  renderLimit.check = (now) => {
    if (now > over && usedMs() > until) check(now)
  }
  return context
}

/** `used`: the processor time of the process before it, `usedMs()`. */
function renderPart(
  part: EmailPart,
  { templates, lineOf }: Parsed,
  variables: object,
  liquid: Liquid,
  used: number,
): string {
  let made: string
  try {
    made = String(liquid.renderSync(templates, contextOf(variables, liquid, used)))
  } catch (error) {
    throw new Failed([faultOf(part, error, lineOf)])
  }
  if (made.length > outputMax) throw new Failed([{ part, line: null, message: `longer than ${outputMax} characters` }])
  return made
}

function render(
  { subject, body, text, isMade }: Compiled & { text: Parsed | undefined },
  variables: object,
  used: number,
): EmailResult {
  try {
    // A header is one line: line breaks in variables become spaces.
    const line = renderPart('subject', subject, variables, plain, used)
      .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
      // Filters such as `split` take characters of two units apart.
      .toWellFormed()
      .trim()
    if (line === '') throw new Failed([{ part: 'subject', line: null, message: 'the subject is empty' }])
    if (line.length > subjectMax)
      throw new Failed([{ part: 'subject', line: null, message: `longer than ${subjectMax} characters` }])
    const page = renderPart('body', body, variables, html, used)
    const words = text ? renderPart('text', text, variables, plain, used) : toText(page)
    return { rendered: { subject: line, html: page, text: text && isMade ? tidy(words) : words } }
  } catch (error) {
    if (error instanceof Failed) return { faults: error.faults }
    throw error
  }
}

async function work({ source, variables }: EmailTask): Promise<EmailReply> {
  let compiled: Compiled
  try {
    compiled = await compiledOf(source)
  } catch (error) {
    if (error instanceof Failed) return { faults: error.faults }
    throw error
  }
  if (variables === null) return { faults: [] }
  if (typeof compiled.text === 'string') compiled.text = textTemplateOf(compiled.text)
  const ready = { ...compiled, text: compiled.text }
  const results: EmailResult[] = []
  let used = usedMs()
  const until = used + taskMs
  for (const given of variables) {
    results.push(render(ready, JSON.parse(given) as object, used))
    used = usedMs()
    if (used > until) break
  }
  return { results }
}

process.on('message', async (task: EmailTask) => {
  const reply = await work(task)
  process.send?.(v8.getHeapStatistics().used_heap_size > heapMax ? { ...reply, spent: true } : reply)
})
// The parent has ended.
process.on('disconnect', () => process.exit())
process.send?.('ready')
