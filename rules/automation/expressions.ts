// Templates in a JavaScript expression are bound as values: what the expression does is decided by its author's text alone, for any data.
//   expressionOf(`'{{input.form.role}}' === 'admin'`, scope)   → { code: '`${__t[0]}` === \'admin\'', name: '__t', values: ['editor'] }
import { newPrinter, type Printer, printed, type Scope, TemplateError } from './templates.ts'

/** `code` reads the values by `name`, an array that is given to it beside `input` and `nodes`. */
export type Expression = { code: string; name: string; values: unknown[] }

type Piece = { text: string } | { path: string }
/** Where a text stands. Of strings, keys in quotes and regular expressions the whole literal is one part; of template literals the text between `${…}`. */
type Part = { at: 'code' | 'string' | 'key' | 'template' | 'regex'; pieces: Piece[] }

const template = /\{\{([^{}]*)\}\}|\{\{(?!\{)/g
const wholeTemplate = /\{\{[^{}]*\}\}/y
/** What stands behind a string that names a property or a method. */
const behindKey = /\s*[:(]/y
/** Longer than every keyword and the character before it. */
const tailMax = 12
/** What a division, and no regular expression, may follow. */
const operand = /[\w$)\]}'"`]$/
const keyword = /(?:^|[^\w$.])(?:return|typeof|case|in|of|delete|void|instanceof|new|throw|else|do|yield|await)$/

const piecesOf = (text: string, printer: Printer): Piece[] => {
  const pieces: Piece[] = []
  let from = 0
  for (const { 0: found, 1: path, index } of text.matchAll(template)) {
    if (path === undefined) throw printer.malformed(found)
    pieces.push({ text: text.slice(from, index) }, { path })
    from = index + found.length
  }
  return [...pieces, { text: text.slice(from) }]
}

const matchAt = (sticky: RegExp, text: string, at: number): string | undefined => {
  sticky.lastIndex = at
  return sticky.exec(text)?.[0]
}

/** The end of what begins at `from` and is ended by `end`: behind it, or at the end of the text. A backslash takes the next character with it. */
const endOf = (text: string, from: number, end: (at: number) => boolean): number => {
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (end(at)) return at
  }
  return text.length
}

/**
 * The parts of an expression in their order. The text that they are made of is all of it, each character once. A mistake (a `/` that is taken for a
 * division) can only put a template where its value is of no use to the author: the code never holds data.
 */
function partsOf(text: string, printer: Printer): Part[] {
  const parts: Part[] = []
  const push = (at: Part['at'], from: number, to: number) => {
    if (to > from) parts.push({ at, pieces: piecesOf(text.slice(from, to), printer) })
  }
  /** Depth of braces at which each open template literal goes on. */
  const open: number[] = []
  let depth = 0
  let from = 0
  let at = 0
  /** Behind the last character that is neither space nor comment. */
  let last = 0
  /** A regular expression without an end was looked for up to here: another search of the same line would make the time quadratic. */
  let divisionsTo = 0
  const tail = () => text.slice(Math.max(0, last - tailMax), last)
  const isRegex = () => at >= divisionsTo && (!operand.test(tail()) || keyword.test(tail()))
  const literal = (kind: Part['at'], end: number) => {
    push('code', from, at)
    push(kind, at, end)
    from = at = last = end
  }
  /** The text of a template literal from `begin` on, up to and with its end or its next `${`. */
  const templateText = (begin: number) => {
    const end = endOf(text, begin, (here) => text[here] === '`' || text.startsWith('${', here))
    const more = text.startsWith('${', end)
    if (more) open.push(depth++)
    push('code', from, begin)
    push('template', begin, end)
    from = end
    at = last = end + (more ? 2 : 1)
  }
  while (at < text.length) {
    const one = text[at] as string
    const whole = one === '{' ? matchAt(wholeTemplate, text, at) : undefined
    if (whole) at = last = at + whole.length
    else if (one === "'" || one === '"') {
      const end = Math.min(text.length, endOf(text, at + 1, (here) => text[here] === one) + 1)
      const isKey = /[{,]$/.test(tail()) && matchAt(behindKey, text, end) !== undefined
      literal(isKey ? 'key' : 'string', end)
    } else if (one === '`') templateText(at + 1)
    else if (text.startsWith('//', at)) at = endOf(text, at, (here) => /[\n\r\u2028\u2029]/.test(text[here] as string))
    else if (text.startsWith('/*', at)) {
      const end = text.indexOf('*/', at + 2)
      at = end < 0 ? text.length : end + 2
    } else if (one === '/' && isRegex()) {
      let inClass = false
      const end = endOf(text, at + 1, (here) => {
        if (text[here] === '[') inClass = true
        else if (text[here] === ']') inClass = false
        return text[here] === '\n' || (text[here] === '/' && !inClass)
      })
      if (text[end] === '/') literal('regex', end + 1 + (matchAt(/[a-z]*/y, text, end + 1)?.length ?? 0))
      else {
        divisionsTo = end
        last = ++at
      }
    } else {
      if (one === '{') depth++
      if (one === '}') {
        depth--
        if (open.at(-1) === depth) {
          open.pop()
          templateText(at + 1)
          continue
        }
      }
      at++
      if (one.trim() !== '') last = at
    }
  }
  push('code', from, text.length)
  return parts
}

/** Of a string's text, for a template literal: its own escapes mean the same there. */
const inBackticks = (text: string): string => text.replaceAll(/\\[\s\S]|`|\$(?=\{)/g, (found) => (found.startsWith('\\') ? found : `\\${found}`))

/**
 * The expression with every template in it bound. In code a template is the value that it names. Within a string, a template literal or a regular
 * expression it is the text that it prints (as in every other text: a string as it is, anything else as JSON), matched literally in the latter.
 * Throws as `resolve` does (API document 2, Workflow: template variables; design: automation, Graphs).
 */
export const expressionOf = (text: string, scope: Scope): Expression => boundBy(newPrinter(scope), text)

function boundBy(printer: Printer, text: string): Expression {
  let name = '__t'
  while (text.includes(name)) name += '_'
  const values: unknown[] = []
  const bound = (value: unknown) => `${name}[${values.push(value) - 1}]`
  const asText = (path: string) => bound(printed(printer.read(path)))
  const join = (pieces: readonly Piece[], ofText: (text: string) => string, ofPath: (path: string) => string, between = '') =>
    pieces.map((piece) => ('path' in piece ? ofPath(piece.path) : ofText(piece.text))).join(between)
  /** Before a template a backslash escapes nothing: what follows is no text of the author's. */
  const unescaped = (pieces: readonly Piece[]): Piece[] =>
    pieces.map((piece, nth) => ('text' in piece && nth < pieces.length - 1 ? { text: piece.text.replace(/^((?:[^\\]|\\[\s\S])*)\\$/, '$1') } : piece))
  const plain = (pieces: readonly Piece[]) => pieces.every((piece) => 'text' in piece)

  const codeOf = ({ at, pieces: given }: Part): string => {
    const own = (of: string) => of
    if (at === 'code') return join(given, own, (path) => `(${bound(printer.read(path))})`)
    if (plain(given)) return join(given, own, own)
    const pieces = unescaped(given)
    if (at === 'template') return join(pieces, own, (path) => `\${${asText(path)}}`)
    const [first, last] = [pieces[0] as { text: string }, pieces.at(-1) as { text: string }]
    const inner = (cut: number): Piece[] => [{ text: first.text.slice(1) }, ...pieces.slice(1, -1), { text: last.text.slice(0, cut) }]
    if (at === 'string' || at === 'key') {
      const literal = `\`${join(inner(-1), inBackticks, (path) => `\${${asText(path)}}`)}\``
      return at === 'key' ? `[${literal}]` : literal
    }
    const flags = /\/([a-z]*)$/.exec(last.text)?.[1] ?? ''
    const source = join(inner(-1 - flags.length), JSON.stringify, (path) => bound(`(${escaped(printed(printer.read(path)))})`), ' + ')
    return `RegExp(${source}, ${JSON.stringify(flags)})`
  }
  return { code: partsOf(text, printer).map(codeOf).join(''), name, values }
}

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')

/** Why the body of a function cannot be parsed, in the words of the parser; null where it can. It is compiled and never called. */
function parseFault(parameters: readonly string[], body: string): string | null {
  try {
    new Function(...parameters, body)
    return null
  } catch (error) {
    if (error instanceof RangeError) return 'nested too deeply'
    return (error as Error).message
  }
}

/** The same of code as a transform holds it: the body of a function over `input` and `nodes`. */
export const bodyFault = (code: string): string | null => parseFault(['input', 'nodes'], `'use strict'; ${code}\n`)

/** The same of an expression with its templates, for any names in them. Null too where a template is malformed: that is a fault of the template. */
export function expressionFault(text: string): string | null {
  try {
    const { code, name } = boundBy({ read: () => null, malformed: (found) => new TemplateError('template_malformed', found) }, text)
    return parseFault(['input', 'nodes', name], `'use strict'; return (${code}\n)`)
  } catch (error) {
    if (error instanceof TemplateError) return null
    throw error
  }
}
