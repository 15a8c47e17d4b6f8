// What arrives by a channel: the contact, the chat, the message and the turn that answers it are written in one
// transaction, once for each update.
import type { EntityManager } from '@mikro-orm/postgresql'
import { config } from '../../config.ts'
import { CHANNEL_PROVIDER, type ChannelAction, type Update } from '../../rules/agents/channels.ts'
import { type AgentStatus, CHAT_WINDOW_S, type ChatMode, type ChatStatus, excerpt } from '../../rules/agents/chats.ts'
import { countInWindow } from '../accounts/rate-windows.ts'
import { Contact } from '../crm/contact.ts'
import { ContactChannel } from '../crm/contact-channel.ts'
import { nameNewContacts } from '../crm/contact-words.ts'
import { insertion, insertSelect } from '../kit/database/insert.ts'
import { nothing, sql } from '../kit/database/sql.ts'
import { decrypt } from '../kit/encrypted.ts'
import { newId } from '../kit/ids.ts'
import { Chat } from './chat.ts'
import { addMessage, said, takingOver } from './messages.ts'

/** `agent_id` null: no agent serves it. `archived`: the business is. */
export type Receiver = {
  id: string
  tenant_id: string
  secret: string
  action: ChannelAction | null
  archived: boolean
  agent_id: string | null
  agent_status: AgentStatus | null
}

/**
 * The channel that an update was sent to, with the agent that serves it. Of any tenant, by its own id, which the caller
 * proves by the secret.
 */
export async function receiverOf(em: EntityManager, id: string): Promise<Receiver | null> {
  const [found]: Receiver[] = await em.execute(sql`
    select h.id, h.tenant_id, h.secret, i.settings ->> 'action' as action, n.status = 'ARCHIVED' as archived,
      a.id as agent_id, a.status as agent_status
    from channels h
    join integrations i on i.id = h.id and i.tenant_id = h.tenant_id
    join tenants n on n.id = h.tenant_id and n.erasing_at is null
    left join agents a
      on a.tenant_id = h.tenant_id
      and a.deleted_at is null
      and a.channel_ids @> jsonb_build_array(h.id::text)
    where h.id = ${id} and h.deleted_at is null
  `)
  return found ? { ...found, secret: decrypt(found.secret) } : null
}

/**
 * The contact who has the channel, whose row is locked: of two updates of a person the second one waits. A new one is
 * never verified.
 */
async function contactOf(em: EntityManager, { id, tenant_id }: Receiver, userId: number, now: number): Promise<string> {
  const subject = `${id}:${userId}`
  const find = async (): Promise<string | undefined> => {
    const [found]: { contact_id: string }[] = await em.execute(sql`
      select contact_id
      from contact_channels
      where tenant_id = ${tenant_id} and provider = ${CHANNEL_PROVIDER} and provider_subject = ${subject}
      for no key update
    `)
    return found?.contact_id
  }
  const contactId = await find()
  if (contactId) return contactId
  const same = { tenant_id, created_at: now, updated_at: now }
  const contact_id = newId()
  const channel = {
    ...same,
    id: newId(),
    contact_id,
    type: 'social' as const,
    address: subject,
    provider: CHANNEL_PROVIDER,
    provider_subject: subject,
    is_primary: true,
  }
  const contact = { ...same, id: sql`channel.contact_id`, taxonomies: [] }
  const made: unknown[] = await em.execute(sql`
    with channel as (
      ${insertion(em, ContactChannel, channel)}
      on conflict (tenant_id, provider, provider_subject) where provider_subject is not null do nothing
      returning contact_id
    )
    ${insertSelect(em, Contact, contact)}
    from channel
    returning id
  `)
  if (made.length > 0) {
    await nameNewContacts(em, tenant_id, [{ contact_id, address: subject }])
    return contact_id
  }
  // Another update of the person was committed meanwhile.
  const found = await find()
  if (!found) throw new Error('a channel of a contact is neither found nor written')
  return found
}

type Found = { id: string; status: ChatStatus; mode: ChatMode }
/** `seen`: the message of the update was written before. */
type Sought = { seen: boolean } & { [Name in keyof Found]: Found[Name] | null }

/**
 * Writes the message of an update, unless it was written before, and begins a turn, unless people answer: the channel
 * is an inbox, its agent is disabled, the business is archived, or a person has the chat.
 * No turn answers the message of a contact who writes too much: a service that is refused sends the same update without
 * end. At most nine statements. `now` in Unix seconds.
 */
export async function receiveUpdate(
  em: EntityManager,
  receiver: Receiver,
  { update_id, user_id, name, text }: Update,
  now: number,
): Promise<void> {
  const { id: channel_id, tenant_id, agent_id, agent_status, action, archived } = receiver
  if (agent_id === null) return
  const contact_id = await contactOf(em, receiver, user_id, now)
  const external_id = String(user_id)
  // After the lock: an equal update that was being written is seen.
  const [found]: Sought[] = await em.execute(sql`
    with open_chat as (
      select id, status, mode
      from chats
      where tenant_id = ${tenant_id}
        and agent_id = ${agent_id}
        and channel_id = ${channel_id}
        and external_id = ${external_id}
        and status <> 'archived'
      order by created_at desc, id desc
      limit 1
      for no key update
    )
    select receipt.seen, open_chat.id, open_chat.status, open_chat.mode
    from (
      select exists (
        select 1
        from chat_messages
        where tenant_id = ${tenant_id} and channel_id = ${channel_id} and update_id = ${update_id}
      ) as seen
    ) receipt
    left join open_chat on true
  `)
  if (found?.seen) return
  const chat = found?.id ? (found as Found) : null
  const byPeople = action === 'inbox' || agent_status === 'disabled' || archived
  const isLimited =
    !byPeople && (await countInWindow(em, `chat:${contact_id}`, CHAT_WINDOW_S, now)).count > config.rate.chatPerContact
  const refused = isLimited ? 'too_many_requests' : null
  const row = {
    ...{ agent_id, chat_id: chat?.id ?? null, direct: false, message_id: null, fingerprint: null, content: text },
    ...{ account_id: null, verified: false, role: 'user' as const, channel_id, update_id, refused },
  }
  if (!chat) {
    const begun = {
      id: newId(),
      tenant_id,
      created_at: now,
      updated_at: now,
      agent_id,
      contact_id,
      channel_id,
      external_id,
      external_name: name,
    }
    const mode: ChatMode = byPeople ? 'human' : 'agent'
    await addMessage(
      em,
      tenant_id,
      insertion(em, Chat, { ...begun, mode, last_message: excerpt(text), last_message_at: now, message_count: 1 }),
      row,
      now,
    )
    return
  }
  if (byPeople && chat.mode === 'agent')
    await em.execute(sql`
      with chat as (
        update chats
        set mode = 'human', version = version + 1
        where tenant_id = ${tenant_id} and id = ${chat.id}
        returning id
      ),
      ${takingOver(tenant_id, now)}
      select 1
    `)
  // A message opens a resolved chat again, and the model reads what is written from then on.
  const again = chat.status === 'resolved' ? sql`status = 'active', history_seq = message_count,` : nothing
  await addMessage(
    em,
    tenant_id,
    sql`
      update chats
      set ${again} contact_id = ${contact_id}, external_name = ${name}, ${said(text, now)}
      where tenant_id = ${tenant_id} and id = ${chat.id}
    `,
    row,
    now,
  )
}
