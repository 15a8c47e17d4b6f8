// One message of a campaign: an effect. Its body is given to a mail server once at most.
import { defineEntity, p } from '@mikro-orm/core'
import { MessageKind } from '../../rules/campaigns/campaigns.ts'
import type { BounceClass } from '../../rules/inbox/bounces.ts'
import type { RefundOutcome } from '../../rules/payments/payments.ts'
import type { Resolution } from '../../rules/resolutions.ts'
import { Campaign } from '../campaigns/campaign.ts'
import { Enrollment } from '../campaigns/enrollment.ts'
import { tenantRow } from '../kit/database/row.ts'
import { attentionIndexes, effect } from '../kit/effect-columns.ts'
import { Encrypted } from '../kit/encrypted.ts'

/** `digest`: SHA-256 of the file, which must be the same when it is sent. */
export type Attachment = { media_id: string; name: string; mime_type: string; size: number; digest: string }

const schema = defineEntity({
  name: 'CampaignMessage',
  tableName: 'campaign_messages',
  properties: {
    ...tenantRow,
    campaign_id: () => p.manyToOne(Campaign).mapToPk().deleteRule('cascade').joinColumn('campaign_id'),
    /** Null: a test message to another address. */
    enrollment_id: () => p.manyToOne(Enrollment).mapToPk().deleteRule('cascade').joinColumn('enrollment_id').nullable(),
    kind: p.enum(MessageKind.options),
    /** Null: a reply of an operator. */
    step: p.integer().nullable(),
    /** A new one, from 1, after the server deferred the message in reply to its final dot. */
    try: p.integer().default(1),
    mailbox_id: p.uuid(),
    template_id: p.uuid().nullable(),
    /** The address that it is sent to. */
    address: p.string().length(254),
    /** JSON of what the template was rendered with. Lists do not read it. */
    variables: p.type(Encrypted).nullable().lazy(),
    /** Null, like the content: the template could not be rendered. */
    subject: p.text().nullable(),
    /**
     * HTML and text (entities/sending/content.ts), compressed; of a step with the step's dictionary. Lists do not read
     * it.
     */
    content: p.blob().nullable().lazy(),
    attachments: p.json<Attachment[]>(),
    /** When the next attempt is due. */
    due_at: p.datetime(3).nullable(),
    /** The caller's id: the same id with other content is a conflict. */
    message_id: p.uuid().nullable(),
    /** What the server calls it, where its reply says so. */
    provider_message_id: p.string().nullable(),
    bounced_at: p.bigint('number').nullable(),
    /** `class`: rules/inbox/bounces.ts; `delayed` without `bounced_at`: the server keeps trying. */
    bounce: p.json<{ status: string | null; diagnostic: string | null; class: BounceClass | 'delayed' }>().nullable(),
    complained_at: p.bigint('number').nullable(),
    ...effect,
    /** What an owner found out about an unknown message. */
    resolution: p.json<Resolution<RefundOutcome>>().nullable(),
  },
  indexes: [
    // A message has three versions, and each is written to every index that holds it: where few rows are looked for,
    // only those are.
    {
      name: 'campaign_messages_message',
      expression: `
        create unique index "campaign_messages_message" on "campaign_messages" ("tenant_id", "message_id")
        where message_id is not null
      `,
    },
    {
      name: 'campaign_messages_once',
      expression: `
        create unique index "campaign_messages_once" on "campaign_messages" ("enrollment_id", "step", "try")
        where kind = 'step'
      `,
    },
    { properties: ['enrollment_id', 'created_at', 'id'] },
    { properties: ['campaign_id', 'created_at', 'id'] },
    { properties: ['campaign_id', 'status', 'created_at', 'id'] },
    { properties: ['campaign_id', 'step', 'created_at', 'id'] },
    {
      name: 'campaign_messages_kind',
      expression: `
        create index "campaign_messages_kind" on "campaign_messages" ("campaign_id", "kind", "created_at", "id")
        where kind <> 'step'
      `,
    },
    {
      name: 'campaign_messages_returned',
      expression: `
        create index "campaign_messages_returned" on "campaign_messages" ("campaign_id", "created_at", "id")
        where bounced_at is not null
      `,
    },
    {
      name: 'campaign_messages_open',
      expression: `
        create index "campaign_messages_open" on "campaign_messages" ("created_at")
        where status in ('requested', 'processing')
      `,
    },
    {
      name: 'campaign_messages_due',
      expression: `
        create index "campaign_messages_due" on "campaign_messages" ("mailbox_id", "due_at", "id")
        where status = 'requested'
      `,
    },
    {
      // Soft bounces of an address are counted.
      name: 'campaign_messages_bounced_address',
      expression: `
        create index "campaign_messages_bounced_address" on "campaign_messages" ("tenant_id", "address", "bounced_at")
        where bounced_at is not null
      `,
    },
    {
      name: 'campaign_messages_provider',
      expression: `
        create index "campaign_messages_provider" on "campaign_messages" ("provider_message_id")
        where provider_message_id is not null
      `,
    },
    ...attentionIndexes('campaign_messages'),
  ],
})
export class CampaignMessage extends schema.class {}
schema.setClass(CampaignMessage)
