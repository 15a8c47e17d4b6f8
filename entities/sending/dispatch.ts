// The mailboxes whose campaign messages are drained: what a drain reads of one, when it has to begin again, and which
// ones were left behind.
import type { EntityManager } from '@mikro-orm/postgresql'
import { nextOpening } from '../../rules/campaigns/send-windows.ts'
import { type MailboxLimits, type ServerSecurity, usualLimits } from '../../rules/mail/mailboxes.ts'
import { MISSED_START_S } from '../../rules/sending/sending.ts'
import { storeName } from '../../rules/stores/store-name.ts'
import type { SendWindow } from '../campaigns/campaign.ts'
import { json, type Sql, sql, statementSecond, text } from '../kit/database/sql.ts'
import { decrypt } from '../kit/encrypted.ts'
import { type LateRows, partBy, partOf } from '../kit/late-rows.ts'
import { accountOf } from '../stores/tenant-owner.ts'
import { completeCampaigns } from './completion.ts'
import { noLongerWanted } from './sending.ts'

/**
 * Messages of its steps are sent now: it runs, and its window is open. `mailboxes`: how many of its mailboxes can send
 * now, this one included.
 */
export type OpenCampaign = {
  id: string
  name: string
  variables: Record<string, unknown>
  reply_to: string | null
  mailboxes: number
}

export type Attended = {
  id: string
  tenant_id: string
  /** The account that created the store, for its turns. */
  account_id: string
  store: { key: string; name: string }
  email: string
  name: string | null
  reply_to: string | null
  /** When an operator wrote its settings. */
  edited_at: number
  smtp: {
    host: string
    port: number
    security: (typeof ServerSecurity.options)[number]
    username: string | null
    password: string | null
  }
  limits: MailboxLimits
  campaigns: OpenCampaign[]
  /** Milliseconds until its server may be tried again. */
  again_ms: number
  /** How often in a row it could not send, and why. */
  failures: number
  error_code: string | null
  others_wait: boolean
}

type CampaignRow = OpenCampaign & { send_window: SendWindow | null }
type Row = Omit<Attended, 'id' | 'smtp' | 'limits' | 'store' | 'campaigns'> & {
  smtp: Omit<Attended['smtp'], 'password'>
  smtp_password: string | null
  limits: Partial<MailboxLimits>
  store: { key: string; timezone: string; settings: { name: unknown } }
  campaigns: CampaignRow[]
}

/** The campaigns that name the mailbox `b`. */
const ofMailbox = text('c.tenant_id = b.tenant_id and c.mailbox_ids @> jsonb_build_array(b.id)')
const missed = sql`(c.scheduled_at < ${statementSecond} - ${MISSED_START_S}::int)`
const missedReason = json({
  code: 'missed_start',
  message: 'The campaign could not be started within an hour after its time. Resume it to send it now.',
})

/** The mailboxes of the campaign `c` that can send now, `b` included. */
const awake = sql`
  case
    when jsonb_array_length(c.mailbox_ids) = 1 then 1
    else (
      select count(*)::int
      from mailboxes o
      where o.tenant_id = c.tenant_id
        and o.id in (select x.id::uuid from jsonb_array_elements_text(c.mailbox_ids) x(id))
        and (
          o.id = b.id
          or o.status = 'active' and (o.sending_again_at is null or o.sending_again_at <= clock_timestamp())
        )
    )
  end
`

/** Those whose window is open at `now`, in Unix seconds. */
const isOpen = (window: SendWindow | null, zone: string, now: number): boolean => nextOpening(window, zone, now) === now

/**
 * Reads an active mailbox, and records that a drain sends its messages for another `awakeMs`. Its campaigns whose time
 * has come start, those that missed it by an hour are paused. Null: the mailbox is archived or deleted. `now` in Unix
 * seconds.
 */
export async function attend(
  em: EntityManager,
  mailboxId: string,
  awakeMs: number,
  now: number,
): Promise<Attended | null> {
  // Campaigns that another transaction has locked are skipped: the next drain starts them.
  const [row]: Row[] = await em.execute(sql`
    with started_campaigns as (
      update campaigns x
      set updated_at = ${statementSecond}, status = case when c.missed then 'paused' else 'running' end,
        paused_reason = case when c.missed then ${missedReason} end,
        begun_at = case when c.missed then x.begun_at else coalesce(x.begun_at, ${statementSecond}) end
      from (
        select c.id, ${missed} as missed
        from campaigns c, mailboxes b
        where b.id = ${mailboxId}
          and b.status = 'active'
          and ${ofMailbox}
          and c.status = 'scheduled'
          and c.scheduled_at <= ${statementSecond}
        order by c.id
        for update of c skip locked
      ) c
      where x.id = c.id
    )
    update mailboxes b
    set awake_until = clock_timestamp() + make_interval(secs => ${awakeMs / 1000})
    where b.id = ${mailboxId} and b.status = 'active'
    returning b.tenant_id, ${accountOf(sql`b.tenant_id`)} as account_id, b.email, b.name, b.reply_to,
      b.updated_at as edited_at, b.smtp_password, b.limits, b.sending_failures as failures,
      b.sending_error ->> 'code' as error_code,
      jsonb_build_object(
        'host', b.smtp_host, 'port', b.smtp_port, 'security', b.smtp_security, 'username', b.smtp_username
      ) as smtp,
      coalesce(greatest(0, extract(epoch from b.sending_again_at - clock_timestamp()) * 1000), 0)::float8 as again_ms,
      exists (
        select 1
        from task_slot_counts k
        where k.tenant_id = b.tenant_id and k.queue = 'campaigns' and k.waiting > 0
      ) as others_wait,
      (
        select jsonb_build_object(
          'key', t.key, 'timezone', t.timezone, 'settings', jsonb_build_object('name', t.settings -> 'name')
        )
        from tenants t
        where t.id = b.tenant_id
      ) as store,
      (
        select coalesce(
          jsonb_agg(
            jsonb_build_object(
              'id', c.id, 'name', c.name, 'variables', c.variables, 'reply_to', c.reply_to, 'send_window',
              c.send_window, 'mailboxes', ${awake}
            )
            order by c.id
          ),
          '[]'
        )
        from campaigns c
        where ${ofMailbox} and c.status = 'running'
      ) as campaigns
  `)
  if (!row) return null
  const { smtp, smtp_password, limits, store, campaigns, ...rest } = row
  return {
    ...rest,
    id: mailboxId,
    store: { key: store.key, name: storeName(store) },
    smtp: { ...smtp, password: smtp_password === null ? null : decrypt(smtp_password) },
    limits: { ...usualLimits, ...limits },
    campaigns: campaigns
      .filter(({ send_window }) => isOpen(send_window, store.timezone, now))
      .map(({ send_window: _, ...campaign }) => campaign),
  }
}

const clearAwake = (em: EntityManager, mailboxId: string) =>
  em.execute(sql`update mailboxes set awake_until = null where id = ${mailboxId}`)

type Due = { send_window: SendWindow | null; timezone: string; wait_ms: number | null }

/** Milliseconds until the first of these is due and its window open; null for none. */
function firstOf(due: readonly Due[], now: number): number | null {
  const waits = due.flatMap(({ send_window, timezone, wait_ms }) => {
    const opens = nextOpening(send_window, timezone, now)
    return wait_ms === null || opens === null ? [] : [Math.max(0, wait_ms, (opens - now) * 1000)]
  })
  return waits.length === 0 ? null : Math.ceil(Math.min(...waits))
}

const waitMs = (at: Sql): Sql => sql`(extract(epoch from ${at} - clock_timestamp()) * 1000)::float8`

/** The first enrollment of the campaign `c` without a message of its step: one with a message is leased no more. */
const nextOf = (mailbox: Sql): Sql => sql`
  select e.due_at
  from enrollments e
  where e.campaign_id = c.id
    and e.tenant_id = c.tenant_id
    and ${mailbox}
    and e.status = 'active'
    and e.due_at is not null
    and not exists (
      select 1
      from campaign_messages m
      where m.enrollment_id = e.id and m.step = e.step and m.kind = 'step'
    )
  order by e.due_at
  limit 1
`

/**
 * When the next message of each campaign of the mailboxes `b` is due, or one that a lost drain had stamped is settled.
 */
const dueOf = sql`
  select b.id, b.tenant_id, t.timezone, c.send_window,
    ${waitMs(sql`
      case
        when c.status = 'scheduled' then to_timestamp(c.scheduled_at)
        else least(
          (${nextOf(sql`e.mailbox_id = b.id`)}), (${nextOf(sql`e.mailbox_id is null`)}),
          (
            select min(m.due_at)
            from campaign_messages m
            where m.mailbox_id = b.id and m.campaign_id = c.id and m.status = 'requested' and m.kind = 'step'
          ),
          (
            select min(m.deadline_at)
            from campaign_messages m
            where m.campaign_id = c.id and m.status = 'processing' and m.mailbox_id = b.id and m.kind = 'step'
          )
        )
      end
    `)} as wait_ms,
    ${waitMs(sql`b.sending_again_at`)} as again_ms
  from mailboxes b
  join tenants t on t.id = b.tenant_id
  join campaigns c on ${ofMailbox} and c.status in ('running', 'scheduled')
`

/** Messages of ended campaigns that were written ahead have failed: they are not sent any more. */
const failEnded = (em: EntityManager, mailboxId: string) =>
  // Locked by id; messages that another transaction settles are skipped.
  em.execute(sql`
    with failed_messages as (
      update campaign_messages m
      set status = 'failed', error = ${noLongerWanted}, settled_at = clock_timestamp(), updated_at = ${statementSecond}
      where m.id in (
        select x.id
        from campaign_messages x
        join campaigns c
          on c.id = x.campaign_id
          and c.tenant_id = x.tenant_id
          and c.status in ('cancelled', 'completed')
        where x.mailbox_id = ${mailboxId} and x.status = 'requested' and x.kind = 'step'
        order by x.id
        for no key update of x skip locked
      )
      returning m.campaign_id, m.step
    )
    update campaign_stats s
    set requested = s.requested - f.n, failed = s.failed + f.n
    from (select campaign_id, step, count(*)::int as n from failed_messages group by 1, 2) f
    where s.campaign_id = f.campaign_id and s.step = f.step and s.mailbox_id = ${mailboxId}
  `)

/** Clears the queue of a mailbox that is archived or deleted. */
export async function clear(em: EntityManager, mailboxId: string): Promise<void> {
  await failEnded(em, mailboxId)
  await clearAwake(em, mailboxId)
}

/**
 * Records that the drain has ended, completes campaigns without active enrollments, and fails what was written ahead of
 * ended ones. Returns the milliseconds until the next message may be sent; null if none is left. `now` in Unix seconds.
 */
export async function leave(
  em: EntityManager,
  { id, tenant_id }: Pick<Attended, 'id' | 'tenant_id'>,
  now: number,
): Promise<number | null> {
  await completeCampaigns(
    em,
    sql`
      array(
        select c.id
        from campaigns c, mailboxes b
        where b.id = ${id} and b.tenant_id = ${tenant_id} and c.status = 'running' and ${ofMailbox}
      )
    `,
  )
  await failEnded(em, id)
  await clearAwake(em, id)
  // A statement of its own sees rows that were committed before the mark was cleared.
  const due: (Due & { again_ms: number | null })[] = await em.execute(
    sql`${dueOf} where b.id = ${id} and b.tenant_id = ${tenant_id} and b.status = 'active'`,
  )
  const wait = firstOf(due, now)
  return wait === null ? null : Math.ceil(Math.max(wait, due[0]?.again_ms ?? 0))
}

/**
 * Active mailboxes with messages that are due for `idleS` seconds, that no drain sends, and that do not wait for a
 * slot. Each is a row with all of its campaigns: a part never ends within one. Many have closed windows, so that a part
 * has more than `limit`. Of all tenants; each row names its own.
 */
export const lateMailboxes: LateRows = async (em, { idleS, now, limit, after }) => {
  const most = 20 * limit
  const { key, beyond, order } = partBy('d.id', 'uuid', { limit: most, after }, 'd.id')
  const found: { id: string; tenant_id: string; due: Due[]; at: string; row_id: string }[] = await em.execute(sql`
    select d.id, d.tenant_id, ${key},
      jsonb_agg(
        jsonb_build_object('send_window', d.send_window, 'timezone', d.timezone, 'wait_ms', d.wait_ms)
      ) as due
    from (
      ${dueOf} where b.status = 'active'
      and (b.awake_until is null or b.awake_until < statement_timestamp())
      and not exists (select 1 from task_slots s where s.id = b.id and s.tenant_id = b.tenant_id and not s.granted)
      and (b.sending_again_at is null or b.sending_again_at < statement_timestamp())
    ) d
    where d.wait_ms < ${-1000 * idleS}::float8 ${beyond}
    group by d.id, d.tenant_id
    ${order}
  `)
  const part = partOf(found, most)
  const late = part.rows.filter(({ due }) => firstOf(due, now) === 0)
  return { rows: late.map(({ id, tenant_id }) => ({ id, tenant_id })), after: part.after }
}
