// Conditions of lists of services and providers: content, nodes, prices, and time that is free.
import { setImmediate as turn } from 'node:timers/promises'
import type { EntityManager } from '@mikro-orm/postgresql'
import { addDays, findFree } from '../../rules/scheduling/scheduling.ts'
import { type Condition, condition } from '../kit/database/condition.ts'
import { json, type Sql, sql, text } from '../kit/database/sql.ts'
import { uuids } from '../kit/ids.ts'
import type { Bookable } from './bookables.ts'
import { knownLimits } from './booked-limits.ts'
import { datesBetween, offerOf } from './offers.ts'
import { type LinkDays, visible } from './service-providers.ts'

const containing = (column: 'blocks' | 'node_ids', item: unknown): Condition =>
  condition((rows) => sql`${rows}.${text(column)} @> ${json([item])}`)

/**
 * Records with a block of each key and value, or with `any` of one. A value that is an object or a list is contained in
 * the block's.
 */
export const withBlocks = (blocks: readonly { key: string; value?: unknown }[], any: boolean): Condition => ({
  [any ? '$or' : '$and']: blocks.map((block) => containing('blocks', block)),
})

export const ofNode = (id: string): Condition => containing('node_ids', id)

/** The market that services and providers of a business are searched by. */
const amounts = '$[*] ? (@.market == "booking").amount'

/**
 * Records that visitors can book at such a price, in minor units of the market `booking`: a price of a link, or else of
 * its service.
 */
export function pricedBetween(kind: Bookable, from: number, to: number): Condition {
  const priceIn = (service: Sql) => sql`
    coalesce(
      jsonb_path_query_first(l.prices, ${amounts}::jsonpath),
      jsonb_path_query_first(${service}.prices, ${amounts}::jsonpath)
    )::bigint between ${from} and ${to}
  `
  if (kind === 'service')
    return condition(
      (rows) => sql`
        exists (
          select 1
          from (select 1) one
          left join (
            service_providers l
            join providers p on p.id = l.provider_id and p.tenant_id = l.tenant_id
              and p.status = 'active' and p.access = 'public'
          ) on l.service_id = ${rows}.id and l.tenant_id = ${rows}.tenant_id
          where ${priceIn(rows)}
        )
      `,
    )
  return condition(
    (rows) => sql`
      exists (
        select 1
        from service_providers l
        join services s on s.id = l.service_id and s.tenant_id = l.tenant_id
          and s.status = 'active' and s.access = 'public'
        where l.provider_id = ${rows}.id and l.tenant_id = ${rows}.tenant_id and ${priceIn(text('s'))}
      )
    `,
  )
}

/** `from`, `to`: Unix seconds. `all`: by private records, too. */
type Span = { from: number; to: number; all: boolean }
type OwnedDays = LinkDays & { owner_id: string; timezone: string }

/** Slots that a page computes: the rest of its records are looked at by the next one. */
const slotsMost = 50_000
const offer = offerOf({ link: 'l', service: 's', provider: 'p' })
const utcDate = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10)

/**
 * Which of these services (providers) of these tenants have a free slot that starts in the span, by their links to
 * active records: an answer for each, from the first on, until too many slots were computed. One statement, which reads
 * the days of their providers by key.
 */
export async function freeAmong(
  em: EntityManager,
  tenantIds: readonly string[],
  kind: Bookable,
  ids: readonly string[],
  { from, to, all }: Span,
  now: number,
): Promise<boolean[]> {
  const [first, last] = [addDays(utcDate(from), -1), addDays(utcDate(to), 2)]
  const rows: OwnedDays[] = await em.execute(sql`
    select l.${text(kind)}_id as owner_id, t.timezone, l.provider_id, l.working_days,
      ${datesBetween('l', first, last)} as specific_dates, ${offer.durations} as durations, l.slot_interval,
      ${offer.concurrent_limit} as concurrent_limit,
      (
        select coalesce(jsonb_agg(jsonb_build_object('local_date', d.local_date, 'taken', d.taken)), '[]')
        from schedule_days d
        where d.provider_id = l.provider_id and d.tenant_id = l.tenant_id and d.local_date between ${first} and ${last}
      ) as days
    from service_providers l
    join tenants t on t.id = l.tenant_id
    join services s on s.id = l.service_id and s.tenant_id = l.tenant_id and s.status = 'active' ${visible('s', all)}
    join providers p on p.id = l.provider_id and p.tenant_id = l.tenant_id and p.status = 'active' ${visible('p', all)}
    where l.tenant_id = any (${uuids(tenantIds)}) and l.${text(kind)}_id = any (${uuids(ids)})
  `)
  const of = Map.groupBy(await knownLimits(em, tenantIds, rows), ({ owner_id }) => owner_id)
  const answers: boolean[] = []
  let slots = 0
  for (const id of ids) {
    let free = false
    for (const { timezone: zone, days, ...link } of of.get(id) ?? []) {
      const found = findFree({ link, days, zone, from, to, now })
      slots += found.slots
      free = found.free
      if (free) break
      await turn()
    }
    answers.push(free)
    if (slots > slotsMost) break
  }
  return answers
}
