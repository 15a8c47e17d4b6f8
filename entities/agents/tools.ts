// What the tools of an agent read: records for sale, and the visitor's own orders. The tenant and the contact are the chat's, never an argument's.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { ToolCall, ToolResult } from '../../rules/agents/model-formats.ts'
import { TOOLS_PER_STEP, type ToolInput, type ToolName, toolInput, toolResult } from '../../rules/agents/tools.ts'
import { searchQuery, textsIn } from '../../rules/search.ts'
import { sql } from '../kit/sql.ts'

/** `contact_id`: null unless the visitor is signed in. */
export type Whose = { tenant_id: string; contact_id: string | null }

const rowsMax = 5
const textMax = 600
const shownText = (blocks: readonly { value?: unknown }[]): string =>
  textsIn(blocks.map(({ value }) => value))
    .join(' ')
    .slice(0, textMax)

type Found = { id: string; key: string; blocks: { value?: unknown }[] } & Record<string, unknown>
const shown = (rows: readonly Found[]) => rows.map(({ blocks, ...row }) => ({ ...row, text: shownText(blocks) }))

async function read(em: EntityManager, { tenant_id, contact_id }: Whose, tool: Exclude<ToolInput, { name: 'hand_over' }>): Promise<unknown> {
  switch (tool.name) {
    case 'search_products':
      return shown(
        await em.execute<Found[]>(
          sql`select p.id, p.key, p.blocks, (select jsonb_agg(jsonb_build_object('sku', v.sku, 'prices', v.prices) order by v.position, v.id) from product_variants v
             where v.tenant_id = p.tenant_id and v.product_id = p.id) as variants from products p
           where p.tenant_id = ${tenant_id} and p.status = 'active' and p.search @@ to_tsquery('simple', ${searchQuery(tool.input.query)}) order by p.created_at desc, p.id desc limit ${rowsMax}`,
        ),
      )
    case 'search_services':
      return shown(
        await em.execute<Found[]>(
          sql`select s.id, s.key, s.blocks, s.prices, s.durations from services s where s.tenant_id = ${tenant_id} and s.status = 'active' and s.access = 'public'
             and s.search @@ to_tsquery('simple', ${searchQuery(tool.input.query)}) order by s.created_at desc, s.id desc limit ${rowsMax}`,
        ),
      )
    case 'own_orders':
      if (contact_id === null) return { error: 'The visitor is not signed in.' }
      return em.execute(
        sql`select o.number::float8 as number, o.status, o.fulfillment_status, o.booking_status, o.money -> 'total' as total, o.money -> 'currency' as currency, o.created_at
           from orders o where o.tenant_id = ${tenant_id} and o.contact_id = ${contact_id} order by o.created_at desc, o.id desc limit ${rowsMax}`,
      )
  }
}

/** The results of what an answer asks for, at most five calls; `hand_over`: the last message to the visitor. Each result is answered under the id of its call. */
export async function runTools(
  em: EntityManager,
  whose: Whose,
  calls: readonly ToolCall[],
  allowed: readonly ToolName[],
): Promise<{ results: ToolResult[]; hand_over: string | null }> {
  const results: ToolResult[] = []
  for (const [n, call] of calls.entries()) {
    const tool = n < TOOLS_PER_STEP ? toolInput(call, allowed) : { refused: 'There were too many tool calls in one answer.' }
    if ('name' in tool && tool.name === 'hand_over') return { results, hand_over: tool.input.message }
    const value = 'refused' in tool ? { error: tool.refused } : await read(em, whose, tool)
    results.push({ id: call.id, name: 'refused' in tool ? 'unknown' : tool.name, content: toolResult(value) })
  }
  return { results, hand_over: null }
}
