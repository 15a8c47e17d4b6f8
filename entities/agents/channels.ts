// Channels follow their integrations and the agents that serve them: each change is a new version of the row, and its
// process connects or disconnects the bot.
// Every change is made under the tenant's row, as those of integrations and agents are.
import { randomBytes } from 'node:crypto'
import { LockMode } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import {
  type ChannelError,
  type ChannelStatus,
  isStillPending,
  pauseOf,
  REMOVAL_TRIES_MAX,
} from '../../rules/agents/channels.ts'
import { type Bot, CHAT_BOT_BASE_URL, isSameBot } from '../../rules/agents/chat-bot.ts'
import { invalid } from '../../rules/refusal.ts'
// Backwards: a channel is the bot of an integration.
import { Integration } from '../automation/integration.ts'
import { insertion } from '../kit/database/insert.ts'
import { anyTenant } from '../kit/database/orm.ts'
import { sql } from '../kit/database/sql.ts'
import { decryptIfPossible, Unreadable } from '../kit/encrypted.ts'
import { uuids } from '../kit/ids.ts'
import { lateRows } from '../kit/late-rows.ts'
import { startAll } from '../kit/outbox.ts'
import { Channel } from './channel.ts'

type Provider = Pick<Integration, 'settings' | 'credentials'>

export const botOf = ({ settings, credentials }: Provider): Bot => ({
  base_url: (settings.base_url as string | undefined) ?? CHAT_BOT_BASE_URL,
  bot_token: (JSON.parse(credentials as string) as { bot_token: string }).bot_token,
})
const isSame = (a: Bot, b: Bot): boolean => a.base_url === b.base_url && a.bot_token === b.bot_token

/**
 * A new secret of a webhook, of the characters that the provider takes: letters, digits, hyphens and underscores
 * (Telegram Bot API, setWebhook).
 */
const newSecret = (): string => randomBytes(32).toString('base64url')

/** The worker may be writing that the webhook may be set. */
const locked = { lockMode: LockMode.PESSIMISTIC_WRITE } as const

const formerOf = ({ former }: Pick<Channel, 'former'>): Bot[] => (former ? JSON.parse(former as string) : [])

/** The process has to look at these channels. Makes the rows of those that have none. */
export async function touchChannels(
  em: EntityManager,
  tenantId: string,
  ids: readonly string[],
  now: number,
): Promise<void> {
  if (ids.length === 0) return
  for (const id of ids) {
    const row = insertion(em, Channel, {
      id,
      tenant_id: tenantId,
      created_at: now,
      updated_at: now,
      secret: newSecret(),
      look_at: now,
    })
    await em.execute(sql`
      ${row}
      on conflict (id) do update
      set version = channels.version + 1, status = 'pending', error = null, tries = 0, look_at = ${now},
        updated_at = ${now}
      where channels.tenant_id = ${tenantId}
    `)
  }
  await startAll(em, 'channel', ids, { tenant_id: tenantId, signal: true })
}

/**
 * 422 cannot_change: the visitors of another service have the numbers of visitors of this one, whose chats they would
 * continue. A bot that has moved keeps its number.
 */
export async function checkService(
  em: EntityManager,
  { id, tenant_id }: Integration,
  changed: Provider,
  before: Provider,
): Promise<void> {
  const [bot, earlier] = [botOf(changed), botOf(before)]
  if (bot.base_url === earlier.base_url || isSameBot({ ...bot, base_url: earlier.base_url }, earlier)) return
  const chats: unknown[] = await em.execute(
    sql`select 1 from chats where tenant_id = ${tenant_id} and channel_id = ${id} limit 1`,
  )
  if (chats.length > 0)
    throw invalid(
      '/provider/base_url',
      'cannot_change',
      'The integration has chats, and a bot of another service has other visitors. Create an integration for it.',
    )
}

/**
 * After an integration of a channel was created or changed. With another bot, updates of the earlier one are refused,
 * and its webhook is taken away.
 */
export async function followIntegration(
  em: EntityManager,
  integration: Integration,
  before: Provider | null,
  now: number,
): Promise<void> {
  const { id, tenant_id } = integration
  const [bot, earlier] = [botOf(integration), before && botOf(before)]
  const channel = await em.findOne(Channel, { id }, locked)
  if (channel && earlier && !isSame(bot, earlier)) {
    // A webhook of the same bot is left to its new token, also where the bot was another one in between.
    const leaves = channel.is_set && !isSameBot(bot, earlier)
    const formerBots = [...formerOf(channel), ...(leaves ? [earlier] : [])]
    const former = formerBots.filter((one) => !isSameBot(one, bot))
    em.assign(channel, {
      ...{
        secret: newSecret(),
        username: null,
        is_set: (channel.is_set && !leaves) || former.length < formerBots.length,
      },
      former: former.length > 0 ? JSON.stringify(former) : null,
    })
    await em.flush()
  }
  await touchChannels(em, tenant_id, [id], now)
}

/** Before an integration of a channel is deleted: its updates are refused from the commit on. */
export async function dropChannel(em: EntityManager, integration: Integration, now: number): Promise<void> {
  const channel = await em.findOne(Channel, { id: integration.id }, locked)
  if (!channel) return
  const former = channel.is_set ? [...formerOf(channel), botOf(integration)] : formerOf(channel)
  em.assign(channel, { deleted_at: now, former: former.length > 0 ? JSON.stringify(former) : null, is_set: false })
  await em.flush()
  await touchChannels(em, integration.tenant_id, [integration.id], now)
}

/** Whether an agent serves the channel of an integration. */
export async function isServed(em: EntityManager, tenantId: string, id: string): Promise<boolean> {
  const rows: unknown[] = await em.execute(sql`
    select 1
    from agents
    where tenant_id = ${tenantId} and deleted_at is null and channel_ids @> jsonb_build_array(${id}::text)
    limit 1
  `)
  return rows.length > 0
}

type Own = Pick<Channel, 'id' | 'tenant_id'>

/**
 * Other channels of the tenant that agents serve with the same bot, whose webhook is set for one of them. One
 * statement.
 */
async function servedWith(
  em: EntityManager,
  { id, tenant_id }: Own,
  bot: Bot,
): Promise<{ id: string; status: ChannelStatus }[]> {
  const rows: (Pick<Integration, 'id' | 'settings'> & { credentials: string; status: ChannelStatus })[] =
    await em.execute(sql`
      select i.id, i.settings, i.credentials, h.status
      from integrations i
      join channels h on h.id = i.id and h.tenant_id = i.tenant_id
      where i.tenant_id = ${tenant_id}
        and i.category = 'channel'
        and i.id <> ${id}
        and exists (
          select 1
          from agents a
          where a.tenant_id = i.tenant_id and a.deleted_at is null and a.channel_ids @> jsonb_build_array(i.id::text)
        )
    `)
  return rows.flatMap(({ credentials: sealed, status, ...row }) => {
    const credentials = decryptIfPossible(sealed)
    return credentials !== null && isSameBot(botOf({ ...row, credentials }), bot) ? [{ id: row.id, status }] : []
  })
}

/** The bot's webhook belongs to an older channel of the tenant, which may be connected. */
export const isBotTaken = async (em: EntityManager, channel: Own, bot: Bot): Promise<boolean> =>
  (await servedWith(em, channel, bot)).some(({ id, status }) => id < channel.id && status !== 'failed')

/**
 * The other channels that are served with the bot, or those of them that are connected, look at its webhook again.
 * False: there are none.
 */
export async function touchOthers(
  em: EntityManager,
  channel: Own,
  bot: Bot,
  which: 'all' | 'connected',
  now: number,
): Promise<boolean> {
  const others = (await servedWith(em, channel, bot)).filter(({ status }) => which === 'all' || status === which)
  await touchChannels(
    em,
    channel.tenant_id,
    others.map(({ id }) => id),
    now,
  )
  return others.length > 0
}

/**
 * What the process of a channel has to do. `bot`: its own, unless the integration was deleted; `served`: it is to
 * receive updates.
 */
export type ChannelPlan = Pick<Channel, 'id' | 'tenant_id' | 'version' | 'status' | 'is_set' | 'tries'> & {
  secret: string
  look_at: number
  username: string | null
  bot: Bot | null
  served: boolean
  former: Bot[]
}

async function planOf(em: EntityManager, channel: Channel): Promise<ChannelPlan> {
  const { id, tenant_id, version, status, is_set, tries, look_at, deleted_at, username = null } = channel
  const integration = deleted_at ? null : await em.findOne(Integration, { id, tenant_id }, anyTenant)
  return {
    ...{
      id,
      tenant_id,
      version,
      status,
      is_set,
      tries,
      username,
      look_at: look_at ?? 0,
      secret: channel.secret as string,
    },
    ...{
      bot: integration && botOf(integration),
      served: integration !== null && (await isServed(em, tenant_id, id)),
      former: formerOf(channel),
    },
  }
}

/** Reads what the process of a channel has to do. Null: there is nothing to do. Of any tenant, by its own id. */
export async function channelPlan(em: EntityManager, id: string): Promise<ChannelPlan | null> {
  const channel = await em.findOne(Channel, { id, look_at: { $ne: null } }, anyTenant)
  return channel && planOf(em, channel)
}

/** What of a channel may have to be taken away at its provider. */
export type LeftChannel = Pick<ChannelPlan, 'id' | 'is_set' | 'bot' | 'former'>

/** The bot of an integration; null if it is gone, or no key decrypts its credentials. */
const readableBot = (em: EntityManager, own: Own): Promise<Bot | null> =>
  em.findOne(Integration, own, anyTenant).then(
    (integration) => integration && botOf(integration),
    (error) => {
      if (!(error instanceof Unreadable)) throw error
      return null
    },
  )

/** The channels of a tenant that is being erased, with the bots whose tokens a key decrypts: others cannot be asked. */
export async function channelPlans(em: EntityManager, tenantId: string, limit: number): Promise<LeftChannel[]> {
  const rows: { id: string; is_set: boolean; is_deleted: boolean; former: string | null }[] = await em.execute(sql`
    select id, is_set, deleted_at is not null as is_deleted, former
    from channels
    where tenant_id = ${tenantId}
    order by id
    limit ${limit}
  `)
  const plans: LeftChannel[] = []
  for (const { id, is_set, is_deleted, former } of rows)
    plans.push({
      ...{ id, is_set, bot: is_deleted ? null : await readableBot(em, { id, tenant_id: tenantId }) },
      former: formerOf({ former: former && decryptIfPossible(former) }),
    })
  return plans
}

/** The webhook may be set from now on. False: the channel was changed meanwhile. */
export async function markSet(em: EntityManager, { id, tenant_id, version }: ChannelPlan): Promise<boolean> {
  const rows: unknown[] = await em.execute(sql`
    update channels
    set is_set = true
    where id = ${id} and tenant_id = ${tenant_id} and version = ${version}
    returning id
  `)
  return rows.length > 0
}

/**
 * What the provider answered. `lost`: it gave no answer to one of the requests, and is asked again; `after_s`: not
 * before so many seconds. `former`: the bots whose webhooks are left.
 */
export type ChannelOutcome = {
  status: ChannelStatus
  error: ChannelError | null
  username: string | null
  is_set: boolean
  former: Bot[]
  lost: boolean
  after_s: number | null
}

/**
 * Records what the provider answered, unless the channel was changed meanwhile. Returns the seconds until it is asked
 * again; null: never. `now` in Unix seconds.
 */
export async function recordChannel(
  em: EntityManager,
  plan: ChannelPlan,
  outcome: ChannelOutcome,
  now: number,
): Promise<number | null> {
  const { id, tenant_id, version } = plan
  await em.execute(sql`select 1 from channels where id = ${id} and tenant_id = ${tenant_id} for no key update`)
  const channel = await em.findOne(Channel, { id, tenant_id }, { ...anyTenant, refresh: true })
  if (!channel) return null
  if (channel.version !== version) return 0
  const tries = plan.tries + 1
  const { former, lost, after_s, ...shown } = outcome
  const formerBots = tries < REMOVAL_TRIES_MAX ? former : []
  const isOver = !lost || (plan.bot === null && formerBots.length === 0)
  if (isOver && plan.bot === null) {
    await em.remove(channel).flush()
    return null
  }
  const pause = pauseOf(tries, after_s)
  em.assign(channel, {
    ...shown,
    status: shown.status === 'pending' && shown.error && !isStillPending(tries) ? 'failed' : shown.status,
    former: formerBots.length > 0 ? JSON.stringify(formerBots) : null,
    look_at: isOver ? null : now + pause,
    tries: isOver ? 0 : tries,
    updated_at: now,
  })
  await em.flush()
  return isOver ? null : pause
}

/** Channels whose process should have asked their provider. For all tenants: each row comes with its tenant. */
export const lateChannels = lateRows({
  from: sql`channels x`,
  at: 'x.look_at',
  type: 'bigint',
  where: ({ idleS, now }) => sql`x.look_at < ${now - idleS}`,
})

/** What operators see of the channels of these integrations, by integration. */
export async function channelsOf(
  em: EntityManager,
  tenantId: string,
  integrations: readonly Pick<Integration, 'id' | 'category'>[],
) {
  const ids = integrations.filter(({ category }) => category === 'channel').map(({ id }) => id)
  if (ids.length === 0) return new Map<string, ShownChannel>()
  const rows: (ShownChannel & { id: string })[] = await em.execute(sql`
    select id, status, error, username
    from channels
    where tenant_id = ${tenantId} and id = any (${uuids(ids)})
  `)
  return new Map(rows.map(({ id, ...row }) => [id, row]))
}
export type ShownChannel = { status: ChannelStatus; error: ChannelError | null; username: string | null }
