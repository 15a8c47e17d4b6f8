// Lists and `expand` as Stripe's: newest first, at most a hundred, and only requested fields expanded.
import type { Handler } from './calls.ts'
import { invalid, missing } from './errors.ts'
import type { Fields, Form } from './form.ts'
import { all, detailOf, get, type Kind, lookup, type Of } from './objects.ts'

export type List = { object: 'list'; data: object[]; has_more: boolean; url: string }
/** Retrieves one object of the caller's account. */
export function one(kind: Kind, param: string): Handler {
  return (call, fields, id) => {
    fields.done()
    return get(kind, call.account, id, param)
  }
}

type Filters<K extends Kind> = { [name: string]: (object: Of<K>) => unknown }

/**
 * A page of `kind`. Each filter compares a parameter with the object's field of the same name; `also` is a filter of
 * another kind.
 */
export function list<K extends Kind>(
  kind: K,
  account: string,
  path: string,
  fields: Fields,
  filters: Filters<K> = {},
  also: (object: Of<K>) => boolean = () => true,
): List {
  const wanted = Object.entries(filters).flatMap(([name, read]) => {
    const text = fields.text(name)
    return text === undefined ? [] : [(object: Of<K>) => String(read(object)) === text]
  })
  const inTime = createdWithin(fields)
  const found = all(kind, account).filter(
    (object) => inTime(object.created ?? 0) && also(object) && wanted.every((fits) => fits(object)),
  )
  return page(found.reverse(), path, fields)
}

export function page(newestFirst: { id: string }[], path: string, fields: Fields): List {
  const limit = fields.integer('limit') ?? 10
  const after = fields.text('starting_after')
  const before = fields.text('ending_before')
  fields.done()
  if (limit < 1 || limit > 100)
    throw invalid('This value must be between 1 and 100.', 'limit', 'parameter_invalid_integer')
  const at = (id: string, param: string) => {
    const index = newestFirst.findIndex((object) => object.id === id)
    if (index < 0) throw missing('object', id, param, 400)
    return index
  }
  if (before !== undefined) {
    const until = at(before, 'ending_before')
    return {
      object: 'list',
      data: newestFirst.slice(Math.max(0, until - limit), until),
      has_more: until > limit,
      url: path,
    }
  }
  const from = after === undefined ? 0 : at(after, 'starting_after') + 1
  return {
    object: 'list',
    data: newestFirst.slice(from, from + limit),
    has_more: newestFirst.length > from + limit,
    url: path,
  }
}

function createdWithin(fields: Fields): (created: number) => boolean {
  const range = fields.isMap('created') ? fields.map('created') : undefined
  if (!range) {
    const exact = fields.integer('created')
    return (created) => exact === undefined || created === exact
  }
  const [gt, gte, lt, lte] = (['gt', 'gte', 'lt', 'lte'] as const).map((bound) => range.integer(bound))
  return (created) =>
    (gt === undefined || created > gt) &&
    (gte === undefined || created >= gte) &&
    (lt === undefined || created < lt) &&
    (lte === undefined || created <= lte)
}

/** `expand[]=payment_intent.latest_charge`; in a list `data.…`. Other fields stay ids. */
export function expand(account: string, body: object, form: Form): object {
  const paths =
    typeof form.expand === 'object' ? Object.values(form.expand).filter((path) => typeof path === 'string') : []
  return paths.reduce<object>((object, path) => widen(account, object, path.split('.')), body)
}

function widen(account: string, object: object, path: string[]): object {
  const [name, ...rest] = path
  if (name === undefined) return object
  const value = inside(account, object, name)
  if (Array.isArray(value)) return { ...object, [name]: value.map((one: object) => widen(account, one, rest)) }
  const found = typeof value === 'string' ? lookup(account, value) : value
  return found && typeof found === 'object' ? { ...object, [name]: widen(account, found, rest) } : object
}

function inside(account: string, object: object, name: string): unknown {
  const { id, object: kind } = object as { id?: string; object?: string }
  if (id && kind === 'checkout.session' && name === 'line_items')
    return {
      object: 'list',
      data: detailOf(id)?.lines ?? [],
      has_more: false,
      url: `/v1/checkout/sessions/${id}/line_items`,
    }
  if (id && kind === 'charge' && name === 'refunds')
    return {
      object: 'list',
      data: all('refund', account)
        .filter((refund) => refund.charge === id)
        .reverse(),
      has_more: false,
      url: `/v1/charges/${id}/refunds`,
    }
  if (id && kind === 'invoice' && name === 'payments')
    return {
      object: 'list',
      data: all('invoice_payment', account).filter((payment) => payment.invoice === id),
      has_more: false,
      url: `/v1/invoice_payments?invoice=${id}`,
    }
  return (object as Record<string, unknown>)[name]
}
