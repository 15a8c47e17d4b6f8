// The SQL of a TypeScript file as it is written: each template with its text, where it stands, and its queries.
import { parseSync } from '@swc/core'

type Span = { start: number; end: number }
type Node = { type?: string; value?: unknown; span?: Span; [name: string]: unknown }

/** The text keeps all places: each character of an expression is a hole, `…`. Lines count from one. */
export type Template = {
  text: string
  first: number
  last: number
  /** The first line of the declaration it stands in, and the lines of the template around it, if there is one. */
  declared: number
  around: { first: number; last: number }
}
export type Token = { word: string; at: number; end: number }

type Parts = { quasis: Node[]; expressions: Node[] }

/** What a file calls the function `text` of sql.ts; undefined where it does not import it. */
function textName(typescript: string): string | undefined {
  const [, names = ''] = /import \{([^}]*)\} from '[^']*\/sql\.ts'/.exec(typescript) ?? []
  const imported = names.split(',').find((name) => /^\s*text\b/.test(name))
  return imported?.trim().split(' ').at(-1)
}

/** A string without expressions, or a template. */
function stringOf(node: Node | undefined): Parts | undefined {
  if (node?.type === 'TemplateLiteral') return node as unknown as Parts
  if (node?.type !== 'StringLiteral') return undefined
  const { start, end } = node.span as Span
  return { quasis: [{ span: { start: start + 1, end: end - 1 } }], expressions: [] }
}

/** A template that is tagged `sql`, or the string that `text` or a fragment of the ORM is made of. */
function partsOf(node: Node, text: string | undefined): Parts | undefined {
  if (node.type === 'TaggedTemplateExpression' && (node.tag as Node).value === 'sql')
    return node.template as unknown as Parts
  const isText = node.type === 'CallExpression' && text !== undefined && (node.callee as Node).value === text
  const isFragment = node.type === 'NewExpression' && (node.callee as Node).value === 'RawQueryFragment'
  return isText || isFragment ? stringOf((node.arguments as { expression: Node }[])[0]?.expression) : undefined
}

/** Places of the parser count bytes, in Latin 1 a character each. */
function parsed(typescript: string) {
  const source = Buffer.from(typescript).toString('latin1')
  // The span of a module begins at its first token, here the semicolon.
  const module = parseSync(`;${typescript}`, { syntax: 'typescript', target: 'es2024' })
  const base = module.span.start + 1
  const placeOf = ({ span }: Node): Span => ({ start: (span as Span).start - base, end: (span as Span).end - base })
  const lineOf = (at: number) => source.slice(0, at).split('\n').length
  return { source, items: module.body as unknown as Node[], placeOf, lineOf }
}

/** The SQL templates of a file, those within others too. */
export function templatesOf(typescript: string): Template[] {
  const { source, items, placeOf, lineOf } = parsed(typescript)
  const text = textName(typescript)
  const found: Template[] = []
  const visit = (value: unknown, declared: number, outer?: Template): void => {
    if (value === null || typeof value !== 'object') return
    const template = partsOf(value as Node, text)
    if (!template) {
      for (const inner of Object.values(value)) visit(inner, declared, outer)
      return
    }
    const { quasis, expressions } = template
    const parts = quasis.map(placeOf)
    const [start, end] = [parts[0]?.start ?? 0, parts.at(-1)?.end ?? 0]
    const holes = [...source.slice(start, end).replaceAll(/[^\n]/g, '…')]
    for (const part of parts) for (let at = part.start; at < part.end; at++) holes[at - start] = source[at] as string
    const [first, last] = [lineOf(start), lineOf(end)]
    const own = { text: holes.join(''), first, last, declared, around: outer?.around ?? { first, last } }
    found.push(own)
    visit(expressions, declared, own)
  }
  for (const item of items) visit(item, lineOf(placeOf(item).start))
  return found
}

/** What no text in English has, and SQL of more than a name has. */
const isSql = new RegExp(
  [
    /\bselect\s[\s\S]*\sfrom\s/,
    /\b(?:insert into|delete from) [\w"…]/,
    /\bupdate [\w"…]+(?: \w+)?\s+set\s/,
    /\bexists \(/,
    /\bis (?:not )?null\b/,
    /\bis distinct from\b/,
    /\bcase\s+(?:[\w.]+\s+)?when\b/,
    /\border by\b/,
    /\bfor (?:no key )?update\b/,
    /->>? '/,
    /::(?:bigint|boolean|float8|int|jsonb|text|uuid)\b/,
    /\b(?:clock_timestamp|coalesce|extract|greatest|jsonb_\w+|least|make_interval|octet_length|pg_\w+|to_timestamp)\(/,
    /\b[a-z]\.[a-z_]+ (?:=|<>|<=?|>=?|in \(|not in)/,
  ]
    .map(({ source }) => source)
    .join('|'),
)

type PlainString = { text: string; first: number; last: number; isDdl: boolean }

/**
 * Strings that are neither tagged nor made by `text`. `isDdl`: what an entity declares of its table, or the expression
 * of an index or a check, which the ORM takes as strings.
 */
function plainStringsOf(typescript: string): PlainString[] {
  const { items, placeOf, lineOf } = parsed(typescript)
  const name = textName(typescript)
  const found: PlainString[] = []
  const visit = (value: unknown, isDdl: boolean): void => {
    if (value === null || typeof value !== 'object') return
    const node = value as Node
    const template = partsOf(node, name)
    if (template) {
      visit(template.expressions, isDdl)
      return
    }
    const { quasis = [] } = stringOf(node) ?? {}
    if (quasis.length > 0) {
      const { start, end } = placeOf(node)
      const text =
        node.type === 'StringLiteral' ? String(node.value) : quasis.map(({ cooked, raw }) => cooked ?? raw).join('…')
      found.push({ text, first: lineOf(start), last: lineOf(end), isDdl })
    }
    const declares =
      (node.type === 'CallExpression' && (node.callee as Node).value === 'defineEntity') ||
      (node.type === 'KeyValueProperty' && (node.key as Node).value === 'expression')
    for (const inner of Object.values(node)) visit(inner, isDdl || declares)
  }
  visit(items, false)
  return found
}

/** SQL in strings that are neither tagged nor made by `text`, but for DDL. */
export const untaggedOf = (typescript: string): PlainString[] =>
  plainStringsOf(typescript).filter(({ text, isDdl }) => !isDdl && isSql.test(text))

/** The indexes and checks that entities declare. */
export const ddlOf = (typescript: string): PlainString[] =>
  plainStringsOf(typescript).filter(({ text, isDdl }) => isDdl && (/^\s*create /.test(text) || isSql.test(text)))

/** Words, names, texts in quotes, single signs; holes that follow one another are one. */
export const tokensOf = (text: string): Token[] =>
  [...text.matchAll(/'(?:[^']|'')*'|"[^"]*"|[a-z_]\w*|…(?:[…\s]*…)?|\S/gi)].map(({ 0: word, index }) => ({
    word: word.startsWith('…') ? '…' : word,
    at: index,
    end: index + word.length,
  }))

/** The tokens of the text, and of each pair of parentheses; what a pair holds is not part of what is around it. */
export function queriesOf(text: string): Token[][] {
  const closed: Token[][] = []
  const open: Token[][] = [[]]
  for (const token of tokensOf(text)) {
    if (token.word === ')' && open.length > 1) closed.push(open.pop() as Token[])
    open.at(-1)?.push(token)
    if (token.word === '(') open.push([])
  }
  return [...closed, ...open]
}

/** The places of the main clauses of a query. */
export function clausesOf(query: readonly Token[]): number[] {
  let inConflict = false
  const begins = (word: string, before = '', after = ''): boolean => {
    if (before === '.') return false
    if (/^(select|having|returning|set|limit)$/.test(word)) return true
    if (word === 'values') return after === '(' || after === '…'
    if (word === 'from') return before !== 'distinct' && before !== 'delete'
    if (word === 'group' || word === 'order') return after === 'by'
    if (word === 'delete' || word === 'insert') return after === 'from' || after === 'into'
    if (word === 'update') return !/^(do|for|key)$/.test(before)
    if (word === 'for') return /^(update|no|share|key)$/.test(after)
    if (word === 'on') return after === 'conflict'
    // The `where` of a partial index belongs to its `on conflict`.
    return word === 'where' && !inConflict
  }
  return query.flatMap(({ word, at }, index) => {
    const isClause = begins(word, query[index - 1]?.word, query[index + 1]?.word)
    if (isClause && word === 'on') inConflict = true
    if (word === 'do') inConflict = false
    return isClause ? [at] : []
  })
}

export type Name = { name: string; at: number; query: string }

/** The names of common table expressions that a template defines. */
export const expressionsOf = (text: string): Name[] =>
  [
    ...text.matchAll(
      /(?<=^\s*|\bwith\s+|\brecursive\s+|[,)…]\s*)([a-z_]\w*)(?:\s*\([\w,\s]*\))?\s+as\s+(?:(?:not\s+)?materialized\s+)?\(/g,
    ),
  ].map(({ 1: name = '', index }) => ({ name, at: index, query: '' }))

/** The names of derived tables, which are queries in parentheses after `from`, `join`, `using` or a comma. */
export function derivedOf(text: string): Name[] {
  const tokens = tokensOf(text)
  // Of each open parenthesis its place, and whether it stands among the tables of its query.
  const open: { first: number; isTable: boolean }[] = []
  let clauses = ['']
  return tokens.flatMap(({ word, at }, index) => {
    if (/^(select|from|using|where|group|order|set|returning|on|values)$/.test(word))
      clauses = [...clauses.slice(0, -1), word]
    if (word === '(') {
      const before = tokens[index - 1]?.word ?? ''
      const isTable = /^(from|join|lateral|using)$/.test(before) || (before === ',' && clauses.at(-1) === 'from')
      open.push({ first: index, isTable })
      clauses = [...clauses, '']
    }
    if (word !== ')') return []
    clauses = clauses.slice(0, -1)
    const { first = 0, isTable = false } = open.pop() ?? {}
    if (!isTable || !/^(select|with|values|…)$/.test(tokens[first + 1]?.word ?? '')) return []
    const name = tokens[index + (tokens[index + 1]?.word === 'as' ? 2 : 1)]
    const isName =
      name && /^[a-z]\w*$/.test(name.word) && !/^(as|on|where|order|limit|union|from|group)$/.test(name.word)
    return isName ? [{ name: name.word, at: name.at, query: text.slice(tokens[first]?.at, at) }] : []
  })
}
