// Everything that a person has to do, in one list, and what they found out.
import { z } from 'zod'
import { config } from '../../config.ts'
import {
  type AttentionItem,
  type AttentionPage,
  attentionItem,
  attentionItems,
  resolveItem,
  rowOfItem,
  scopeOfAccount,
  scopeOfMember,
} from '../../entities/attention.ts'
import type { AttentionScope } from '../../entities/kit/attention.ts'
import type { EntityManager } from '../../entities/kit/database/orm.ts'
import { planTenantOf } from '../../entities/payments/attention/money-items.ts'
import {
  AttentionChoice,
  AttentionGroup,
  AttentionKind,
  AttentionOutcome,
  AttentionStatus,
  attentionKinds,
  groupOf,
  Mend,
  type ProviderPage,
} from '../../rules/attention.ts'
import { anyMembers } from '../../rules/open-answers.ts'
import { workflowId } from '../../rules/processes.ts'
import { notFound } from '../../rules/refusal.ts'
import { Force, Note, replacing, resolving } from '../../rules/resolutions.ts'
import { anyCase, EffectError, Id, type SortDirection } from '../../rules/shapes.ts'
import { ResolverRole } from '../../rules/stores/roles.ts'
import { tenantKinds } from '../../rules/stores/tenant-kinds.ts'
import { subjectTypes } from '../../rules/timeline/subjects.ts'
import { cursorAt, cursorOf } from '../kit/answer/cursors.ts'
import { pageOf } from '../kit/answer/listing.ts'
import type { Operator } from '../kit/caller.ts'
import { many, whole } from '../kit/query.ts'
import { route, type Spec } from '../kit/route.ts'
import { resolutionRefusals } from '../payments/money-items.ts'

const seconds = (description: string) =>
  z.int().nullable().describe(`${description}, in Unix seconds; null if none is known.`)

const Evidence = z
  .object({
    status: z
      .string()
      .nullable()
      .describe('Status of the request, or the code of what is wrong with the record; null if it has none.'),
    sent_at: seconds('Time at which the request was sent'),
    settled_at: seconds('Time at which its outcome was recorded, or became unknown'),
    error: EffectError.nullable().describe(
      'What is wrong, for people; `detail` has what a library or the other side reported, if `message` says it in other words. Null if nothing was recorded.',
    ),
    answer: anyMembers().nullable().describe('What the provider answered or reported; null for nothing.'),
    late_evidence: anyMembers()
      .nullable()
      .describe('What became known after the outcome was recorded; null for nothing.'),
    resolution: anyMembers()
      .nullable()
      .describe(
        'What a person recorded about the outcome, with the note, the account and the time; null if nothing was. `recorded_by` is the e-mail address of a member of the team. Of an open item, later evidence contradicts it.',
      ),
    ids: anyMembers().describe('What it is looked up by, here and at the provider: names and identifiers.'),
  })
  .meta({ id: 'AttentionEvidence', description: 'What is known about an item.' })

const Resolve = z
  .object({
    method: z.literal('POST').describe('Method of the request that records what you found.'),
    path: z.string().describe('Path of the request.'),
    role: ResolverRole.describe('The least role that may send it; `platform`: an administrator of the installation.'),
    choices: z
      .array(AttentionChoice)
      .describe(
        'Values of `outcome` in its body, which has a `note` as well: how the outcome was established. `succeeded` for a payment form needs the id that the provider gave it, too.',
      ),
  })
  .meta({ id: 'AttentionResolve' })

export const AttentionItemOut = z
  .object({
    id: z.string().describe('Identifier of the item: that of the record that it is about.'),
    kind: AttentionKind.describe(
      'A request to another party by its name, if its outcome is unknown or was recorded otherwise than later evidence says. `refund_due`: a refund that has to be made and was not. `payment`: ' +
        'what was taken is not what was due, or has to go back. `subscription`: it is charged without paid time, or the provider does not return it. `campaign`, `mailbox`, `webhook`: it was ' +
        'stopped. `channel`, `social_connection`: it has to be connected again. `start`: a workflow of ours was not started. `erasure`: a deletion waits. `readiness`: what is offered cannot be sold or shipped.',
    ),
    group: AttentionGroup.describe(
      'What is done about it. `outcome`: find out what became of a request. `money`: return it, or accept what was paid. `dispute`: answer it. `stopped`: mend the cause or complete what is missing, and start it again. ' +
        '`reconnect`: connect the account again.',
    ),
    status: AttentionStatus.describe('`open`, or `resolved` by a person.'),
    tenant: z
      .object({
        id: z.string().describe('Identifier of the {store}.'),
        kind: z.enum(tenantKinds).describe('What it is: each kind has routes of its own.'),
        key: z.string().describe('Its key.'),
      })
      .nullable()
      .describe(
        'The {store} that it is about; null if it is about the installation, or about the deletion of one that is gone.',
      ),
    since: z.int().describe('When it began, in Unix seconds; of a resolved item, when it was resolved.'),
    due_at: seconds('Time by which it has to be done'),
    title: z.string().describe('What is wrong, in a sentence.'),
    subject: z
      .object({
        type: z.string().describe('Type of the record, such as `order`, `member`, `campaign` or `webhook`.'),
        id: z.string().describe('Identifier of the record.'),
        label: z.string().nullable().describe('What people call it; null if it has no name of its own.'),
      })
      .describe('The record that it is about.'),
    amount: z.int().nullable().describe('Amount in minor units of `currency`; null if it is about none.'),
    currency: z.string().nullable().describe('Currency of the amount, ISO 4217; null without one.'),
    evidence: Evidence.describe('What is known.'),
    what_to_do: z.string().describe('What a person does about it.'),
    resolve: Resolve.nullable().describe(
      'The request that records what you found, or corrects what was recorded; null if the item ends by itself when what is wrong is mended, or if nothing else can be recorded.',
    ),
    mend: Mend.nullable().describe(
      'A request of this API that mends what is wrong: the item ends by it, or is resolved after it. Null if none does.',
    ),
    timeline: z
      .object({
        type: z.enum(subjectTypes).describe('Type of the subject.'),
        id: z.string().describe('Identifier of the subject.'),
      })
      .nullable()
      .describe(
        'What tells how it came to this: `subject` of the timeline of the {store} is the type, a colon and the id. Null if there is no timeline of it.',
      ),
    temporal_url: z
      .string()
      .nullable()
      .describe(
        "Its workflow in Temporal's UI, for administrators of the installation; null for others, without a workflow, or if the installation names no UI.",
      ),
    provider_url: z
      .string()
      .nullable()
      .describe("A page of the payment provider's dashboard about it; null if none is known."),
  })
  .meta({ id: 'AttentionItem', description: 'Something that a person has to do.' })

/** Without a UI that is named, as for a provider that is simulated, there is no page. */
const temporalUrl = (process: AttentionItem['process']): string | null => {
  const { uiUrl, namespace } = config.temporal
  if (!uiUrl || !process) return null
  const id = encodeURIComponent(workflowId(process.kind, process.id))
  return `${uiUrl}/namespaces/${encodeURIComponent(namespace)}/workflows/${id}`
}

const stripeApi = 'https://api.stripe.com'
/** Accounts that are connected are shown in the mode of the platform's key. */
function dashboardUrl(page: ProviderPage | null | undefined): string | null {
  if (!page || config.stripe.apiBase !== stripeApi) return null
  const mode = /^[rs]k_test_/.test(config.stripe.secretKey) ? ['test'] : []
  return ['https://dashboard.stripe.com', ...(page.account ? [page.account] : []), ...mode, page.path].join('/')
}

type Viewer = Pick<Operator, 'platform'>
const shown = (
  { process, provider, resolve, mend, timeline, amount, currency, due_at, ...item }: AttentionItem,
  { platform }: Viewer,
) => ({
  ...item,
  ...{ amount: amount ?? null, currency: currency ?? null, due_at: due_at ?? null },
  resolve: resolve && { method: 'POST' as const, ...resolve },
  ...{ mend: mend ?? null, timeline: timeline ?? null },
  ...{ temporal_url: platform ? temporalUrl(process) : null, provider_url: dashboardUrl(provider) },
})

const filters = {
  kind: many(anyCase(AttentionKind))
    .optional()
    .describe('Only items of these kinds: repeated, or separated by commas.'),
  group: many(anyCase(AttentionGroup))
    .optional()
    .describe('Only items of these groups: repeated, or separated by commas.'),
  status: anyCase(AttentionStatus)
    .default('open')
    .describe('`open` items, or what people recorded in the last 30 days: `resolved`.'),
}
const Query = z.object({
  ...filters,
  cursor: z.string().max(2000).optional(),
  limit: whole(1, 100).default(20),
})
type Sent = z.output<typeof Query>

const kindsOf = ({ kind, group }: Sent): AttentionPage['kinds'] =>
  kind || group
    ? attentionKinds.filter((one) => (kind?.includes(one) ?? true) && (group?.includes(groupOf(one)) ?? true))
    : undefined

/** A page of the list `spec`, of the tenant or of all that the caller sees. 400 bad_cursor. */
async function page(
  em: EntityManager,
  scope: AttentionScope,
  sent: Sent,
  { spec, tenant_id, caller, now }: { spec: Spec; tenant_id: string | null; caller: Viewer; now: number },
) {
  const isOpen = sent.status === 'open'
  const sort_direction: SortDirection = isOpen ? 'asc' : 'desc'
  const cursors = { spec, tenant_id, path: {}, sort_field: isOpen ? 'since' : 'resolution', sort_direction }
  const from = sent.cursor ? cursorOf(sent.cursor, cursors, 'number') : null
  const after = from && { at: from.value as number, id: from.id }
  const { items, last, more } = await attentionItems(em, scope, {
    ...{ limit: sent.limit, after, kinds: kindsOf(sent), resolvedUntil: isOpen ? undefined : now },
  })
  return {
    items: items.map((item) => shown(item, caller)),
    cursor: more && last ? cursorAt(cursors, last.at, last.id) : null,
  }
}

/** One item, open or resolved. 404. */
async function one(em: EntityManager, scope: AttentionScope, id: string, caller: Viewer) {
  const item = await attentionItem(em, scope, id)
  if (!item) throw notFound('item')
  return shown(item, caller)
}

const oldestFirst =
  'Returns one page, the oldest first. An item leaves the list when it is resolved, or when what is wrong is mended. With `status=resolved`, returns what people recorded in the last 30 days, the newest first. The answer has an ' +
  '`ETag`: send it as `If-None-Match` to be answered 304 while the page is the same.'
const ofOne =
  'Returns an item that is open, or that a person resolved at any time: `resolve` has the choices that correct it, of which `replaces` names the recorded one. 404 if there is nothing to do, or nothing was recorded.'
const everything =
  'Requests to other parties whose outcome is unknown or was recorded otherwise than later evidence says: refunds, captures, payment forms, changes of subscriptions, e-mails, messages of ' +
  'campaigns, posts and replies, nodes of graphs, messages of bots, calls of models, and all others. Money that has to go back and did not, and payments of another amount than the one due. ' +
  'Disputes with their deadline. Campaigns, mailboxes and webhooks that were stopped, accounts that have to be connected again, workflows that were not started, and products or services that are ' +
  'offered and cannot be sold or shipped.'

const ResolutionBody = z.object({
  outcome: anyCase(AttentionOutcome).describe(
    'One of the `choices` of the item. `accepted`: a payment of another amount than the one due is kept as it is. `start_again`: what was not started is started; once it is, a repeated request changes nothing.',
  ),
  note: Note,
  force: Force,
  replaces: replacing(anyCase(AttentionOutcome)),
  provider_object_id: z
    .string()
    .trim()
    .min(1)
    .max(255)
    .optional()
    .describe(
      "The provider's id of a payment form that was found open. Required for `payment_session` and `succeeded`.",
    ),
})

const Resolved = z
  .object({
    item: AttentionItemOut.nullable().describe(
      'The item, if something is left to do about it; null if it left the list.',
    ),
  })
  .meta({ id: 'AttentionResolved', description: 'What is left to do after an outcome was recorded.' })

type Row = NonNullable<Awaited<ReturnType<typeof rowOfItem>>>
type By = { caller: Pick<Operator, 'account_id' | 'platform'>; scope: AttentionScope }

/** What was started has no row: the answer to the first request may have been lost. */
const wasStarted = ({ outcome }: z.output<typeof ResolutionBody>): boolean => outcome === 'start_again'

/** Records what was found out; returns the item as it is then, or null if nothing is left to do. */
async function resolve(
  em: EntityManager,
  row: Row,
  id: string,
  { provider_object_id, ...body }: z.output<typeof ResolutionBody>,
  { caller, scope }: By,
  now: number,
) {
  const { account_id } = caller
  await resolveItem(em, row, id, { ...body, provider_object_id: provider_object_id ?? null, account_id }, now)
  const { items } = await attentionItems(em, scope, { limit: 1, id })
  return { item: items[0] ? shown(items[0], caller) : null }
}

const consequences =
  'An open payment form that `succeeded` is closed then. After `rejected`, a capture fails its booking and the authorisation is cancelled. What a subscription is, is read again. 409 ' +
  '`request_not_unknown` for a request that is neither unknown nor was resolved, `decision_made` if another decision about the payment was made since, `payment_captured` while refunds of a ' +
  'payment are recorded that would not have been captured. 422 `outcome_not_possible`. Messages of campaigns, posts, replies and nodes have routes of their own, which `resolve` of the item names.'

const storeList = 'GET /v1/stores/{storeId}/attention'
export const attention = [
  route(storeList, {
    may: 'admin',
    operation: 'listAttention',
    refuses: ['bad_cursor'],
    summary: 'List what a person has to do',
    description: `${everything} What the platform charges for the plan of the {store} is in the list of its administrators. Integrations and the portal of the {store} are shown to owners. ${oldestFirst}`,
    query: Query,
    out: pageOf(AttentionItemOut),
    answers: { tagged: true },
    run: ({ em, tenant_id, query, caller, now }) =>
      page(em, scopeOfMember(tenant_id, caller.role), query, { spec: storeList, tenant_id, caller, now }),
  }),
  route('GET /v1/stores/{storeId}/attention/{id}', {
    may: 'admin',
    operation: 'getAttention',
    summary: 'Read one item of what a person has to do',
    description: ofOne,
    out: AttentionItemOut,
    run: ({ em, tenant_id, path, caller }) => one(em, scopeOfMember(tenant_id, caller.role), path.id, caller),
  }),
  route('POST /v1/stores/{storeId}/attention/{id}/resolve', {
    may: 'owner',
    operation: 'resolveAttention',
    refuses: resolutionRefusals,
    summary: 'Record what became of a request whose outcome is unknown',
    description: `Records what you found at the other party. ${resolving} ${consequences}`,
    body: ResolutionBody,
    out: Resolved,
    async run({ em, tenant_id, path, body, caller, now }) {
      const row = await rowOfItem(em, path.id)
      if (!row && wasStarted(body)) return { item: null }
      if (row?.tenant_id !== tenant_id || (await planTenantOf(em, path.id)) !== null) throw notFound('item')
      return resolve(em, row, path.id, body, { caller, scope: scopeOfMember(tenant_id, caller.role) }, now)
    },
  }),
]

const allList = 'GET /v1/attention'
const platformList = 'GET /v1/platform/attention'
export const allAttention = [
  route(allList, {
    may: 'account',
    operation: 'listAllAttention',
    refuses: ['bad_cursor'],
    summary: 'List what a person has to do in all of your {stores}',
    description: `As the list of a {store}, of all those in which you have a role that may see it, together with deletions that you asked for. ${oldestFirst}`,
    query: Query.extend({
      tenant_id: many(Id).optional().describe('Only items of these {stores}: repeated, or separated by commas.'),
    }),
    out: pageOf(AttentionItemOut),
    answers: { tagged: true },
    run: async ({ em, caller, query: { tenant_id, ...query }, now }) =>
      page(em, scopeOfAccount(caller.account_id, tenant_id), query, { spec: allList, tenant_id: null, caller, now }),
  }),
  route('GET /v1/attention/{id}', {
    may: 'account',
    operation: 'getAnyAttention',
    summary: 'Read one item of what a person has to do in one of your {stores}',
    description: ofOne,
    out: AttentionItemOut,
    run: ({ em, path, caller }) => one(em, scopeOfAccount(caller.account_id, undefined), path.id, caller),
  }),
  route(platformList, {
    may: 'platform',
    operation: 'listPlatformAttention',
    refuses: ['bad_cursor'],
    summary:
      "List what a person has to do about the installation, and about the plans of {stores} on the platform's own account",
    description: `Refunds, payment forms, changes, payments and disputes of the plans that the platform charges; e-mails of the installation; workflows of all {stores} that were not started; deletions that wait for a person. ${oldestFirst}`,
    query: Query,
    out: pageOf(AttentionItemOut),
    answers: { tagged: true },
    run: ({ em, query, caller, now }) =>
      page(em, 'platform', query, { spec: platformList, tenant_id: null, caller, now }),
  }),
  route('GET /v1/platform/attention/{id}', {
    may: 'platform',
    operation: 'getPlatformAttention',
    summary: 'Read one item of what a person has to do about the installation, or about the plan of a {store}',
    description: ofOne,
    out: AttentionItemOut,
    run: ({ em, path, caller }) => one(em, 'platform', path.id, caller),
  }),
  route('POST /v1/platform/attention/{id}/resolve', {
    may: 'platform',
    operation: 'resolvePlatformAttention',
    refuses: resolutionRefusals,
    summary: 'Record what became of a request of the installation, or about the plan of a {store}',
    description: `Records what was found at the other party. ${resolving} ${consequences}`,
    body: ResolutionBody,
    out: Resolved,
    async run({ em, path, body, caller, now }) {
      const row = await rowOfItem(em, path.id)
      if (!row && wasStarted(body)) return { item: null }
      // Starts are the installation's work, whichever tenant's they are.
      const isOfPlatform = row && (row.tenant_id === null || row.table === 'outbox')
      if (!row || !(isOfPlatform || (await planTenantOf(em, path.id)) !== null)) throw notFound('item')
      return resolve(em, row, path.id, body, { caller, scope: 'platform' }, now)
    },
  }),
]
