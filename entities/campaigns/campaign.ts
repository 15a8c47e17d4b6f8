// A campaign: e-mails in steps, sent to the contacts that were enrolled before its launch.
import { defineEntity, p } from '@mikro-orm/core'
import { CampaignStatus } from '../../rules/campaigns/campaigns.ts'
import { tenantRow } from '../kit/database/row.ts'

/** `delay_s`: after the step before. `in_thread`: a reply to the first message. */
export type StepSetup = { template_id: string; delay_s: number; variables: Record<string, unknown>; in_thread: boolean }
/** Days 0 (Sunday) to 6; `from` and `to` as HH:MM, in the store's time zone. */
export type SendWindow = { days: number[]; from: string; to: string }

const schema = defineEntity({
  name: 'Campaign',
  tableName: 'campaigns',
  properties: {
    ...tenantRow,
    name: p.string(),
    status: p.enum(CampaignStatus.options).default('draft'),
    mailbox_ids: p.json<string[]>(),
    /** The steps as they are edited; a launch copies them to `campaign_steps`. */
    steps: p.json<StepSetup[]>(),
    variables: p.json<Record<string, unknown>>(),
    reply_to: p.string().nullable(),
    stop_on_reply: p.boolean().default(true),
    send_window: p.json<SendWindow>().nullable(),
    /** Unix seconds, like all times. */
    scheduled_at: p.bigint('number').nullable(),
    launched_at: p.bigint('number').nullable(),
    /** When it ran for the first time. */
    begun_at: p.bigint('number').nullable(),
    ended_at: p.bigint('number').nullable(),
    /** Why it was paused by the server, or by an operator. */
    paused_reason: p.json<{ code: string; message: string }>().nullable(),
    /** The counters at the last pause for bounces, complaints or refusals. Rows of version 0.2 have the first three. */
    breaker_base: p
      .json<{
        sent: number
        bounced: number
        complained: number
        succeeded?: number
        refused?: number
        distrusted?: number
      }>()
      .nullable(),
  },
  indexes: [
    { properties: ['tenant_id', 'created_at', 'id'] },
    { properties: ['tenant_id', 'updated_at', 'id'] },
    { properties: ['tenant_id', 'status', 'created_at', 'id'] },
    {
      name: 'campaigns_scheduled',
      expression: `create index "campaigns_scheduled" on "campaigns" ("scheduled_at") where status = 'scheduled'`,
    },
    {
      name: 'campaigns_running',
      expression: `create index "campaigns_running" on "campaigns" ("id") where status = 'running'`,
    },
  ],
})
export class Campaign extends schema.class {}
schema.setClass(Campaign)
