// The tools that an agent's model may ask for. They read what the visitor of the chat may read; whose they are is never an argument.
import { z } from 'zod'
import type { ToolCall, ToolSpec } from './model-formats.ts'

/** Tool calls of one answer that are run; the others are refused. */
export const TOOLS_PER_STEP = 5
const resultMax = 8_192

const query = z.string().trim().min(1).max(200).describe('Words to search for.')
const shapes = {
  search_products: z.object({ query }).describe('Searches the products for sale: their texts, prices and whether they are in stock.'),
  search_services: z.object({ query }).describe('Searches the services that can be booked: their texts, durations and prices.'),
  own_orders: z.object({}).describe('Lists the latest orders and bookings of the visitor, who has to be signed in.'),
  hand_over: z
    .object({ message: z.string().trim().min(1).max(500).describe('The last message to the visitor.') })
    .describe('Hands the chat over to a person, where the visitor asks for one or no tool helps.'),
} as const
export type ToolName = keyof typeof shapes
export const ToolName = z.enum(Object.keys(shapes) as [ToolName, ...ToolName[]])

export const toolSpecs = (names: readonly ToolName[]): ToolSpec[] =>
  names.map((name) => {
    const { $schema: _, description = '', ...parameters } = z.toJSONSchema(shapes[name], { io: 'input' }) as Record<string, unknown> & { description?: string }
    return { name, description, parameters }
  })

export type ToolInput = { [N in ToolName]: { name: N; input: z.output<(typeof shapes)[N]> } }[ToolName]

/** What a call asks for, or why it is refused: an unknown tool, one that the agent has not, arguments that do not fit. */
export function toolInput({ name, arguments: given }: ToolCall, allowed: readonly ToolName[]): ToolInput | { refused: string } {
  const tool = ToolName.safeParse(name).data
  if (!tool || !allowed.includes(tool)) return { refused: 'There is no such tool.' }
  let value: unknown
  try {
    value = given.trim() === '' ? {} : JSON.parse(given)
  } catch {
    return { refused: 'The arguments are not JSON.' }
  }
  const read = shapes[tool].safeParse(value)
  return read.success ? ({ name: tool, input: read.data } as ToolInput) : { refused: 'The arguments do not fit the tool.' }
}

/** The text of a result: JSON, cut at 8 KiB. */
export function toolResult(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length <= resultMax ? text : `${text.slice(0, resultMax)}…`
}

/** Addresses of other hosts than these lose their scheme and path, so that no client makes a link of what a text led the model to write. */
export const withoutForeignLinks = (text: string, hosts: ReadonlySet<string>): string =>
  text.replace(/\bhttps?:\/\/([^\s/?#)\]>"']+)[^\s)\]>"']*/gi, (link, authority: string) => {
    const host = authority.replace(/^.*@/, '').replace(/:\d+$/, '').toLowerCase()
    return hosts.has(host) ? link : '[link removed]'
  })
