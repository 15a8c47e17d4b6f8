// Releases connections that are lost in the middle of a transaction, so that the process recovers from an outage of the database.
import type { Pool, PoolClient } from 'pg'

/**
 * Kysely releases the connection of a transaction after its commit or rollback, and a lost connection can do neither: the pool would be exhausted after as many
 * losses as it has connections. A connection that ends while it is acquired is released here.
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
