// The process that makes text of web pages: what a page says, its title and its links, within limits of size and depth.
import { compile } from 'html-to-text'
import { cut } from '../rules/excerpts.ts'

/** `base`: the address of the page. */
export type PageTask = { html: string; base: string }
export type PageText = { title: string | null; text: string; links: { url: string; text: string }[] }
/** `spent`: a page has filled the heap, in which the next one might fail. */
export type PageReply = ({ page: PageText } | { fault: string }) & { spent?: true }

const most = { title: 300, text: 32_000, links: 300, url: 2_000, label: 80 }
const heapMax = 100_000_000

type Element = { type?: string; attribs?: Record<string, string>; children?: Element[]; data?: string }
type Format = (
  element: Element,
  walk: (children: Element[] | undefined, builder: unknown) => void,
  builder: unknown,
) => void

/** The words below an element. */
function words(element: Element, left = 20): string {
  if (element.type === 'text') return element.data ?? ''
  return left === 0 ? '' : (element.children ?? []).map((child) => words(child, left - 1)).join(' ')
}
const line = (text: string, max: number) => cut(text.replace(/\s+/g, ' ').trim(), max).toWellFormed()

/** The address of a link, without its fragment; null for one that is no page. */
function addressOf(href: string, base: string): string | null {
  if (href.length > most.url || !URL.canParse(href, base)) return null
  const url = new URL(href, base)
  if ((url.protocol !== 'https:' && url.protocol !== 'http:') || url.username !== '' || url.password !== '') return null
  url.hash = ''
  return url.href.length > most.url ? null : url.href
}

function read({ html, base }: PageTask): PageText {
  let title: string | null = null
  let at = base
  const links = new Map<string, string>()
  const anchor: Format = (element, walk, builder) => {
    const { href } = element.attribs ?? {}
    const url = href ? addressOf(href, at) : null
    if (url !== null && url !== base && !links.has(url) && links.size < most.links)
      links.set(url, line(words(element), most.label))
    walk(element.children, builder)
  }
  const head: Record<string, Format> = {
    title(element) {
      title ??= line(words(element), most.title) || null
    },
    base({ attribs }) {
      if (attribs?.href && URL.canParse(attribs.href, base)) at = new URL(attribs.href, base).href
    },
  }
  const text = compile({
    wordwrap: false,
    // All of the document: a page may have no `body`, and the title stands before it.
    baseElements: { selectors: ['none'], returnDomByDefault: true },
    limits: { maxDepth: 200, maxInputLength: 2_000_000, ellipsis: '' },
    formatters: { anchor, ...head },
    selectors: [
      { selector: 'a', format: 'anchor' },
      { selector: 'title', format: 'title' },
      { selector: 'base', format: 'base' },
      ...['img', 'script', 'style', 'noscript', 'template', 'svg', 'iframe', 'object'].map((selector) => ({
        selector,
        format: 'skip',
      })),
      ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
      { selector: 'table', format: 'block' },
      ...['td', 'th'].map((selector) => ({
        selector,
        format: 'block',
        options: { leadingLineBreaks: 1, trailingLineBreaks: 1 },
      })),
    ],
    // NUL cannot be stored.
  })(html.replaceAll('\0', '\ufffd'))
  return {
    title,
    text: text
      .replace(/[ \t]+/g, ' ')
      .replace(/\n{3,}/g, '\n\n')
      .trim()
      .slice(0, most.text)
      .toWellFormed(),
    links: [...links].map(([url, label]) => ({ url, text: label })),
  }
}

const answer = (reply: PageReply) =>
  process.send?.({ ...reply, ...(process.memoryUsage().heapUsed > heapMax ? { spent: true } : {}) })

process.on('message', (task: PageTask) => {
  try {
    answer({ page: read(task) })
  } catch {
    // The message may hold a part of the page.
    answer({ fault: 'it cannot be read' })
  }
})
// The parent has ended.
process.on('disconnect', () => process.exit())
process.send?.('ready')
