// What a route declares about the record that it changes holds: with a status that it does not name, nothing changes.
import fs from 'node:fs'
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { newId } from '../../entities/kit/ids.ts'
import { dropConstraints, insertMany } from '../kit/database/many-rows.ts'
import { recordStatementsAlone } from '../kit/database/statements.ts'
import { database, newShop, type Shop } from '../kit/shop.ts'

jest.setTimeout(120_000)

type Planted = {
  table: string
  columns?: Record<string, string>
  /** What the record belongs to: its column for that, and the table with columns of the row. */
  of?: [column: string, table: string, columns?: Record<string, string>][]
}
/** Records by the last segment of their lists. */
const planted: Record<string, Planted> = {
  campaigns: { table: 'campaigns' },
  'campaign-enrollments': { table: 'enrollments', of: [['campaign_id', 'campaigns', { status: `'running'` }]] },
  'social-publications': {
    table: 'social_publications',
    columns: { type: `'network_a_page'` },
    of: [['social_connection_id', 'social_connections', { type: `'network_a_page'`, status: `'active'` }]],
  },
  executions: {
    table: 'executions',
    columns: { source: `'webhook'` },
    of: [
      ['workflow_id', 'workflows'],
      ['graph_id', 'graphs', { edges: `'[]'` }],
    ],
  },
  runs: { table: 'research_runs', columns: { run_id: 'own.id' }, of: [['audience_id', 'audiences']] },
}
const bodies: Record<string, () => unknown> = {
  schedule: () => ({ scheduled_at: Math.floor(Date.now() / 1000) + 3_600 }),
  PUT: () => ({ content: { type: 'network_a_page', caption: 'Tea' } }),
}

type Schema = { $ref?: string; enum?: string[]; properties?: Record<string, Schema>; allOf?: Schema[] }
type Operation = {
  'x-while'?: { status: string[] }
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>
}
const document: {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
} = JSON.parse(fs.readFileSync('api/openapi.json', 'utf8'))
const resolved = (schema: Schema | undefined): Schema =>
  schema?.$ref ? resolved(document.components.schemas[schema.$ref.split('/').at(-1) as string]) : (schema ?? {})

/** Each operation that names statuses, with the path of its record and all statuses of that. */
const declared = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, { 'x-while': named }]) => {
    if (!named) return []
    const record = path.slice(0, path.lastIndexOf('}') + 1)
    const answer = document.paths[record]?.get?.responses['200']?.content?.['application/json']?.schema
    const all = resolved(resolved(answer).properties?.status).enum ?? []
    const list = record.split('/').at(-2) as string
    return [{ operation: `${method.toUpperCase()} ${path}`, named: named.status, all, list }]
  }),
)

let own: Awaited<ReturnType<typeof recordStatementsAlone>>
let shop: Shop
beforeAll(async () => {
  own = await recordStatementsAlone('route')
  shop = await newShop()
  await dropConstraints(database())
})
afterAll(async () => {
  await database().end()
  await own.close()
})

const rowOf = async (table: string, id: string) =>
  (await database().query(`select * from ${table} where id = $1`, [id])).rows[0]

test('Operations that depend on a status are declared, with statuses that their records have', () => {
  expect(declared.length).toBeGreaterThan(8)
  for (const { operation, named, all } of declared)
    expect([operation, named.filter((one) => !all.includes(one)), all.length > named.length]).toEqual([
      operation,
      [],
      true,
    ])
})

test.each(declared)('$operation changes nothing with a status that it does not name', async (one) => {
  const [method, path] = one.operation.split(' ') as [string, string]
  const { table, columns, of = [] } = planted[one.list] as Planted
  const insert = (into: string, id: string, values: Record<string, string>) =>
    insertMany(database(), into, values, { tenantId: shop.store_id, many: 1, id: `'${id}'::uuid` })
  for (const status of one.all.filter((other) => !one.named.includes(other))) {
    const [id, around] = [newId(), newId()]
    for (const [, other, values = {}] of of) await insert(other, around, values)
    const places = Object.fromEntries(of.map(([column]) => [column, `'${around}'::uuid`]))
    await insert(table, id, { ...columns, ...places, status: `'${status}'` })
    const before = await rowOf(table, id)
    const at = path
      .replace('/v1/stores/{storeId}', '')
      .replace('{workflowId}', around)
      .replace(/\{\w+\}/, id)
    const body = bodies[path.split('/').at(-1) as string] ?? bodies[method]
    const answer = await shop.asOperator(method as 'POST', at, body?.() ?? (method === 'POST' ? {} : undefined))
    // A record that is as requested already is returned.
    expect([status, answer.status, answer.body.code]).toEqual(
      answer.status === 200 ? [status, 200, undefined] : [status, 409, expect.any(String)],
    )
    expect([status, await rowOf(table, id)]).toEqual([status, before])
  }
})
