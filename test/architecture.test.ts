// What holds the house together is checked, not hoped for: tenants stay apart in every statement, and workflows know no database.
import fs from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { parseSync } from '@swc/core'
import { globalEntities } from '../entities/kit/global-tables.ts'
import { type Orm, openOrm, unitOf } from '../entities/kit/orm.ts'
import { tenantEntities } from '../entities/kit/tenant-tables.ts'
import { database } from './kit/shop.ts'

const root = path.resolve(import.meta.dirname, '..')
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

describe('workflows', () => {
  test('are bundled without a database, a server, or anything that leaves the building', () => {
    const bundle = fs.readFileSync(process.env.TEST_BUNDLE as string, 'utf8')
    expect(bundle).toMatch(/workflows\/index\.ts/)
    for (const word of [
      '@mikro-orm/',
      'node_modules/pg/',
      'node_modules/koa/',
      'node_modules/undici/',
      'node_modules/stripe/',
      './entities/',
      './api/',
      './activities/',
    ])
      expect([word, bundle.includes(word)]).toEqual([word, false])
  })
})

describe('tenants', () => {
  test.each(tenantEntities.map((entity) => [entity.name, entity]))('a query for %s that names none is refused before it is sent', async (_, entity) => {
    const em = unitOf(orm, null)
    const asked = [
      () => em.find(entity as never, {}),
      () => em.findOne(entity as never, { tenant_id: 'x' } as never),
      () => em.count(entity as never),
      () => em.nativeDelete(entity as never, {} as never),
    ]
    for (const ask of asked) await expect(ask()).rejects.toThrow(/filter 'tenant'|names no tenant/)
  })

  test('every table says whose a row is, but for the global ones', async () => {
    const { rows } = await database().query<{ name: string }>(
      `select t.table_name as name from information_schema.tables t where t.table_schema = 'public' and t.table_type = 'BASE TABLE'
       and not exists (select 1 from information_schema.columns c where c.table_schema = 'public' and c.table_name = t.table_name and c.column_name = 'tenant_id' and c.is_nullable = 'NO')`,
    )
    // A tenant is its own.
    expect(rows.map(({ name }) => name).sort()).toEqual([...globalEntities.map(tableOf), 'tenants', ...bookkeeping].sort())
  })

  test('every entity is either a tenant’s or global, and has its table', async () => {
    const { rows } = await database().query<{ name: string }>("select table_name as name from information_schema.tables where table_schema = 'public'")
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

const textOf = (node: Node | undefined, constants: Map<string, Node>): string => {
  if (node?.type === 'StringLiteral') return String(node.value)
  if (node?.type === 'TemplateLiteral') return (node.quasis as { cooked: string }[]).map(({ cooked }) => cooked).join('…')
  if (node?.type === 'Identifier' && constants.has(String(node.value))) return textOf(constants.get(String(node.value)), new Map())
  return 'computed'
}

/** Every call that sends a plain statement; builders, which no filter sees either, count as computed. */
function statementsOf(file: string): Statement[] {
  const module = parseSync(fs.readFileSync(path.join(root, file), 'utf8'), { syntax: 'typescript', target: 'es2024' })
  const constants = new Map<string, Node>()
  walk(module.body, (node) => {
    if (node.type === 'VariableDeclarator' && (node.id as Node).type === 'Identifier' && node.init)
      constants.set(String((node.id as Node).value), node.init as Node)
  })
  const found: Statement[] = []
  walk(module.body, (node) => {
    const callee = node.type === 'CallExpression' ? (node.callee as Node) : undefined
    const name = callee?.type === 'MemberExpression' ? (callee.property as Node).value : undefined
    if (name === 'execute')
      found.push({
        file,
        text: textOf((node.arguments as { expression: Node }[])[0]?.expression, constants)
          .replaceAll(/\s+/g, ' ')
          .trim(),
      })
    if (name === 'createQueryBuilder' || name === 'getKysely' || name === 'upsert' || name === 'upsertMany') found.push({ file, text: `computed by ${name}` })
  })
  return found
}

describe('plain statements', () => {
  const exceptions = fs
    .readFileSync(new URL('raw-statements.tsv', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.split('\t'))
    .map(([file, beginning, reason]) => ({ file: file as string, beginning: beginning as string, reason }))
  const matches = (at: (typeof exceptions)[number], { file, text }: Statement) => at.file === file && (at.beginning === '*' || text.startsWith(at.beginning))
  const excused = (statement: Statement) => exceptions.some((at) => matches(at, statement))
  const statements = ['adapters', 'api', 'entities', 'activities', 'workers', 'workflows', 'rules'].flatMap(sources).flatMap(statementsOf)

  /** The tables of a text; a common table expression is none. */
  function tablesOf(text: string): string[] {
    const own = new Set([...text.matchAll(/(?:with|,)\s+(\w+)(?:\s*\([^)]*\))? as (?:materialized )?\(/gi)].map(([, name]) => name))
    return [...text.matchAll(/\b(?:from|join|into|update)\s+\(*([a-z_…]+)/gi)]
      .map(([, name]) => name as string)
      .filter((name) => !own.has(name) && !/^(jsonb_|unnest|select|set|lateral|of)/.test(name))
  }
  const isGlobal = (text: string) => {
    const tables = tablesOf(text)
    return tables.length > 0 && tables.every((name) => globalEntities.map(tableOf).includes(name))
  }

  test('live beside their entities; the list says why another one may not', () => {
    const elsewhere = statements.filter(
      (statement) => !statement.file.startsWith('entities/') && statement.file !== 'activities/once.ts' && !excused(statement),
    )
    expect(elsewhere).toEqual([])
  })

  test('name the tenant, or touch only global tables; the list says why another one need not', () => {
    expect(statements.length).toBeGreaterThan(30)
    expect(statements.filter((statement) => !/\btenant_id\b/.test(statement.text) && !isGlobal(statement.text) && !excused(statement))).toEqual([])
  })

  test('that are excused are there, and have a reason', () => {
    expect(exceptions.filter((at) => !at.reason || !statements.some((statement) => matches(at, statement)))).toEqual([])
  })
})

describe('the database', () => {
  test('is what the entities say: no migration is missing', async () => {
    const sql = await orm.schema.getUpdateSchemaSQL()
    const changes = sql
      .split(/;\s*/)
      .map((line) => line.trim())
      .filter((line) => line !== '' && !bookkeeping.some((table) => line.includes(`"${table}"`)))
    expect(changes).toEqual([])
  })
})
