// Members of an audience, for operators: listed, added, imported, changed and removed.
import { z } from 'zod'
import { billingErrorSql, inGraceSql } from '../../entities/audiences/access.ts'
import { Audience } from '../../entities/audiences/audience.ts'
import { AudienceMember } from '../../entities/audiences/audience-member.ts'
import { importMembers } from '../../entities/audiences/import.ts'
import { LeadInsight } from '../../entities/audiences/lead-insight.ts'
import { readMembers, shownMember } from '../../entities/audiences/member-rows.ts'
import { addMember, updateMember } from '../../entities/audiences/members.ts'
import { hasAddress, soughtAddresses } from '../../entities/crm/sought-addresses.ts'
import type { EntityManager } from '../../entities/kit/database/orm.ts'
import { mustExist } from '../../entities/kit/find.ts'
import { removeMember, resumeMember } from '../../entities/subscriptions/removal.ts'
import { FIELDS_MAX, fieldsFault, IMPORT_MAX, ImportFault, importRows } from '../../rules/audiences/import.ts'
import { MemberDelivery, MemberRemoval, MemberSource, MemberStatus } from '../../rules/audiences/memberships.ts'
import { AudienceMemberOut } from '../../rules/audiences/resources.ts'
import { WrittenAddress } from '../../rules/input/email-addresses.ts'
import { notFound } from '../../rules/refusal.ts'
import { anyCase, Id } from '../../rules/shapes.ts'
import { BillingErrorCode } from '../../rules/subscriptions/billing-errors.ts'
import { filter, listing } from '../kit/answer/listing.ts'
import { Reply } from '../kit/answer/replies.ts'
import { flag, many, searchText } from '../kit/query.ts'
import { route } from '../kit/route.ts'

/**
 * Matches the id of a member or contact, the beginning of a contact's address, or a telephone number in any spelling.
 */
async function search(
  text: string,
  _: unknown,
  { em, tenant_id }: { em: EntityManager; tenant_id: string },
): Promise<Record<string, unknown>> {
  const id = z.guid().safeParse(text)
  if (id.success) return { $or: [{ id: id.data.toLowerCase() }, { contact_id: id.data.toLowerCase() }] }
  return hasAddress(await soughtAddresses(em, tenant_id, text))
}

const Fields = z.record(z.string().min(1).max(255), z.unknown()).superRefine((fields, ctx) => {
  const fault = fieldsFault(fields)
  if (fault) ctx.addIssue({ code: 'custom', message: fault.detail, params: { code: fault.code } })
})

/** What operators keep about a member. */
const notes = {
  lead_description: z
    .string()
    .max(10_000)
    .nullish()
    .describe('Note about the member, 10,000 characters at most; null for none.'),
  fields: Fields.optional().describe(`Values that you keep about the member, ${FIELDS_MAX} at most and 16 KiB in all.`),
}

const directRule =
  '409 `enrollment_not_direct` unless the audience is active and `private` or `open`: contacts join other audiences through the storefront.'

/** A member that exists, as operators see it. */
async function shownById(em: EntityManager, tenantId: string, id: string, now: number) {
  const [row] = await readMembers(em, tenantId, [id])
  if (!row) throw notFound('member')
  return shownMember(row, now)
}

const Insight = z
  .object({
    summary: z.string().describe('What was found out, as far as the signals show it.'),
    score: z.number().describe('How well the lead fits the goal of the run, 0 to 100.'),
    signals: z
      .array(
        z.object({
          text: z.string().describe('What the signal says.'),
          quote: z.string().describe('Words that stand on the page.'),
          source_id: z
            .string()
            .describe('Source of the run that the words stand in. It is deleted before the insight is.'),
          url: z.string().describe('Address of the page.'),
        }),
      )
      .describe('What the score rests on.'),
    run_id: z.string().nullable().describe('The run of lead research.'),
    researched_at: z.int().nullable().describe('Time at which it was recorded, in Unix seconds.'),
  })
  .meta({ id: 'LeadInsight' })

export const audienceMembers = [
  route('GET /v1/stores/{storeId}/audiences/leads', {
    operation: 'listAudienceLeads',
    may: 'admin',
    summary: 'Read the lead insights of members',
    description:
      'Returns one item for each of the members, in the order of `member_ids`. A member that the {store} does not have is left out.',
    query: z.object({
      member_ids: many(Id).describe('Identifiers of members, 100 at most: repeated, or separated by commas.'),
    }),
    out: z.object({
      items: z
        .array(
          z
            .object({
              member_id: z.string().describe('Identifier of the membership.'),
              insight: Insight.nullable().describe('What lead research found out; null if it has not.'),
            })
            .meta({ id: 'AudienceLead' }),
        )
        .describe('Insights of the members.'),
    }),
    async run({ em, query }) {
      const ids = [...new Set(query.member_ids)]
      const known = await em.find(AudienceMember, { id: { $in: ids } }, { fields: ['id'] })
      const insights = await em.find(LeadInsight, { member_id: { $in: known.map(({ id }) => id) } })
      const byMember = new Map(
        insights.map(({ member_id, insight, run_id = null, researched_at = null }) => [
          String(member_id),
          { ...insight, run_id, researched_at },
        ]),
      )
      const found = new Set(known.map(({ id }) => id))
      return {
        items: ids
          .filter((id) => found.has(id))
          .map((member_id) => ({ member_id, insight: byMember.get(member_id) ?? null })),
      }
    },
  }),
  listing('GET /v1/stores/{storeId}/audiences/{audienceId}/members', {
    may: 'admin',
    summary: 'List the members of an audience',
    entity: AudienceMember,
    unmanaged: true,
    item: AudienceMemberOut,
    filters: {
      query: filter(
        searchText().describe(
          "Identifier of a membership or contact, beginning of a contact's address, or a telephone number in any spelling.",
        ),
        search,
      ),
      status: filter(anyCase(MemberStatus), (status) => ({ status })),
      delivery_status: filter(
        anyCase(MemberDelivery).describe("Only members in this status of the audience's e-mail."),
        (delivery_status) => ({
          delivery_status,
        }),
      ),
      tier_id: filter(Id.describe('Only members of this tier.'), (tier_id) => ({ tier_id })),
      price_id: filter(Id.describe('Only members at this price.'), (price_id) => ({ price_id })),
      contact_id: filter(Id.describe('Only the membership of this contact.'), (contact_id) => ({ contact_id })),
      source: filter(
        anyCase(MemberSource).describe('Only members who joined in this way most recently.'),
        (source) => ({ source }),
      ),
      billing_status: filter(
        z
          .string()
          .min(1)
          .max(255)
          .describe(
            'Only members whose subscription is in this status of the payment provider, for example `past_due`.',
          ),
        (billing_status) => ({ billing_status }),
      ),
      billing_error: filter(
        anyCase(BillingErrorCode).describe('Only members whose subscription has this `billing_error`, by its code.'),
        billingErrorSql,
      ),
      in_grace: filter(
        flag.describe('Only members whose access lasts beyond the paid time at this moment, or only others.'),
        inGraceSql,
      ),
    },
    async scope({ em, path }) {
      await mustExist(em, Audience, { id: path.audienceId }, 'audience')
      return { audience_id: path.audienceId }
    },
    load: async (em, rows: { id: string }[], { tenant_id, now }) => {
      const members = await readMembers(
        em,
        tenant_id,
        rows.map(({ id }) => id),
      )
      return members.map((row) => shownMember(row, now))
    },
  }),
  route('GET /v1/stores/{storeId}/audiences/{audienceId}/members/{memberId}', {
    operation: 'getMember',
    may: 'admin',
    summary: 'Read a member of an audience',
    out: AudienceMemberOut,
    async run({ em, tenant_id, path, now }) {
      await mustExist(em, AudienceMember, { id: path.memberId, audience_id: path.audienceId }, 'member')
      return shownById(em, tenant_id, path.memberId, now)
    },
  }),
  route('POST /v1/stores/{storeId}/audiences/{audienceId}/members', {
    may: 'admin',
    refuses: ['enrollment_not_direct', 'contact_unknown'],
    summary: 'Add a contact to an audience',
    description: `Returns 201 for a new or a returning member, and 200 for one who is active already. An opt-out of e-mail stays. ${directRule} 422 \`contact_unknown\`.`,
    body: z.object({ contact_id: Id.describe('Identifier of the contact.'), ...notes }),
    out: AudienceMemberOut,
    status: [201, 200],
    async run({ em, tenant_id, path, body, now }) {
      const { member, added } = await addMember(em, tenant_id, path.audienceId, body, now)
      return new Reply(shownMember(member, now), { status: added ? 201 : 200 })
    },
  }),
  route('PUT /v1/stores/{storeId}/audiences/{audienceId}/members/{memberId}', {
    may: 'admin',
    refuses: ['enrollment_not_direct', 'member_ended', 'cannot_change'],
    summary: 'Update a member',
    description: `Fields that are left out are kept; \`fields\` is replaced as a whole. A new \`status\`: ${directRule} 409 \`member_ended\` if a membership that has ended is removed.`,
    body: z.object({
      ...notes,
      status: anyCase(MemberStatus)
        .optional()
        .describe(
          '`active` lets the contact join again, `removed` ends the membership. Any other value must be the present one.',
        ),
    }),
    out: AudienceMemberOut,
    run: async ({ em, tenant_id, path, body, now }) =>
      shownMember(
        await updateMember(em, tenant_id, { audience_id: path.audienceId, id: path.memberId }, body, now),
        now,
      ),
  }),
  route('DELETE /v1/stores/{storeId}/audiences/{audienceId}/members/{memberId}', {
    may: 'admin',
    summary: 'Remove a member',
    description:
      'Ends the membership. The record stays, with the opt-outs of its contact. A subscription that is charged repeatedly is cancelled at the payment provider, and the membership stays until ' +
      'the end of the paid time; with `now=true` both end at once, and no payment is refunded. A payment page that is open is closed first. `already_removed` if the membership had ended before.',
    query: z.object({
      now: flag.optional().describe('`true` also ends a paid membership at once.'),
    }),
    out: z
      .object({
        type: MemberRemoval.describe(
          'What happened. `subscription_cancellation_requested`: a paid membership stays until the end of the paid time, a pending one until its payment page is closed.',
        ),
      })
      .meta({ id: 'MemberRemoval' }),
    run: ({ em, tenant_id, path, query, now }) =>
      removeMember(em, tenant_id, { audience_id: path.audienceId, id: path.memberId }, query.now ?? false, now),
  }),
  route('POST /v1/stores/{storeId}/audiences/{audienceId}/members/{memberId}/subscription/resume', {
    operation: 'resumeSubscriptionOfMember',
    may: 'admin',
    refuses: ['not_subscribed', 'not_cancelled_by_store', 'change_in_flight'],
    fields: { repeats: { id: 'memberId' } },
    summary: "Take back the cancellation of a member's subscription",
    description:
      'Resumes a subscription that an operator cancelled by removing the member, while its paid time lasts: `cancel_at` is null when the payment provider has confirmed it. 409 `not_cancelled_by_store` ' +
      'for one that the member or the archiving of the audience cancelled, 409 `not_subscribed` if none is running, 409 `change_in_flight` while the cancellation is being sent.',
    out: AudienceMemberOut,
    async run({ em, tenant_id, path, now }) {
      await resumeMember(em, tenant_id, { audience_id: path.audienceId, id: path.memberId }, now)
      return shownById(em, tenant_id, path.memberId, now)
    },
  }),
  route('POST /v1/stores/{storeId}/audiences/{audienceId}/members/import', {
    operation: 'importAudienceMembers',
    may: 'admin',
    refuses: ['enrollment_not_direct'],
    summary: 'Import members by their addresses',
    description:
      `Imports 1 to ${IMPORT_MAX} rows in one transaction. A contact is created for an address that no contact of the {store} owns. Fields are merged into those of an existing member. Contacts who ` +
      `left become members again; opt-outs of e-mail stay. Rows that cannot be used are reported in \`failures\`, and the others are imported. 422, and nothing is imported, if the merged fields of a member exceed the limits. ${directRule}`,
    body: z.object({
      rows: z
        .array(
          z.strictObject({
            email: WrittenAddress.nullish().describe('Address of the contact. A row without one is reported.'),
            fields: z
              .record(z.string(), z.unknown())
              .optional()
              .describe(`Values to keep about the member, ${FIELDS_MAX} at most and 16 KiB in all.`),
            delivery_status: anyCase(MemberDelivery)
              .optional()
              .describe(
                'What another system knows of the address: `unsubscribed` from the audience, or `bounced` or `complained`, which ends all bulk mail to it. `subscribed` changes nothing: only the contact takes an opt-out back.',
              ),
          }),
        )
        .min(1)
        .max(IMPORT_MAX)
        .describe(`Members to import, 1 to ${IMPORT_MAX}.`),
    }),
    out: z
      .object({
        members_added: z.int().describe('Contacts who became members.'),
        members_updated: z.int().describe('Members who were active before.'),
        rows_failed: z.int().describe('Rows that were not imported.'),
        failures: z
          .array(
            z.object({
              row: z.int().describe('Index of the row, from 0.'),
              code: ImportFault.describe('Why it was not imported. `duplicate`: an earlier row has the same address.'),
            }),
          )
          .describe('The rows that were not imported.'),
      })
      .meta({ id: 'MemberImport' }),
    async run({ em, tenant_id, path, body, now }) {
      const { rows, failures } = importRows(body.rows)
      const { added, updated } = await importMembers(em, tenant_id, path.audienceId, rows, now)
      return { members_added: added, members_updated: updated, rows_failed: failures.length, failures }
    },
  }),
]
