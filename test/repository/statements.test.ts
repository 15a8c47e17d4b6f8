// SQL that reads: one clause a line, names that say which rows they hold, and a reason beside each lock.
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from '@jest/globals'
import {
  clausesOf,
  ddlOf,
  derivedOf,
  expressionsOf,
  queriesOf,
  type Template,
  templatesOf,
  untaggedOf,
} from '../kit/database/sql-templates.ts'

const root = path.resolve(import.meta.dirname, '../..')
const files = ['rules', 'entities', 'api', 'activities', 'workers', 'workflows', 'adapters'].flatMap((room) =>
  (fs.readdirSync(path.join(root, room), { recursive: true }) as string[])
    .filter((file) => file.endsWith('.ts') && !file.startsWith('migrations'))
    .map((file) => `${room}/${file.replaceAll(path.sep, '/')}`),
)

/** The columns of a line, and up to how many characters a query of several clauses may stand on one. */
const COLUMNS = 120
const ONE_LINE = 100

type Fault = { line: number; fault: string }
type Rule = (template: Template, lines: readonly string[]) => Fault[]

const at = ({ text, first }: Template, place: number): number => first + text.slice(0, place).split('\n').length - 1

const width = ({ first, last }: Pick<Template, 'first' | 'last'>, lines: readonly string[]): Fault[] =>
  lines
    .slice(first - 1, last)
    .flatMap((line, index) => (line.length > COLUMNS ? [{ line: first + index, fault: 'too wide' }] : []))

const oneClause: Rule = (template) =>
  queriesOf(template.text).flatMap((query) => {
    const clauses = clausesOf(query)
    const second = clauses.find(
      (place, index) => index > 0 && at(template, place) === at(template, clauses[index - 1] as number),
    )
    if (second === undefined) return []
    const [start, end] = [query[0]?.at ?? 0, query.at(-1)?.end ?? 0]
    const isShort = at(template, start) === at(template, end) && end - start <= ONE_LINE
    return isShort ? [] : [{ line: at(template, second), fault: 'two clauses on a line' }]
  })

/** Words that say nothing of a row, and participles without -ed. `one` is a row that is always there. */
const fillers = new Set(
  `above again all any begun below chosen data done due exact few fit fits found fresh given gone had held here hit kept late
  left live lost made new old open others own put read rest row rows same seen sent shown some stuff taken temp that theirs
  there these this those tmp told used written`.split(/\s+/),
)
/** They do not end a name either, but for `rows` of tables that the code does not name. */
const unfit = new Set([...fillers].filter((word) => word !== 'rows'))
/** Participles that stand for rows by themselves. */
const participles = new Set(['published'])

/** A name ends with the noun of its rows. */
const saysNothing = (name: string): boolean => {
  const noun = name.split('_').at(-1) ?? ''
  return fillers.has(name) || unfit.has(noun) || (/[^e]ed$/.test(noun) && !participles.has(noun))
}
/** Whether a letter or two abbreviate a table that the query reads; one that is not named in the file may be any. */
function abbreviates(name: string, query: string): boolean {
  if (/^\(\s*…/.test(query)) return true
  const tables = [...query.matchAll(/\b(?:from|join)\s+\(?"?([a-z]\w*|…)/g)].map(([, table = '']) => table)
  if (tables.length === 0) return query.includes('…')
  return tables.flatMap((table) => table.split('_')).some((word) => word === '…' || word[0] === name[0])
}

const names: Rule = (template) => [
  ...expressionsOf(template.text)
    .filter(({ name }) => name.length < 3 || saysNothing(name))
    .map(({ name, at: place }) => ({ line: at(template, place), fault: `expression ${name}` })),
  ...derivedOf(template.text)
    .filter(({ name, query }) => (name.length < 3 ? !abbreviates(name, query) : saysNothing(name)))
    .map(({ name, at: place }) => ({ line: at(template, place), fault: `derived table ${name}` })),
]

const locks = /\bfor\s+(?:update|share|no\s+key\s+update|key\s+share)\b|\bpg_(?:try_)?advisory/g
const reason = /\block|\bwait|\bskipped\b|\bconcurrent|\bserializ|\btake turns\b|\bat the same time\b|\bmeanwhile\b/i
const isComment = (line: string | undefined): boolean => line !== undefined && /^\s*(?:\/\/|\/?\*)/.test(line)

/** The reason stands in the statement, in the four lines before it, or at the head of its declaration. */
const lockReasons: Rule = (template, lines) => {
  const { first, last } = template.around
  let head = template.declared - 1
  while (head > 0 && isComment(lines[head - 1])) head--
  const comments = [...lines.slice(Math.max(0, first - 5), last), ...lines.slice(head, template.declared - 1)]
  if (comments.some((line) => isComment(line) && reason.test(line))) return []
  return [...template.text.matchAll(locks)].map(({ index }) => ({
    line: at(template, index),
    fault: 'lock without a reason',
  }))
}

const codeOf = (lines: readonly string[]): string => lines.filter((line) => !isComment(line)).join('\n')
const timesIn = (code: string, name: string): number => code.split(new RegExp(`\\b${name}\\b`)).length - 1

/**
 * PostgreSQL does not run an expression that only reads or locks, unless the statement reads its rows. A part of a
 * statement is read by the statements that it goes into, perhaps in other files.
 */
const unread: Rule = (template, lines) =>
  expressionsOf(template.text).flatMap(({ name, at: place }) => {
    const isQuery = /^[^(]*(?:\([\w,\s]*\)[^(]*)?\(\s*select\b/.test(template.text.slice(place))
    const isPart = !/^\s*with\b/.test(template.text)
    const times = timesIn(codeOf(lines), name) + (isPart ? readers.reduce((n, code) => n + timesIn(code, name), 0) : 0)
    return isQuery && times < (isPart ? 3 : 2) ? [{ line: at(template, place), fault: `nothing reads ${name}` }] : []
  })

/** SQL that the rules above cannot see. */
const untagged = (source: string): Fault[] =>
  untaggedOf(source).map(({ text, first: line }) => ({
    line,
    fault: `no SQL: ${text.replace(/\s+/g, ' ').slice(0, 60)}`,
  }))

const read = (source: string) => ({ templates: templatesOf(source), lines: source.split('\n') })
const faultsOf = ({ templates, lines }: ReturnType<typeof read>, rule: Rule): Fault[] =>
  templates.flatMap((template) => rule(template, lines))

const all = files.map((file) => ({ file, source: fs.readFileSync(path.join(root, file), 'utf8') }))
const sources = all
  .filter(({ source }) => /\bsql`|\/sql\.ts'|RawQueryFragment/.test(source))
  .map(({ file, source }) => ({ file, ...read(source) }))
const readers = sources.map(({ lines }) => codeOf(lines))
const found = (rule: Rule): string[] =>
  sources.flatMap(({ file, ...source }) => faultsOf(source, rule).map(({ line, fault }) => `${file}:${line} ${fault}`))

describe('Statements of the product', () => {
  test('The test reads the statements of all rooms that have some', () => {
    const templates = sources.flatMap(({ templates: own }) => own)
    expect(templates.length).toBeGreaterThan(1500)
    expect(templates.flatMap(({ text }) => expressionsOf(text)).length).toBeGreaterThan(250)
    expect(templates.flatMap(({ text }) => derivedOf(text)).length).toBeGreaterThan(80)
    expect(templates.flatMap(({ text }) => text.match(locks) ?? []).length).toBeGreaterThan(180)
    expect(all.flatMap(({ source }) => ddlOf(source)).length).toBeGreaterThan(150)
  })

  test('SQL is tagged `sql` or made by `text`, but for the DDL that entities declare', () => {
    const own = all.filter(({ file }) => /^(?:entities|activities)\//.test(file))
    expect(
      own.flatMap(({ file, source }) => untagged(source).map(({ line, fault }) => `${file}:${line} ${fault}`)),
    ).toEqual([])
  })

  test('Lines of statements have at most 120 columns', () => {
    const ofDdl = all.flatMap(({ file, source }) =>
      ddlOf(source).flatMap((ddl) => width(ddl, source.split('\n')).map(({ line }) => `${file}:${line} too wide`)),
    )
    expect([...found(width), ...ofDdl]).toEqual([])
  })

  test('Main clauses begin on lines of their own, unless the query is short and on one line', () => {
    expect(found(oneClause)).toEqual([])
  })

  test('Common table expressions and derived tables are named after the rows they hold', () => {
    expect(found(names)).toEqual([])
  })

  test('What a statement only reads or locks is read in it', () => {
    expect(found(unread)).toEqual([])
  })

  test('A comment beside each lock says why it is taken, or in which order', () => {
    expect(found(lockReasons)).toEqual([])
  })
})

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: sources as text
describe('Planted statements', () => {
  const long = 'a_column_with_a_long_name'

  test.each([
    ['in a line that is too wide', width, `sql\`select ${Array(6).fill(long).join(', ')}\``],
    ['in a later line that is too wide', width, `sql\`\n  select 1,\n    ${Array(6).fill(long).join(', ')}\n\``],
    ['in text', width, `import { text } from '../kit/sql.ts'\ntext(\`select ${Array(6).fill(long).join(', ')}\`)`],
    [
      'with clauses on one long line',
      oneClause,
      `sql\`select ${long}, ${long} from orders where ${long} = 1 and true\``,
    ],
    ['with two of several clauses on a line', oneClause, 'sql`\n  select 1\n  from orders where id = ${id}\n`'],
    ['with a lock beside its limit', oneClause, 'sql`\n  select 1\n  from orders\n  limit 1 for update\n`'],
    ['with two clauses in parentheses', oneClause, 'sql`select (\n  select 1\n  from orders order by id\n)`'],
    ['with two clauses in another', oneClause, 'sql`select ${sql`\n  select 1\n  from orders limit 1\n`}`'],
    ['with an update beside its set', oneClause, 'sql`\n  update orders set a = 1\n  where id = ${id}\n`'],
    ['with a letter', names, 'sql`with t as (select 1) select * from t`'],
    ['with a filler', names, 'sql`with orders_read as materialized (select 1), told as (select 2) select 1`'],
    ['with a participle', names, 'sql`with moved as (select 1) select * from moved`'],
    ['with a participle after its noun', names, 'sql`with orders_moved as (select 1) select 1`'],
    ['with columns beside a letter', names, 'sql`with recursive t (id, n) as (select 1) select 1`'],
    ['with a part that is named so', names, 'sql`, ended as (${row})`'],
    ['with a letter for a derived table', names, 'sql`select * from (select 1 from orders limit 1) y`'],
    ['with a participle for a derived table', names, 'sql`select * from (select 1 from orders limit 1) as locked`'],
    ['with a lock', lockReasons, 'sql`select 1 from orders for update`'],
    ['with a lock and another comment', lockReasons, '// The orders.\nsql`select 1 from orders for no key update`'],
    ['with a lock far below its reason', lockReasons, '// Locked.\n\na()\n\n\n\nsql`select 1 from orders for share`'],
    ['with a lock in a part', lockReasons, 'sql`select 1 from (${sql`select 1 from orders for key share`}) o`'],
    ['with a lock that nothing reads', unread, 'sql`with pair as (select 1 for update) select 2 from orders`'],
    ['with an advisory lock', lockReasons, 'sql`select pg_advisory_xact_lock(1)`'],
  ])('A planted statement is found: %s', (_, rule, source) => {
    expect(faultsOf(read(source), rule)).not.toEqual([])
  })

  test.each([
    ['a condition', "const holds = 'e.status = 1 and e.sent_at is null'"],
    ['a column', 'const amounts = { amount: `x.amount::float8` }'],
    ['a subquery', 'const own = `(select m.id from members m where m.id = ${id})`'],
    ['a value in JSON', `const code = "error ->> 'code'"`],
    ['a statement', 'em.execute(`update orders set paid = 1`)'],
    ['the end of a statement', 'em.execute(`${query} for no key update`)'],
    ['a function of a moment', "const due = condition('clock_timestamp() - interval')"],
    ['a branch', 'const next = `case when a then b end`'],
    ['an expression in `text`', 'text(`${join(`coalesce(a, 0)`)}`)'],
    ['`text` of another module', "import { text } from './words.ts'\ntext('a is null')"],
  ])('Planted SQL without a tag is found: %s', (_, source) => {
    expect(untagged(source)).not.toEqual([])
  })

  test.each([
    ['tagged', 'sql`a is null`'],
    ['made by `text`', "import { text } from '../kit/sql.ts'\ntext(`a is null`)"],
    ['made by `text` under another name', "import { json, text as raw } from '../kit/sql.ts'\nraw('a is null')"],
    ['an index', "const index = { name: 'a', expression: 'create index a on b (c) where c is null' }"],
    ['what an entity declares', "defineEntity({ indexes: [index('a', ' where b is null')] })"],
    ['English', "refuse('Select an address from the list; update it, or order another one in the portal.')"],
  ])('No SQL without a tag is seen: %s', (_, source) => {
    expect(untagged(source)).toEqual([])
  })

  test.each([
    ['short, on one line', 'sql`select 1 from orders where id = ${id} order by id limit 1`'],
    ['with a short query in parentheses', 'sql`\n  select (select 1 from orders where id = 1)\n  from carts\n`'],
    ['with a query alone on its line', 'sql`\n  (\n    select 1 from orders where id = 1\n  )\n`'],
    [
      'with a condition in its conflict',
      'sql`\n  insert into orders (id)\n  values (1)\n  on conflict (id) where a do nothing\n`',
    ],
    ['with `distinct from` and a quoted name', 'sql`\n  select a is distinct from "limit"\n  from orders\n`'],
    [
      'with names of rows',
      'sql`with moved_orders as (select 1), published as (select 2) table moved_orders, published`',
    ],
    ['with the letter of a table', 'sql`select * from (select 1 from order_lines limit 1) l`'],
    ['with the letter of a table that a value names', 'sql`select * from (select 1 from ${table} limit 1) l`'],
    ['with a reason before its lock', '// Locked: they take turns.\nsql`select 1 from orders for update`'],
    [
      'with a reason at its declaration',
      '/** Locks it. */\nfunction a() {\n\n\n\n\n  return sql`select 1 for update`\n}',
    ],
  ])('A statement is accepted: %s', (_, source) => {
    expect([width, oneClause, names, unread, lockReasons].flatMap((rule) => faultsOf(read(source), rule))).toEqual([])
  })
})
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: sources as text
