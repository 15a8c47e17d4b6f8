// A post of a store on a connected account. At most one post of a publication ever becomes visible at the network:
// social_reveals holds that.
import { defineEntity, p } from '@mikro-orm/core'
import type { Issue, SocialContent } from '../../rules/publications/content.ts'
import type { Resolution } from '../../rules/resolutions.ts'
import { networkTypes } from '../../rules/social/networks/network-types.ts'
import type { PublicationError } from '../../rules/social/publication-errors.ts'
import { type PublicationOutcome, SocialPublicationStatus } from '../../rules/social/resources.ts'
import { searchColumn } from '../kit/database/named-columns.ts'
import { tenantRow } from '../kit/database/row.ts'

const schema = defineEntity({
  name: 'SocialPublication',
  tableName: 'social_publications',
  properties: {
    ...tenantRow,
    social_connection_id: p.uuid(),
    type: p.enum(networkTypes),
    content: p.json<SocialContent>(),
    status: p.enum(SocialPublicationStatus.options).default('draft'),
    /** Unix seconds, like all times. */
    scheduled_at: p.bigint('number').nullable(),
    published_at: p.bigint('number').nullable(),
    provider_post_id: p.string().nullable(),
    permalink: p.string().length(2048).nullable(),
    error: p.json<PublicationError>().nullable(),
    issues: p.json<Issue[]>(),
    created_by: p.uuid(),
    /** Counts the changes, and the schedules after an end: what was made for an earlier run is not shown. */
    run: p.integer().default(0),
    /** The parts of this run were written. */
    planned: p.boolean().default(false),
    /** Its workflow was started: of one that is scheduled for a later day, the row waits. */
    started: p.boolean().default(false),
    /** What an operator found out about an unknown publication. */
    resolution: p.json<Resolution<PublicationOutcome>>().nullable(),
    /** When the workflow looks at the row again; null: it has nothing to wait for. */
    look_at: p.datetime(3).nullable(),
    search: searchColumn,
  },
  indexes: [
    { properties: ['tenant_id', 'created_at', 'id'] },
    { properties: ['tenant_id', 'updated_at', 'id'] },
    { properties: ['tenant_id', 'status', 'created_at', 'id'] },
    { properties: ['tenant_id', 'type', 'created_at', 'id'] },
    { properties: ['social_connection_id', 'created_at', 'id'] },
    {
      name: 'social_publications_scheduled',
      expression: `
        create index "social_publications_scheduled" on "social_publications" ("tenant_id", "scheduled_at", "id")
        where scheduled_at is not null
      `,
    },
    {
      name: 'social_publications_published',
      expression: `
        create index "social_publications_published" on "social_publications" ("tenant_id", "published_at", "id")
        where published_at is not null
      `,
    },
    {
      name: 'social_publications_due',
      expression: `
        create index "social_publications_due" on "social_publications" ("look_at")
        where look_at is not null
      `,
    },
    {
      name: 'social_publications_waiting',
      expression: `
        create index "social_publications_waiting" on "social_publications" ("scheduled_at")
        where status = 'scheduled' and not started
      `,
    },
    {
      name: 'social_publications_search',
      expression: 'create index "social_publications_search" on "social_publications" using gin ("search")',
    },
  ],
  checks: [
    // A post that is visible has its time, and a publication that waits has its own.
    {
      name: 'social_publications_times',
      expression: `
        case status
          when 'published' then published_at is not null
          when 'scheduled' then scheduled_at is not null
          when 'publishing' then scheduled_at is not null
          else true
        end
      `,
    },
  ],
})
export class SocialPublication extends schema.class {}
schema.setClass(SocialPublication)
