// Channels of contacts: the addresses at which a contact is reached, and whether it agreed to that.
import { z } from 'zod'
import { addChannel, type ChannelChange, changeChannel, removeChannel } from '../../entities/crm/channels.ts'
import { Contact } from '../../entities/crm/contact.ts'
import { ContactChannel } from '../../entities/crm/contact-channel.ts'
import { findRecord, mustExist } from '../../entities/kit/find.ts'
import { ChannelStatus, ChannelType, ConsentStatus } from '../../rules/crm/channels.ts'
import { EmailAddress } from '../../rules/input/email-addresses.ts'
import { PhoneNumber } from '../../rules/input/phone-numbers.ts'
import { ComparedText } from '../../rules/input/texts.ts'
import { anyCase, CreatedAt, Id, UpdatedAt } from '../../rules/shapes.ts'
import { atLeast } from '../../rules/stores/roles.ts'
import { listing, pageOf } from '../kit/answer/listing.ts'
import { removing } from '../kit/answer/record.ts'
import { Reply } from '../kit/answer/replies.ts'
import { declaredAs } from '../kit/declared.ts'
import { many } from '../kit/query.ts'
import { route } from '../kit/route.ts'

const ChannelOut = z
  .object({
    id: z.string().describe('Identifier of the channel.'),
    contact_id: z.string().describe('Identifier of the contact.'),
    type: ChannelType.describe('Kind of address.'),
    address: z
      .string()
      .describe(
        'The address: an e-mail address in lower case, a telephone number in its international form (E.164), or a name at the provider.',
      ),
    provider: z
      .string()
      .nullable()
      .describe('Service of a social channel, such as `instagram`; null for other channels.'),
    provider_subject: z
      .string()
      .nullable()
      .describe("The contact's identifier at the provider; null if it is unknown."),
    owned: z
      .boolean()
      .describe(
        'Whether an operator entered the address or a code verified it. An address that a visitor only claimed is not owned.',
      ),
    verified_at: z
      .int()
      .nullable()
      .describe(
        'When a code or a confirmation link that was sent to the address was used, in Unix seconds; null if none was.',
      ),
    is_primary: z.boolean().describe('Whether this channel is used before others of its type.'),
    status: ChannelStatus.describe('`bounced` and `complained` channels get no messages.'),
    consent: z
      .object({
        status: ConsentStatus.describe('Whether the contact agreed to get messages at this address.'),
        source: z
          .string()
          .nullable()
          .describe('Where the contact said so, such as `operator`; null if nothing is known.'),
        at: z.int().nullable().describe('When it was recorded, in Unix seconds; null if nothing is known.'),
      })
      .describe('Consent of the contact.'),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'ContactChannel' })

const shown = ({ consent_status, consent_source = null, consent_at = null, ...channel }: ContactChannel) => ({
  ...channel,
  contact_id: channel.contact_id,
  provider: channel.provider ?? null,
  provider_subject: channel.provider_subject ?? null,
  verified_at: channel.verified_at ?? null,
  is_primary: channel.is_primary as boolean,
  owned: channel.owned as boolean,
  type: channel.type as ChannelType,
  status: channel.status as ChannelStatus,
  consent: { status: consent_status as ConsentStatus, source: consent_source, at: consent_at },
})

const changeable = {
  is_primary: z
    .boolean()
    .optional()
    .describe('True: this channel is used before others of its type, and another one is primary no more.'),
  status: anyCase(ChannelStatus)
    .optional()
    .describe('Only an owner makes a `bounced` or `complained` channel `active` again.'),
  consent: z
    .strictObject({
      status: anyCase(ConsentStatus).describe('Only an owner changes `withdrawn` to another status.'),
      source: z
        .string()
        .max(100)
        .nullish()
        .describe('Where the contact said so, 100 characters at most; `operator` by default.'),
      at: z.int().nullish().describe('Set by the server when the status changes; a value that is sent is ignored.'),
    })
    .optional()
    .describe('Consent of the contact. Left out, it is kept.'),
  provider_subject: z
    .string()
    .min(1)
    .max(254)
    .nullish()
    .describe("The contact's identifier at the provider, unique in the {store}; null if it is unknown."),
}

const readChannel = async (em: Parameters<typeof findRecord>[0], id: string, contact_id: string) =>
  shown(await findRecord(em, ContactChannel, { id, contact_id }, 'channel'))

export const channels = [
  route('GET /v1/stores/{storeId}/contacts/channels', {
    operation: 'listChannelsOfContacts',
    may: 'admin',
    summary: 'List the channels of several contacts',
    description:
      'Returns all channels of the contacts in one page, sorted by contact and time of creation. Contacts that the {store} does not have are left out.',
    query: z.object({
      contact_ids: many(Id).describe('Identifiers of the contacts, 100 at most: repeated, or separated by commas.'),
    }),
    out: pageOf(ChannelOut),
    async run({ em, query }) {
      const rows = await em.find(
        ContactChannel,
        { contact_id: { $in: query.contact_ids } },
        { orderBy: { contact_id: 'asc', created_at: 'asc', id: 'asc' } },
      )
      return { items: rows.map(shown), cursor: null }
    },
  }),
  listing('GET /v1/stores/{storeId}/contacts/{id}/channels', {
    may: 'admin',
    summary: 'List the channels of a contact',
    entity: ContactChannel,
    item: ChannelOut,
    async scope({ em, path }) {
      await mustExist(em, Contact, { id: path.id }, 'contact')
      return { contact_id: path.id }
    },
    load: async (_, rows: ContactChannel[]) => rows.map(shown),
  }),
  route('POST /v1/stores/{storeId}/contacts/{id}/channels', {
    may: 'admin',
    refuses: ['forbidden', 'email_taken', 'channel_taken', 'channels_too_many', 'required'],
    summary: 'Add a channel to a contact',
    description:
      'Returns 201 with the new channel, which the contact owns; the first one of its type is the primary one. Returns 200 if the contact has the address already: it is owned from ' +
      'then on, and the other fields are updated. 409 `email_taken` if another contact of the {store} owns the e-mail address, `channel_taken` if another one has the subject.',
    body: z.object({
      type: anyCase(ChannelType).describe('Kind of address.'),
      address: declaredAs(
        z.string().min(1).max(300),
        z.union([EmailAddress, PhoneNumber, z.string().min(1).max(254)]),
      ).describe(
        'An e-mail address, a telephone number, or a name at the provider; 254 characters at most. A telephone number without a country code is one of the country of the {store}: of the address in its settings, else of its locations, if they are in one country.',
      ),
      provider: ComparedText.trim()
        .toLowerCase()
        .min(1)
        .max(64)
        .nullish()
        .describe('Service of a social channel, such as `instagram`; required for `social`, 422 for others.'),
      ...changeable,
    }),
    out: ChannelOut,
    status: [201, 200],
    async run({ em, caller, tenant_id, path, body, now }) {
      const { id, isNew } = await addChannel(
        em,
        { tenant_id, contact_id: path.id },
        body,
        atLeast(caller.role, 'owner'),
        now,
      )
      return new Reply(await readChannel(em, id, path.id), { status: isNew ? 201 : 200 })
    },
  }),
  route('PUT /v1/stores/{storeId}/contacts/{id}/channels/{channelId}', {
    may: 'admin',
    refuses: ['forbidden', 'channel_taken'],
    summary: 'Update a channel of a contact',
    description:
      'Fields that are left out are kept. The address of a channel does not change: add another channel and delete this one. Any operator records a bounce, a complaint or a ' +
      'withdrawn consent; only an owner takes it back: 403 `forbidden`. Of an e-mail address, each of these holds for every contact of the {store} with it, and for the `delivery_status` of ' +
      'the members who show it; lifting it leaves the opt-outs of members as they are.',
    body: z.object(changeable),
    out: ChannelOut,
    async run({ em, caller, tenant_id, path, body, now }) {
      await changeChannel(
        em,
        { tenant_id, contact_id: path.id, id: path.channelId },
        body as ChannelChange,
        atLeast(caller.role, 'owner'),
        now,
      )
      return readChannel(em, path.channelId, path.id)
    },
  }),
  removing('DELETE /v1/stores/{storeId}/contacts/{id}/channels/{channelId}', {
    may: 'admin',
    refuses: ['channel_suppressed'],
    summary: 'Delete a channel of a contact',
    description:
      '409 `channel_suppressed` for a channel that bounced, complained or withdrew its consent: it is kept, so that the address is not used again.',
    remove: ({ em, tenant_id, path, now }) =>
      removeChannel(em, { tenant_id, contact_id: path.id, id: path.channelId }, now),
  }),
]
