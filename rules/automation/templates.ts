// Renders templates: each becomes the value that it refers to, with its type. A missing value is an error, never the
// text "undefined".
//   resolve({ to: '{{input.form.body.email}}' }, scope)   → { to: 'ada@example.com' }

/**
 * What a node can read: the outputs of its direct sources (and `trigger`), and of the nodes that completed before it.
 * Plain JSON.
 */
export type Scope = { input: Readonly<Record<string, unknown>>; nodes: Readonly<Record<string, { output: unknown }>> }

/** The place that a template reads. `path`: the segments after the node id. */
export type Place = { root: 'input' | 'nodes'; node: string; path: string[] }

/** One `{{…}}`. `place` is null if it is malformed or not closed. */
export type Template = { text: string; place: Place | null }

export type TemplateFault = 'template_malformed' | 'template_missing' | 'template_too_large' | 'url_invalid'

/** The run of the node fails with this code and message; nothing was sent. */
export class TemplateError extends Error {
  readonly code: TemplateFault
  constructor(code: TemplateFault, detail: string) {
    super(detail)
    this.code = code
  }
}

/** Limit of the output of all templates of one value together, in characters of JSON. */
export const PRINTED_MAX = 1_048_576

// Names of prototype members never refer to data.
export const isPrototypeKey = (key: string): boolean =>
  key === '__proto__' || key === 'constructor' || key === 'prototype'

const anyTemplate = /\{\{([^{}]*)\}\}|\{\{(?!\{)/g
const wholeTemplate = /^\{\{([^{}]*)\}\}$/
const segment = /^[^\s.[\]{}]+$/

const segmentsOf = (path: string): string[] | null => {
  // `items[0].name` and `items.0.name` are the same.
  const parts = path
    .trim()
    .replaceAll(/\[(\d+)\]/g, '.$1')
    .split('.')
  return parts.every((part) => segment.test(part) && !isPrototypeKey(part)) ? parts : null
}

const placeOf = (path: string): Place | null => {
  const [root, node, ...rest] = segmentsOf(path) ?? []
  if (node === undefined) return null
  if (root === 'input') return { root, node, path: rest }
  if (root === 'nodes' && rest[0] === 'output') return { root, node, path: rest.slice(1) }
  return null
}

/** Whether the string is exactly one template, which keeps the type of its value. */
export const isTemplate = (text: string): boolean => wholeTemplate.test(text)

/** The text without its templates. */
export const withoutTemplates = (text: string): string => text.replaceAll(anyTemplate, '')

const inText = (text: string): Template[] =>
  [...text.matchAll(anyTemplate)].map(([found, path]) => ({
    text: found,
    place: path === undefined ? null : placeOf(path),
  }))

/** All templates of a JSON value, with the path to the string that contains them. Keys of objects have no templates. */
export const templatesIn = (
  value: unknown,
  at: readonly string[] = [],
): { at: readonly string[]; template: Template }[] => {
  if (typeof value === 'string') return inText(value).map((template) => ({ at, template }))
  if (value === null || typeof value !== 'object') return []
  return Object.entries(value).flatMap(([key, inner]) => templatesIn(inner, [...at, key]))
}

const memberOf = (value: unknown, key: string): { value: unknown } | null => {
  if (value === null || typeof value !== 'object') return null
  if (Array.isArray(value) && !/^(0|[1-9]\d*)$/.test(key)) return null
  const own = Object.getOwnPropertyDescriptor(value, key)
  return own === undefined || own.value === undefined ? null : { value: own.value }
}

const read = (path: string, scope: Scope): unknown => {
  const place = placeOf(path)
  if (!place)
    throw new TemplateError(
      'template_malformed',
      `{{${path}}} is not a template; expected {{input.<node>.…}} or {{nodes.<node>.output.…}}`,
    )
  const keys =
    place.root === 'input' ? ['input', place.node, ...place.path] : ['nodes', place.node, 'output', ...place.path]
  let at: unknown = scope
  for (const [index, key] of keys.entries()) {
    const found = memberOf(at, key)
    if (!found)
      throw new TemplateError(
        'template_missing',
        `there is no ${keys.slice(0, index + 1).join('.')}, which {{${path.trim()}}} reads`,
      )
    at = found.value
  }
  return at
}

type Meter = { left: number }

const metered = (text: string, meter: Meter): string => {
  meter.left -= text.length
  if (meter.left < 0)
    throw new TemplateError('template_too_large', `templates print more than ${PRINTED_MAX} characters`)
  return text
}

const notClosed = (found: string) => new TemplateError('template_malformed', `${found} is not closed`)

const fill = (text: string, print: (path: string) => string): string =>
  text.replaceAll(anyTemplate, (found: string, path: string | undefined) => {
    if (path === undefined) throw notClosed(found)
    return print(path)
  })

const resolveWith = (value: unknown, scope: Scope, meter: Meter): unknown => {
  if (typeof value === 'string') {
    const [, whole] = wholeTemplate.exec(value) ?? []
    if (whole !== undefined) {
      const found = read(whole, scope)
      metered(JSON.stringify(found), meter)
      return found
    }
    return fill(value, (path) => {
      const found = read(path, scope)
      return metered(printed(found), meter)
    })
  }
  if (Array.isArray(value)) return value.map((inner) => resolveWith(inner, scope, meter))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, resolveWith(inner, scope, meter)]))
}

/**
 * Renders all templates in the strings of a value, at any depth; keys are not rendered. A string that is exactly one
 * template becomes the value itself; within a text, a string is inserted as it is and any other value as JSON.
 * Inserted values are not rendered again. Throws TemplateError: template_missing names the path, template_malformed
 * the text, template_too_large.
 */
export const resolve = (value: unknown, scope: Scope): unknown => resolveWith(value, scope, { left: PRINTED_MAX })

/** Number of `.` and `..` segments. URL parsers decode `%2e`, so that encoding does not prevent them. */
const dotSegments = (text: string): number =>
  (text.split(/[?#]/, 1)[0] as string).split(/[/\\]/).filter((one) => /^(?:\.|%2e){1,2}$/i.test(one)).length

/**
 * Renders an address. Each value is percent-encoded, so that it stays within its part of the path or query. A template
 * at the very beginning is an address, or the beginning of one, and is not encoded. Throws as `resolve` does, and
 * url_invalid if a value would make a segment `.` or `..`.
 */
export const resolveUrl = (url: string, scope: Scope): unknown => {
  const meter = { left: PRINTED_MAX }
  const [first] = /^\{\{[^{}]*\}\}/.exec(url) ?? ['']
  const beginning = resolveWith(first, scope, meter)
  if (first === url || typeof beginning !== 'string') return beginning
  const rest = url.slice(first.length)
  const filled = fill(rest, (path) => metered(encodeURIComponent(printed(read(path, scope)).toWellFormed()), meter))
  if (dotSegments(filled) > dotSegments(rest.replaceAll(anyTemplate, 'value')))
    throw new TemplateError(
      'url_invalid',
      'a value makes a segment of the path `.` or `..`, which leads to another path',
    )
  return beginning + filled
}

/** A value as text: a string as it is, any other value as JSON. */
export const printed = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

export type Printer = { read(path: string): unknown; malformed(found: string): TemplateError }

/** Reads templates for rules/automation/expressions.ts. All of them together print at most PRINTED_MAX. */
export function newPrinter(scope: Scope): Printer {
  const meter = { left: PRINTED_MAX }
  return {
    read(path) {
      const found = read(path, scope)
      metered(JSON.stringify(found), meter)
      return found
    },
    malformed: (found) => notClosed(found),
  }
}
