// Networks and their members. A tenant's records are listed and delisted with its membership: tenants are locked in the
// order of their ids.
import type { EntityManager } from '@mikro-orm/postgresql'
import { conflict, type Fault, invalidInput, notFound } from '../../rules/refusal.ts'
import { insertions } from '../kit/database/insert.ts'
import { sql } from '../kit/database/sql.ts'
import { findRecord } from '../kit/find.ts'
import { newId, uuids } from '../kit/ids.ts'
import { flushUnique } from '../kit/keys.ts'
import { lockMemberships, requestListings } from './listings.ts'
import { Network } from './network.ts'
import { NetworkMember } from './network-member.ts'

type NetworkInput = Partial<{ key: string; name: string; tenant_ids: readonly string[] }>

/** The networks with the ids of their members. One statement. */
export async function withMembers<N extends { id: string }>(em: EntityManager, networks: readonly N[]) {
  const rows: { network_id: string; tenant_ids: string[] }[] = await em.execute(sql`
    select network_id, jsonb_agg(tenant_id order by tenant_id) as tenant_ids
    from network_members
    where network_id = any (${uuids(networks.map(({ id }) => id))})
    group by 1
  `)
  const of = new Map(rows.map(({ network_id, tenant_ids }) => [network_id, tenant_ids]))
  return networks.map((network) => ({ ...network, tenant_ids: of.get(network.id) ?? [] }))
}

/**
 * Locks the network before its tenants, so that changes of one network take turns; listings may refer to it meanwhile.
 */
async function lockNetwork(em: EntityManager, id: string): Promise<void> {
  const rows: unknown[] = await em.execute(sql`select id from networks where id = ${id} for no key update`)
  if (rows.length === 0) throw notFound('network')
}

/**
 * Replaces the members. Writers of these tenants' records have ended, and later ones see the new members. 422
 * tenant_unknown.
 */
async function setMembers(em: EntityManager, networkId: string, wanted: readonly string[], now: number): Promise<void> {
  const before: { tenant_id: string }[] = await em.execute(
    sql`select tenant_id from network_members where network_id = ${networkId}`,
  )
  const had = new Set(before.map(({ tenant_id }) => tenant_id))
  const [added, removed] = [wanted.filter((id) => !had.has(id)), [...had].filter((id) => !wanted.includes(id))]
  if (added.length + removed.length === 0) return
  await lockMemberships(em, [...added, ...removed])
  // Tenants are locked by id, and after their memberships: the order of `holdListings`.
  const found: { id: string }[] = await em.execute(sql`
    select id
    from tenants
    where id = any (${uuids([...added, ...removed])})
    order by id
    for update
  `)
  const memberIds = new Set(found.map(({ id }) => id))
  const faults = wanted.flatMap((id, at): Fault[] =>
    had.has(id) || memberIds.has(id)
      ? []
      : [{ pointer: `/tenant_ids/${at}`, code: 'tenant_unknown', detail: 'There is no such store or business.' }],
  )
  if (faults.length > 0) throw invalidInput(faults)
  if (added.length > 0)
    await em.execute(
      insertions(
        em,
        NetworkMember,
        { network_id: networkId, created_at: now },
        added.map((tenant_id) => ({ tenant_id })),
      ),
    )
  await em.execute(sql`
    delete from network_listings
    where network_id = ${networkId} and tenant_id = any (${uuids(removed)})
  `)
  await em.execute(sql`
    delete from network_members
    where network_id = ${networkId} and tenant_id = any (${uuids(removed)})
  `)
  await em.execute(sql`
    update tenants t
    set is_network = exists (select 1 from network_members m where m.tenant_id = t.id), updated_at = ${now}
    where t.id = any (${uuids([...memberIds])})
  `)
  for (const id of added.toSorted()) await requestListings(em, id)
}

const flushKey = (em: EntityManager) => {
  const detail = 'Another network has this key.'
  return flushUnique(em, /networks_key_unique/, () =>
    conflict('key_taken', detail, { faults: [{ pointer: '/key', code: 'key_taken', detail }] }),
  )
}

/** Creates a network. 409 key_taken; 422 tenant_unknown. `now` in Unix seconds. */
export async function createNetwork(
  em: EntityManager,
  { tenant_ids = [], ...fields }: NetworkInput & { key: string; name: string },
  now: number,
): Promise<Network> {
  const network = em.create(Network, {
    id: newId(),
    created_at: now,
    updated_at: now,
    key: fields.key,
    name: fields.name,
  })
  await flushKey(em)
  await setMembers(em, network.id, tenant_ids, now)
  return network
}

/** Updates a network. Fields that are left out stay. 404; 409 key_taken; 422 tenant_unknown. `now` in Unix seconds. */
export async function updateNetwork(
  em: EntityManager,
  id: string,
  { tenant_ids, ...fields }: NetworkInput,
  now: number,
): Promise<Network> {
  await lockNetwork(em, id)
  const network = await findRecord(em, Network, { id }, 'network')
  if (tenant_ids) await setMembers(em, id, tenant_ids, now)
  // Last: another key is a lock that writers of listings wait for.
  em.assign(network, { ...fields, updated_at: now })
  await flushKey(em)
  return network
}

/** With its members and listings. 404. */
export async function removeNetwork(em: EntityManager, id: string, now: number): Promise<void> {
  await lockNetwork(em, id)
  await setMembers(em, id, [], now)
  await em.execute(sql`delete from networks where id = ${id}`)
}
