// Conditions of lists of services and providers: content, nodes, prices, and time that is free.
import { setImmediate as turn } from 'node:timers/promises'
import { raw } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { addDays, findFree } from '../../rules/scheduling/scheduling.ts'
import { uuids } from '../kit/ids.ts'
import { sql, text } from '../kit/sql.ts'
import type { Bookable } from './bookables.ts'
import { knownLimits } from './booked-limits.ts'
import { datesBetween, offerOf } from './offers.ts'
import { type LinkDays, visible } from './service-providers.ts'

type Where = Record<string, unknown>
const where = (statement: (alias: string) => string, values: readonly unknown[]): Where => ({
  [raw(statement, [...values]) as unknown as string]: [],
})

const containing = (column: 'blocks' | 'node_ids', item: unknown): Where =>
  where((alias) => `${alias}.${column} @> ?::jsonb`, [JSON.stringify([item])])

/** Records with a block of each key and value, or with `any` of one. A value that is an object or a list is contained in the block's. */
export const withBlocks = (blocks: readonly { key: string; value?: unknown }[], any: boolean): Where => ({
  [any ? '$or' : '$and']: blocks.map((block) => containing('blocks', block)),
})

export const ofNode = (id: string): Where => containing('node_ids', id)

/** The market that services and providers of a business are searched by. */
const amounts = '$[*] ? (@.market == "booking").amount'

/** Records that visitors can book at such a price, in minor units of the market `booking`: a price of a link, or else of its service. */
export function pricedBetween(kind: Bookable, from: number, to: number): Where {
  const amount = (service: string) =>
    `coalesce(jsonb_path_query_first(l.prices, ?::jsonpath), jsonb_path_query_first(${service}.prices, ?::jsonpath))::bigint between ? and ?`
  const seen = (alias: string) => `${alias}.status = 'active' and ${alias}.access = 'public'`
  const values = [amounts, amounts, from, to]
  if (kind === 'service')
    return where(
      (
        alias,
      ) => `exists (select 1 from (select 1) one left join (service_providers l join providers p on p.id = l.provider_id and p.tenant_id = l.tenant_id and ${seen('p')})
        on l.service_id = ${alias}.id and l.tenant_id = ${alias}.tenant_id where ${amount(alias)})`,
      values,
    )
  return where(
    (
      alias,
    ) => `exists (select 1 from service_providers l join services s on s.id = l.service_id and s.tenant_id = l.tenant_id and ${seen('s')}
      where l.provider_id = ${alias}.id and l.tenant_id = ${alias}.tenant_id and ${amount('s')})`,
    values,
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
 * Which of these services (providers) of these tenants have a free slot that starts in the span, by their links to active records: an answer for each, from the first
 * on, until too many slots were computed. One statement, which reads the days of their providers by key.
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
