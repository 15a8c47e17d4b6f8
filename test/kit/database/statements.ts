// An API process of our own that records its statements, so that tests can count the cost of a request.
//   const own = await recordStatements()
//   const statements = await own.statementsOf(shop, 'GET', '/products')
//   await own.planOf(statements[1])
//   await own.close()
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import type { EntityManager } from '@mikro-orm/postgresql'
import { log } from '../../../adapters/log.ts'
import { withBlockMedia } from '../../../api/content/block-media.ts'
import { serve } from '../../../api/kit/server.ts'
import { routes } from '../../../api/routes.ts'
import { openOrm } from '../../../entities/kit/database/orm.ts'
import type { Answer, Method, Shop } from '../shop.ts'
import { startLab } from '../stack/lab.ts'

export type Statement = { text: string; values: readonly unknown[] }
export type Plan = {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Index Cond'?: string
  'Recheck Cond'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  Plans?: Plan[]
}

/** The rows that all nodes of a plan read, those that a filter removed too. */
export const rowsOf = (plan: Plan): number =>
  (plan.Plans ?? []).reduce(
    (sum, inner) => sum + rowsOf(inner),
    (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops'],
  )
/** The tables that a plan reads as a whole. */
export const scannedBy = (plan: Plan): string[] => [
  ...(plan['Node Type'] === 'Seq Scan' && plan['Relation Name'] ? [plan['Relation Name']] : []),
  ...(plan.Plans ?? []).flatMap(scannedBy),
]
/** The nodes that read a table. */
export const scansOf = (plan: Plan): Plan[] => [
  ...(plan['Relation Name'] ? [plan] : []),
  ...(plan.Plans ?? []).flatMap(scansOf),
]
export const nodesOf = (plan: Plan): string[] => [plan['Node Type'], ...(plan.Plans ?? []).flatMap(nodesOf)]

/** The nodes of a plan that read this table: a small one may be read as the planner likes. */
export const readsOf = (plan: Plan, table: string): Plan[] => [
  ...(plan['Relation Name'] === table ? [plan] : []),
  ...(plan.Plans ?? []).flatMap((inner) => readsOf(inner, table)),
]

export async function recordStatements() {
  log.level = 'silent'
  let said: Statement[] = []
  const orm = await openOrm({ url: process.env.DATABASE_URL as string, pool: 2 })
  orm.config.set('onQuery', (text, values) => {
    said.push({ text: text.trimStart(), values })
    return text
  })
  // Before its first statement an ORM checks the connection.
  await orm.em.fork().execute('select 1')
  const server = http
    .createServer(serve(orm, routes, { complete: withBlockMedia, more: () => {} }).callback())
    .listen(0, '127.0.0.1')
  await new Promise((done) => server.once('listening', done))
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const asked = async (ask: (base: string) => Promise<Answer>): Promise<Statement[]> => {
    said = []
    const answer = await ask(base)
    if (answer.status > 202) throw new Error(JSON.stringify(answer.body))
    return said
  }

  return {
    /** Of one request that is not refused, of any caller. */
    said: asked,
    /** Of one request of the operator's. */
    statementsOf: (shop: Shop, method: Method, path: string, body?: unknown): Promise<Statement[]> =>
      asked((at) => shop.asOperator(method, path, body, at)),
    /** Statements of a function that no request runs. */
    async statementsIn(work: (em: EntityManager) => Promise<unknown>): Promise<Statement[]> {
      said = []
      await work(orm.em.fork())
      return said
    },
    async planOf({ text, values }: Statement): Promise<Plan> {
      const rows: { 'QUERY PLAN': { Plan: Plan }[] }[] = await orm.em
        .fork()
        .execute(`explain (analyze, format json) ${text}`, [...values])
      return rows[0]?.['QUERY PLAN'][0]?.Plan as Plan
    },
    async close(): Promise<void> {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
      await orm.close(true)
    },
  }
}

/**
 * The same on a database of its own, for query plans: the planner's statistics depend on the rows of all tests in the
 * same tables. The file's own pool (shop.ts) ends before this is closed.
 */
export async function recordStatementsAlone(name: string) {
  const lab = await startLab(name, {}, { parts: ['postgres', 'migrations'] })
  await lab.stack.startApi()
  const own = await recordStatements()
  return {
    ...own,
    dir: lab.stack.dir,
    async close() {
      await own.close()
      await lab.stop()
    },
  }
}
