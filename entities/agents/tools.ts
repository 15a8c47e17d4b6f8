// What the tools of an agent read: records for sale, free slots, and the visitor's own orders. The tenant and the
// contact are the chat's, never an argument's.
import type { EntityManager } from '@mikro-orm/postgresql'
import {
  AVAILABILITY_DAYS,
  localTime,
  type ReadingTool,
  TOOLS_PER_STEP,
  type ToolInput,
  type ToolName,
  toolInput,
  toolResult,
} from '../../rules/agents/tools.ts'
import { cut } from '../../rules/excerpts.ts'
import type { ToolCall, ToolResult } from '../../rules/models/model-formats.ts'
import { Refusal } from '../../rules/refusal.ts'
import { addDays, localDateOf } from '../../rules/scheduling/scheduling.ts'
import { searchQuery, textsIn } from '../../rules/search/search.ts'
import { saidOn } from '../../rules/spelling.ts'
import { sql } from '../kit/database/sql.ts'
import { freeSlots } from '../scheduling/availability.ts'
import { withProviders } from '../scheduling/service-providers.ts'
import { cartLink } from './cart-link.ts'
import type { ToolVisitor } from './tool-visitor.ts'

const rowsMax = 5
const textMax = 600
const shownText = (blocks: readonly { value?: unknown }[]): string =>
  cut(textsIn(blocks.map(({ value }) => value)).join(' '), textMax)

type Found = { id: string; key: string; blocks: { value?: unknown }[] } & Record<string, unknown>
const listed = (rows: readonly Found[]) =>
  rows.map(({ blocks, tenant_id: _, ...row }) => ({ ...row, text: shownText(blocks) }))

const [slotsShown, slotsMax] = [40, 5_000]

/** The earliest free slots in the range, of all providers. */
async function freeOf(
  em: EntityManager,
  { tenant_id, zone }: ToolVisitor,
  wanted: Extract<ToolInput, { name: 'availability' }>['input'],
  now: number,
): Promise<unknown> {
  const from = wanted.from ?? localDateOf(now, zone)
  const last = addDays(from, AVAILABILITY_DAYS - 1)
  const to = wanted.to ?? addDays(from, 6)
  if (to < from || to > last) return { error: `Expected \`to\` from \`from\` to ${AVAILABILITY_DAYS - 1} days later.` }
  const { service_id, provider_id, duration } = wanted
  const range = { unit: 'days', from, to } as const
  const { providers } = await freeSlots(
    em,
    tenant_id,
    { service_id, provider_id, duration, range, visible: true, most: slotsMax, pointer: 'to' },
    now,
  )
  const slots = providers
    .flatMap(({ provider_id, days }) =>
      days.flatMap((day) => day.slots.map((slot) => ({ provider_id, local: localTime(slot.from, zone), ...slot }))),
    )
    .sort((a, b) => a.from - b.from)
  return { time_zone: zone, from, to, slots: slots.slice(0, slotsShown), more: slots.length > slotsShown }
}

async function read(em: EntityManager, whose: ToolVisitor, tool: ReadingTool, now: number): Promise<unknown> {
  const { tenant_id, contact_id, verified } = whose
  switch (tool.name) {
    case 'search_products':
      return listed(
        await em.execute<Found[]>(sql`
          select p.id, p.key, p.blocks,
            (
              select jsonb_agg(
                jsonb_build_object(
                  'variant_id', v.id, 'sku', v.sku, 'prices', v.prices, 'available',
                  (
                    select sum(l.available)
                    from inventory_levels l
                    where l.tenant_id = v.tenant_id and l.variant_id = v.id
                  )
                ) order by v.position,
                v.id
              )
              from (
                select *
                from product_variants w
                where w.tenant_id = p.tenant_id and w.product_id = p.id
                order by w.position, w.id
                limit 20
              ) v
            ) as variants
          from products p
          where p.tenant_id = ${tenant_id}
            and p.status = 'active'
            and p.search @@ to_tsquery('simple', ${searchQuery(tool.input.query)})
          order by p.created_at desc, p.id desc
          limit ${rowsMax}
        `),
      )
    case 'search_services':
      return listed(
        await withProviders(
          em,
          await em.execute<(Found & { tenant_id: string })[]>(sql`
            select s.id, s.tenant_id, s.key, s.blocks, s.prices, s.durations
            from services s
            where s.tenant_id = ${tenant_id}
              and s.status = 'active'
              and s.access = 'public'
              and s.search @@ to_tsquery('simple', ${searchQuery(tool.input.query)})
            order by s.created_at desc, s.id desc
            limit ${rowsMax}
          `),
        ),
      )
    case 'availability':
      return freeOf(em, whose, tool.input, now)
    case 'cart_link':
      return cartLink(em, whose, tool.input, now)
    case 'own_orders':
      if (contact_id === null || !verified) return { error: 'The visitor is not signed in.' }
      return em.execute(sql`
        select o.number::float8 as number, o.status, o.fulfillment_status, o.booking_status,
          o.money -> 'total' as total, o.money -> 'currency' as currency, o.created_at
        from orders o
        where o.tenant_id = ${tenant_id} and o.contact_id = ${contact_id}
        order by o.created_at desc, o.id desc
        limit ${rowsMax}
      `)
  }
}

/** The error that a model gets from a tool: an unknown service, a range of too many slots. */
const readOrRefused = (em: EntityManager, whose: ToolVisitor, tool: ReadingTool, now: number): Promise<unknown> =>
  read(em, whose, tool, now).catch((error: unknown) => {
    if (error instanceof Refusal) return { error: saidOn('business', error.message) }
    throw error
  })

/**
 * The results of what an answer asks for, at most five calls; `hand_over`: the last message to the visitor. Each result
 * is answered under the id of its call. `now` in Unix seconds.
 */
export async function runTools(
  em: EntityManager,
  whose: ToolVisitor,
  calls: readonly ToolCall[],
  allowed: readonly ToolName[],
  now: number,
): Promise<{ results: ToolResult[]; hand_over: string | null }> {
  const results: ToolResult[] = []
  for (const [n, call] of calls.entries()) {
    const tool =
      n < TOOLS_PER_STEP ? toolInput(call, allowed) : { refused: 'There were too many tool calls in one answer.' }
    if ('name' in tool && tool.name === 'hand_over') return { results, hand_over: tool.input.message }
    const value = 'refused' in tool ? { error: tool.refused } : await readOrRefused(em, whose, tool, now)
    results.push({ id: call.id, name: 'refused' in tool ? 'unknown' : tool.name, content: toolResult(value) })
  }
  return { results, hand_over: null }
}
