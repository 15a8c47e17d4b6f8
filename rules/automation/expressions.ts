// Binds templates in a JavaScript expression as values: no data can change what the expression of its author does.
//   expressionOf(`'{{input.form.role}}' === 'admin'`, scope)   → { code: '`${__t[0]}` === \'admin\'', name: '__t',
//     values: ['editor'] }
import { newPrinter, type Printer, printed, type Scope, TemplateError } from './templates.ts'

/** `code` reads the values from the array `name`, which is passed to it beside `input` and `nodes`. */
export type Expression = { code: string; name: string; values: unknown[] }

type Piece = { text: string } | { path: string }
/**
 * A part of the source. Strings, quoted keys and regular expressions are one part each; template literals have one part
 * per text between `${…}`.
 */
type Part = { at: 'code' | 'string' | 'key' | 'template' | 'regex'; pieces: Piece[] }

const template = /\{\{([^{}]*)\}\}|\{\{(?!\{)/g
const wholeTemplate = /\{\{[^{}]*\}\}/y
/** Follows a string that is the name of a property or method. */
const behindKey = /\s*[:(]/y
/** Longer than any keyword with the character before it. */
const tailMax = 12
/** After this, a `/` is a division and not a regular expression. */
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

/**
 * The first position from `from` on for which `end` is true, or the end of the text. A backslash escapes the next
 * character.
 */
const endOf = (text: string, from: number, end: (at: number) => boolean): number => {
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (end(at)) return at
  }
  return text.length
}

/**
 * The parts of an expression in order, which together are the whole text. A wrong classification (a `/` taken for a
 * division) can only make a template useless to its author: the code never contains data.
 */
function partsOf(text: string, printer: Printer): Part[] {
  const parts: Part[] = []
  const push = (at: Part['at'], from: number, to: number) => {
    if (to > from) parts.push({ at, pieces: piecesOf(text.slice(from, to), printer) })
  }
  /** Depth of braces at which each open template literal continues. */
  const open: number[] = []
  let depth = 0
  let from = 0
  let at = 0
  /** Position after the last character that is neither white space nor comment. */
  let last = 0
  /**
   * An unterminated regular expression was searched up to here. Searching the same line again would take quadratic
   * time.
   */
  let divisionsTo = 0
  const tail = () => text.slice(Math.max(0, last - tailMax), last)
  const isRegex = () => at >= divisionsTo && (!operand.test(tail()) || keyword.test(tail()))
  const literal = (kind: Part['at'], end: number) => {
    push('code', from, at)
    push(kind, at, end)
    from = at = last = end
  }
  /** Reads the text of a template literal from `begin`, including its end or its next `${`. */
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

/** The text of a string, escaped for a template literal. Its own escapes have the same meaning there. */
const inBackticks = (text: string): string =>
  text.replaceAll(/\\[\s\S]|`|\$(?=\{)/g, (found) => (found.startsWith('\\') ? found : `\\${found}`))

/**
 * Binds every template of the expression. In code, a template is its value. In a string, a template literal or a
 * regular expression, it is its printed text (a string as it is, anything else as JSON), which a regular expression
 * matches literally. Throws as `resolve` does.
 */
export const expressionOf = (text: string, scope: Scope): Expression => boundBy(newPrinter(scope), text)

function boundBy(printer: Printer, text: string): Expression {
  let name = '__t'
  while (text.includes(name)) name += '_'
  const values: unknown[] = []
  const bound = (value: unknown) => `${name}[${values.push(value) - 1}]`
  const asText = (path: string) => bound(printed(printer.read(path)))
  const join = (
    pieces: readonly Piece[],
    ofText: (text: string) => string,
    ofPath: (path: string) => string,
    between = '',
  ) => pieces.map((piece) => ('path' in piece ? ofPath(piece.path) : ofText(piece.text))).join(between)
  /** A backslash before a template escapes nothing, as no text of the author follows. */
  const unescaped = (pieces: readonly Piece[]): Piece[] =>
    pieces.map((piece, nth) =>
      'text' in piece && nth < pieces.length - 1
        ? { text: piece.text.replace(/^((?:[^\\]|\\[\s\S])*)\\$/, '$1') }
        : piece,
    )
  const hasNoTemplate = (pieces: readonly Piece[]) => pieces.every((piece) => 'text' in piece)

  const codeOf = ({ at, pieces: given }: Part): string => {
    const asIs = (text: string) => text
    if (at === 'code') return join(given, asIs, (path) => `(${bound(printer.read(path))})`)
    if (hasNoTemplate(given)) return join(given, asIs, asIs)
    const pieces = unescaped(given)
    if (at === 'template') return join(pieces, asIs, (path) => `\${${asText(path)}}`)
    const [first, last] = [pieces[0] as { text: string }, pieces.at(-1) as { text: string }]
    const inner = (cut: number): Piece[] => [
      { text: first.text.slice(1) },
      ...pieces.slice(1, -1),
      { text: last.text.slice(0, cut) },
    ]
    if (at === 'string' || at === 'key') {
      const literal = `\`${join(inner(-1), inBackticks, (path) => `\${${asText(path)}}`)}\``
      return at === 'key' ? `[${literal}]` : literal
    }
    const flags = /\/([a-z]*)$/.exec(last.text)?.[1] ?? ''
    const source = join(
      inner(-1 - flags.length),
      JSON.stringify,
      (path) => bound(`(${escaped(printed(printer.read(path)))})`),
      ' + ',
    )
    return `RegExp(${source}, ${JSON.stringify(flags)})`
  }
  return { code: partsOf(text, printer).map(codeOf).join(''), name, values }
}

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')

/**
 * The parser's error for the body of a function; null if it can be parsed. The function is compiled and never called.
 */
function parseFault(parameters: readonly string[], body: string): string | null {
  try {
    new Function(...parameters, body)
    return null
  } catch (error) {
    if (error instanceof RangeError) return 'it is nested too deeply'
    return (error as Error).message
  }
}

/** The parser's error for the code of a transform: the body of a function of `input` and `nodes`. */
export const bodyFault = (code: string): string | null => parseFault(['input', 'nodes'], `'use strict'; ${code}\n`)

/**
 * The parser's error for an expression with templates. Null also for a malformed template, which is reported as an
 * error of the template.
 */
export function expressionFault(text: string): string | null {
  try {
    const { code, name } = boundBy(
      { read: () => null, malformed: (found) => new TemplateError('template_malformed', found) },
      text,
    )
    return parseFault(['input', 'nodes', name], `'use strict'; return (${code}\n)`)
  } catch (error) {
    if (error instanceof TemplateError) return null
    throw error
  }
}
