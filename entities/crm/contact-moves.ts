// The channels and taxonomies of a contact become another one's.
import type { EntityManager } from '@mikro-orm/postgresql'
import { takenOver } from '../../rules/crm/channels.ts'
import { mergedTaxonomies } from '../../rules/crm/contacts.ts'
import { writeContent } from '../content/content.ts'
import { json, sql } from '../kit/database/sql.ts'
import type { ContactMove } from '../kit/table.ts'
import { deleteChannels, lockChannels, writeChannels } from './channel-rows.ts'

/** An address that both have becomes one channel, in which what forbids messages wins. */
export async function moveChannels(em: EntityManager, { tenantId, from, to, now }: ContactMove): Promise<void> {
  // Read again under the locks of the contacts: no channel is added any more.
  const channels = await lockChannels(em, tenantId, [from.id, to.id], true)
  const of = (id: string) => channels.filter(({ contact_id }) => contact_id === id)
  const { kept, gone } = takenOver(of(from.id), of(to.id))
  if (gone.length > 0) await deleteChannels(em, tenantId, gone)
  if (kept.length > 0) await writeChannels(em, tenantId, to.id, kept, now)
}

export async function moveTaxonomies(em: EntityManager, { tenantId, from, to }: ContactMove): Promise<void> {
  if (from.taxonomies.length === 0) return
  const taxonomies = mergedTaxonomies(to.taxonomies, from.taxonomies)
  const rows = [
    { id: from.id, taxonomies: [] },
    { id: to.id, taxonomies },
  ]
  await em.execute(sql`
    with deleted_links as (
      delete from taxonomy_links where tenant_id = ${tenantId} and owner_id = ${from.id}
    )
    update contacts c
    set taxonomies = x.taxonomies
    from jsonb_to_recordset(${json(rows)}) as x(id uuid, taxonomies jsonb)
    where c.tenant_id = ${tenantId} and c.id = x.id
  `)
  await writeContent(em, tenantId, 'contact', to.id, { references: undefined, taxonomies }, false)
}
