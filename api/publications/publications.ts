// Publications: posts of a store on connected accounts, each visible once at most.
import { z } from 'zod'
import { config } from '../../config.ts'
import { asRow } from '../../entities/kit/database/row.ts'
import {
  cancelPublication,
  changeable,
  changePublication,
  createPublication,
  publicationsNeeding,
  removePublication,
  requestCheck,
  resolvePublication,
  schedulePublication,
} from '../../entities/publications/publications.ts'
import { SocialPublication } from '../../entities/publications/social-publication.ts'
import { SocialReveal } from '../../entities/publications/social-reveal.ts'
import { anyMembers } from '../../rules/open-answers.ts'
import { SocialContent } from '../../rules/publications/content.ts'
import { Force, Note, needsAttention, replacing, resolving } from '../../rules/resolutions.ts'
import { anyCase, EffectError, EffectStatus, Id, UnixSeconds } from '../../rules/shapes.ts'
import { NetworkType } from '../../rules/social/networks/network-types.ts'
import { PublicationOutcome, SocialPublicationOut, SocialPublicationStatus } from '../../rules/social/resources.ts'
import { unixSecondsOf } from '../../rules/unix-seconds.ts'
import { byIds, filter, listing } from '../kit/answer/listing.ts'
import { reading, removing } from '../kit/answer/record.ts'
import { NotYet, Reply } from '../kit/answer/replies.ts'
import { flag, many, unixSeconds } from '../kit/query.ts'
import { route } from '../kit/route.ts'

const seconds = (what: string) => z.int().nullable().describe(`${what}, in Unix seconds; null without one.`)

const Resolution = z
  .looseObject({
    outcome: PublicationOutcome.describe('What an operator found at the network.'),
    note: z.string().describe('How they found out.'),
    account_id: z.string().describe('Identifier of the operator account.'),
    at: z.int().describe('When, in Unix seconds.'),
  })
  .meta({ id: 'SocialPublicationResolution' })

const Attempt = z
  .object({
    n: z.int().describe('Number of the call, from 1. Another one is made only if the one before it showed nothing.'),
    status: EffectStatus.describe(
      '`processing` with `answered_at`: the answer does not say whether it was shown, and the network is read.',
    ),
    sent_at: seconds('Time at which it may have left for the network'),
    answered_at: seconds('Time of the answer'),
    settled_at: seconds('Time at which the outcome was recorded'),
    reads: z.int().describe('How often the network was read to prove the outcome.'),
    evidence: anyMembers().nullable().describe('What the network answered, or what proved the outcome.'),
    late_evidence: anyMembers().nullable().describe('What it answered after the outcome was recorded.'),
    error: EffectError.nullable().describe('Why it showed nothing, or is unknown.'),
    resolution: Resolution.nullable().describe('What an operator recorded about an unknown outcome; null without.'),
  })
  .meta({ id: 'SocialPublicationAttempt', description: 'A call that was to show the publication.' })

const Detailed = SocialPublicationOut.extend({
  attempts: z.array(Attempt).describe('The calls that were to show it, the first one first.'),
  resolution: Resolution.nullable().describe(
    'Who resolved an unknown publication, and in `before` the resolution that it replaced; null if none was needed.',
  ),
  needs_attention: z
    .boolean()
    .describe(
      'Whether an operator has to act: its outcome is `unknown`, or the network contradicts what was resolved.',
    ),
}).meta({ id: 'SocialPublicationDetails', description: 'A publication with the calls that were to show it.' })

const Answer = z.object({ publication: SocialPublicationOut }).meta({ id: 'SocialPublicationAnswer' })
const answer = (publication: SocialPublication) => ({ publication })

/** A sort by a time lists the publications that have one. */
const sorts = ['scheduled_at', 'published_at'] as const
const at = (name: (typeof sorts)[number], what: string) => ({
  [`${name}_from`]: filter(
    unixSeconds.describe(`Only publications ${what} at this time or later, in Unix seconds.`),
    (from) => ({ [name]: { $gte: from } }),
  ),
  [`${name}_to`]: filter(
    unixSeconds.describe(`Only publications ${what} at this time or earlier, in Unix seconds.`),
    (to) => ({ [name]: { $lte: to } }),
  ),
})

const own = 'POST /v1/stores/{storeId}/social-publications/{id}'
const Content = SocialContent.describe('What the post says. A field that the network lacks is reported as an issue.')

export const socialPublications = [
  listing('GET /v1/stores/{storeId}/social-publications', {
    may: 'admin',
    summary: 'List the publications',
    description:
      'Returns one page, newest first, unless another order is requested. Sorted by `scheduled_at` or `published_at`, it lists the publications that have that time. `query` finds words of captions and titles.',
    entity: SocialPublication,
    item: SocialPublicationOut,
    search: 'search',
    sorts,
    filters: {
      ...byIds,
      social_connection_id: filter(Id.describe('Only publications on this connection.'), (social_connection_id) => ({
        social_connection_id,
      })),
      type: filter(anyCase(NetworkType).describe('Only publications of this type.'), (type) => ({ type })),
      status: filter(
        many(anyCase(SocialPublicationStatus)).describe(
          'Only publications with these statuses: repeated, or separated by commas.',
        ),
        (statuses) => ({ status: { $in: statuses } }),
      ),
      needs_attention: filter(
        flag.describe(
          'Only publications that an operator has (`true`) or does not have (`false`) to act on: `unknown` ones, and those whose resolution the network contradicts.',
        ),
        publicationsNeeding,
      ),
      ...at('scheduled_at', 'scheduled'),
      ...at('published_at', 'that became visible'),
    },
    scope({ query }) {
      const by = sorts.find((name) => name === query.sort_field)
      return by ? { [by]: { $ne: null } } : {}
    },
  }),
  route('POST /v1/stores/{storeId}/social-publications', {
    may: 'admin',
    refuses: ['connection_unknown'],
    summary: 'Create a publication',
    description:
      'The publication is a draft, complete or not: `issues` lists what has to be changed before it can be scheduled. 422 `connection_unknown` if the {store} has no such connection.',
    body: z.object({
      social_connection_id: Id.describe('Identifier of the connection that publishes it.'),
      content: Content,
    }),
    out: Answer,
    status: 201,
    run: async ({ em, tenant_id, caller, body, now }) =>
      answer(await createPublication(em, { tenant_id, created_by: caller.account_id, ...body }, now)),
  }),
  reading('GET /v1/stores/{storeId}/social-publications/{id}', {
    may: 'admin',
    summary: 'Read a publication',
    entity: SocialPublication,
    out: Detailed,
    async show(publication, { em }) {
      const reveals = await em.find(SocialReveal, { publication_id: publication.id }, { orderBy: { n: 'asc' } })
      return {
        ...asRow(publication),
        resolution: publication.resolution ?? null,
        needs_attention:
          publication.status === 'unknown' ||
          (publication.resolution != null && reveals.length > 0 && needsAttention(reveals.at(-1) as SocialReveal)),
        attempts: reveals.map(
          ({
            n,
            status,
            sent_at,
            answered_at,
            settled_at,
            proofs: reads,
            evidence = null,
            late_evidence = null,
            error = null,
            resolution = null,
          }) => ({
            ...{ n, status, reads, evidence, late_evidence, error, resolution },
            ...{
              sent_at: unixSecondsOf(sent_at),
              answered_at: unixSecondsOf(answered_at),
              settled_at: unixSecondsOf(settled_at),
            },
          }),
        ),
      }
    },
  }),
  route('PUT /v1/stores/{storeId}/social-publications/{id}', {
    may: 'admin',
    request: { while: changeable },
    refuses: ['publication_locked', 'cannot_change'],
    summary: 'Change the content of a publication',
    description:
      'Replaces the content as a whole. A scheduled publication keeps its time, and its content must have no issue that is an error: 422 with their pointers. 409 `publication_locked` once ' +
      'it is being published, and for one that was published or is unknown. 422 `cannot_change` for another connection.',
    body: z.object({
      social_connection_id: Id.optional().describe(
        'Identifier of the connection. It cannot be changed: create another publication.',
      ),
      content: Content,
    }),
    out: Answer,
    fields: { record: Detailed },
    run: async ({ em, path, body, now }) => answer(await changePublication(em, path.id, body, now)),
  }),
  removing('DELETE /v1/stores/{storeId}/social-publications/{id}', {
    may: 'admin',
    request: { while: changeable },
    refuses: ['publication_locked'],
    summary: 'Delete a publication',
    description:
      'Nothing is deleted at the network. Cancel a scheduled publication first if its files may have been uploaded: what was uploaded and not shown is deleted then. 409 `publication_locked` ' +
      'once it is being published, and for one that was published or is unknown.',
    remove: ({ em, path }) => removePublication(em, path.id),
  }),
  route(`${own}/schedule`, {
    may: 'admin',
    request: { while: changeable },
    active: true,
    operation: 'scheduleSocialPublication',
    refuses: ['publication_locked', 'connection_not_active', 'in_the_past', 'too_far'],
    summary: 'Schedule a publication',
    description:
      'It becomes visible at `scheduled_at`, to the second, and never earlier; a time up to 300 seconds ago is now. Scheduling it again sets another time. Its files cannot be deleted ' +
      'meanwhile. What cannot be published within the time that the installation allows (an hour, unless set otherwise) fails as `too_late`. 422 with its issues, at pointers into the publication (`/content/…`); 422 `in_the_past`, and `too_far` beyond 366 days; 409 ' +
      '`connection_not_active`; 409 `publication_locked` once it is being published.',
    body: z.object({ scheduled_at: UnixSeconds.describe('When it becomes visible, in Unix seconds.') }),
    out: Answer,
    run: async ({ em, tenant_id, path, body, now }) =>
      answer(await schedulePublication(em, tenant_id, path.id, { ...body, ahead_s: config.social.aheadS }, now)),
  }),
  route(`${own}/cancel`, {
    may: 'admin',
    request: { while: ['scheduled', 'publishing'] },
    operation: 'cancelSocialPublication',
    refuses: ['already_sent', 'publication_not_scheduled'],
    summary: 'Cancel a publication',
    description:
      'Either it is cancelled and never becomes visible, or 409 `already_sent`: the call that shows it was made. What was uploaded for it and not shown is deleted at the network. One that is ' +
      'cancelled is returned as it is; 409 `publication_not_scheduled` for a draft and one that has failed.',
    out: Answer,
    run: async ({ em, path, now }) => answer(await cancelPublication(em, path.id, now)),
  }),
  route(`${own}/check`, {
    may: 'admin',
    request: { while: ['unknown'] },
    operation: 'checkSocialPublication',
    refuses: ['publication_not_unknown'],
    summary: 'Look for an unknown publication at the network',
    description:
      'Reads the network once more, and sends nothing. If the post is found, the publication is `published`; otherwise it stays `unknown`, as its absence proves nothing. 409 ' +
      '`publication_not_unknown` for any other publication that is not published.',
    out: Answer,
    async run({ em, path }) {
      const { publication, reveal_id } = await requestCheck(em, path.id)
      return new Reply(answer(publication), { pending: reveal_id ?? undefined })
    },
    wait: {
      async until({ em, path, pending }) {
        const { check_at } = await em.findOneOrFail(SocialReveal, { id: pending }, { fields: ['check_at'] })
        const found = answer(await em.findOneOrFail(SocialPublication, { id: path.id }))
        return check_at ? new NotYet(found) : found
      },
    },
  }),
  route(`${own}/resolve`, {
    may: 'owner',
    operation: 'resolveSocialPublication',
    refuses: ['publication_not_unknown', 'contradicts_evidence', 'resolved_otherwise', 'resolved_too_often'],
    summary: 'Resolve a publication whose outcome is unknown',
    description:
      `Records what an operator found at the network. ${resolving} One that failed can be scheduled again, and cannot be corrected after that. 409 \`publication_not_unknown\` for a ` +
      'publication that is neither `unknown` nor was resolved.',
    body: z.object({
      outcome: PublicationOutcome.describe('`published` if it is visible at the network, `failed` if it is not.'),
      provider_post_id: z
        .string()
        .trim()
        .min(1)
        .max(255)
        .optional()
        .describe("The network's id of the post, if it is visible."),
      note: Note,
      force: Force,
      replaces: replacing(PublicationOutcome),
    }),
    out: Answer,
    run: async ({ em, path, caller, body: { provider_post_id = null, ...body }, now }) =>
      answer(await resolvePublication(em, path.id, { ...body, provider_post_id, account_id: caller.account_id }, now)),
  }),
]
