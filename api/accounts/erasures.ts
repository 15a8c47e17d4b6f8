// Deletions of businesses: what they wait for, and what a person records so that they go on. The business has no
// members any more: the account that asked for it, and platform administrators, read them.
import { z } from 'zod'
import { Erasure } from '../../entities/erasure/erasure.ts'
import { continueErasure, erasureFor, hasRows, wakeErasure } from '../../entities/erasure/erasures.ts'
import { type OpenItem, openItems } from '../../entities/erasure/settlement.ts'
import { planTenantOf } from '../../entities/payments/attention/money-items.ts'
import { resolveRequest } from '../../entities/payments/resolve-request.ts'
import { ErasureStatus, hasOpen } from '../../rules/erasure/erasures.ts'
import { anyMembers } from '../../rules/open-answers.ts'
import { conflict, notFound } from '../../rules/refusal.ts'
import { Note, resolving } from '../../rules/resolutions.ts'
import { CreatedAt, Id, UpdatedAt } from '../../rules/shapes.ts'
import { whole } from '../kit/query.ts'
import { route } from '../kit/route.ts'
import { MoneyItemOut, ResolutionBody, resolutionRefusals, shownItem } from '../payments/money-items.ts'

const fields = {
  id: z.string().describe('Identifier of the deletion, a UUIDv7 made by the server.'),
  erased_id: z.string().describe('Identifier of the business.'),
  key: z.string().describe('Key of the business.'),
  status: ErasureStatus.describe(
    '`settling`: what is pending ends at the provider. `deleting`: rows and files are deleted. `deleted`: the business is gone. `succeeded`: so is what late requests wrote.',
  ),
  message: z.string().describe('What it waits for, or what was deleted.'),
  needs_attention: z.boolean().describe('Whether a person has to act before it goes on.'),
  created_at: CreatedAt,
  updated_at: UpdatedAt,
}
const ErasureOut = z.object(fields).meta({ id: 'Erasure', description: 'The deletion of a business.' })
const ErasureWithItems = z
  .object({
    ...fields,
    items: z.array(MoneyItemOut).describe('What a person has to do about its money; empty when its rows are deleted.'),
    continued: z
      .object({
        account_id: z.string().describe('Identifier of the account.'),
        note: z.string().describe('Why.'),
        at: z.int().describe('When, in Unix seconds.'),
        plans: z
          .boolean()
          .describe(
            'Whether what the platform charges for plans was given up too, which only its administrators can do.',
          ),
      })
      .nullable()
      .describe('The person who continued it although outcomes were open; null if none did.'),
    open: anyMembers()
      .nullable()
      .describe(
        'What was open when its rows were deleted: `items`, and `rows`, the requests, forms, payments and subscriptions that waited for the provider, with their amounts and ids there, and `undelivered`, what buyers have paid and did not get back for orders that were cancelled, not shipped, or booked ahead (the newest 1,000). ' +
          'Null for nothing.',
      ),
  })
  .meta({ id: 'ErasureWithItems', description: 'The deletion of a business with what it waits for.' })

const Resolved = z
  .object({
    item: MoneyItemOut.nullable().describe('The item, if something is left to do about it; null if nothing is.'),
  })
  .meta({ id: 'ErasureItemResolved', description: 'What is left to do after an outcome was recorded.' })

const may = 'account' as const

/** What the platform's own account charged for a plan is looked up, and recorded, by the platform alone. */
const itemFor = ({ platform }: { platform: boolean }, { of_plan, ...item }: OpenItem) => ({
  ...shownItem(item),
  ...(of_plan && !platform ? { choices: [] } : {}),
})

export const erasures = [
  route('GET /v1/erasures', {
    may,
    operation: 'listErasures',
    summary: 'List the deletions of businesses that you asked for',
    description:
      'Platform administrators see all. Returns the newest first. A deletion is kept for a year after its end.',
    query: z.object({
      limit: whole(1, 100).default(100).describe('Number of items at most, 1 to 100; 100 by default.'),
    }),
    out: z.object({ items: z.array(ErasureOut).describe('Deletions.') }),
    run: async ({ em, caller, query }) => ({
      items: await em.find(Erasure, caller.platform ? {} : { requested_by: caller.account_id }, {
        orderBy: { id: 'desc' },
        limit: query.limit,
      }),
    }),
  }),
  route('GET /v1/erasures/{erasureId}', {
    may,
    operation: 'getErasure',
    summary: 'Read a deletion with what it waits for',
    description:
      'What is open about the plan of the business is charged by the platform: only its administrators have `choices` there, and can record an outcome.',
    out: ErasureWithItems,
    async run({ em, path, caller }) {
      const erasure = await erasureFor(em, path.erasureId, caller)
      const { continued, open, erased_id } = erasure
      const items = hasRows(erasure) ? await openItems(em, erased_id) : []
      return {
        ...erasure,
        continued: continued ? { plans: false, ...continued } : null,
        open: hasOpen(open) ? open : null,
        items: items.map((item) => itemFor(caller, item)),
      }
    },
  }),
  route('POST /v1/erasures/{erasureId}/resolve', {
    may,
    operation: 'resolveErasureItem',
    refuses: [...resolutionRefusals, 'erasure_over'],
    summary: 'Record what became of a request of a business that is being deleted',
    description: `Records what you found at the payment provider, under the \`id\` of the item in the deletion, which goes on when nothing is open. 404 for an item of the plan of the business, unless you are a platform administrator. ${resolving} 409 \`erasure_over\` when its rows are deleted.`,
    body: ResolutionBody.extend({ id: Id.describe('Identifier of the item.') }),
    out: Resolved,
    async run({ em, path, body: { id, ...body }, caller, now }) {
      const erasure = await erasureFor(em, path.erasureId, caller, true)
      if (!hasRows(erasure)) throw conflict('erasure_over', 'The rows of the business are deleted.')
      const { erased_id } = erasure
      if (!caller.platform && (await planTenantOf(em, id)) !== null) throw notFound('item')
      const { provider_object_id = null, ...said } = body
      await resolveRequest(em, erased_id, id, { ...said, provider_object_id, account_id: caller.account_id }, now)
      const item = (await openItems(em, erased_id)).find((one) => one.id === id)
      await wakeErasure(em, erasure, now)
      return { item: item ? itemFor(caller, item) : null }
    },
  }),
  route('POST /v1/erasures/{erasureId}/continue', {
    may,
    operation: 'continueErasure',
    refuses: ['erasure_over', 'erasure_goes_on'],
    summary: 'Continue a deletion although outcomes are open',
    description:
      'For a deletion that needs attention. What is unknown, or was tried in vain, is copied into the deletion (`open`), and its rows are deleted: nothing else tells afterwards what may have ' +
      'been sent, or is due. What is requested or being sent is awaited. Money that is due is not sent: refund it in the dashboard of the payment provider. What is open about the plan of the ' +
      'business is given up by a platform administrator alone. 409 `erasure_goes_on` if it does not need attention, `erasure_over` when its rows are deleted.',
    body: z.object({ note: Note }),
    out: ErasureOut,
    async run({ em, path, body, caller, now }) {
      const erasure = await erasureFor(em, path.erasureId, caller, true)
      await continueErasure(em, erasure, { ...body, account_id: caller.account_id, plans: caller.platform }, now)
      return em.refreshOrFail(erasure)
    },
  }),
]
