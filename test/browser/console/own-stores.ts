// Stores of the demo operator that a check has for itself: an empty one, one with a row of everything on each surface,
// and one with 100,000 contacts.
import { newId } from '../../../entities/kit/ids.ts'
import { insertRow } from '../../kit/audiences/subscribing.ts'
import { everyRow } from '../../kit/effects/every-row.ts'
import { database, newShop, type Shop } from '../../kit/shop.ts'
import { type Console, demo } from './pages.ts'

type Call = (method: 'GET' | 'POST' | 'PUT', path: string, body?: object) => Promise<unknown>
export type OwnStore = { id: string; shop: Shop; call: Call }

/** The console reads again which stores an operator has when it is loaded. */
export async function ownStore(_: Console, key: string): Promise<OwnStore> {
  const shop = await newShop({ key: `${key}-${newId().slice(-12)}` })
  const { rows } = await database().query<{ id: string }>('select id from accounts where email = $1', [demo])
  await insertRow('team_members', {
    tenant_id: shop.store_id,
    account_id: rows[0]?.id,
    role: 'owner',
    accepted_at: Math.floor(Date.now() / 1000),
  })
  const call: Call = async (method, path, body) => {
    const answer = await shop.asOperator(method, path, body)
    if (answer.status > 201) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  return { id: shop.store_id, shop, call }
}

type Rows = Record<string, string>
export type Everything = { id: string; rows: Rows }

/** A store, or a business, with a row of every resource. */
export async function storeOfEverything(on: Console, kind: 'store' | 'business'): Promise<Everything> {
  const { id, shop } = await ownStore(on, kind)
  const rows = await everyRow(shop, await shop.visitor())
  const { rows: paid } = await database().query<{ id: string }>('select id from payments where order_id = $1', [
    rows.orders,
  ])
  const refund = (of: object) => ({
    ...{ tenant_id: id, refund_id: newId(), amount: 100, currency: 'USD', origin: 'operator', fingerprint: '' },
    ...{ attempt: 1, status: 'succeeded', settled_at: new Date(), ...of },
  })
  const { rows: subscriptions } = await database().query<{ id: string }>(
    'select subscription_id as id from payments where id = $1',
    [rows.payments],
  )
  rows.refunds = await insertRow('refunds', refund({ order_id: rows.orders, payment_id: paid[0]?.id }))
  rows['member-refunds'] = await insertRow(
    'refunds',
    refund({ subscription_id: subscriptions[0]?.id, payment_id: rows.payments }),
  )
  rows.disputes = await insertRow('disputes', {
    ...{ tenant_id: id, order_id: rows.orders, payment_id: paid[0]?.id, provider_account_id: 'acct_1' },
    ...{ provider_dispute_id: `dp_${newId()}`, amount: 100, currency: 'USD', status: 'won', closed_at: 1, event_at: 1 },
  })
  await insertRow('social_comments', {
    ...{ tenant_id: id, publication_id: rows['social-publications'], provider_comment_id: '2', text: 'Thanks' },
    ...{ parent_provider_id: '1', parent_id: rows.comments, root_id: rows.comments, own: false },
    ...{ provider_created_at: 2, synced_at: 2 },
  })
  await database().query(
    'update erasures set requested_by = (select id from accounts where email = $1) where id = $2',
    [demo, rows.erasures],
  )
  if (kind === 'business') await database().query(`update tenants set kind = 'business' where id = $1`, [id])
  return { id, rows }
}

/** `since`: the n-th contact was created so many seconds later, at a whole minute. */
export type Crowd = { id: string; since: number; count: number }

/**
 * 100,000 contacts, one created a second. Those at both ends, and every thousandth, which is archived, have an address:
 * `c000042@tillwright.test`.
 */
export async function crowdedStore(on: Console): Promise<Crowd> {
  const count = 100_000
  const { id } = await ownStore(on, 'crowded')
  const since = Math.floor(Date.now() / 60_000) * 60 - count - 3_600
  await database().query(
    `with people as (
       insert into contacts (id, created_at, updated_at, tenant_id, taxonomies, anonymous, status)
       select gen_random_uuid(), $2::bigint + n, $2::bigint + n, $1, '[]', false,
         case when n % 1000 = 0 then 'archived' else 'active' end
       from generate_series(1, $3::int) n
       returning id, created_at
     )
     insert into contact_channels (id, created_at, updated_at, tenant_id, contact_id, type, address, owned, is_primary)
     select gen_random_uuid(), created_at, created_at, $1, id, 'email',
       'c' || lpad((created_at - $2::bigint)::text, 6, '0') || '@tillwright.test', true, true
     from people
     where created_at - $2::bigint <= 200 or created_at - $2::bigint > $3::int - 200 or (created_at - $2::bigint) % 1000 = 0`,
    [id, since, count],
  )
  return { id, since, count }
}

/** Made the first time that it is wanted. */
export function once<T>(make: (on: Console) => Promise<T>): (on: Console) => Promise<T> {
  let made: Promise<T> | undefined
  return (on) => {
    made ??= make(on)
    return made
  }
}
