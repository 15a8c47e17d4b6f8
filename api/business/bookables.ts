// What services and providers of a business have in common. Visitors find those that are active and public.
import { z } from 'zod'
import type { EntityManager } from '../../entities/kit/database/orm.ts'
import type { Bookable } from '../../entities/scheduling/bookables.ts'
import { freeAmong, ofNode, pricedBetween, withBlocks } from '../../entities/scheduling/filters.ts'
import { PartName } from '../../rules/input/identities.ts'
import { invalidInput } from '../../rules/refusal.ts'
import { Visibility } from '../../rules/scheduling/calendars.ts'
import { Id } from '../../rules/shapes.ts'
import { bySlug } from '../content/named.ts'
import { filter } from '../kit/answer/listing.ts'
import type { Customer } from '../kit/caller.ts'
import { encoded, flag, unixSeconds, whole } from '../kit/query.ts'
import { bookableList, removesBookable, statuses } from '../scheduling/bookables.ts'

const network_ids = 'Identifiers of the networks that list the record; empty for all networks of the business.'
const node_ids =
  'Identifiers of entries ("nodes") that the record belongs to, 500 at most. They may be deleted independently.'
const access = '`public` records are found and booked by visitors; `private` ones by operators only.'

export const listedOut = {
  access: Visibility.describe(access),
  node_ids: z.array(z.string()).describe(node_ids),
  network_ids: z.array(z.string()).describe(network_ids),
}

const Ids = z.array(Id).max(500)
export const listedFields = {
  access: Visibility.optional().describe(`${access} \`public\` by default.`),
  node_ids: Ids.optional().describe(node_ids),
  network_ids: Ids.optional().describe(network_ids),
}

/** The records that the caller finds. */
export const visibleTo = ({ kind }: Pick<Customer, 'kind'>) =>
  kind === 'visitor' ? ({ status: 'active', access: 'public' } as const) : {}

const Blocks = z
  .array(
    z.strictObject({
      key: PartName.describe('Key of the block.'),
      value: z.unknown().optional().describe('Its value; left out for any.'),
    }),
  )
  .min(1)
  .max(20)

const spanMost = 31 * 86_400
/** Days are compared as text, which requires years of four digits, also on the days after. */
const horizonS = Date.UTC(9999, 0, 1) / 1000
/** 422 for a bound without the other, and for a span that is reversed or too long. */
function checkSpan(from: unknown, to: unknown) {
  const fault = (pointer: string, code: string, detail: string) => invalidInput([{ pointer, code, detail }])
  if (typeof from !== 'number') throw fault('from', 'required', 'Send `from` and `to`.')
  if (typeof to !== 'number') throw fault('to', 'required', 'Send `from` and `to`.')
  if (to < from) throw fault('to', 'too_small', 'Must not be before `from`.')
  if (to - from > spanMost) throw fault('to', 'too_big', 'Must be at most 31 days after `from`.')
  if (to >= horizonS) throw fault('to', 'too_big', 'Expected a time between the years 1970 and 9998.')
  return {}
}

const amountMost = Number.MAX_SAFE_INTEGER
const price = (bound: string) =>
  whole(0, amountMost).describe(`${bound} price of a slot in the market \`booking\`, in minor units; inclusive.`)

/** Filters of lists of both modules, beside those of stores. */
export const bookableFilters = (kind: Bookable) => ({
  statuses,
  node_id: filter(Id.describe('Only records of this entry ("node").'), ofNode),
  blocks: filter(
    encoded(Blocks).describe(
      'JSON list of `{key, value}`, 20 at most: records with one such block, with `match_all` with all of them.',
    ),
    (blocks, { match_all }) => withBlocks(blocks, match_all !== true),
  ),
  match_all: filter(
    flag.describe(
      'True: records must match every item of `taxonomy_query` and of `blocks`; otherwise one of each is enough.',
    ),
    () => ({}),
  ),
  price_from: filter(price('Lowest'), (from, { price_to = amountMost }) =>
    pricedBetween(kind, from, price_to as number),
  ),
  price_to: filter(price('Highest'), (to, { price_from }) =>
    price_from === undefined ? pricedBetween(kind, 0, to) : {},
  ),
  from: filter(
    unixSeconds.describe(
      'Only records with a free slot that starts from this time on, in Unix seconds. Needs `to`. Pages may have fewer records.',
    ),
    (from, { to }) => checkSpan(from, to),
  ),
  to: filter(
    unixSeconds.describe(
      'Only records with a free slot that starts until this time, in Unix seconds, at most 31 days after `from`.',
    ),
    (to, { from }) => checkSpan(from, to),
  ),
})

const listDescription =
  'Returns one page, sorted by creation time, newest first, unless another order is requested. With `from` and `to`, a page may have fewer records than `limit`, or none: only a ' +
  '`cursor` of null is the end. Visitors get active and public records.'

type Asking = { tenant_id: string; caller: Pick<Customer, 'kind'>; now: number }
/** Keeps records with free time, if the query has a span. */
const keepFree =
  (kind: Bookable) =>
  async (
    em: EntityManager,
    rows: readonly { id: string }[],
    { from, to }: Record<string, unknown>,
    { tenant_id, caller, now }: Asking,
  ) => {
    if (typeof from !== 'number' || typeof to !== 'number') return undefined
    const ids = rows.map(({ id }) => id)
    return freeAmong(em, [tenant_id], kind, ids, { from, to, all: caller.kind === 'operator' }, now)
  }

/** What the routes of the services, or of the providers, of a business have in common. */
export const businessBookables = (kind: Bookable) => ({
  list: {
    may: 'customer' as const,
    contact: 'optional' as const,
    summary: `List the ${kind}s of a business`,
    ...bookableList,
    description: listDescription,
    scope: ({ caller }: Pick<Asking, 'caller'>) => visibleTo(caller),
    keep: keepFree(kind),
  },
  read: {
    may: 'customer' as const,
    contact: 'optional' as const,
    summary: `Read a ${kind} of a business by id or by slug`,
    textParameters: ['id'] as const,
    query: bySlug,
  },
  create: { may: 'admin' as const, summary: `Create a ${kind} of a business`, status: 201 as const },
  update: { may: 'admin' as const, summary: `Update a ${kind} of a business` },
  remove: { summary: `Delete a ${kind} of a business with its links`, ...removesBookable(kind) },
})
