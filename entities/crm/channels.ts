// One contact's channels as operators write them. What forbids messages to an e-mail address, or allows them again,
// holds for every contact of the store with it.
import { UniqueConstraintViolationException } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import {
  addressForm,
  addressShape,
  CHANNELS_MAX,
  type ChannelStatus,
  type ChannelType,
  type ConsentStatus,
  isSuppressed,
  lifts,
  type Reach,
  strictestStatus,
} from '../../rules/crm/channels.ts'
import { faultsOf } from '../../rules/input/validation-errors.ts'
import { conflict, invalid, invalidInput, notFound, Refusal } from '../../rules/refusal.ts'
import { followAddresses } from '../audiences/member-delivery.ts'
import { insertion } from '../kit/database/insert.ts'
import { assignments, type Sql, sql, type Value } from '../kit/database/sql.ts'
import { newId, uuids } from '../kit/ids.ts'
import { lockForChange } from '../kit/locked-row.ts'
import { countryOfTenant } from '../stores/country.ts'
import { type ChannelRow, deleteChannels, lockChannels } from './channel-rows.ts'
import { Contact } from './contact.ts'
import { ContactChannel } from './contact-channel.ts'
import { refreshContacts } from './contact-words.ts'
import { channelSuppressed, emailTaken } from './contacts.ts'

type Consent = { status: ConsentStatus; source?: string | null | undefined }
export type ChannelChange = {
  is_primary?: boolean | undefined
  status?: ChannelStatus | undefined
  consent?: Consent | undefined
  provider_subject?: string | null | undefined
}
export type NewChannel = ChannelChange & { type: ChannelType; address: string; provider?: string | null | undefined }
type Key = { tenant_id: string; contact_id: string }
type Known = Pick<ChannelRow, 'status' | 'consent_status' | 'consent_source' | 'consent_at'>

type Locked = { own: ChannelRow[]; others: ChannelRow[] }

const parted = (channels: readonly ChannelRow[], contactId: string): Locked => {
  const isOwn = ({ contact_id }: ChannelRow) => String(contact_id) === contactId
  return { own: channels.filter(isOwn), others: channels.filter((channel) => !isOwn(channel)) }
}

/**
 * Locks the channels and those of the address, then the contact, and returns the channels: its own, and those of the
 * address that others have. 404.
 */
async function lockOwn(em: EntityManager, { tenant_id, contact_id }: Key, address: Sql): Promise<Locked> {
  const channels = await lockChannels(em, tenant_id, [contact_id], false, address)
  await lockForChange(em, Contact, contact_id, 'contact')
  return parted(channels, contact_id)
}

const find = (channels: readonly ChannelRow[], id: string): ChannelRow => {
  const channel = channels.find((one) => one.id === id)
  if (!channel) throw notFound('channel')
  return channel
}

async function refusingTaken<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (error instanceof UniqueConstraintViolationException) {
      if (/contact_channels_owner/.test(error.message)) throw emailTaken('/address')
      if (/contact_channels_subject/.test(error.message))
        throw conflict('channel_taken', "Another contact of the {store} has the provider's subject.")
    }
    throw error
  }
}

/** The columns that a change sets. The consent's time is that of the change. 403 forbidden. */
function changed(now: Reach, change: ChannelChange, isOwner: boolean, at: number): Record<string, Value | Sql> {
  const { status = now.status, consent, provider_subject } = change
  const then = { status, consent_status: consent?.status ?? now.consent_status }
  if (lifts(now, then) && !isOwner)
    throw new Refusal(
      403,
      'forbidden',
      'The channel bounced, complained or withdrew its consent. Only a member with the role `owner` lifts that.',
    )
  const agrees = consent !== undefined && consent.status !== now.consent_status
  return {
    status,
    ...(agrees ? { consent_status: consent.status, consent_source: consent.source ?? 'operator', consent_at: at } : {}),
    ...(provider_subject === undefined ? {} : { provider_subject }),
    ...(change.is_primary === undefined ? {} : { is_primary: change.is_primary }),
    updated_at: at,
  }
}

const unsetPrimary = (em: EntityManager, { tenant_id, contact_id }: Key, type: ChannelType) =>
  em.execute(sql`
    update contact_channels
    set is_primary = false
    where tenant_id = ${tenant_id} and contact_id = ${contact_id} and type = ${type} and is_primary
  `)

/**
 * What is known of an address before a change: of the contact's channel, and what the other channels of the address
 * forbid.
 */
function knownOf(same: ChannelRow | undefined, others: readonly ChannelRow[]): Known {
  const own = same ?? {
    status: 'active' as const,
    consent_status: 'unknown' as const,
    consent_source: null,
    consent_at: null,
  }
  const consent =
    own.consent_status === 'withdrawn'
      ? own
      : (others.find(({ consent_status }) => consent_status === 'withdrawn') ?? own)
  const { consent_status, consent_source = null, consent_at = null } = consent
  return { status: strictestStatus([own, ...others]), consent_status, consent_source, consent_at }
}

/**
 * Writes to the other channels of the address what the change forbids or lifts, and tells the members of all their
 * contacts.
 */
async function spread(
  em: EntityManager,
  key: Key,
  { others, was }: { others: readonly ChannelRow[]; was: Reach },
  columns: Record<string, Value | Sql>,
  at: number,
): Promise<void> {
  const { status, consent_status, consent_source = null } = { ...was, ...columns } as Known
  const isBound = consent_status === 'withdrawn'
  const same = {
    ...(status === was.status ? {} : { status }),
    ...(isBound === (was.consent_status === 'withdrawn') ? {} : { consent_status, consent_source, consent_at: at }),
  }
  if (others.length > 0 && Object.keys(same).length > 0)
    await em.execute(sql`
      update contact_channels
      set ${assignments({ ...same, updated_at: at })}
      where tenant_id = ${key.tenant_id} and id = any (${uuids(others.map(({ id }) => id))})
    `)
  await followAddresses(em, key.tenant_id, [key.contact_id, ...others.map(({ contact_id }) => String(contact_id))], at)
}

/** Changes a channel. 403 forbidden; 404; 409 channel_taken. `at` in Unix seconds. */
export async function changeChannel(
  em: EntityManager,
  key: Key & { id: string },
  change: ChannelChange,
  isOwner: boolean,
  at: number,
): Promise<void> {
  const { own, others } = await lockOwn(
    em,
    key,
    sql`
      (
        select k.address
        from contact_channels k
        where k.tenant_id = ${key.tenant_id}
          and k.contact_id = ${key.contact_id}
          and k.id = ${key.id}
          and k.type = 'email'
      )
    `,
  )
  const channel = find(own, key.id)
  const columns = changed(channel, change, isOwner, at)
  if (change.is_primary) await unsetPrimary(em, key, channel.type)
  await refusingTaken(() =>
    em.execute(sql`
      update contact_channels
      set ${assignments(columns)}
      where tenant_id = ${key.tenant_id} and id = ${key.id}
    `),
  )
  if (channel.type === 'email') await spread(em, key, { others, was: channel }, columns, at)
}

/** The normalized address; 422 for one that is not of its type, and for a provider of a channel that is not social. */
function addressOf({ type, address, provider, provider_subject }: NewChannel, country: string | null): string {
  // Otherwise a suppressed address could be added again with a provider.
  if (type !== 'social' && (provider || provider_subject))
    throw invalidInput([
      {
        pointer: provider ? '/provider' : '/provider_subject',
        code: 'unknown_field',
        detail: 'Only a social channel has a provider and its subject.',
      },
    ])
  if (!provider && type === 'social') throw invalid('/provider', 'required', 'A social channel needs its provider.')
  const parsed = addressShape(type, country).safeParse(address)
  if (!parsed.success) throw invalidInput(faultsOf(parsed.error.issues, address, '/address'))
  return parsed.data
}

/**
 * Adds a channel that the contact owns. An address that the contact has already becomes owned and is changed as if it
 * was updated. 403 forbidden; 404; 409 email_taken, channel_taken, channels_too_many; 422. `at` in Unix seconds.
 */
export async function addChannel(
  em: EntityManager,
  key: Key,
  sent: NewChannel,
  isOwner: boolean,
  at: number,
): Promise<{ id: string; isNew: boolean }> {
  const { type, provider = null, address: given, ...change } = sent
  // Null: other types are not looked for in other contacts.
  const shared = sql`${(type === 'email' && addressShape(type).safeParse(given).data) || null}::text`
  await lockOwn(em, key, shared)
  const country = type === 'phone' ? await countryOfTenant(em, key.tenant_id) : null
  const address = addressOf(sent, country)
  // Read again under the contact's lock, which every addition holds.
  const { own, others } = parted(await lockChannels(em, key.tenant_id, [key.contact_id], true, shared), key.contact_id)
  // An earlier version may have stored a telephone number in several spellings.
  const spelled = own.filter(
    (channel) => channel.type === type && addressForm(channel, country) === address && channel.provider === provider,
  )
  const same = spelled.find((channel) => channel.address === address) ?? spelled[0]
  if (!same && own.length >= CHANNELS_MAX)
    throw conflict('channels_too_many', `A contact has at most ${CHANNELS_MAX} channels.`)
  const isPrimary =
    change.is_primary ?? same?.is_primary ?? !own.some((channel) => channel.type === type && channel.is_primary)
  const was = knownOf(same, [...others, ...spelled.filter((channel) => channel !== same)])
  const columns = { ...was, ...changed(was, change, isOwner, at), address, owned: true, is_primary: isPrimary }
  if (isPrimary) await unsetPrimary(em, key, type)
  const id = same?.id ?? newId()
  const row = {
    id,
    tenant_id: key.tenant_id,
    contact_id: key.contact_id,
    created_at: at,
    updated_at: at,
    type,
    address,
    provider,
  }
  await refusingTaken(async () => {
    if (same)
      await em.execute(sql`
        update contact_channels
        set ${assignments(columns)}
        where tenant_id = ${key.tenant_id} and id = ${id}
      `)
    else await em.execute(insertion(em, ContactChannel, { ...row, ...(columns as object) }))
  })
  if (same?.address !== address) await refreshContacts(em, key.tenant_id, [key.contact_id])
  if (type === 'email') await spread(em, key, { others, was }, columns, at)
  return { id, isNew: !same }
}

/** Removes a channel. 404; 409 channel_suppressed. */
export async function removeChannel(em: EntityManager, key: Key & { id: string }, now: number): Promise<void> {
  const { own } = await lockOwn(em, key, sql`null`)
  const channel = find(own, key.id)
  if (isSuppressed(channel))
    throw channelSuppressed(
      'The channel bounced, complained or withdrew its consent. It is kept, so that the address is not used again.',
    )
  await deleteChannels(em, key.tenant_id, [key.id])
  await refreshContacts(em, key.tenant_id, [key.contact_id])
  await followAddresses(em, key.tenant_id, [key.contact_id], now)
}
