// Contacts of a store, for operators: created by address, searched, updated, and merged.
import { z } from 'zod'
import { membersOf } from '../../entities/audiences/access.ts'
import { shownAddresses } from '../../entities/crm/channel-rows.ts'
import { Contact } from '../../entities/crm/contact.ts'
import { createContact, updateContact } from '../../entities/crm/contacts.ts'
import { mergeContacts } from '../../entities/crm/merge.ts'
import { previewMerge } from '../../entities/crm/merge-preview.ts'
import { hasAddress, soughtPhone } from '../../entities/crm/sought-addresses.ts'
import { type Condition, condition } from '../../entities/kit/database/condition.ts'
import type { EntityManager } from '../../entities/kit/database/orm.ts'
import type { RowOf } from '../../entities/kit/database/row.ts'
import { sql } from '../../entities/kit/database/sql.ts'
import { findRecord } from '../../entities/kit/find.ts'
import { TaxonomyEntry } from '../../rules/content/taxonomies.ts'
import { EmailAddress, emailForm } from '../../rules/input/email-addresses.ts'
import { searchQuery } from '../../rules/search/search.ts'
import { ArchivableStatus, anyCase, CreatedAt, Id } from '../../rules/shapes.ts'
import { taxonomyFilters } from '../content/taxonomy-query.ts'
import { byIds, filter, listing } from '../kit/answer/listing.ts'
import { reading } from '../kit/answer/record.ts'
import { Reply } from '../kit/answer/replies.ts'
import { flag, searchText } from '../kit/query.ts'
import { route } from '../kit/route.ts'
import { OwnContact } from './visitors.ts'

const ContactOut = OwnContact.extend({
  email: z
    .string()
    .nullable()
    .describe(
      'The e-mail address that is used: an owned one, or else the one that the visitor claimed; null if there is none.',
    ),
  verified: z.boolean().describe('Whether a person signed in with a code that was sent to `email`.'),
}).meta({ id: 'Contact' })

type ContactRow = Pick<RowOf<Contact>, 'id' | 'tenant_id' | 'status' | 'taxonomies' | 'created_at' | 'updated_at'>

/** Two statements for a page of contacts, with the one that read them. */
async function shown(em: EntityManager, rows: readonly ContactRow[]) {
  const tenantId = rows[0]?.tenant_id ?? ''
  const addresses = await shownAddresses(
    em,
    tenantId,
    rows.map(({ id }) => id),
  )
  return rows.map(({ tenant_id: store_id, ...row }) => {
    const channel = addresses.get(row.id)
    return {
      ...row,
      store_id,
      email: channel?.address ?? null,
      verified: channel !== undefined && channel.verified_at !== null,
    }
  })
}

const shownOne = async (em: EntityManager, row: ContactRow) =>
  (await shown(em, [row]))[0] as Awaited<ReturnType<typeof shown>>[number]
const readContact = async (em: EntityManager, id: string) =>
  shownOne(em, await findRecord(em, Contact, { id }, 'contact'))

const taxonomies = z
  .array(TaxonomyEntry)
  .max(200)
  .optional()
  .describe('Taxonomies that the contact is filed under, with their entries or typed fields. Replaces the stored ones.')

const moved = (what: string) => z.int().describe(`${what} of the source.`)
const MergePreview = z
  .object({
    moves: z
      .object({
        ...{
          orders: moved('Orders, bookings and reservations'),
          carts: moved('Carts'),
          chats: moved('Chats'),
          form_submissions: moved('Form submissions'),
        },
        ...{
          memberships: moved('Memberships'),
          enrollments: moved('Enrollments in campaigns'),
          reactions: moved('Reactions'),
          channels: moved('Channels'),
        },
      })
      .describe('How many records the contact of the path would get.'),
    sessions: z
      .array(
        z.object({
          id: z.string().describe('Identifier of the session.'),
          contact_id: z.string().describe('Identifier of the contact that has it now.'),
          verified_address: z
            .string()
            .nullable()
            .describe('Address that the visitor signed in with; null if they did not, or did so before version 0.3.0.'),
          verified_at: z
            .int()
            .nullable()
            .describe('When the visitor signed in with a code, in Unix seconds; null if they did not.'),
          created_at: CreatedAt,
          ends: z
            .boolean()
            .describe('Whether the merge would revoke it, because it proves no address of the merged contact.'),
        }),
      )
      .describe('Active sessions of both contacts, 100 at most: those that go on first.'),
    sessions_end: z.int().describe('Sessions that the merge would revoke.'),
    links_end: z.int().describe('Links to the pages of memberships that the merge would replace.'),
    conflicts: z
      .array(
        z.object({
          audience_id: z.string().describe('Identifier of the audience.'),
          audience_key: z.string().describe('Key of the audience.'),
          source_member_id: z.string().describe('Membership of the source.'),
          target_member_id: z.string().describe('Membership of the contact of the path.'),
        }),
      )
      .describe(
        'Audiences in which both have a live or pending subscription: the merge is refused with `both_subscribed`.',
      ),
  })
  .meta({ id: 'ContactMergePreview' })

const idOf = (query: unknown): string | undefined => z.guid().safeParse(query).data?.toLowerCase()

/**
 * Matches the id of a contact, the beginnings of words of its addresses and of its typed taxonomy values, or a
 * telephone number in any spelling.
 */
async function search(
  text: string,
  _: unknown,
  { em, tenant_id }: { em: EntityManager; tenant_id: string },
): Promise<Condition> {
  const id = idOf(text)
  if (id) return { id }
  // Of an address in Unicode the domain is stored in ASCII.
  const words = searchQuery(text.includes('@') ? emailForm(text) : text)
  const worded = condition((rows) => sql`${rows}.search @@ to_tsquery('simple', ${words})`)
  const phone = await soughtPhone(em, tenant_id, text)
  return phone === null ? worded : { $or: [worded, hasAddress([phone], 'id')] }
}

export const contacts = [
  listing('GET /v1/stores/{storeId}/contacts', {
    may: 'admin',
    summary: 'List the contacts',
    description:
      'Returns one page, sorted by creation time, newest first, unless another order is requested. Visitors without an address, a taxonomy or a membership are left out, unless they ' +
      'are named by `ids` or `query`, or `anonymous` is `true`.',
    entity: Contact,
    unmanaged: true,
    item: ContactOut,
    filters: {
      ...byIds,
      ...taxonomyFilters('contact'),
      status: filter(anyCase(ArchivableStatus), (status) => ({ status })),
      audience_id: filter(Id.describe('Audience whose members with access are returned.'), (audience) =>
        membersOf(audience, 'id'),
      ),
      anonymous: filter(
        flag
          .default(false)
          .describe('True: only visitors without an address, a taxonomy and a membership. False: only other contacts.'),
        (anonymous, { ids, query }) => (!anonymous && (ids ?? idOf(query)) !== undefined ? {} : { anonymous }),
      ),
      query: filter(
        searchText().describe(
          'Identifier of a contact, words to search for in addresses and typed taxonomy values, each the beginning of a word in any case, or a telephone number in any spelling.',
        ),
        search,
      ),
    },
    load: (em, rows: ContactRow[]) => shown(em, rows),
  }),
  reading('GET /v1/stores/{storeId}/contacts/{id}', {
    may: 'admin',
    summary: 'Read a contact',
    entity: Contact,
    out: ContactOut,
    show: (row, { em }) => shownOne(em, row as ContactRow),
  }),
  route('POST /v1/stores/{storeId}/contacts', {
    may: 'admin',
    summary: 'Create a contact',
    description:
      'Returns 201 with the new contact, which owns the address. If a contact of the {store} owns it already, returns 200 with that contact, unchanged. An address that a visitor only ' +
      'claimed belongs to no contact and is no match.',
    body: z.object({ email: EmailAddress.describe('E-mail address of the contact.'), taxonomies }),
    out: ContactOut,
    status: [201, 200],
    async run({ em, tenant_id, body, now }) {
      const { id, isNew } = await createContact(em, tenant_id, body, now)
      return new Reply(await readContact(em, id), { status: isNew ? 201 : 200 })
    },
  }),
  route('PUT /v1/stores/{storeId}/contacts/{id}', {
    may: 'admin',
    refuses: ['email_taken', 'channel_suppressed'],
    summary: 'Update a contact',
    description:
      'Fields that are left out are kept. Another `email` replaces the one that is shown, is owned by the contact and is not verified; null removes all e-mail addresses of the ' +
      'contact. 409 `email_taken` if another contact owns the address, `channel_suppressed` if an address to be removed bounced, complained or withdrew its consent.',
    body: z.object({
      email: EmailAddress.nullable().optional().describe('E-mail address of the contact; null removes it.'),
      taxonomies,
      status: anyCase(ArchivableStatus).optional().describe('Status of the contact.'),
    }),
    out: ContactOut,
    run: async ({ em, tenant_id, path, body, now }) =>
      shownOne(em, (await updateContact(em, tenant_id, path.id, body, now)) as ContactRow),
  }),
  route('POST /v1/stores/{storeId}/contacts/{id}/merge/preview', {
    may: 'admin',
    operation: 'previewContactMerge',
    refuses: ['same_contact'],
    transaction: false,
    summary: 'Preview a merge of contacts',
    description:
      'Returns what merging the source into the contact of the path would move, which sessions would go on and which would end, and what the merge would be refused for. Changes nothing. 422 ' +
      '`same_contact` if both are the same.',
    body: z.object({
      source_contact_id: Id.describe('Identifier of the contact that would be merged into the one of the path.'),
    }),
    out: MergePreview,
    run: ({ em, tenant_id, path, body }) =>
      previewMerge(em, { tenant_id, target_id: path.id.toLowerCase(), source_id: body.source_contact_id }),
  }),
  route('POST /v1/stores/{storeId}/contacts/{id}/merge', {
    may: 'admin',
    refuses: ['both_subscribed', 'same_contact'],
    summary: 'Merge a contact into another',
    description:
      'Moves everything of the source to the contact of the path, in one transaction: orders, carts, form submissions, memberships, channels and taxonomies. A session of either goes on only if ' +
      'its visitor signed in with an address that the contact then owns; others are revoked, and the links to the pages of memberships are replaced. A cart with items of the ' +
      'source becomes the current one. An address that both have becomes one channel, in which a bounce, a complaint or a withdrawn consent wins. The source is deleted. Repeating ' +
      'the request returns the contact again, or the one that it was merged into meanwhile. 409 `both_subscribed` if both have a live or pending subscription in one audience: nothing is moved, and `errors` names the members. 422 ' +
      '`same_contact` if both are the same.',
    body: z.object({
      source_contact_id: Id.describe('Identifier of the contact that is merged into the one of the path, and deleted.'),
    }),
    out: ContactOut,
    async run({ em, caller, tenant_id, path, body, now }) {
      const { account_id } = caller
      const id = await mergeContacts(em, {
        tenant_id,
        target_id: path.id.toLowerCase(),
        source_id: body.source_contact_id,
        account_id,
        now,
      })
      return readContact(em, id)
    },
  }),
]
