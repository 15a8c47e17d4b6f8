// A number that the system itself changes is written as a difference, with the value that was read, or with the
// record's version: otherwise what was sold meanwhile is lost.
import { expect, test } from '@jest/globals'
import { z } from 'zod'
import { document } from '../../api/document.ts'
import type { Route } from '../../api/kit/route.ts'
import { routes } from '../../api/routes.ts'

type Schema = Record<string, unknown> & { $ref?: string; readOnly?: boolean; type?: string | string[] }
const described = document() as {
  paths: Record<string, Record<string, { requestBody?: { content: Record<string, { schema: Schema }> } }>>
  components: unknown
}

const resolved = (schema: Schema): Schema => {
  if (!schema.$ref) return schema
  const [, , kind = '', name = ''] = schema.$ref.split('/')
  return resolved((described.components as Record<string, Record<string, Schema>>)[kind]?.[name] as Schema)
}

/** Paths of the numbers in a body that can be written, without the spelling of a surface: `/inventory[]/available`. */
function numbersIn(schema: Schema, at = '', above: readonly (string | undefined)[] = []): string[] {
  if (schema.readOnly || (schema.$ref && above.includes(schema.$ref))) return []
  const own = resolved(schema)
  if (own.readOnly) return []
  const names = [...above, schema.$ref]
  const properties = Object.entries((own.properties ?? {}) as Record<string, Schema>)
  const snake = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  const inner = [
    ...properties.flatMap(([name, one]) => numbersIn(one, `${at}/${snake(name)}`, names)),
    ...(own.items ? numbersIn(own.items as Schema, `${at}[]`, names) : []),
    ...(typeof own.additionalProperties === 'object'
      ? numbersIn(own.additionalProperties as Schema, `${at}/*`, names)
      : []),
    ...['anyOf', 'oneOf', 'allOf'].flatMap((name) =>
      ((own[name] ?? []) as Schema[]).flatMap((one) => numbersIn(one, at, names)),
    ),
  ]
  return [own.type].flat().some((type) => type === 'integer' || type === 'number') ? [at, ...inner] : inner
}

/**
 * Of records that a person describes: no timer, sale, payment, import or delivery writes them. What the system counts
 * against them is a number of its own.
 */
const persons = new Set([
  // A time that a person chooses.
  ...['/expires_at', '/scheduled_at', '/consent/at', '/since', '/conditions[]/start', '/conditions[]/end'],
  // Settings, limits and sizes. `count` limits the uses of a code, which are counted in `uses`; limits of mailboxes and
  // tokens likewise.
  ...[
    '/settings/approval_hours',
    '/settings/booking_reminder_minutes',
    '/settings/membership_grace_hours',
    '/settings/tokens',
    '/settings/reactions/window',
  ],
  ...[
    '/settings/location/lat',
    '/settings/location/lng',
    '/location/lat',
    '/location/lng',
    '/conditions[]/count',
    '/conditions[]/amount',
    '/concurrent_limit',
  ],
  ...[
    '/limits/per_second',
    '/limits/per_day',
    '/limits/connections',
    '/limits/messages_per_connection',
    '/smtp/port',
    '/imap/port',
    '/history_max',
  ],
  ...[
    '/output_tokens_max',
    '/daily_tokens_max',
    '/schema[]/min',
    '/schema[]/max',
    '/variants[]/weight',
    '/rating',
    '/step',
    '/limit',
    '/max_publications',
  ],
  ...['/max_comment_pages_per_publication', '/max_comments_per_publication', '/steps[]/delay_s', '/send_window/days[]'],
  // Prices.
  ...[
    '/zones[]/tax_bps',
    '/zones[]/shipping_methods[]/amount',
    '/variants[]/prices[]/amount',
    '/prices[]/amount',
    '/prices[]/interval/count',
    '/discounts[]/bps',
  ],
  ...['/discounts[]/amount'],
  // Calendars and graphs.
  ...[
    '/durations[]/duration',
    '/slot_interval',
    '/working_days[]/working_hours[]/from',
    '/working_days[]/working_hours[]/to',
  ],
  ...[
    '/specific_dates[]/working_hours[]/from',
    '/specific_dates[]/working_hours[]/to',
    '/nodes/*/delay_ms',
    '/nodes/*/timeout_ms',
    '/nodes/*/retries',
  ],
  '/nodes/*/retry_delay_ms',
])

/**
 * Of what a request asks for: it is reserved, paid back or sent by conditional updates, and no stored number is
 * replaced by it.
 */
const requested = new Set([
  '/amount',
  '/items[]/slots[]/from',
  '/items[]/slots[]/to',
  '/items[]/from',
  '/items[]/to',
  '/expected_total',
  '/items[]/quantity',
])

/** Of records that the system changes, too: what holds for each. */
const changed: Record<string, string[]> = {
  '/inventory[]/available': ['/inventory[]/delta', '/inventory[]/if_available'],
  '/inventory[]/delta': ['/inventory[]/if_available'],
  '/inventory[]/if_available': ['/inventory[]/available'],
  '/variants[]/inventory[]/available': ['/variants[]/inventory[]/delta', '/variants[]/inventory[]/if_available'],
  '/variants[]/inventory[]/delta': ['/variants[]/inventory[]/if_available'],
  '/variants[]/inventory[]/if_available': ['/variants[]/inventory[]/available'],
  '/version': [],
}
/** Of a slot as the availability answers it: it may be sent back, and is dropped. */
const dropped = /\/spots$/
/** Under the version of the order, without which no item of it is written. */
const versioned = ['/product_items[]/quantity', '/booking_items[]/slots[]/from', '/booking_items[]/slots[]/to']
/** Only the visitor changes their cart. */
const ownCarts = /^PUT \/v1\/storefront\/carts\//
/** What a booking has is written back as it was read, or refused: test/business/bookings.test.ts, payment_read_only. */
const readBack = /^PUT \/v1\/businesses\/\{businessId\}\/(bookings|reservations)\/\{id\}$/

test('Every number that the system changes is written by delta, expected value or version', () => {
  const unlisted: string[] = []
  const met = new Set<string>()
  for (const [path, operations] of Object.entries(described.paths))
    for (const [method, { requestBody }] of Object.entries(operations)) {
      const name = `${method.toUpperCase()} ${path}`
      const numbers = new Set(Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => numbersIn(schema)))
      for (const number of numbers) {
        met.add(number)
        if (
          persons.has(number) ||
          requested.has(number) ||
          ownCarts.test(name) ||
          readBack.test(name) ||
          dropped.test(number)
        )
          continue
        const guards = versioned.includes(number) ? ['/version'] : changed[number]
        if (!guards || guards.some((guard) => !numbers.has(guard))) unlisted.push(`${name} ${number}`)
      }
    }
  expect(unlisted).toEqual([])
  expect(
    [...persons, ...requested, ...Object.keys(changed), ...versioned].filter((number) => !met.has(number)),
  ).toEqual([])
})

test('Every operation that sells at a price of the moment takes the total the buyer saw', () => {
  // What reserves, or opens a form to pay in. Operators change orders under their version, and a refund has its amount.
  const sells = (routes as readonly Route[]).filter(
    ({ method, refuses }) =>
      method === 'POST' && (['slot_taken', 'payment_rejected'] as const).some((code) => refuses.includes(code)),
  )
  expect(sells.map(({ path }) => path)).toEqual(
    expect.arrayContaining(['/v1/storefront/carts/{id}/checkout', '/v1/businesses/{businessId}/subscribe']),
  )
  const takesTotal = ({ body, refuses }: Route) =>
    JSON.stringify(z.toJSONSchema(body as z.ZodType, { io: 'input', unrepresentable: 'any' })).includes(
      '"expected_total"',
    ) && refuses.includes('total_changed')
  expect(sells.filter((route) => !takesTotal(route)).map(({ method, path }) => `${method} ${path}`)).toEqual([])
})
