// Rules of the architecture: each statement names its tenant, workflows do not use the database, and imports follow the
// table of rooms.
import fs from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { parseSync } from '@swc/core'
import { globalEntities } from '../../entities/kit/database/global-tables.ts'
import { type Orm, openOrm, unitOf } from '../../entities/kit/database/orm.ts'
import { tenantEntities } from '../../entities/kit/database/tenant-tables.ts'
import { database } from '../kit/shop.ts'

const root = path.resolve(import.meta.dirname, '../..')
const bookkeeping = ['migration_lock', 'mikro_orm_migrations']
let orm: Orm
beforeAll(async () => {
  orm = await openOrm({ url: process.env.DATABASE_URL as string, pool: 2 })
})
afterAll(async () => {
  await orm.close(true)
  await database().end()
})

const tableOf = ({ name }: { name: string }) => orm.getMetadata().getByClassName(name as never).tableName

describe('Workflows', () => {
  test('Workflows are bundled without a database, a server or a provider', () => {
    const bundle = fs.readFileSync(process.env.TEST_BUNDLE as string, 'utf8')
    expect(bundle).toMatch(/workflows\/index\.ts/)
    for (const word of [
      '@mikro-orm/',
      'node_modules/pg/',
      'node_modules/koa/',
      'node_modules/undici/',
      'node_modules/stripe/',
      '../entities/',
      '../api/',
      '../activities/',
    ])
      expect([word, bundle.includes(word)]).toEqual([word, false])
  })
})

/**
 * Activities that are repeated until they succeed, and why each will. All others give up: what a third party refuses
 * for good would be repeated without end.
 */
const unlimited: Record<string, string> = {
  applyChannel: 'counts its tries in its row; without its key it waits for SECRETS_KEY',
  applySchedule: 'asks our own Temporal server',
  continueExecution: 'writes our own rows',
  drainDeliveries: 'counts the attempts of each delivery',
  drainMailbox: 'counts the attempts of each message, and pauses campaigns',
  eraseTenant: 'is never given up: its row says why it waits',
  findSocialPost: 'an answer of the network that is none counts as a read',
  giveUpMedia: 'writes our own rows',
  linkSocialPost: 'an answer of the network that is none counts as a read',
  pollInbox: 'counts its failures in the row of the inbox',
  readNode: 'counts its tries in its row',
  readPages: 'a page that cannot be read is an answer',
  refreshSocialToken: 'its attempt is an effect of its own',
  settleEffect: 'writes our own rows',
}

/**
 * The activities of a file of workflows, each with the text of its options; a name stands for what its file, or the
 * kit, calls so.
 */
function proxied(file: string): { names: string[]; options: string }[] {
  const found: { names: string[]; options: string }[] = []
  const source = fs.readFileSync(path.join(root, file), 'utf8')
  const kit = sources('workflows/kit').map((one) => fs.readFileSync(path.join(root, one), 'utf8'))
  const constant = (name: string) => {
    const text = [source, ...kit]
      .map((one) => new RegExp(`const ${name} = (\\{.*?\\})(?: as const)?\\n`, 's').exec(one)?.[1])
      .find(Boolean)
    if (text === undefined) throw new Error(`${file}: the options ${name} are not found`)
    return text
  }
  for (const [, names = '', given = ''] of source.matchAll(
    /const \{([^}]*)\} = proxyActivities<[^>]*>\(\s*(\{.*?\}|\w+)\s*\)/gs,
  )) {
    const options = given.startsWith('{') ? given : constant(given)
    const retry = /[{,]\s*retry\s*[,}]/.test(options) ? constant('retry') : ''
    found.push({ names: names.split(',').flatMap((name) => name.trim() || []), options: options + retry })
  }
  if (found.length !== source.split('proxyActivities<').length - 1) throw new Error(`${file}: activities are not read`)
  return found
}

describe('Activities', () => {
  test('Those that are repeated without a limit are listed, each with its reason', () => {
    const found = sources('workflows')
      .flatMap(proxied)
      .filter(({ options }) => !options.includes('maximumAttempts'))
      .flatMap(({ names }) => names)
    expect(found.sort()).toEqual(Object.keys(unlimited))
  })
})

type DomainImport = { from: string; to: string; file: string; reasoned: boolean }

/**
 * Imports of other domains in a file of a room, `within` it: which domain imports which, and whether the reason stands
 * directly above the import, or above the first one of those of that domain that follow each other.
 */
function importsIn(within: string, file: string, text: string): DomainImport[] {
  const shared = new Set(['kit', 'migrations'])
  const domainOf = (name: string) => (name.includes('/') ? (name.split('/')[0] as string) : null)
  const from = domainOf(within)
  if (from === null || shared.has(from)) return []
  const found: DomainImport[] = []
  let [end, before, isReasoned] = [0, null as string | null, false]
  for (const { index, 0: statement, 1: target } of text.matchAll(/^import [^']*? from '([^']+)'$/gm)) {
    const between = text.slice(end, index)
    const imported = path.normalize(path.join(path.dirname(within), target as string))
    const isOfRoom = target?.startsWith('.') && !imported.startsWith('..')
    const to = isOfRoom ? domainOf(imported) : null
    isReasoned = between.includes('// Backwards: ') || (isReasoned && between === '\n' && to === before)
    ;[end, before] = [index + statement.length, to]
    if (to !== null && to !== from && !shared.has(to)) found.push({ from, to, file, reasoned: isReasoned })
  }
  return found
}
const importsOf = (room: string): DomainImport[] =>
  sources(room).flatMap((file) =>
    importsIn(file.slice(room.length + 1), file, fs.readFileSync(path.join(root, file), 'utf8')),
  )

describe('Domains', () => {
  test.each(['rules', 'entities', 'api', 'activities', 'workflows'])(
    'Two domains of %s import each other only where the files of one say why',
    (room) => {
      const all = importsOf(room)
      const silent = (from: string, to: string) =>
        all.filter((one) => one.from === from && one.to === to && !one.reasoned).map(({ file }) => file)
      const isImported = (from: string, to: string) => all.some((one) => one.from === from && one.to === to)
      const pairs = [...new Set(all.map(({ from, to }) => [from, to].sort().join(' ')))].map((pair) => pair.split(' '))
      const missing = (pairs as [string, string][])
        .filter(([a, b]) => isImported(a, b) && isImported(b, a))
        .map(([a, b]) => [silent(a, b), silent(b, a)].sort((x, y) => x.length - y.length)[0])
        .filter((files) => files?.length)
      expect(missing).toEqual([])
    },
  )

  test('A reason holds for the import below it, and for those of the same domain that follow', () => {
    const [reason, one, other] = [
      '// Backwards: it is so.\n',
      "import { a } from '../b/a.ts'\n",
      "import {\n  c,\n} from '../c/c.ts'\n",
    ]
    const of = (text: string) => importsIn('a/x.ts', 'x', text).map(({ to, reasoned }) => [to, reasoned])
    expect(of(`${reason}${one}${one}${other}`)).toEqual([
      ['b', true],
      ['b', true],
      ['c', false],
    ])
    expect(of(`${reason}${other}${one}${other}`)).toEqual([
      ['c', true],
      ['b', false],
      ['c', false],
    ])
  })
})

describe('Surfaces', () => {
  const those = (rooms: string[], pattern: RegExp) =>
    rooms.flatMap(sources).filter((file) => pattern.test(fs.readFileSync(path.join(root, file), 'utf8')))

  test('Only the kit, the document and one file that reads spelled answers test the surface', () => {
    const found = those(['api'], /\bsurface [!=]==/).filter((file) => !/^api\/(kit|limits|openapi)\//.test(file))
    expect(found).toEqual(['api/content/block-media.ts'])
  })

  test('Below the API, only texts of what one surface has alone are worded for it', () => {
    expect(those(['entities', 'activities', 'adapters', 'workers'], /\bsaidOn\(|\bsurface [!=]==/)).toEqual([
      'entities/agents/cart-link.ts',
      'entities/agents/tools.ts',
      'entities/sending/single-messages.ts',
      'entities/subscriptions/pages.ts',
    ])
  })
})

describe('Parts', () => {
  // Tests share connections to them for minutes.
  test('No HTTP server of a part closes connections that its clients still use', () => {
    const made = (fs.readdirSync(path.join(root, 'dev'), { recursive: true }) as string[])
      .filter((file) => file.endsWith('.ts') && file !== 'sim/kept-server.ts')
      .filter((file) =>
        /\bhttps?\.createServer\(|import \{[^}]*\bcreateServer\b[^}]*\} from 'node:https?'/.test(
          fs.readFileSync(path.join(root, 'dev', file), 'utf8'),
        ),
      )
    expect(made).toEqual([])
  })
})

describe('Tenants', () => {
  test.each(tenantEntities.map((entity) => [entity.name, entity]))(
    'A query for %s that names no tenant is refused before it is sent',
    async (_, entity) => {
      const em = unitOf(orm, null)
      const asked = [
        () => em.find(entity as never, {}),
        () => em.findOne(entity as never, { tenant_id: 'x' } as never),
        () => em.count(entity as never),
        () => em.nativeDelete(entity as never, {} as never),
      ]
      for (const ask of asked) await expect(ask()).rejects.toThrow(/filter 'tenant'|names no tenant/)
    },
  )

  test('Every table but the global ones has a tenant_id', async () => {
    const { rows } = await database().query<{ name: string }>(
      `select t.table_name as name from information_schema.tables t where t.table_schema = 'public' and t.table_type = 'BASE TABLE'
       and not exists (select 1 from information_schema.columns c where c.table_schema = 'public' and c.table_name = t.table_name and c.column_name = 'tenant_id' and c.is_nullable = 'NO')`,
    )
    // A tenant is its own.
    expect(rows.map(({ name }) => name).sort()).toEqual(
      [...globalEntities.map(tableOf), 'tenants', ...bookkeeping].sort(),
    )
  })

  test('Every entity belongs to tenants or is global, and has its table', async () => {
    const { rows } = await database().query<{ name: string }>(
      "select table_name as name from information_schema.tables where table_schema = 'public'",
    )
    expect([...globalEntities, ...tenantEntities].map(tableOf).sort()).toEqual(
      rows
        .map(({ name }) => name)
        .filter((name) => !bookkeeping.includes(name))
        .sort(),
    )
  })
})

type Node = { type?: string; value?: unknown; [name: string]: unknown }
type Statement = { file: string; text: string }

function sources(folder: string): string[] {
  const at = path.join(root, folder)
  if (!fs.existsSync(at)) return []
  return (fs.readdirSync(at, { recursive: true }) as string[])
    .filter((file) => file.endsWith('.ts') && !file.startsWith('migrations'))
    .map((file) => `${folder}/${file.replaceAll(path.sep, '/')}`)
}

function walk(value: unknown, visit: (node: Node) => void): void {
  if (value === null || typeof value !== 'object') return
  if (!Array.isArray(value) && typeof (value as Node).type === 'string') visit(value as Node)
  for (const inner of Object.values(value)) walk(inner, visit)
}

type Values = Map<string, Node>
const nameOf = (node: Node | undefined): string => (node?.type === 'Identifier' ? String(node.value) : '')

/** The names of an object's own fields; a spread object of the same file gives its own. */
const fieldsOf = (node: Node | undefined, constants: Values): string[] => {
  const object = node?.type === 'Identifier' ? constants.get(nameOf(node)) : node
  if (object?.type !== 'ObjectExpression') return ['…']
  return (object.properties as Node[]).flatMap((property) => {
    if (property.type === 'Identifier') return [nameOf(property)]
    if (property.type === 'SpreadElement') return fieldsOf(property.arguments as Node, constants)
    return [nameOf(property.key as Node)]
  })
}

/** A row that is made of its entity is written out as the columns that it names. */
const insertionText = (node: Node, constants: Values): string => {
  const [, entity, ...rows] = (node.arguments as { expression: Node }[]).map(({ expression }) => expression)
  return `insert into ${nameOf(entity)} (${fieldsOf(rows[0], constants).join(', ')})`
}

const inOneLine = (text: string) => text.replaceAll(/\s+/g, ' ').replaceAll('( ', '(').replaceAll(' )', ')').trim()

/**
 * What a statement says, as far as its file tells: a value is `…`; fragments that the file makes, by constants or
 * functions, are their texts.
 */
function textOf(node: Node | undefined, constants: Values): string {
  const name = nameOf(node?.type === 'CallExpression' ? (node.callee as Node) : node)
  // A constant of the same name in another function may be made of itself.
  const others = new Map([...constants].filter(([other]) => other !== name))
  const all = (nodes: (Node | undefined)[]) => nodes.map((one) => textOf(one, constants)).join(' ')
  switch (node?.type) {
    case 'StringLiteral':
      return String(node.value)
    case 'TemplateLiteral':
      return (node.quasis as { cooked: string }[]).map(({ cooked }) => cooked).join('…')
    case 'TaggedTemplateExpression': {
      if (nameOf(node.tag as Node) !== 'sql') return 'computed'
      const { quasis, expressions } = node.template as unknown as { quasis: { cooked: string }[]; expressions: Node[] }
      return quasis
        .map(({ cooked }, at) => `${cooked}${at < expressions.length ? partOf(expressions[at], constants) : ''}`)
        .join('')
    }
    case 'Identifier':
      return constants.has(name) ? textOf(constants.get(name), others) : 'computed'
    case 'ArrowFunctionExpression':
      return textOf(node.body as Node, constants)
    case 'ParenthesisExpression':
      return textOf(node.expression as Node, constants)
    case 'ConditionalExpression': {
      // A part of a list that may be left out is a statement of its own.
      const parts = [node.consequent as Node, node.alternate as Node].filter(
        (one) => one.type !== 'ArrayExpression' || (one.elements as unknown[]).length > 0,
      )
      const branches = parts.map((one) => textOf(one, constants))
      // What only one branch says is not said.
      return branches.every((text) => /\btenant_id\b/.test(text))
        ? branches.join(' ')
        : branches.join(' ').replaceAll(/\btenant_id\b/g, '…')
    }
    case 'ArrayExpression':
      return all((node.elements as { expression: Node }[]).map(({ expression }) => expression))
    case 'CallExpression': {
      if (/^(insertions?|insertSelect)$/.test(name)) return insertionText(node, constants)
      if (constants.has(name)) return textOf(constants.get(name), others)
      return name === 'join' ? textOf((node.arguments as { expression: Node }[])[0]?.expression, constants) : 'computed'
    }
  }
  return 'computed'
}

const partOf = (node: Node | undefined, constants: Values): string => {
  const text = textOf(node, constants)
  return node?.type === 'StringLiteral' || node?.type === 'TemplateLiteral' || text === 'computed' ? '…' : text
}

/**
 * Every statement of a file: what `execute` and `prepared` send, whichever branch it takes; a tagged text that begins
 * like a statement, wherever it is sent; and what is written by `insertRow`. Builders, which no filter sees either,
 * count as computed.
 */
function statementsOf(file: string, source = fs.readFileSync(path.join(root, file), 'utf8')): Statement[] {
  const module = parseSync(source, { syntax: 'typescript', target: 'es2024' })
  // A name that the file binds twice, as a constant or a parameter, says nothing: which of them a statement means is
  // not followed.
  const bindings: string[] = []
  const bind = (pattern: unknown) => walk(pattern, (node) => node.type === 'Identifier' && bindings.push(nameOf(node)))
  const constants: Values = new Map()
  walk(module.body, (node) => {
    if (node.type === 'VariableDeclarator') bind(node.id)
    if (/Function|Method|Constructor/.test(node.type ?? '') && Array.isArray(node.params))
      for (const param of node.params) bind(param)
    if (node.type === 'VariableDeclarator' && (node.id as Node).type === 'Identifier' && node.init)
      constants.set(nameOf(node.id as Node), node.init as Node)
  })
  for (const name of constants.keys()) if (bindings.filter((other) => other === name).length > 1) constants.delete(name)
  const found = new Set<string>()
  const add = (node: Node | undefined): void => {
    if (node?.type === 'ConditionalExpression')
      for (const branch of [node.consequent, node.alternate]) add(branch as Node)
    else found.add(inOneLine(textOf(node, constants)))
  }
  const inner = new Set<unknown>()
  walk(module.body, (node) => {
    const isCall = node.type === 'CallExpression'
    const callee = isCall ? (node.callee as Node) : undefined
    const name = callee?.type === 'MemberExpression' ? String((callee.property as Node).value) : nameOf(callee)
    if (callee?.type === 'MemberExpression' && name === 'execute')
      add((node.arguments as { expression: Node }[])[0]?.expression)
    if (callee?.type === 'Identifier' && name === 'prepared')
      add((node.arguments as { expression: Node }[])[1]?.expression)
    if (name === 'insertRow') found.add(insertionText(node, constants))
    if (['createQueryBuilder', 'getKysely', 'upsert', 'upsertMany'].includes(name)) found.add(`computed by ${name}`)
    if (node.type === 'TaggedTemplateExpression' && nameOf(node.tag as Node) === 'sql') {
      for (const one of (node.template as unknown as { expressions: Node[] }).expressions)
        walk(one, (part) => inner.add(part))
      const said = textOf(node, constants)
      if (!inner.has(node) && /^\s*(select|insert|update|delete|with)\b/i.test(said)) add(node)
    }
  })
  return [...found].map((text) => ({ file, text }))
}

describe('Raw statements', () => {
  const exceptions = fs
    .readFileSync(new URL('raw-statements.tsv', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.split('\t'))
    .map(([file, beginning, reason]) => ({ file: file as string, beginning: beginning as string, reason }))
  const matches = (at: (typeof exceptions)[number], { file, text }: Statement) =>
    at.file === file && (at.beginning === '*' || text.startsWith(at.beginning))
  const excused = (statement: Statement) => exceptions.some((at) => matches(at, statement))
  const statements = ['adapters', 'api', 'entities', 'activities', 'workers', 'workflows', 'rules']
    .flatMap(sources)
    .flatMap((file) => statementsOf(file))

  /** The tables of a text; a common table expression is none. */
  function tablesOf(text: string): string[] {
    const own = new Set(
      [...text.matchAll(/(?:with|,)\s+(\w+)(?:\s*\([^)]*\))? as (?:materialized )?\(/gi)].map(([, name]) => name),
    )
    return [...text.matchAll(/\b(?:from|join|into|update|using|table)\s+\(*"?([a-z_…]+)/gi)]
      .map(([, name]) => name as string)
      .filter((name) => !own.has(name) && !/^(jsonb_|unnest|select|set|lateral|of)/.test(name))
  }
  const isGlobal = (text: string) => {
    const tables = tablesOf(text)
    // A tenant's table after a comma is no match of the expression above.
    if (tenantEntities.some((entity) => new RegExp(`,\\s*"?${tableOf(entity)}"?\\s+\\w+`).test(text))) return false
    return (
      tables.length > 0 &&
      tables.every((name) => globalEntities.some((entity) => [entity.name, tableOf(entity)].includes(name)))
    )
  }
  const namesNoTenant = (statement: Statement) =>
    !/\btenant_id\b/.test(statement.text) && !isGlobal(statement.text) && !excused(statement)

  test('Raw statements are beside their entities or have a listed reason', () => {
    const elsewhere = statements.filter(
      (statement) =>
        !statement.file.startsWith('entities/') && statement.file !== 'activities/kit/once.ts' && !excused(statement),
    )
    expect(elsewhere).toEqual([])
  })

  test('Raw statements name the tenant, use global tables alone, or have a listed reason', () => {
    expect(statements.length).toBeGreaterThan(30)
    expect(statements.filter(namesNoTenant)).toEqual([])
  })

  // biome-ignore-start lint/suspicious/noTemplateCurlyInString: sources as text
  test.each([
    ['plain', "em.execute('select * from orders where id = ?', [id])"],
    ['tagged', 'em.execute(sql`select * from orders where id = ${id}`)'],
    ['in a branch', 'em.execute(all ? sql`select * from orders where tenant_id = ${id}` : sql`select * from orders`)'],
    ['of a constant', 'const all = sql`select * from orders where id = ${id}`; em.execute(all)'],
    ['of a part', 'const some = sql`id = ${id}`; em.execute(sql`select * from orders where ${some}`)'],
    ['sent elsewhere', 'export const all = (id: string) => sql`delete from orders where id = ${id}`'],
    ['in a helper', 'first(em, sql`select * from orders where id = ${tenant_id}`)'],
    ['computed', 'em.execute(statementOf(id))'],
    ['prepared', 'prepared(em, all ? sql`select * from orders where id = ${id}` : statementOf(id))'],
    ['of a function', 'const of = (id) => sql`from orders where id = ${id}`; em.execute(sql`select * ${of(id)}`)'],
    ['of a list', 'em.execute(sql`with ${join([sql`a as (select * from orders)`])} select * from a`)'],
    ['with the name as a value', "em.execute(sql`select * from orders where name = ${'tenant_id'}`)"],
    ['inserting', 'const row = { id, number }; em.execute(sql`${insertion(em, Order, row)} returning id`)'],
    ['inserting alone', 'insertRow(em, Order, { id, number })'],
    ['inserting many', 'em.execute(insertions(em, Order, { id }, rows))'],
    ['in a nested branch', 'em.execute(sql`select * from orders where ${all ? sql`true` : sql`tenant_id = ${id}`}`)'],
    [
      'of a name of another function',
      'const a = () => { const own = sql`id = ${id}`; em.execute(sql`select * from orders where ${own}`) }; const b = () => { const own = sql`tenant_id = ${id}` }',
    ],
    [
      'of a parameter',
      'const where = sql`tenant_id = ${id}`; const a = (where) => em.execute(sql`select * from orders where ${where}`)',
    ],
    ['using a global table', 'em.execute(sql`delete from accounts using orders o where o.account_id = accounts.id`)'],
    ['after a comma', 'em.execute(sql`select o.* from accounts a, orders o where o.id = ${id}`)'],
    ['in quotes', 'em.execute(sql`select * from accounts a join "orders" o on o.account_id = a.id`)'],
    ['beside a global table', 'em.execute(sql`select * from accounts a join orders o on o.account_id = a.id`)'],
  ])('A planted statement that names no tenant is found: %s', (_, source) => {
    expect(statementsOf('entities/planted.ts', source).some(namesNoTenant)).toBe(true)
  })

  test.each([
    'em.execute(sql`select * from orders where id = ${id} and tenant_id = ${tenantId}`)',
    'const own = sql`tenant_id = ${id}`; em.execute(sql`select * from orders where ${own}`)',
    'const row = { id, tenant_id }; em.execute(sql`${insertion(em, Order, row)} returning id`)',
    'insertRow(em, Order, { id, tenant_id: tenantId })',
    'const of = (id) => sql`from orders where tenant_id = ${id}`; em.execute(sql`select * ${of(id)}`)',
    'const row = { tenant_id }; em.execute(sql`with ${join([sql`a as (${insertion(em, Order, { ...row, id })})`])} select * from a`)',
    'insertRow(em, Account, { id, email })',
    'em.execute(sql`select * from accounts where id = ${id}`)',
  ])('A statement that names its tenant, or a global table, is accepted: %s', (source) => {
    const planted = statementsOf('entities/planted.ts', source)
    expect([planted.length, planted.filter(namesNoTenant)]).toEqual([1, []])
  })
  // biome-ignore-end lint/suspicious/noTemplateCurlyInString: sources as text

  test('Every listed exception exists and has a reason', () => {
    expect(exceptions.filter((at) => !at.reason || !statements.some((statement) => matches(at, statement)))).toEqual([])
  })
})

/**
 * Assignments such as `sum += await more()`: `sum` is read before the wait, and what was written to it meanwhile is
 * lost.
 */
function overwritten(file: string, source = fs.readFileSync(path.join(root, file), 'utf8')): string[] {
  const found: string[] = []
  const waits = (node: Node) => {
    const inner: string[] = []
    walk(node, ({ type }) => inner.push(type ?? ''))
    return inner.includes('AwaitExpression') && !inner.some((type) => /Function/.test(type))
  }
  const name = (node: Node): string =>
    node.type === 'MemberExpression'
      ? `${name(node.object as Node)}.${nameOf(node.property as Node)}`
      : node.type === 'ThisExpression'
        ? 'this'
        : nameOf(node)
  walk(parseSync(source, { syntax: 'typescript', target: 'es2024' }).body, (node) => {
    if (node.type !== 'AssignmentExpression') return
    const [to, value] = [name(node.left as Node), node.right as Node]
    if (!waits(value)) return
    const [begin, ...rest] = value.type === 'BinaryExpression' ? [value.left as Node, value.right as Node] : []
    const isRead = begin !== undefined && name(begin) === to && rest.some(waits)
    if (/^[-+*/%&|^<>]+=$/.test(String(node.operator)) || isRead) found.push(`${file}: ${to}`)
  })
  return found
}

/**
 * Waits for the database in the `send` of an effect whose error is not caught: after the answer, it would make an
 * outcome unknown that the answer proves.
 */
function waitsWhileSending(file: string, source = fs.readFileSync(path.join(root, file), 'utf8')): string[] {
  const found: string[] = []
  const waits = (send: unknown) =>
    walk(send, (node) => {
      const call = node.type === 'AwaitExpression' ? (node.argument as Node) : undefined
      const name = call?.type === 'CallExpression' ? nameOf(call.callee as Node) : ''
      if (['statement', 'transaction'].includes(name)) found.push(`${file}: ${name}`)
    })
  const { body } = parseSync(source, { syntax: 'typescript', target: 'es2024' })
  const functions = new Map<string, Node>()
  walk(body, (node) => {
    if (node.type === 'FunctionDeclaration') functions.set(nameOf(node.identifier as Node), node)
    if (node.type === 'VariableDeclarator' && node.init) functions.set(nameOf(node.id as Node), node.init as Node)
  })
  walk(body, (node) => {
    if (node.type !== 'CallExpression' || nameOf(node.callee as Node) !== 'once') return
    const [effect] = (node.arguments as { expression: Node }[]).map(({ expression }) => expression)
    for (const property of (effect?.properties ?? []) as Node[]) {
      const isSend = nameOf(property.key as Node) === 'send' || nameOf(property) === 'send'
      const reference = nameOf(property) || nameOf(property.value as Node)
      if (isSend) waits(reference === '' ? property : functions.get(reference))
    }
  })
  return found
}

describe('Waits', () => {
  test('The `send` of no effect waits itself for the database, unless it goes on without it', () => {
    expect(sources('activities').flatMap((file) => waitsWhileSending(file))).toEqual([])
  })

  test.each([
    ['once({ async send(request) { const answer = await call(request); await transaction((em) => free(em)) } })', 1],
    ['once({ send: async (request) => { await statement((em) => free(em)) } })', 1],
    ['once({ async send(request) { await transaction((em) => free(em)).catch(() => {}) } })', 0],
    ['async function send() { await statement((em) => free(em)) }; once({ send })', 1],
    ['const ask = async () => { await statement((em) => free(em)) }; once({ send: ask })', 1],
    ['once({ async prepare(id) { await statement((em) => read(em, id)) }, send })', 0],
  ])('One is found where it is planted: %s', (source, count) => {
    expect(waitsWhileSending('planted.ts', source)).toHaveLength(count)
  })

  test('No variable is read before a wait and written after it in one assignment', () => {
    const rooms = ['adapters', 'api', 'entities', 'activities', 'workers', 'workflows', 'rules']
    expect(rooms.flatMap(sources).flatMap((file) => overwritten(file))).toEqual([])
  })

  test.each([
    ['let sum = 0; const a = async () => { sum += await more() }', 1],
    ['let sum = 0; const a = async () => { sum = sum + (await more()) }', 1],
    ['const a = async () => { state.sum -= (await more()).count }', 1],
    ['let sum = 0; const a = async () => { const n = await more(); sum += n }', 0],
    ['let sum = 0; const a = async () => { sum = await more() }', 0],
  ])('It is found where it is planted: %s', (source, count) => {
    expect(overwritten('planted.ts', source)).toHaveLength(count)
  })
})

/**
 * Casts to `never`, and by way of `unknown`: the compiler checks nothing about them. `commented`: in the line above, or
 * at the end of the line.
 */
function castsOf(file: string, source = fs.readFileSync(path.join(root, file), 'utf8')) {
  const lines = source.split('\n').map((line) => line.trim())
  const isComment = (line = '') => /^(\/\/|\/?\*)/.test(line)
  return lines.flatMap((line, at) => {
    const casts = isComment(line) ? [] : [...line.matchAll(/\bas (never\b|(\w+<)?unknown>? as\b)/g)]
    const commented = isComment(lines[at - 1]) || / \/\/ \S/.test(line)
    return casts.map(() => ({ line: `${file}:${at + 1}`, commented }))
  })
}

describe('Casts', () => {
  const casts = ['adapters', 'api', 'entities', 'activities', 'workers', 'workflows', 'rules']
    .flatMap(sources)
    .concat('config.ts')
    .flatMap((file) => castsOf(file))

  test('At most 5 casts of the product are unchecked', () => {
    expect(casts.length).toBeLessThanOrEqual(5)
  })

  test('The reason for an unchecked cast is in the line above it or at the end of its line', () => {
    expect(casts.flatMap(({ line, commented }) => (commented ? [] : [line]))).toEqual([])
  })

  test.each([
    ['const a = b as never', [false]],
    ['const a = b as unknown as C', [false]],
    ['const a = b as Promise<unknown> as Promise<C>', [false]],
    ['run(a as never, b as never[])', [false, false]],
    ['// The package says another type.\nconst a = b as never', [true]],
    ['/** The package says another type. */\nconst a = b as never', [true]],
    ['const a = b as never // The package says another type.', [true]],
    ['// Cast as never.\nconst a: unknown = b', []],
    ['const a = "It was never sent."', []],
  ])('Casts are found where they are planted: %s', (source, commented) => {
    expect(castsOf('planted.ts', source).map((one) => one.commented)).toEqual(commented)
  })
})

test('No comment is wider than 120 columns', () => {
  const rooms = 'activities,adapters,api,bench,console,dev,entities,examples,rules,test,workers,workflows'
  const files = fs.globSync([`{${rooms}}/**/*.{ts,tsx}`, '*.{ts,mjs}'], {
    cwd: root,
    exclude: (name) => /node_modules|migrations|dist/.test(name),
  })
  expect(files.length).toBeGreaterThan(1_000)
  const wide = files.flatMap((file) =>
    fs
      .readFileSync(path.join(root, file), 'utf8')
      .split('\n')
      .flatMap((line, at) =>
        line.length > 120 && /^\s*(\/\/(?! biome-)|\/?\*)/.test(line) ? `${file}:${at + 1}` : [],
      ),
  )
  expect(wide).toEqual([])
})

describe('Value lists', () => {
  type List = { values: string; file: string }
  const texts = (nodes: Node[]) =>
    nodes.length > 1 && nodes.every((node) => node?.type === 'StringLiteral')
      ? nodes.map(({ value }) => String(value))
      : []

  /**
   * What `z.enum`, `p.enum` and `as const` list, and unions of texts; names of fields (`Pick`, `Omit`) and parts of
   * other lists are none.
   */
  function listsOf(file: string, source = fs.readFileSync(path.join(root, file), 'utf8')): List[] {
    const found: List[] = []
    const add = (values: string[]) => values.length > 1 && found.push({ values: values.toSorted().join(' | '), file })
    const named = new Set<unknown>()
    walk(parseSync(source, { syntax: 'typescript', target: 'es2024' }).body, (node) => {
      const elements = (array: Node) => texts((array.elements as { expression: Node }[]).map((one) => one?.expression))
      const callee = node.type === 'CallExpression' ? (node.callee as Node) : undefined
      if (callee?.type === 'MemberExpression' && (callee.property as Node).value === 'enum')
        for (const { expression } of node.arguments as { expression: Node }[])
          if (expression.type === 'ArrayExpression') add(elements(expression))
      if (node.type === 'TsConstAssertion' && (node.expression as Node).type === 'ArrayExpression')
        add(elements(node.expression as Node))
      if (node.type === 'TsTypeReference' && /^(Pick|Omit|Extract|Exclude|Record)$/.test(nameOf(node.typeName as Node)))
        for (const one of (node.typeParams as { params: Node[] } | null)?.params ?? []) named.add(one)
      if (node.type === 'TsUnionType' && !named.has(node)) {
        const literals = (node.types as Node[])
          .filter(({ type }) => type === 'TsLiteralType')
          .map(({ literal }) => literal as Node)
        add(texts(literals))
      }
    })
    return found
  }
  const twice = (lists: List[]) =>
    [...Map.groupBy(lists, ({ values }) => values)]
      .filter(([, where]) => where.length > 1)
      .map(([values, where]) => [values, ...where.map(({ file }) => file)])

  test('A value list stands once in rules, entities and the API; the others are made from it', () => {
    expect(twice(['rules', 'entities', 'api'].flatMap(sources).flatMap((file) => listsOf(file)))).toEqual([])
  })

  test('A planted second list is found, as an enum, a constant and a type', () => {
    const first = listsOf('rules/a.ts', "export const Status = z.enum(['open', 'ordered'])")
    for (const second of [
      "p.enum(['open', 'ordered'] as const)",
      "const all = ['ordered', 'open'] as const",
      "type Status = 'open' | 'ordered' | null",
    ])
      expect(twice([...first, ...listsOf('entities/b.ts', second)])).toEqual([
        ['open | ordered', 'rules/a.ts', 'entities/b.ts'],
      ])
    for (const derived of [
      'p.enum(Status.options)',
      "type Some = Extract<Status, 'open' | 'ordered'>",
      "const names = Status.extract(['open', 'ordered'])",
    ])
      expect(twice([...first, ...listsOf('entities/b.ts', derived)])).toEqual([])
  })
})

describe('The database', () => {
  test('The migrated database equals the schema of the entities', async () => {
    const sql = await orm.schema.getUpdateSchemaSQL()
    const changes = sql
      .split(/;\s*/)
      .map((line) => line.trim())
      .filter((line) => line !== '' && !bookkeeping.some((table) => line.includes(`"${table}"`)))
    expect(changes).toEqual([])
  })
})
