// How connections of the pool differ from pg's: BEGIN shares a message with the first statement, and lost connections
// are released.
import type { Pool, PoolClient, QueryResult } from 'pg'

/**
 * Kysely releases the connection of a transaction after its commit or rollback, and a lost connection can do neither:
 * the pool would be exhausted after as many losses as it has connections. A connection that ends while it is acquired
 * is released here.
 */
export function takeBackTheDead(pool: Pool): void {
  const lent = new WeakSet<PoolClient>()
  pool.on('acquire', (client) => lent.add(client))
  pool.on('release', (_, client) => lent.delete(client))
  pool.on('connect', (client) => {
    client.once('end', () => {
      if (!lent.has(client)) return
      const release = client.release
      // The transaction may release it later, which the pool reports as an error.
      client.release = () => {}
      release(true)
    })
  })
}

const answered = (command: string) =>
  Promise.resolve({ command, rowCount: null, oid: 0, fields: [], rows: [] } satisfies QueryResult)

/**
 * BEGIN is sent in one message with the first statement after it: a packet and a round trip less for every transaction.
 * One without statements sends nothing.
 * COMMIT stays a message of its own: which statement is the last is known only when the unit of work ends.
 */
export function beginWithFirstStatement(pool: Pool): void {
  /** Connections whose transaction has begun, and has not been announced to the server. */
  const begun = new WeakSet<PoolClient>()
  pool.on('release', (_, client) => begun.delete(client))
  pool.on('connect', (client) => {
    const send = client.query.bind(client) as (
      text: unknown,
      values?: unknown[],
    ) => Promise<QueryResult | QueryResult[]>
    async function withBegin(text: unknown, values: unknown[] | undefined): Promise<QueryResult | QueryResult[]> {
      if (text === 'commit' || text === 'rollback') return answered(text.toUpperCase())
      // The ORM writes values into its texts; one with parameters cannot share a message with another.
      if (typeof text !== 'string' || values?.length) return (await send('begin')) && send(text, values)
      const [, ...results] = (await send(`begin;${text}`)) as QueryResult[]
      return results.length === 1 ? (results[0] as QueryResult) : results
    }
    function query(text: unknown, values?: unknown[]) {
      if (!begun.delete(client)) {
        if (text !== 'begin') return send(text, values)
        begun.add(client)
        return answered('BEGIN')
      }
      return withBegin(text, values)
    }
    client.query = query as typeof client.query
  })
}
