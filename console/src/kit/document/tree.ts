// The resources of the API as a tree of paths: what a page shows follows from its place in it.
import { type Method, type OpenApi, type Operation, operationsOf } from './operations.ts'
import { nameOf, plainText, propertiesOf, type Schema, type Schemas, wordsOf } from './schema.ts'

/**
 * `list`: records; `record`: one of them; `single`: one that is there once, such as the payment of an order; `action`:
 * something that is done; `folder`: a name in paths.
 */
export type Kind = 'list' | 'record' | 'single' | 'action' | 'folder'

export type Node = {
  /** The path without the names of its parameters: `/v1/stores/{}/orders/{}`. */
  key: string
  segment: string
  kind: Kind
  parent: Node | undefined
  children: readonly Node[]
  get: Operation | undefined
  post: Operation | undefined
  put: Operation | undefined
  delete: Operation | undefined
  /** One value is needed per parameter. */
  depth: number
  tag: string
}

export type Surface = 'stores' | 'businesses'

const isParameter = (segment: string) => segment.startsWith('{')

type Draft = Omit<Node, 'kind' | 'children' | 'parent'> & { children: Map<string, Draft> }

function kindOf(draft: Draft): Kind {
  if (draft.get?.item) return 'list'
  if (isParameter(draft.segment)) return 'record'
  if (draft.get) return 'single'
  return draft.post || draft.put || draft.delete ? 'action' : 'folder'
}

function finish(draft: Draft, parent: Node | undefined): Node {
  const node: Node = { ...draft, kind: kindOf(draft), parent, children: [] }
  const children = [...draft.children.values()].map((child) => finish(child, node))
  return Object.assign(node, {
    children,
    tag: draft.tag || children.find((child) => child.tag)?.tag || '',
  })
}

const empty = (key: string, segment: string, depth: number): Draft => ({
  key,
  segment,
  depth,
  tag: '',
  get: undefined,
  post: undefined,
  put: undefined,
  delete: undefined,
  children: new Map(),
})

export type Tree = {
  root: Node
  schemas: Schemas
  /** From the key to the node. */
  nodes: ReadonlyMap<string, Node>
  tags: readonly { name: string; description: string }[]
}

/** What changes the caller's own account stands one step above `me`, which reads it: it is offered there. */
function adoptByMe(draft: Draft): void {
  const me = draft.children.get('me')
  if (me?.get && !draft.get) {
    me.put ??= draft.put
    me.delete ??= draft.delete
  }
  draft.children.forEach(adoptByMe)
}

export function treeOf(document: OpenApi): Tree {
  const root = empty('', '', 0)
  for (const operation of operationsOf(document)) {
    let at = root
    for (const segment of operation.path.split('/').slice(1)) {
      const name = isParameter(segment) ? '{}' : segment
      const child = at.children.get(name) ?? empty(`${at.key}/${name}`, name, at.depth + (name === '{}' ? 1 : 0))
      at.children.set(name, child)
      at = child
    }
    at[operation.method.toLowerCase() as Lowercase<Method>] = operation
    at.tag ||= operation.tag
  }
  adoptByMe(root)
  const whole = finish(root, undefined)
  const nodes = new Map<string, Node>()
  const visit = (node: Node) => {
    nodes.set(node.key, node)
    node.children.forEach(visit)
  }
  visit(whole)
  const tags = document.tags.map(({ name, description }) => ({ name, description: plainText(description) }))
  return { root: whole, schemas: document.components.schemas, nodes, tags }
}

export const ancestorsOf = (node: Node): Node[] => (node.parent ? [...ancestorsOf(node.parent), node] : [])
export const recordOf = (list: Node): Node | undefined => list.children.find((child) => child.segment === '{}')

/** What can be done at a node: below a list without a record's id, below a record with it. */
export function actionsOf(node: Node): Operation[] {
  const below = node.children
    .filter((child) => child.segment !== '{}' && ['action', 'folder'].includes(child.kind))
    .flatMap((child) => [
      ...[child.post, child.put, child.delete].filter((one): one is Operation => one !== undefined),
      ...actionsOf(child),
    ])
  const whole = node.kind === 'list' ? [node.put, node.delete] : node.kind === 'single' ? [node.post] : []
  return [...whole.filter((one): one is Operation => one !== undefined), ...below]
}

/** Lists and single records directly below a node, also those behind a folder. */
export const shownBelow = (node: Node): Node[] =>
  node.children.flatMap((child) => {
    if (child.segment === '{}') return []
    if (child.kind === 'list' || child.kind === 'single') return [child]
    // Where no list leads to records, one is opened by its id.
    const own = recordOf(child)?.get ? [child] : []
    return child.kind === 'folder' ? [...own, ...shownBelow(child)] : own
  })

/** Names that say nothing without the path before them. */
const titles: Record<string, string> = {
  '/v1/accounts/me': 'Your account',
  '/v1/accounts/me/sessions': 'Your sessions',
  '/v1/accounts/me/api-tokens': 'Your API tokens',
  '/v1/accounts/me/memberships': 'Your memberships',
  '/v1/accounts/search': 'Find accounts',
  '/v1/stores/plans': 'Plans of stores',
  '/v1/businesses/plans': 'Plans of businesses',
  '/v1/platform/data': 'Values under keys',
}

/** `Payment providers`, `Mark paid`. */
export const titleOf = (node: Node): string =>
  titles[node.key] ??
  wordsOf(node.parent?.kind === 'folder' && node.depth > 0 ? `${node.parent.segment} ${node.segment}` : node.segment)

const plurals: Record<string, string> = {
  taxonomies: 'taxonomy',
  entries: 'entry',
  deliveries: 'delivery',
  statuses: 'status',
  media: 'media',
  'social-replies': 'social-reply',
  replies: 'reply',
  businesses: 'business',
  countries: 'country',
  'promo-codes': 'promo-code',
  addresses: 'address',
}
export const singular = (plural: string): string =>
  plurals[plural] ?? (plural.endsWith('ies') ? `${plural.slice(0, -3)}y` : plural.replace(/s$/, ''))

/** The name of an operation as a button says it: the last words of its path, or the verb of one that adds to a list. */
export function verbOf(operation: Operation, node: Node): string {
  if (operation === node.post && node.kind === 'list') return operation.summary.split(' ')[0] ?? ''
  const segments = operation.path.split('/').filter((segment) => !isParameter(segment))
  const last = wordsOf(segments.at(-1) ?? '')
  if (operation.method === 'POST') return last
  return `${operation.method === 'PUT' ? 'Change' : 'Remove'} ${last.toLowerCase()}`
}

// Addresses

/** `/v1/stores/{}/orders/{}` and its values → `/v1/stores/…/orders/…`, each value encoded. */
export const addressOf = (node: Node, values: readonly string[]): string => {
  let at = 0
  return node.key.replaceAll('{}', () => encodeURIComponent(values[at++] ?? ''))
}

/** What a path of the API leads to. Names win over parameters. */
export function locate(tree: Tree, path: string): { node: Node; values: string[] } | undefined {
  let node = tree.root
  const values: string[] = []
  for (const segment of path.split('/').filter((one) => one !== '')) {
    const named = node.children.find((child) => child.segment === segment)
    const next = named ?? recordOf(node)
    if (!next) return undefined
    if (!named) values.push(decodeURIComponent(segment))
    node = next
  }
  return { node, values }
}

export const pathValues = (operation: Operation, values: readonly string[]): Record<string, string> =>
  Object.fromEntries(operation.params.map((name, at) => [name, values[at] ?? '']))

// Which record an item of a list is

export type Item = Readonly<Record<string, unknown>>
export type Place = { node: Node; values: string[] }
const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : undefined
const snake = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
const camel = (name: string) => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
const field = (item: Item, name: string) => text(item[snake(name)]) ?? text(item[camel(name)])

const operationsAt = ({ get, post, put, delete: remove }: Node): Operation[] =>
  [get, post, put, remove].filter((one) => one !== undefined)
const namesAt = (node: Node, at: number): string[] => [
  ...operationsAt(node).map((one) => one.params[at] ?? ''),
  ...node.children.flatMap((child) => namesAt(child, at)),
]

/**
 * The names by which items mention what a parameter identifies: `{orderId}`, and `{id}` behind `orders`, are
 * `order_id`. The record's own operation names it first.
 */
function mentions(node: Node): string[] {
  const names = new Set(namesAt(node, node.depth - 1))
  const isPlain = names.delete('id')
  // Behind `members`, `{accountId}` is no member's id.
  return [
    ...names,
    ...(isPlain || names.size === 0 ? [`${singular(node.parent?.segment ?? '').replaceAll('-', '_')}_id`] : []),
  ]
}

/** The value of a record's parameter in an item of its list. */
export function ownValue(record: Node, item: Item): string | undefined {
  const named = mentions(record).map((name) => field(item, name))
  return named.find((one) => one !== undefined) ?? text(item.id) ?? text(item.key) ?? text(item.code)
}

/**
 * Values for all parameters up to a record elsewhere: of the place at hand, of what the item mentions, and its own id.
 */
function valuesFor(record: Node, item: Item, at: Place): string[] | undefined {
  const around = new Map(
    ancestorsOf(at.node)
      .filter((node) => node.segment === '{}')
      .map((node, index) => [node.key, at.values[index]]),
  )
  const chain = ancestorsOf(record).filter((node) => node.segment === '{}')
  const found = chain.map((node) => {
    if (node === record) return ownValue(node, item)
    const named = mentions(node).map((name) => field(item, name))
    return named.find((one) => one !== undefined) ?? around.get(node.key)
  })
  return found.includes(undefined) ? undefined : (found as string[])
}

/** Whether reading the record gives what the item holds, and not another kind of record. */
export function resembles(record: Node, item: Schema | undefined, schemas: Schemas): boolean {
  const whole = new Set(Object.keys(propertiesOf(record.get?.answer, schemas)))
  const names = Object.keys(propertiesOf(item, schemas))
  const shared = names.filter((name) => whole.has(name)).length
  return whole.size > 3 && shared >= 0.8 * Math.min(names.length, whole.size)
}

const scopeOf = (node: Node) => node.key.split('/')[2]

/** The record of an item: below its list, or another path that returns the same kind of record. */
export function placeOf(tree: Tree, at: Place, item: Item): Place | undefined {
  const { node: list, values } = at
  const below = recordOf(list)
  if (below && (below.get || below.put || below.delete || below.children.length > 0)) {
    const own = ownValue(below, item)
    return own === undefined ? undefined : { node: below, values: [...values, own] }
  }
  for (const node of tree.nodes.values()) {
    if (node.segment !== '{}' || !node.get || node.depth < 2 || scopeOf(node) !== scopeOf(list)) continue
    if (!resembles(node, list.get?.item, tree.schemas)) continue
    const found = valuesFor(node, item, at)
    if (found) return { node, values: found }
  }
  return undefined
}

/**
 * Of two records of one name, the one that shares more of the path is meant, and then the one with the shorter path.
 */
function nearness(node: Node, at: Place): number {
  const own = node.key.split('/')
  const around = at.node.key.split('/')
  const shared = own.findIndex((segment, index) => segment !== around[index])
  return (shared < 0 ? own.length : shared) * 100 - own.length
}

/** The record that a field of another one names: `contact_id` → the contact. */
export function placeNamed(tree: Tree, name: string, id: string, item: Item, at: Place): Place | undefined {
  // What is filed under a taxonomy is filed under one of those below it.
  const isTerm = /^entry_ids?$/.test(snake(name)) && field(item, 'taxonomy_id') !== undefined
  const plain = isTerm ? 'taxonomy' : snake(name).replace(/_ids?$/, '')
  const scope = scopeOf(at.node)
  let found: Place | undefined
  for (const node of tree.nodes.values()) {
    if (node.segment !== '{}' || scopeOf(node) !== scope || node.depth < 2 || !(node.get ?? node.parent?.get)) continue
    const isOf = mentions(node).some((one) => snake(one) === `${plain}_id`)
    const isSame = plain === 'parent' && at.node.key.startsWith(`${node.parent?.key}`)
    if (!isOf && !isSame) continue
    const values = valuesFor(node, { ...item, id, [mentions(node)[0] ?? 'id']: id }, at)
    if (values && (!found || nearness(node, at) > nearness(found.node, at)))
      found = { node, values: [...values.slice(0, -1), id] }
  }
  return found
}

/** `within`: the field of the record at the place that has the list. */
export type Source = Place & { within?: string }

/** The list of what a field names, in a record around or below that record: `line_id` → the lines of the order. */
export function sourceAround(tree: Tree, name: string, at: Place): Source | undefined {
  const noun = snake(name).replace(/_ids?$/, '')
  for (const node of ancestorsOf(at.node).reverse()) {
    if (node.segment !== '{}' || !node.get || node.depth < 2) continue
    const values = at.values.slice(0, node.depth)
    const within = Object.entries(propertiesOf(node.get.answer, tree.schemas)).find(
      ([field, { items }]) => singular(field) === noun && 'id' in propertiesOf(items, tree.schemas),
    )
    if (within) return { node, values, within: within[0] }
    const below = node.children.find((one) => snake(nameOf(one.get?.item) ?? '').endsWith(`_${noun}`))
    if (below) return { node: below, values }
  }
  return undefined
}
