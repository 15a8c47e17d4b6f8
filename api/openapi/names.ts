// Names for generated clients: an operation is a verb and a noun, and its body and answer are named after it.
import { z } from 'zod'
import type { Method, Route } from '../kit/route.ts'

/** Texts of one kind have no fields, and are the same on both surfaces. */
const kinds = new Set(['EmailAddress', 'Key', 'LocaleTag', 'PhoneNumber', 'PostalCode', 'PostalCodePattern', 'Slug'])

/** The name of a schema of the business surface: `StorePlan` → `BusinessPlan`. */
export const businessSchemaName = (name: string): string =>
  name.startsWith('Business') || kinds.has(name) ? name : `Business${name.replace(/^Store/, '')}`

const pascal = (text: string): string => text.replaceAll(/(?:^|[-_])(\w)/g, (_, letter: string) => letter.toUpperCase())
/** `listOrders` → `ListOrders`, `min_order_amount` → `MinOrderAmount` */
export const typeName = pascal

const singular = (noun: string): string => noun.replace(/ies$/, 'y').replace(/(x|ss)es$|([^su])s$/, '$1$2')
const verbs: Record<Method, string> = { GET: 'get', POST: 'create', PUT: 'update', DELETE: 'delete' }

/**
 * The segments of the path without version, store and `me`, and whether it is a path of the storefront or of the
 * business surface.
 */
function partsOf(path: string): { parts: string[]; surface: '' | 'Storefront' | 'Business' | 'Network' } {
  const parts = path.split('/').filter((part) => part !== '' && part !== 'v1' && part !== 'me')
  if (parts[0] === 'storefront') return { parts: parts.slice(1), surface: 'Storefront' }
  const surface = ({ businesses: 'Business', networks: 'Network' } as const)[parts[0] as string]
  if (surface && parts.length > 2) return { parts: parts.slice(2), surface }
  return { parts: parts[0] === 'stores' && parts.length > 2 ? parts.slice(2) : parts, surface: '' }
}

const isList = ({ out }: Route): boolean =>
  out instanceof z.ZodArray || (out instanceof z.ZodObject && 'items' in out.shape)

/**
 * The declared name (`operation`), otherwise one derived from method and path: `GET …/orders` is `listOrders`, `PUT
 * …/orders/{id}` is `updateOrder`, `POST …/executions/{executionId}/cancel` is `cancelExecution`. Generated clients use
 * the name: it must not change.
 */
export function operationIdOf(route: Route): string {
  if (route.operation) return route.operation
  const { parts, surface } = partsOf(route.path)
  const nouns = parts.filter((part) => !part.startsWith('{'))
  const last = nouns.pop() ?? ''
  const owners = nouns.map((noun) => pascal(singular(noun))).join('')
  if (parts.at(-1)?.startsWith('{')) return `${verbs[route.method]}${surface}${owners}${pascal(singular(last))}`
  if (route.method === 'GET') return `${isList(route) ? 'list' : 'get'}${surface}${owners}${pascal(last)}`
  if (route.method !== 'POST' || route.status === 201)
    return `${verbs[route.method]}${surface}${owners}${pascal(singular(last))}`
  return `${last.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())}${surface}${owners}`
}

const nameOf = (schema: z.core.$ZodType): string | undefined => z.globalRegistry.get(schema)?.id

/**
 * `OrderList` for a page of orders, `OrderLines` for a bare array, `<Operation>Result` for an answer without a name.
 */
export function answerNameOf(route: Route, out: z.ZodType): string {
  const items =
    out instanceof z.ZodObject && out.shape.items instanceof z.ZodArray && 'cursor' in out.shape
      ? nameOf(out.shape.items.element)
      : undefined
  const element = out instanceof z.ZodArray ? nameOf(out.element) : undefined
  const name = nameOf(out) ?? (items ? `${items}List` : element ? `${element}s` : undefined)
  if (!name) return `${pascal(operationIdOf(route))}Result`
  return route.surface === 'business' ? businessSchemaName(name) : name
}

export const bodyNameOf = (route: Route): string => `${pascal(operationIdOf(route))}Body`
