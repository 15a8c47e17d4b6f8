// What answers contained: ids by what they name, paths that exist, and bodies that were accepted, separately for each
// store.
import type { Random } from '../chaos/random.ts'
import { idOf, namedBy, type Operation, templateOf } from './document.ts'
import type { Known } from './values.ts'

/** Whose data it is: of the store under test, of another store, or of no store. */
export type Owner = 'mine' | 'theirs' | 'none'
export type By = { name: string; owner: Owner }

/** One request and its answer. `path` without its query; bodies as JSON values. */
export type Exchange = {
  operation: Operation
  path: string
  query: string
  body: unknown
  by: By
  status: number
  answer: unknown
}

type Taken = { body: unknown; query: string; by: By; path?: string }
type Address = { path: string; by: By }

const mostSeen = 60
const mostTaken = 24

export type Pool = {
  learn(exchange: Exchange): void
  known(owner: Owner): Known
  /** A path of this template that an answer contained. */
  address(template: string, by: By, draw: Random): string | null
  /** All paths that these callers have received. */
  addresses(template: string, by: By): string[]
  taken(operation: Operation, by: By, draw: Random): Taken | null
  /** A body that can be sent once. */
  offer(name: string, body: unknown, by: By, path: string): void
  offered(operation: Operation, by: By): Taken | null
  /** The version of the record at this path. */
  version(path: string): number | undefined
  /** It returned 404 for these callers. */
  forget(path: string, by?: By): void
}

type Json = Record<string, unknown>
const isRecord = (value: unknown): value is Json => value !== null && typeof value === 'object' && !Array.isArray(value)

/** Keeps the first quarter, which the set-up made, and the newest of the rest. */
function keep<T>(list: T[], one: T, most: number): void {
  list.push(one)
  if (list.length > most) list.splice(Math.floor(most / 4), 1)
}

function listOf<K, T>(lists: Map<K, T[]>, key: K): T[] {
  const list = lists.get(key) ?? []
  lists.set(key, list)
  return list
}

/** The templates that lead to one record: `/v1/stores/{}`, `/v1/stores/{}/orders/{}`, … */
const recordTemplates = (operations: readonly Operation[]): Set<string> =>
  new Set(
    operations.flatMap(({ path }) => {
      const parts = templateOf(path).split('/')
      return parts.flatMap((part, at) => (part === '{}' ? [parts.slice(0, at + 1).join('/')] : []))
    }),
  )

/** `untouchable`: values that are never used, because the run would end with them. */
export function openPool(operations: readonly Operation[], untouchable: ReadonlySet<unknown> = new Set()): Pool {
  const seen = new Map<string, unknown[]>()
  const addresses = new Map<string, Address[]>()
  const bodies = new Map<string, Taken[]>()
  const offers = new Map<string, Taken[]>()
  const versions = new Map<string, number>()
  const templates = recordTemplates(operations)
  /** The field that records use for a path's last parameter, where that is not `id`. */
  const names = new Map(
    operations.flatMap(({ path }) =>
      [...path.matchAll(/\{(\w+)\}/g)].map(({ 1: name = '', index }): [string, string] => [
        templateOf(path.slice(0, index + name.length + 2)),
        namedBy(path, name),
      ]),
    ),
  )
  const shapes = operations
    .filter(({ path }) => path.includes('{'))
    .map(({ path }) => ({ template: templateOf(path), like: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`) }))

  function note(owner: Owner, name: string, value: unknown): void {
    if (untouchable.has(value)) return
    const list = listOf(seen, `${owner} ${name}`)
    if (!list.includes(value)) keep(list, value, mostSeen)
  }

  function lead(template: string, path: string, by: By): void {
    if (!templates.has(template) || untouchable.has(path.split('/').at(-1))) return
    const list = listOf(addresses, template)
    if (!list.some((one) => one.path === path && one.by.name === by.name)) keep(list, { path, by }, mostSeen)
  }

  /** URLs within answers, such as a workflow's webhook. */
  function follow(text: string, by: By): void {
    if (!URL.canParse(text)) return
    const { pathname } = new URL(text)
    const shape = shapes.find(({ like }) => like.test(pathname))
    if (shape) lead(shape.template, pathname, by)
  }

  function harvest(value: unknown, name: string, by: By): void {
    if (Array.isArray(value)) {
      for (const one of value.slice(0, 20)) harvest(one, name, by)
    } else if (isRecord(value)) {
      for (const [field, inner] of Object.entries(value)) {
        if (['id', 'key', 'code'].includes(field) && typeof inner === 'string') note(by.owner, idOf(name, field), inner)
        if (field !== 'id') harvest(inner, field, by)
      }
    } else if (typeof value === 'number') note(by.owner, name, value)
    else if (typeof value === 'string' && value.length <= 500) {
      note(by.owner, name, value)
      if (/^https?:/.test(value)) follow(value, by)
    }
  }

  function records({ operation, path, by, answer }: Exchange): void {
    const template = templateOf(operation.path)
    const of =
      isRecord(answer) && Array.isArray(answer.items) ? answer.items : Array.isArray(answer) ? answer : [answer]
    const [base, at] = templates.has(`${template}/{}`)
      ? [path, `${template}/{}`]
      : [path.replace(/\/[^/]+$/, ''), template.replace(/\/[^/]+$/, '/{}')]
    for (const one of of.slice(0, 20)) {
      if (!isRecord(one)) continue
      const id = one[names.get(at) ?? 'id'] ?? one.id
      if (typeof id !== 'string') continue
      const own = template.endsWith('{}') ? path : `${base}/${id}`
      lead(template.endsWith('{}') ? template : at, own, by)
      if (typeof one.version === 'number') versions.set(own, one.version)
    }
  }

  /** A record that one visitor cannot see may exist for another; a store stays. */
  const isOf = (one: By, by: By | undefined, path: string) =>
    !by || (one.owner === by.owner && (one.name === by.name || /^\/v1\/(stores|businesses)\//.test(path)))

  function forget(path: string, by?: By): void {
    if (/^\/v1\/stores\/[^/]+$/.test(path)) return

    for (const list of addresses.values()) {
      const left = list.filter(
        (one) => (one.path !== path && !one.path.startsWith(`${path}/`)) || !isOf(one.by, by, path),
      )
      list.splice(0, list.length, ...left)
    }
  }

  return {
    learn(exchange) {
      const { operation, path, query, body, by, status, answer } = exchange
      if (status >= 300) return
      if (operation.method === 'DELETE') forget(path)
      if (isRecord(body) || query !== '') keep(listOf(bodies, operation.name), { body, query, by, path }, mostTaken)
      if (operation.method === 'DELETE') return
      const resource = operation.path.split('/').findLast((part) => !part.startsWith('{')) ?? ''
      harvest(answer, isRecord(answer) && typeof answer.id === 'string' ? resource : '', by)
      if (isRecord(answer) && Array.isArray(answer.items)) harvest(answer.items, resource, by)
      harvest(body, '', by)
      records(exchange)
    },
    known: (owner) => (name, draw) => {
      const list = seen.get(`${owner} ${name}`)
      return list?.[draw % list.length]
    },
    address(template, by, draw) {
      const all = addresses.get(template) ?? []
      const own = all.filter((one) => one.by.name === by.name)
      const near = own.length > 0 ? own : all.filter((one) => one.by.owner === by.owner)
      const any = near.length > 0 || by.owner !== 'none' ? near : all
      return any.length > 0 ? draw.pick(any).path : null
    },
    addresses: (template, by) =>
      (addresses.get(template) ?? [])
        .filter((one) => one.by.name === by.name || /^\/v1\/(stores|businesses)\//.test(one.path))
        .map(({ path }) => path),
    taken(operation, by, draw) {
      const near = (bodies.get(operation.name) ?? []).filter((one) => one.by.owner === by.owner)
      return near.length > 0 ? draw.pick(near) : null
    },
    offer: (name, body, by, path) => void listOf(offers, name).push({ body, query: '', by, path }),
    offered({ name }, by) {
      const list = offers.get(name) ?? []
      const at = list.findIndex((one) => one.by.name === by.name)
      return at < 0 ? null : (list.splice(at, 1)[0] ?? null)
    },
    version: (path) => versions.get(path),
    forget,
  }
}
