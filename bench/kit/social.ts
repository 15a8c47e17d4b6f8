// Accounts that the measured store connects at the simulated networks, posts of them, and comments below the posts.
import { consentAs } from '../../dev/seed/social.ts'
import { newId } from '../../entities/kit/ids.ts'
import type { NetworkType } from '../../rules/social/networks/network-types.ts'
import { json } from './path.ts'
import type { Shop } from './shop.ts'

/** `control`: of the simulator; without a body it is read. */
export type Account = {
  type: NetworkType
  connection: string
  owner: string
  control<T>(at: string, body?: unknown): Promise<T>
}
export type Post = { publication: string; post: string }

const accounts = new WeakMap<Shop, Map<NetworkType, Promise<Account>>>()

async function connected({ api, operator, store_id, db, social }: Shop, type: NetworkType): Promise<Account> {
  const asked = await fetch(`${api}/v1/stores/${store_id}/social-connections/oauth/connect`, {
    method: 'POST',
    headers: json(operator),
    body: JSON.stringify({ type }),
  })
  const { authorization_url } = (await asked.json()) as { authorization_url: string }
  const back = await consentAs('Bench', authorization_url)
  const { connections } = (await back.json()) as { connections: { id: string }[] }
  const connection = connections[0]?.id
  if (!connection) throw new Error(`The account was not connected: ${back.status}`)
  const { rows } = await db.query('select provider_account_id from social_connections where id = $1', [connection])
  return {
    ...{ type, connection, owner: rows[0].provider_account_id },
    async control(at, body) {
      const answer = await fetch(
        `${social}/_sim${at}`,
        body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) },
      )
      if (!answer.ok) throw new Error(`${at}: ${answer.status}`)
      return (await answer.json()) as never
    },
  }
}

/** Connected at the first use. */
export function accountOf(shop: Shop, type: NetworkType = 'network_a_page'): Promise<Account> {
  const known = accounts.get(shop) ?? new Map<NetworkType, Promise<Account>>()
  const account = known.get(type) ?? connected(shop, type)
  accounts.set(shop, known.set(type, account))
  return account
}

/** A published post with so many comments at the network. */
export async function newPost(shop: Shop, comments: number): Promise<Post> {
  const { type, connection, owner, control } = await accountOf(shop)
  const { id: post } = await control<{ id: string }>('/published', { network: 'a', owner, text: `Bench ${newId()}` })
  if (comments > 0)
    await control('/comments', {
      post_id: post,
      text: 'A comment of some length, as people write them',
      count: comments,
    })
  const publication = newId()
  await shop.db.query(
    `insert into social_publications (id, tenant_id, created_at, updated_at, social_connection_id, type, content, status, published_at, scheduled_at, provider_post_id, issues, created_by)
     values ($1, $2, 1, 1, $3, $4, '{}', 'published', extract(epoch from now())::bigint, 1, $5, '[]', $1)`,
    [publication, shop.store_id, connection, type, post],
  )
  return { publication, post }
}
