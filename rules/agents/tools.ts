// The tools that an agent's model may ask for. They read what the visitor of the chat may read, or write the visitor's
// own cart; whose they are is never an argument.
import { z } from 'zod'
import { ofKind } from '../input/kinds.ts'
import { losslessJson } from '../input/numbers.ts'
import { storable } from '../input/storable.ts'
import { textForm } from '../input/texts.ts'
import { addressesIn, hostsIn, withoutLinks } from '../links.ts'
import type { ToolCall, ToolSpec } from '../models/model-formats.ts'
import { LocalDate, Minutes } from '../scheduling/calendars.ts'
import { wallTimeOf } from '../scheduling/local-time.ts'
import { Id, UnixSeconds } from '../shapes.ts'

/** Tool calls of one answer that are run; the others are refused. */
export const TOOLS_PER_STEP = 5
/** Bytes of a result. */
const resultMax = 8_192
/** Days that `availability` reads at most. */
export const AVAILABILITY_DAYS = 14

const query = ofKind('search', z.string().overwrite(textForm).trim().min(1).max(200)).describe('Words to search for.')
const slot = z.object({
  service_id: Id.describe('Identifier of the service.'),
  provider_id: Id.describe('Identifier of the provider.'),
  from: UnixSeconds.describe('Start of the slot in Unix seconds, as availability returned it.'),
  to: UnixSeconds.describe('End of the slot in Unix seconds, as availability returned it.'),
})
const product = z.object({
  variant_id: Id.describe('Identifier of the variant, as search_products returned it.'),
  quantity: z.int().min(1).max(100).describe('Number of units.'),
})
const shapes = {
  search_products: z
    .object({ query })
    .describe(
      'Searches the products for sale: their texts, and of their variants the prices and how many are left (null: not limited).',
    ),
  search_services: z
    .object({ query })
    .describe('Searches the services that can be booked: their texts, durations and prices.'),
  availability: z
    .object({
      service_id: Id.describe('Identifier of the service, as search_services returned it.'),
      from: LocalDate.optional().describe(
        'First day (YYYY-MM-DD) in the time zone of the business; today if left out.',
      ),
      to: LocalDate.optional().describe(
        `Last day, at most ${AVAILABILITY_DAYS - 1} days later; a week after the first day if left out.`,
      ),
      provider_id: Id.optional().describe('Only slots of this provider.'),
      duration: Minutes.optional().describe('Length of a slot in minutes.'),
    })
    .describe('Lists the free slots of a service, the earliest first.'),
  cart_link: z
    .object({
      products: z.array(product).max(20).optional().describe('Products to put into the cart.'),
      bookings: z.array(slot).max(10).optional().describe('Slots to put into the cart.'),
    })
    .describe(
      'Makes a cart for the visitor with these lines, and returns its total and its link. It reserves nothing, and the visitor pays by themself.',
    ),
  own_orders: z.object({}).describe('Lists the latest orders and bookings of the visitor, who has to be signed in.'),
  hand_over: z
    .object({ message: z.string().trim().min(1).max(500).describe('The last message to the visitor.') })
    .describe('Hands the chat over to a person, where the visitor asks for one or no tool helps.'),
} as const
export type ToolName = keyof typeof shapes
export const ToolName = z.enum(Object.keys(shapes) as [ToolName, ...ToolName[]])

/** Without the patterns of ids and dates, which say what their `format` says and are paid for with every call. */
const schemaOf = (shape: z.ZodType) =>
  z.toJSONSchema(shape, {
    io: 'input',
    override: ({ jsonSchema }) => {
      if (jsonSchema.format) delete jsonSchema.pattern
    },
  }) as Record<string, unknown> & { description?: string }

/** A tool as a model sees it. */
export function toolSpec(name: string, shape: z.ZodType): ToolSpec {
  const { $schema: _, description = '', ...parameters } = schemaOf(shape)
  return { name, description, parameters }
}

export const toolSpecs = (names: readonly ToolName[]): ToolSpec[] => names.map((name) => toolSpec(name, shapes[name]))

export type ToolInput = { [N in ToolName]: { name: N; input: z.output<(typeof shapes)[N]> } }[ToolName]
/** The input of a tool that has a result. */
export type ReadingTool = Exclude<ToolInput, { name: 'hand_over' }>

/**
 * What a call asks for, or why it is refused: an unknown tool, one that the agent has not, arguments that do not fit.
 */
export function toolInput(
  { name, arguments: given }: ToolCall,
  allowed: readonly ToolName[],
): ToolInput | { refused: string } {
  const tool = ToolName.safeParse(name).data
  if (!tool || !allowed.includes(tool)) return { refused: 'There is no such tool.' }
  const read = toolArguments(shapes[tool], given)
  return 'refused' in read ? read : ({ name: tool, input: read.input } as ToolInput)
}

/** The arguments of a call, or why they are refused. */
export function toolArguments<T extends z.ZodType>(
  shape: T,
  given: string,
): { input: z.output<T> } | { refused: string } {
  let value: unknown
  try {
    value = given.trim() === '' ? {} : losslessJson(given)
  } catch {
    return { refused: 'The arguments are not JSON.' }
  }
  // NUL and lone surrogates cannot be stored.
  const read = shape.safeParse(storable(value))
  return read.success ? { input: read.data } : { refused: 'The arguments do not fit the tool.' }
}

const bytesOf = (text: string): number => new TextEncoder().encode(text).length

/** The text of a result: JSON of 8 KiB at most. A list loses its last records, another value its end. */
export function toolResult(value: unknown): string {
  const text = JSON.stringify(value)
  if (bytesOf(text) <= resultMax) return text
  if (Array.isArray(value) && value.length > 1) return toolResult(value.slice(0, -1))
  return `${new TextDecoder().decode(new TextEncoder().encode(text).slice(0, resultMax - 6)).replace(/\uFFFD+$/, '')}…`
}

/** A slot as a model reads it: `local` is its start on the clock of the business, `YYYY-MM-DD HH:MM`. */
export const localTime = (at: number, zone: string): string =>
  new Date(wallTimeOf(at, zone) * 1000).toISOString().slice(0, 16).replace('T', ' ')

/** With or without `www.`, it is the host of one owner. */
const isOf = (host: string, hosts: ReadonlySet<string>): boolean =>
  hosts.has(host) || hosts.has(`www.${host}`) || (host.startsWith('www.') && hosts.has(host.slice(4)))

/**
 * Keeps the addresses of these hosts, and these e-mail addresses, in lower case: what a text led the model to write is
 * no link.
 */
export const withoutForeignLinks = (
  text: string,
  hosts: ReadonlySet<string>,
  addresses: ReadonlySet<string> = new Set(),
): string =>
  withoutLinks(
    text,
    (link) =>
      (link.hosts.length > 0 && link.hosts.every((host) => isOf(host, hosts))) ||
      (link.bare && addresses.has(link.text.toLowerCase())),
  )

/**
 * Hosts that answers may name: those that the operator wrote into the prompt, and those of the pages of the business.
 */
export const ownHosts = (prompt: string, pages: readonly (string | null | undefined)[]): ReadonlySet<string> =>
  new Set([...pages.map((page) => page ?? ''), prompt].flatMap((text) => [...hostsIn(text)]))

/** The e-mail addresses that visitors wrote, in lower case: an answer may repeat them. */
export const writtenAddresses = (texts: readonly string[]): ReadonlySet<string> => new Set(texts.flatMap(addressesIn))
