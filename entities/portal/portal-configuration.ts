// What the provider's customer portal offers. An account has one configuration, which all links share: creating it is
// an effect.
import { defineEntity, p } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { globalRow } from '../kit/database/row.ts'
import { sql } from '../kit/database/sql.ts'
import { attentionIndexes, effect } from '../kit/effect-columns.ts'
import { effectRow } from '../kit/effects.ts'

const schema = defineEntity({
  name: 'PortalConfiguration',
  tableName: 'portal_configurations',
  properties: {
    ...globalRow,
    /** Null: of the platform's own account, which all stores share. */
    tenant_id: p.uuid().nullable(),
    /** The connected account; null: the platform's own. */
    provider_account_id: p.string().nullable(),
    /** The id that the provider answered, or under which it was found there afterwards. */
    provider_configuration_id: p.string().nullable(),
    ...effect,
  },
  indexes: [
    { properties: ['status', 'created_at'] },
    {
      name: 'portal_configurations_account',
      expression: `
        create index "portal_configurations_account"
        on "portal_configurations" (coalesce(provider_account_id, ''), "created_at")
      `,
    },
    {
      name: 'portal_configurations_open',
      expression: `
        create unique index "portal_configurations_open" on "portal_configurations" (coalesce(provider_account_id, ''))
        where status in ('requested', 'processing')
      `,
    },
    ...attentionIndexes('portal_configurations'),
  ],
})
export class PortalConfiguration extends schema.class {}
schema.setClass(PortalConfiguration)

/** The provider has the configuration though the outcome is unknown: it is used, and the status stays. */
export async function adoptConfiguration(em: EntityManager, id: string, providerId: string): Promise<void> {
  await em.execute(sql`
    update portal_configurations
    set provider_configuration_id = ${providerId}
    where id = ${id} and status = 'unknown' and provider_configuration_id is null
  `)
}

const newestLink = sql`
  (
    select l.id
    from portal_links l
    where l.portal_configuration_id = e.id
    order by l.created_at desc, l.id desc
    limit 1
  )
`

export const portalConfigurationEffect = effectRow('portal_configuration', {
  processId: newestLink,
  waits: sql`${newestLink} is null`,
  precondition: sql`true`,
  late: async (em, id, { provider_configuration_id }) => {
    if (typeof provider_configuration_id === 'string') await adoptConfiguration(em, id, provider_configuration_id)
  },
})
