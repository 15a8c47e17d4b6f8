// A link to the provider's customer portal. It expires within minutes, so every request creates a new one.
import { defineEntity, p } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { PortalFlow } from '../../rules/subscriptions/subscriptions.ts'
import { tenantRow } from '../kit/database/row.ts'
import { sql } from '../kit/database/sql.ts'
import { attentionIndexes, effect } from '../kit/effect-columns.ts'
import { effectRow } from '../kit/effects.ts'
import { Encrypted } from '../kit/encrypted.ts'
import { Subscription } from '../subscriptions/subscription.ts'
import { PortalConfiguration } from './portal-configuration.ts'

const schema = defineEntity({
  name: 'PortalLink',
  tableName: 'portal_links',
  properties: {
    ...tenantRow,
    subscription_id: () => p.manyToOne(Subscription).mapToPk().deleteRule('cascade').joinColumn('subscription_id'),
    portal_configuration_id: () =>
      p.manyToOne(PortalConfiguration).mapToPk().deleteRule('restrict').joinColumn('portal_configuration_id'),
    /** The connected account; null: the platform's own. */
    provider_account_id: p.string().nullable(),
    provider_customer_id: p.string(),
    /** The page that the link opens; null: the portal's first page. */
    flow: p.enum(PortalFlow.options).nullable(),
    return_url: p.text(),
    url: p.type(Encrypted).nullable(),
    ...effect,
  },
  indexes: [
    { properties: ['subscription_id', 'created_at'] },
    { properties: ['portal_configuration_id', 'created_at', 'id'] },
    { properties: ['status', 'created_at'] },
    ...attentionIndexes('portal_links'),
  ],
})
export class PortalLink extends schema.class {}
schema.setClass(PortalLink)

/** The account deactivated, deleted or changed the configuration: the next link creates another one. */
const dropConfiguration = (em: EntityManager, id: string) =>
  em.execute(sql`
    update portal_configurations c
    set provider_configuration_id = null
    from portal_links l
    where l.id = ${id}
      and c.id = l.portal_configuration_id
      and coalesce(c.tenant_id, l.tenant_id) = l.tenant_id
      and l.status = 'rejected'
      and l.evidence ->> 'param' in ('configuration', 'flow_data[type]')
  `)

export const portalLinkEffect = effectRow('portal_link', {
  processId: sql`e.id`,
  precondition: sql`true`,
  async afterStatusChange(em, id) {
    await dropConfiguration(em, id)
  },
})
