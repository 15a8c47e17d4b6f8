// Requests at the limits of the API document, in groups: lists of the full store, one field of a query or a body, all
// fields of a body together.
import type { Random } from '../../chaos/random.ts'
import { unique } from '../../kit/shop.ts'
import { type Operation, resolve, type Schema, templateOf } from '../document.ts'
import type { Pool } from '../pool.ts'
import { valuesOf } from '../values.ts'
import { bodyMax, drawerOf, type Filled, placesOf, sizeOf } from './limits.ts'
import type { CostRequest } from './measure.ts'

/** The requests are made when their turn comes: some hold a megabyte. */
type Group = { name: string; requests(draw: Random): CostRequest[] }

type Asked = {
  operations: readonly Operation[]
  schemas: Record<string, Schema>
  pool: Pool
  /** The permission that the route requires. */
  headersOf(operation: Operation): Record<string, string>
}

/** Ends the caller's session, or what all others need. */
const never =
  /^(DELETE \/v1\/accounts|POST \/v1\/storefront\/account\/logout|POST \S+\/publishable-key\/rotate|DELETE \/v1\/stores\/\{storeId\}\/members|PUT \/v1\/stores\/\{id\}$)/

const queries = ['limit=100', 'limit=100&sort_field=updated_at&sort_direction=asc']
/** Of the records of one route. */
const readsMax = 12
/** Of a path with its query, in characters: a request line and its headers have 16 KiB. */
const queryMax = 14_000

const isRecord = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

/** A key that is unique is new each time. */
const renewed = (body: unknown, place: string): unknown =>
  isRecord(body)
    ? Object.fromEntries(
        Object.entries(body).map(([name, value]) => [
          name,
          /^(key|code)$/.test(name) && typeof value === 'string' && value.length < 100 && place !== `/${name}`
            ? `${name}-${unique()}`
            : value,
        ]),
      )
    : body

const queryOf = (name: string, { value }: Filled): string => {
  const text = Array.isArray(value)
    ? value.slice(0, 100).join(',')
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value)
  const encoded = encodeURIComponent(text.toWellFormed()).slice(0, queryMax)
  return `${name}=${encoded.replace(/%[^%]?$/, '')}`
}

export function groupsOf({ operations, schemas, pool, headersOf }: Asked): Group[] {
  const drawer = drawerOf(
    schemas,
    valuesOf(schemas, () => undefined),
  )

  function groupsOfOne(operation: Operation): Group[] {
    const { path, method, name, body, parameters, needs } = operation
    const headers = headersOf(operation)
    const by = { name: ['visitor', 'verified'].includes(needs) ? 'visitor' : 'operator', owner: 'mine' } as const
    const end = path.lastIndexOf('}') + 1
    const addresses =
      end === 0 ? [path] : pool.addresses(templateOf(path.slice(0, end)), by).map((one) => one + path.slice(end))
    const at = addresses.at(-1)
    if (at === undefined) return []
    const inQuery = parameters.filter((one) => one.in === 'query')

    if (method === 'GET') {
      const isList = inQuery.some((one) => one.name === 'limit')
      const reads = addresses.slice(-readsMax)
      const all: Group = {
        name,
        requests: (draw) =>
          reads.map((address) => {
            const query = isList ? draw.pick(queries) : ''
            return { name: `${name} ${address}${query && `?${query}`}`, method, path: address, query, headers }
          }),
      }
      const filters = inQuery.map((parameter): Group => {
        const place = { path: [], schema: resolve(parameter.schema, schemas), name: parameter.name }
        return {
          name: `${name} ?${place.name}`,
          requests: () =>
            drawer.fillings(place).map((filling) => {
              const told = `${name} ?${place.name} ${filling.way}: ${filling.what}`
              return { name: told, method, path: at, query: queryOf(place.name, filling), headers }
            }),
        }
      })
      return [all, ...filters]
    }
    if (body?.type !== 'application/json') return []
    /** As a body that was accepted once or, where that leaves no room, the least that the schema requires. */
    const within = (draw: Random, fill: (base: unknown) => unknown): unknown => {
      const whole = fill(pool.taken(operation, by, draw)?.body ?? drawer.samples(body.schema)[0])
      return sizeOf(whole) < bodyMax ? whole : fill(drawer.samples(body.schema)[0])
    }
    const fields = placesOf(body.schema, schemas).map(
      (place): Group => ({
        name: `${name} ${place.name}`,
        requests: (draw) =>
          drawer.fillings(place).map(({ way, what, value }) => {
            const whole = within(draw, (base) => drawer.filled(body.schema, base, place, value))
            return {
              name: `${name} ${place.name} ${way}: ${what}`,
              method,
              path: at,
              headers,
              body: () => renewed(whole, place.name),
            }
          }),
      }),
    )
    const together: Group = {
      name: `${name} all fields together`,
      requests(draw) {
        const whole = within(draw, (base) => drawer.full(body.schema, base))
        return [{ name: `${name} all fields together`, method, path: at, headers, body: () => renewed(whole, '') }]
      },
    }
    return [...fields, together]
  }

  return operations.filter(({ name }) => !never.test(name)).flatMap(groupsOfOne)
}
