// A connection that dies in the middle of a transaction makes room for another one: an outage of the database ends when the database is back.
import type { Pool, PoolClient } from 'pg'

/**
 * Kysely releases the connection of a transaction after its commit or rollback, and a dead one can do neither: after as many losses as the
 * pool has places nobody would ever get one again. So whoever dies while it is lent is taken back here.
 */
export function takeBackTheDead(pool: Pool): void {
  const lent = new WeakSet<PoolClient>()
  pool.on('acquire', (client) => lent.add(client))
  pool.on('release', (_, client) => lent.delete(client))
  pool.on('connect', (client) => {
    client.once('end', () => {
      if (!lent.has(client)) return
      const release = client.release
      // Its borrower may still give it back, which the pool would take for a bug.
      client.release = () => {}
      release(true)
    })
  })
}
