// What the routes of reactions have in common on all surfaces: who sends and reads them, and what is answered. A mark
// is written without a transaction around it: one statement that writes all of it or nothing.
import type { EntityManager } from '@mikro-orm/postgresql'
import { z } from 'zod'
import { config } from '../../config.ts'
import { deleteReaction, editReaction, moderateReaction } from '../../entities/community/changes.ts'
import { addContent, addStar, contentRequired } from '../../entities/community/contents.ts'
import { addMark, type Marked } from '../../entities/community/marks.ts'
import { Reaction } from '../../entities/community/reaction.ts'
import {
  type ReactionRow,
  type ReactionShown,
  type Reader,
  readReaction,
  shownMark,
  showReactions,
  summaryOf,
} from '../../entities/community/shown-reactions.ts'
import type { Author } from '../../entities/community/targets.ts'
import { refuseIfMoved } from '../../entities/crm/session-contact.ts'
import { formOf, isBlank, isMarkBody, ReactionStatus, ReactionTarget } from '../../rules/community/reactions.ts'
import { invalid, notFound, Refusal } from '../../rules/refusal.ts'
import { anyCase, Id } from '../../rules/shapes.ts'
import { Reply } from '../kit/answer/replies.ts'
import { Success } from '../kit/answer/shapes.ts'
import type { Anyone, Customer, Member, Visitor } from '../kit/caller.ts'
import { networkOf } from '../limits/networks.ts'
import { limit } from '../limits/rate.ts'
import { reactionFilters, seenBy } from './reaction-filters.ts'
import { ReactionBody, ReactionChange, ReactionSummary } from './reaction-shapes.ts'

const authorOf = (caller: Customer<Visitor>): Author =>
  caller.kind === 'operator'
    ? { id: caller.account_id, official: true, verified: true }
    : { id: caller.contact_id, official: false, verified: caller.verified }
const readerOf = (caller: Customer<Anyone>): Reader =>
  caller.kind === 'operator'
    ? { viewer: 'operator', person_id: caller.account_id }
    : { viewer: { contact_id: caller.contact_id }, person_id: caller.contact_id }

/**
 * Runs `work`. A reaction that a merge or a sign-in has moved meanwhile is still the caller's: the request is repeated
 * then.
 */
async function asAuthor(
  em: EntityManager,
  tenantId: string,
  caller: Customer<Visitor>,
  work: (author: Author) => Promise<void>,
): Promise<void> {
  try {
    await work(authorOf(caller))
  } catch (error) {
    if (
      caller.kind === 'visitor' &&
      error instanceof Refusal &&
      (error.code === 'forbidden' || error.code === 'not_found')
    )
      await refuseIfMoved(em, tenantId, caller)
    throw error
  }
}

type Body = z.output<typeof ReactionBody>

/** 422 content_not_allowed, content_required. */
function formIn({ kind, blocks, taxonomies }: Body) {
  const form = formOf(kind, blocks)
  const [isEmpty, isFiled] = [blocks.length === 0, taxonomies.length > 0]
  if ((form === 'mark' || form === 'star') && (!isEmpty || isFiled))
    throw invalid(
      isEmpty ? '/taxonomies' : '/blocks',
      'content_not_allowed',
      `A reaction of the kind ${kind} has no content.`,
    )
  if ((form === 'review' || form === 'comment') && isBlank(blocks)) throw contentRequired(kind)
  return form
}

const noContent = {
  blocks: [],
  taxonomies: [],
  reply_count: 0,
  edited_at: null,
  moderated_at: null,
  moderated_by: null,
  note: null,
}

/** The answer to a mark or a star: all of it is known without reading it. */
function markOf({ target, parent_id }: Body, tenantId: string, author: Author, { verified, known, ...row }: Marked) {
  const about = {
    tenant_id: tenantId,
    author_id: author.id,
    official: author.official,
    target_type: target.type,
    target_id: target.id,
    parent_id,
  }
  return new Reply(shownMark({ ...noContent, ...about, ...row }, verified), { status: known ? 200 : 201 })
}

/** 429 too_many_requests. */
async function limitContent(
  em: EntityManager,
  tenantId: string,
  { id }: Author,
  ip: string,
  now: number,
): Promise<void> {
  const { contentPerContact, contentPerIp } = config.rate.reactions
  await limit(em, `reaction:${tenantId}:${id}`, { most: contentPerContact, windowS: 600 }, now)
  await limit(em, `reaction-ip:${networkOf(ip)}`, { most: contentPerIp, windowS: 3_600 }, now)
}

/** The reaction, as the caller sees it. 404. */
export async function shownTo(
  em: EntityManager,
  tenantId: string,
  id: string,
  caller: Customer<Anyone>,
): Promise<ReactionShown> {
  const found = await readReaction(em, tenantId, id, readerOf(caller))
  if (!found) throw notFound('reaction')
  return found
}

/** A caller of a route that only visitors, or only operators, may call. */
export const asVisitor = <V extends Anyone>(caller: V): Customer<V> => ({ kind: 'visitor', ...caller })
export const asOperator = (caller: Member): Customer<never> => ({ kind: 'operator', ...caller })

type Call = { em: EntityManager; tenant_id: string; now: number }

const ofAnyone = [
  'content_not_allowed',
  'content_required',
  'kinds_too_many',
  'parent_mismatch',
  'reaction_removed',
  'reference_not_allowed',
  'too_deep',
] as const
/** Problems of those who send one: an operator is no customer. */
export const refusalsOf = {
  operators: [...ofAnyone, 'customers_only'],
  visitors: [...ofAnyone, 'already_reviewed', 'purchase_required', 'sign_in_required', 'too_many_requests'],
} as const

export const sending = {
  transaction: (body: unknown) => !isMarkBody(body),
  status: [201, 200],
  body: ReactionBody,
} as const
export const ofNewVisitors = {
  newVisitors: () => ({ name: 'reactions', most: config.rate.reactions.visitorsPerIp, windowS: 600 }),
}

/** What is said of a record, by any caller. */
export const sendingText =
  'A person has one reaction of each kind without content at a target or ' +
  'reaction: the same again returns 200 and the same record, and so does the same comment at the same place. 404 `not_found` if the target or the ' +
  'parent does not exist or is not visible to the caller. 409 `reaction_removed` if an operator hid or removed the same reaction; 409 `kinds_too_many` for a kind of ' +
  'your own, where there are too many kinds.'

/** What is said of stars, reviews and content of visitors. */
export const visitorText =
  'Other stars replace the stars of the same person, with a new id. A second review is 409 `already_reviewed`. Content may be `pending`, by the settings of the {store}; the same comment again counts for the ' +
  'limits. 429 `too_many_requests` for more content, or more new visitors of one address, than the limits allow.'

export async function send(
  { em, tenant_id, body, ip, now }: Call & { body: Body; ip: string },
  caller: Customer<Visitor>,
) {
  const form = formIn(body)
  const author = authorOf(caller)
  if (form === 'mark') return markOf(body, tenant_id, author, await addMark(em, tenant_id, author, body, now))
  if (form === 'star') return markOf(body, tenant_id, author, await addStar(em, tenant_id, author, body, now))
  if (!author.official) await limitContent(em, tenant_id, author, ip, now)
  const { id, known } = await addContent(em, tenant_id, author, body, form, now)
  return new Reply(await shownTo(em, tenant_id, id, caller), { status: known ? 200 : 201 })
}

export const summarizing = {
  summary: 'Summarize the reactions to a record',
  description:
    "Counts of published reactions by kind, the average of the stars, and the caller's own reactions. 404 `not_found` if the target or the parent does not exist or is not visible to the caller.",
  query: z.object({
    target_type: ReactionTarget.describe('Type of the target.'),
    target_id: Id.describe('Identifier of the target.'),
    parent_id: Id.optional().describe('Counts what was said of this reaction instead.'),
  }),
  out: ReactionSummary,
}

export async function summarize(
  { em, tenant_id, query }: Omit<Call, 'now'> & { query: z.output<typeof summarizing.query> },
  caller: Customer<Anyone>,
) {
  const { target_type, target_id, parent_id = null } = query
  const summary = await summaryOf(em, tenant_id, { type: target_type, id: target_id }, parent_id, readerOf(caller))
  if (!summary) throw notFound(parent_id === null ? target_type : 'reaction')
  return { target_type, target_id, parent_id, ...summary }
}

export const listed = {
  entity: Reaction,
  unmanaged: true,
  search: 'search',
  sorts: ['reply_count'],
  filters: reactionFilters,
} as const

/** What the caller finds in a list. */
export const scopeOf = (tenantId: string, caller: Customer<Anyone>, query: object) =>
  seenBy(tenantId, readerOf(caller).viewer, query)
export const showTo = (em: EntityManager, tenantId: string, rows: readonly ReactionRow[], caller: Customer<Anyone>) =>
  showReactions(em, tenantId, rows, readerOf(caller))

const order = 'sorted by creation time, newest first, unless another order is requested. Sorted by'
export const listText =
  `Returns one page of what the caller may see, ${order} \`updated_at\` or \`reply_count\`, the list has only reactions ` +
  'with content. Reactions of deleted records, and replies below reactions that are not visible, are left out.'
export const moderationText =
  `Returns one page of all reactions, those that are pending, hidden and removed included, ${order} \`updated_at\` or ` +
  '`reply_count`, the list has only reactions with content.'

export const reading = {
  summary: 'Read a reaction',
  description: '404 `not_found` if the caller may not see it.',
}

export const editing = {
  refuses: [
    'already_exists',
    'cannot_change',
    'content_required',
    'edit_window_closed',
    'forbidden',
    'mark_not_editable',
    'reference_not_allowed',
  ],
  summary: 'Change the content of a reaction',
  description:
    'For its author, in the minutes that the {store} allows: 403 `forbidden` for others, 403 `edit_window_closed` after that. `target`, `kind` and `parent_id` may be sent as they were. The ' +
    'content is judged again, and may be `pending` afterwards; the same content changes nothing. 404 `not_found` if the caller may not see it. 409 `mark_not_editable` for marks and stars.',
  body: ReactionChange,
} as const

export async function edit(
  { em, tenant_id, path, body, now }: Call & { path: { id: string }; body: z.output<typeof ReactionChange> },
  caller: Customer<Visitor>,
) {
  await asAuthor(em, tenant_id, caller, (author) => editReaction(em, tenant_id, author, path.id, body, now))
  return shownTo(em, tenant_id, path.id, caller)
}

export const deleting = {
  refuses: ['forbidden', 'reaction_removed'],
  summary: 'Delete a reaction',
  description:
    'For its author, and for operators. Content with replies stays `removed`, without author and blocks. 403 `forbidden` for others. 404 `not_found` if the caller may not see it, as authors ' +
    'do not see what an operator hid or removed. 409 `reaction_removed` if it was deleted before.',
  out: Success,
} as const

export async function remove({ em, tenant_id, path, now }: Call & { path: { id: string } }, caller: Customer<Visitor>) {
  await asAuthor(em, tenant_id, caller, (author) => deleteReaction(em, tenant_id, author, path.id, now))
  return { success: true } as const
}

export const moderating = {
  may: 'admin',
  refuses: ['reaction_removed'],
  summary: 'Set the status of a reaction',
  description:
    'Any status may follow any other. The same request again changes nothing. 409 `reaction_removed` if it was deleted before.',
  body: z.object({
    status: anyCase(ReactionStatus).describe('The new status.'),
    note: z
      .string()
      .trim()
      .max(2_000)
      .nullable()
      .optional()
      .describe('A note for operators, 2,000 characters at most; left out, it is kept.'),
  }),
} as const

export async function moderate({
  em,
  tenant_id,
  path,
  body,
  now,
  caller,
}: Call & { path: { id: string }; body: z.output<typeof moderating.body>; caller: Member }) {
  await moderateReaction(em, tenant_id, caller.account_id, path.id, body, now)
  return shownTo(em, tenant_id, path.id, asOperator(caller))
}
