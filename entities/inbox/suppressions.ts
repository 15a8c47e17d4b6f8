// Records a suppression for an address of an enrollment that no contact has any more: the operator changed or removed
// it while campaigns mail it.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Reach } from '../../rules/crm/channels.ts'
import { refreshContacts } from '../crm/contact-words.ts'
import { type Sql, sql } from '../kit/database/sql.ts'

/**
 * Adds a channel to the contact of each of these recipients, a relation of `contact_id` and `address`, whose address
 * has none in the store: not owned and not primary, so that the contact keeps showing its own. Returns the
 * contacts, which `followAddresses` is to be called for. To be called after the channels of the addresses were locked,
 * in a statement of its own: channels that were deleted meanwhile are not seen then. One statement where nothing is
 * added.
 * `now` in Unix seconds.
 */
export async function keepAddresses(
  em: EntityManager,
  tenantId: string,
  recipients: Sql,
  { status, consent_status }: Reach,
  now: number,
): Promise<string[]> {
  const isWithdrawn = consent_status === 'withdrawn'
  const rows: { contact_id: string }[] = await em.execute(sql`
    insert into contact_channels as k (
      id, created_at, updated_at, tenant_id, contact_id, type, address, owned, is_primary, status, consent_status,
      consent_source, consent_at
    )
    select gen_random_uuid(), ${now}, ${now}, c.tenant_id, c.id, 'email', recipient.address, false, false, ${status},
      ${consent_status}, ${isWithdrawn ? 'unsubscribe_link' : null}::text, ${isWithdrawn ? now : null}::bigint
    from contacts c
    join (select distinct contact_id, address from ${recipients} r) recipient on recipient.contact_id = c.id
    where c.tenant_id = ${tenantId}
      and not exists (
        select 1
        from contact_channels z
        where z.tenant_id = c.tenant_id and z.type = 'email' and z.address = recipient.address
      )
    order by c.id
    for no key update of c
    on conflict (contact_id, type, address, coalesce(provider, '')) do update
    set updated_at = ${now},
      status = case when k.status = 'complained' or excluded.status = 'active' then k.status else excluded.status end,
      consent_status = case
        when excluded.consent_status = 'withdrawn' then excluded.consent_status
        else k.consent_status
      end,
      consent_source = coalesce(excluded.consent_source, k.consent_source),
      consent_at = coalesce(excluded.consent_at, k.consent_at)
    returning contact_id
  `)
  const contacts = [...new Set(rows.map(({ contact_id }) => contact_id))]
  await refreshContacts(em, tenantId, contacts)
  return contacts
}
