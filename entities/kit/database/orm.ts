// The connection to PostgreSQL. A query for tenants' rows that names no tenant fails before it is sent.
import { Migrator } from '@mikro-orm/migrations'
import { defineConfig, type EntityManager, MikroORM } from '@mikro-orm/postgresql'
import pg from 'pg'
import { globalEntities } from './global-tables.ts'
import { escapeLiteral } from './literals.ts'
import { beginWithFirstStatement, takeBackTheDead } from './pool.ts'
import { tenantEntities } from './tenant-tables.ts'

/** A bug: a query for tenants' rows names no tenant. */
export class NoTenant extends Error {}

const migrations = new URL('../../migrations', import.meta.url).pathname

const int8 = 20
// Parsers of connections that a script or a test opens by itself. Those of the ORM have their own.
pg.types.setTypeParser(int8, Number)

/**
 * Amounts and Unix seconds stay below 2^53 (the rules refuse more): as numbers they are the same in plain statements
 * and in entities. Set for each connection, as the ORM may have a `pg` of its own.
 */
function readIntegersAsNumbers(pool: pg.Pool): void {
  pool.on('connect', (client) => client.setTypeParser(int8, Number))
}

export type DatabaseOptions = {
  url: string
  pool: number
  /** Every statement, for counting. */
  onStatement?: (sql: string) => void
  timeouts?: Timeouts
}

/** Milliseconds; 0: none. */
type Timeouts = { statementMs: number; lockMs: number; idleMs: number }
const usual: Timeouts = { statementMs: 30_000, lockMs: 0, idleMs: 60_000 }

export const ormConfig = ({
  url,
  pool,
  onStatement,
  timeouts: { statementMs, lockMs, idleMs } = usual,
}: DatabaseOptions) =>
  defineConfig({
    clientUrl: url,
    entities: [...globalEntities, ...tenantEntities],
    extensions: [Migrator],
    forceUtcTimezone: true,
    // A child row carries its own tenant: joining its parent to filter by it would cost a join, and lock the parent
    // with every lock.
    autoJoinRefsForFilters: false,
    schemaGenerator: { skipTables: ['migration_lock'] },
    ignoreUndefinedInQuery: false,
    pool: { min: 0, max: pool },
    driverOptions: {
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
      onPoolCreated: (pool: pg.Pool) => {
        readIntegersAsNumbers(pool)
        takeBackTheDead(pool)
        beginWithFirstStatement(pool)
      },
      // An acknowledged claim must survive a crash, so this does not depend on the database's own setting.
      options: `-c synchronous_commit=on -c statement_timeout=${statementMs} -c lock_timeout=${lockMs} -c idle_in_transaction_session_timeout=${idleMs}`,
    },
    ...(onStatement ? { debug: ['query'] as const, logger: onStatement, colors: false } : {}),
    filters: {
      tenant: {
        cond: (args: { tenant?: string }, _type: string, _em: unknown, _options: unknown, entity?: string) => {
          if (!args?.tenant) throw new NoTenant(`a query for ${entity} names no tenant`)
          return entity === 'Tenant' ? { id: args.tenant } : { tenant_id: args.tenant }
        },
        entity: tenantEntities.map(({ name }) => name),
        default: true,
      },
    },
    migrations: {
      path: migrations,
      pathTs: migrations,
      glob: '!(*.d).ts',
      emit: 'ts',
      snapshot: false,
      // Each in a transaction of its own: one that has to be tried again does not undo those before it.
      allOrNothing: false,
      fileName: (at, name) => `${at}${name ? `_${name}` : ''}`,
    },
  })

export type Orm = Awaited<ReturnType<typeof openOrm>>
export type { EntityManager }

export async function openOrm(options: DatabaseOptions) {
  const orm = await MikroORM.init(ormConfig(options))
  // The ORM writes parameters into its statements, and a record may have a megabyte.
  Object.assign(orm.em.getPlatform(), { escapeLiteral })
  return orm
}

/** Options of a query that is not restricted to one tenant: its condition must identify the rows by other means. */
export const anyTenant = { filters: { tenant: false } }

/** A fresh unit of work that sees one tenant's rows, or, with null, only the global tables. */
export function unitOf(orm: Orm, tenant: string | null): EntityManager {
  const em = orm.em.fork()
  if (tenant) em.setFilterParams('tenant', { tenant })
  return em
}
