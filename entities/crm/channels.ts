// One contact's channels as operators write them.
import { UniqueConstraintViolationException } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { addressShape, CHANNELS_MAX, type ChannelStatus, type ChannelType, type ConsentStatus, isSuppressed, lifts } from '../../rules/crm/channels.ts'
import { faultsOf } from '../../rules/input/validation-errors.ts'
import { conflict, invalid, invalidInput, notFound, Refusal } from '../../rules/refusal.ts'
import { newId } from '../kit/ids.ts'
import { insertion } from '../kit/insert.ts'
import { lockForChange } from '../kit/locked-row.ts'
import { assignments, type Sql, sql, type Value } from '../kit/sql.ts'
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

/** Locks the channels and then the contact, and returns the channels. 404. */
async function lockOwn(em: EntityManager, { tenant_id, contact_id }: Key): Promise<ChannelRow[]> {
  const channels = await lockChannels(em, tenant_id, [contact_id])
  await lockForChange(em, Contact, contact_id, 'contact')
  return channels
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
      if (/contact_channels_subject/.test(error.message)) throw conflict('channel_taken', "Another contact of the store has the provider's subject.")
    }
    throw error
  }
}

/** The columns that a change sets. The consent's time is that of the change. 403 forbidden. */
function changed(now: ChannelRow, change: ChannelChange, isOwner: boolean, at: number): Record<string, Value | Sql> {
  const { status = now.status, consent, provider_subject } = change
  const then = { status, consent_status: consent?.status ?? now.consent_status }
  if (lifts(now, then) && !isOwner)
    throw new Refusal(403, 'forbidden', 'The channel bounced, complained or withdrew its consent. Only a member with the role `owner` lifts that.')
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
  em.execute(
    sql`update contact_channels set is_primary = false where tenant_id = ${tenant_id} and contact_id = ${contact_id} and type = ${type} and is_primary`,
  )

/** 403 forbidden; 404; 409 channel_taken. `at` in Unix seconds. */
export async function changeChannel(em: EntityManager, key: Key & { id: string }, change: ChannelChange, isOwner: boolean, at: number): Promise<void> {
  const channel = find(await lockOwn(em, key), key.id)
  const columns = changed(channel, change, isOwner, at)
  if (change.is_primary) await unsetPrimary(em, key, channel.type)
  await refusingTaken(() => em.execute(sql`update contact_channels set ${assignments(columns)} where tenant_id = ${key.tenant_id} and id = ${key.id}`))
}

/** The normalized address; 422 for one that is not of its type, and for a provider of a channel that is not social. */
function addressOf({ type, address, provider, provider_subject }: NewChannel): string {
  // Otherwise a suppressed address could be added again with a provider.
  if (type !== 'social' && (provider || provider_subject))
    throw invalidInput([
      { pointer: provider ? '/provider' : '/provider_subject', code: 'unknown_field', detail: 'Only a social channel has a provider and its subject.' },
    ])
  if (!provider && type === 'social') throw invalid('/provider', 'required', 'A social channel needs its provider.')
  const parsed = addressShape(type).safeParse(address)
  if (!parsed.success) throw invalidInput(faultsOf(parsed.error.issues, address, '/address'))
  return parsed.data
}

/**
 * Adds a channel that the contact owns. An address that the contact has already becomes owned and is changed as if it was updated. 403 forbidden; 404; 409
 * email_taken, channel_taken, channels_too_many; 422. `at` in Unix seconds.
 */
export async function addChannel(em: EntityManager, key: Key, sent: NewChannel, isOwner: boolean, at: number): Promise<{ id: string; isNew: boolean }> {
  await lockOwn(em, key)
  // Read again under the contact's lock, which every addition holds.
  const channels = await lockChannels(em, key.tenant_id, [key.contact_id], true)
  const { type, provider = null, ...change } = sent
  const address = addressOf(sent)
  const same = channels.find((channel) => channel.type === type && channel.address === address && channel.provider === provider)
  if (!same && channels.length >= CHANNELS_MAX) throw conflict('channels_too_many', `A contact has at most ${CHANNELS_MAX} channels.`)
  const isPrimary = change.is_primary ?? same?.is_primary ?? !channels.some((channel) => channel.type === type && channel.is_primary)
  if (isPrimary) await unsetPrimary(em, key, type)
  const id = same?.id ?? newId()
  await refusingTaken(async () => {
    if (same) {
      const columns = { ...changed(same, change, isOwner, at), owned: true, is_primary: isPrimary }
      await em.execute(sql`update contact_channels set ${assignments(columns)} where tenant_id = ${key.tenant_id} and id = ${id}`)
    } else {
      const consent = change.consent && { consent_status: change.consent.status, consent_source: change.consent.source ?? 'operator', consent_at: at }
      const row = { ...consent, type, address, provider, provider_subject: change.provider_subject ?? null, status: change.status ?? 'active' }
      const own = { id, tenant_id: key.tenant_id, contact_id: key.contact_id, created_at: at, updated_at: at, owned: true, is_primary: isPrimary }
      await em.execute(insertion(em, ContactChannel, { ...row, ...own }))
    }
  })
  if (!same) await refreshContacts(em, key.tenant_id, [key.contact_id])
  return { id, isNew: !same }
}

/** 404; 409 channel_suppressed. */
export async function removeChannel(em: EntityManager, key: Key & { id: string }): Promise<void> {
  const channel = find(await lockOwn(em, key), key.id)
  if (isSuppressed(channel))
    throw channelSuppressed('The channel bounced, complained or withdrew its consent. It is kept, so that the address is not used again.')
  await deleteChannels(em, key.tenant_id, [key.id])
  await refreshContacts(em, key.tenant_id, [key.contact_id])
}
