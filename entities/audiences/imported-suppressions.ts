// What an import knows from another system: addresses that unsubscribed from the audience, bounced, or reported spam.
// Nothing is lifted.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { MemberDelivery } from '../../rules/audiences/memberships.ts'
import { insertions } from '../kit/database/insert.ts'
import { json, sql } from '../kit/database/sql.ts'
import { newId } from '../kit/ids.ts'
import { AudienceOptOut } from './audience-opt-out.ts'
import { followAddresses } from './member-delivery.ts'

type Silent = { email: string; delivery_status: MemberDelivery }

/**
 * Writes opt-outs of the audience, and the status of channels with the addresses; their members follow. Requires locks
 * of these channels for an update. At most six statements and those that publish. `now` in Unix seconds.
 */
export async function silenceAddresses(
  em: EntityManager,
  tenantId: string,
  audienceId: string,
  rows: readonly Silent[],
  now: number,
): Promise<void> {
  const optOuts = rows
    .filter(({ delivery_status }) => delivery_status === 'unsubscribed')
    .map(({ email: address }) => ({ id: newId(), address }))
  const same = { tenant_id: tenantId, created_at: now, updated_at: now, audience_id: audienceId, claimant_id: null }
  if (optOuts.length > 0)
    await em.execute(sql`${insertions(em, AudienceOptOut, same, optOuts)} order by address on conflict do nothing`)
  await em.execute(sql`
    update contact_channels c
    set status = x.delivery_status, updated_at = ${now}
    from jsonb_to_recordset(${json(rows)}) as x(email text, delivery_status text)
    where c.tenant_id = ${tenantId}
      and c.type = 'email'
      and c.address = x.email
      and x.delivery_status in ('bounced', 'complained')
      and c.status not in (x.delivery_status, 'complained')
  `)
  const contacts: { contact_id: string }[] = await em.execute(sql`
    select distinct c.contact_id
    from contact_channels c
    join jsonb_to_recordset(${json(rows)}) as x(email text) on x.email = c.address
    where c.tenant_id = ${tenantId} and c.type = 'email'
  `)
  await followAddresses(
    em,
    tenantId,
    contacts.map(({ contact_id }) => contact_id),
    now,
  )
}
