// Messages to visitors of channels. Those of a chat are sent one after another, in the order of the chat: the
// settlement of one starts the next.
import type { EntityManager } from '@mikro-orm/postgresql'
import { isSentAgain, partsOf } from '../../rules/agents/channels.ts'
import type { EffectStatus } from '../../rules/effects.ts'
import { insertSelect } from '../kit/database/insert.ts'
import { json, sql } from '../kit/database/sql.ts'
import { effectRow } from '../kit/effects.ts'
import { newId, newIdSql } from '../kit/ids.ts'
import { startFound } from '../kit/outbox.ts'
import { OutboxRow } from '../kit/outbox-row.ts'
import { freeSlot, lockCountsOfSlot, type Place } from '../platform/task-slots.ts'
import { ChannelMessage } from './channel-message.ts'

type Chat = { id: string; tenant_id: string; channel_id: string }

/**
 * Sends a message of a chat by its channel. Requires that the chat was locked by an earlier statement: what is open is
 * read without waiting. One statement. `byTurn`: the message is the answer of this turn, if it has one; otherwise a
 * person wrote the message `id`.
 */
export async function sendByChannel(
  em: EntityManager,
  { id: chat_id, tenant_id, channel_id }: Chat,
  which: { id: string } | { byTurn: string },
  content: string,
  now: number,
): Promise<void> {
  const byTurn = 'byTurn' in which
  const same = { tenant_id, created_at: now, updated_at: now, channel_id, chat_id, fingerprint: '' }
  const row = {
    ...same,
    id: newIdSql,
    message_id: sql`message.id`,
    seq: sql`message.seq`,
    part: sql`p.n`,
    version: byTurn ? sql`message.version` : null,
  }
  const begun = { id: newId(), kind: 'channel_message', row_id: sql`parts.id`, tenant_id, again: false }
  const found = byTurn ? sql`turn_id = ${which.byTurn} and role = 'assistant'` : sql`id = ${which.id}`
  await em.execute(sql`
    with message as (
      select id, seq, version
      from chat_messages
      where tenant_id = ${tenant_id} and chat_id = ${chat_id} and ${found}
    ),
    parts as (
      ${insertSelect(em, ChannelMessage, row)}
      from message
      cross join generate_series(1, ${partsOf(content).length}::int) as p(n)
      on conflict (tenant_id, message_id, part, try) do nothing
      returning id, message_id, part
    ),
    pending_message as (
      update chat_messages w
      set delivery_status = 'pending', updated_at = ${now}
      from parts
      where w.tenant_id = ${tenant_id} and w.id = parts.message_id and parts.part = 1
    )
    ${insertSelect(em, OutboxRow, begun)}
    from parts
    where parts.part = 1
      and not exists (
        select 1
        from channel_messages b
        where b.tenant_id = ${tenant_id} and b.chat_id = ${chat_id} and b.status in ('requested', 'processing')
      )
  `)
}

/** Locks the chat: no message is added to it while the next one is looked for. */
async function lock(em: EntityManager, id: string): Promise<void> {
  await em.execute(sql`
    select c.id
    from chats c
    join channel_messages e on e.chat_id = c.id and e.tenant_id = c.tenant_id
    where e.id = ${id}
    for no key update of c
  `)
  await lockCountsOfSlot(em, id)
}

type Settled = Chat & {
  message_id: string
  part: number
  try: number
  status: EffectStatus
  retry_after: number | null
  http_status: number | null
  sent_at: number | null
}

const incomplete = json({ code: 'message_incomplete', message: 'An earlier part of the message was not sent.' })

/** The bot API refused the token: operators see it at the channel, unless that was connected again since. */
const failChannel = (em: EntityManager, { tenant_id, channel_id, sent_at }: Settled): Promise<unknown> => {
  const error = { code: 'channel_refused', message: 'The bot API refused the token.', provider_status: 401 }
  return em.execute(sql`
    update channels
    set status = 'failed', error = ${json(error)}, updated_at = extract(epoch from clock_timestamp())::bigint
    where id = ${channel_id} and tenant_id = ${tenant_id} and status = 'connected' and updated_at <= ${sent_at ?? 0}
  `)
}

/** A message that the provider deferred is written once more, due when the provider said. */
const sendAgain = (
  em: EntityManager,
  id: string,
  { tenant_id, try: tries }: Settled,
  retryAfterS: number,
): Promise<unknown> => {
  const same = { id: newId(), tenant_id, created_at: sql`e.created_at`, updated_at: sql`e.updated_at`, fingerprint: '' }
  const place = {
    channel_id: sql`e.channel_id`,
    chat_id: sql`e.chat_id`,
    message_id: sql`e.message_id`,
    seq: sql`e.seq`,
    part: sql`e.part`,
    version: sql`e.version`,
  }
  const row = {
    ...same,
    ...place,
    try: tries + 1,
    due_at: sql`clock_timestamp() + make_interval(secs => ${retryAfterS})`,
  }
  return em.execute(sql`
    ${insertSelect(em, ChannelMessage, row)}
    from channel_messages e
    where e.tenant_id = ${tenant_id} and e.id = ${id}
  `)
}

/** What the message of the chat shows of its parts: the last try of each. */
const showDelivery = (em: EntityManager, { tenant_id, message_id }: Settled): Promise<unknown> =>
  em.execute(sql`
    with latest_parts as (
      select distinct on (part) status, error ->> 'code' as code
      from channel_messages
      where tenant_id = ${tenant_id} and message_id = ${message_id}
      order by part, try desc
    ),
    delivery as (
      select
        case
          when bool_or(status in ('requested', 'processing')) then 'pending'
          when bool_or(status = 'unknown') then 'unknown'
          when bool_or(status = 'rejected') then 'rejected'
          when bool_or(status = 'failed') then 'failed'
          else 'sent'
        end as status,
        min(code) filter (
          where status in ('unknown', 'rejected')
          or status = 'failed' and code <> 'message_incomplete'
        ) as code
      from latest_parts
    )
    update chat_messages m
    set delivery_status = delivery.status,
      error = case when delivery.status in ('unknown', 'rejected', 'failed') then delivery.code end,
      updated_at = extract(epoch from clock_timestamp())::bigint
    from delivery
    where m.tenant_id = ${tenant_id} and m.id = ${message_id}
  `)

async function afterStatusChange(em: EntityManager, id: string): Promise<void> {
  await freeSlot(em, id)
  const [row]: Settled[] = await em.execute(sql`
    select chat_id as id, tenant_id, channel_id, message_id, part, try, status, retry_after,
      (evidence ->> 'status')::int as http_status, extract(epoch from sent_at)::float8 as sent_at
    from channel_messages
    where id = ${id}
  `)
  if (!row) return
  const { tenant_id, status, part, retry_after } = row
  if (status === 'rejected' && retry_after !== null && isSentAgain(row.try, retry_after))
    await sendAgain(em, id, row, retry_after)
  // The rest of a message without its beginning is of no use.
  else if (status === 'rejected' || status === 'failed')
    await em.execute(sql`
      update channel_messages
      set status = 'failed', settled_at = clock_timestamp(), error = ${incomplete}
      where tenant_id = ${tenant_id} and message_id = ${row.message_id} and part > ${part} and status = 'requested'
    `)
  if (status === 'rejected' && row.http_status === 401) await failChannel(em, row)
  await showDelivery(em, row)
  await startFound(
    em,
    'channel_message',
    sql`
      select id, tenant_id
      from (
        select id, tenant_id, status
        from channel_messages
        where tenant_id = ${tenant_id} and chat_id = ${row.id} and status in ('requested', 'processing')
        order by seq, part, try
        limit 1
      ) next_part
      where next_part.status = 'requested'
    `,
    { signal: true },
  )
}

export const channelMessageEffect = effectRow('channel_message', {
  // `for share`: a person who takes the chat over waits for the stamp, or is seen by it.
  precondition: sql`
    exists (
      select 1
      from chats c
      where c.tenant_id = e.tenant_id
        and c.id = e.chat_id
        and (e.version is null or c.version = e.version)
        and exists (
          select 1
          from agents a
          where a.tenant_id = c.tenant_id and a.id = c.agent_id and a.deleted_at is null
        )
      for share of c
    )
  `,
  // It is its turn when the earlier ones of its chat are settled; the grant of its slot starts it.
  waits: sql`
    e.due_at > clock_timestamp()
    or exists (
      select 1
      from channel_messages b
      where b.tenant_id = e.tenant_id
        and b.chat_id = e.chat_id
        and b.status in ('requested', 'processing')
        and (b.seq, b.part, b.try) < (e.seq, e.part, e.try)
    )
    or exists (select 1 from task_slots s where s.id = e.id and s.tenant_id = e.tenant_id and not s.granted)
  `,
  lock,
  afterStatusChange,
  deferrable: true,
})

/**
 * Where a message that is to be sent takes a slot of its store, if it holds none: a bot API that hangs holds those of
 * its own store.
 */
export async function unslottedReply(em: EntityManager, id: string): Promise<Place | undefined> {
  const [found]: { tenant_id: string }[] = await em.execute(sql`
    select tenant_id
    from channel_messages e
    where id = ${id}
      and status = 'requested'
      and coalesce(due_at, clock_timestamp()) <= clock_timestamp()
      and not exists (select 1 from task_slots s where s.id = e.id and s.tenant_id = e.tenant_id and s.granted)
  `)
  return found && { tenant_id: found.tenant_id, queue: 'agents', kind: 'channel_message', row_id: id }
}

/** What is sent, as its records are now; null if the chat was deleted. `has_integration`: that of the channel. */
export type Sendable = {
  tenant_id: string
  channel_id: string
  external_id: string
  content: string
  part: number
  base_url: string | null
  has_integration: boolean
}
export async function sendable(em: EntityManager, id: string): Promise<Sendable | null> {
  const [found]: Sendable[] = await em.execute(sql`
    select e.tenant_id, e.channel_id, e.part, c.external_id, m.content, i.settings ->> 'base_url' as base_url,
      i.id is not null as has_integration
    from channel_messages e
    join chats c on c.id = e.chat_id and c.tenant_id = e.tenant_id
    join chat_messages m on m.id = e.message_id and m.tenant_id = e.tenant_id
    left join integrations i on i.id = e.channel_id and i.tenant_id = e.tenant_id
    where e.id = ${id}
  `)
  return found ?? null
}
