// An id of another tenant's row has the same effect as an unknown id in every field, and no own row ever refers to it.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Route } from '../../api/kit/route.ts'
import { declared } from '../../api/routes.ts'
import { newId } from '../../entities/kit/ids.ts'
import { bookable, provider } from '../kit/bookings/booking.ts'
import { codeFor, prove } from '../kit/codes.ts'
import { collection, entry } from '../kit/content/content.ts'
import { idsOf, links, strays } from '../kit/database/tenants-apart.ts'
import { type EveryRow, everyRow } from '../kit/effects/every-row.ts'
import { idPlaces, type Place, patternOf, placesOf, valueAt, withAt } from '../kit/id-places.ts'
import { buyer, cash, checkOut, product, update } from '../kit/orders/buying.ts'
import { nameFor, spelledFor } from '../kit/samples.ts'
import { type Answer, database, http, newEmail, newShop, type Shop, unique, type Visitor } from '../kit/shop.ts'

/**
 * Those of businesses that are like a store's run the same code; bookings and networks, which are searched over all
 * tenants, have tests of their own.
 */
const routes: readonly Route[] = declared.filter(
  ({ path }) => !/^\/v1\/(businesses\/\{businessId\}\/(bookings|reservations)|networks)/.test(path),
)
type Body = Record<string, unknown>

let mine: Shop
let visitor: Visitor
let theirs: Shop
let theirVisitor: Visitor
let my: EveryRow
let their: EveryRow
let slot: { from: number; to: number }

beforeAll(async () => {
  ;[mine, theirs] = await Promise.all([newShop(), newShop()])
  ;[visitor, theirVisitor] = await Promise.all([mine.visitor(), theirs.visitor()])
  // A merge ends the sessions of visitors who proved no address.
  await prove(visitor, newEmail())
  my = { ...(await everyRow(mine, visitor)), tenants: mine.store_id }
  their = { ...(await everyRow(theirs, theirVisitor)), tenants: theirs.store_id }
  const cut = await bookable(mine)
  const free = await cut.free()
  slot = { from: free[1]?.from as number, to: free[1]?.to as number }
  const anew = async (row: number) => {
    const at = free[row] as typeof slot
    const tea = await product(mine)
    const { visitor, cart } = await buyer(mine, [tea.item()], { booking_items: [cut.item(at)] })
    const { order_id } = (await checkOut(visitor, cart, cash)).body
    const read = async (what: string) =>
      (await mine.asOperator('GET', `/orders/${order_id}/${what}`)).body[0].id as string
    return { orders: order_id, lines: await read('products'), 'order-bookings': await read('bookings') }
  }
  await mine.asOperator('PUT', `/webhooks/${my.webhooks}`, { enabled: true })
  instead['PUT /v1/stores/{storeId}/orders/{id}'] = {
    services: cut.service_id,
    providers: cut.provider_id,
    ...(await anew(2)),
  }
  const confirmed = await anew(3)
  await update(mine, confirmed.orders, { confirm: true })
  instead['POST /v1/stores/{storeId}/orders/{orderId}/shipments'] = confirmed
  instead['PUT /v1/storefront/reactions/{id}'] = { reactions: my['visitor-replies'] as string }
  const draft = await mine.asOperator('POST', '/audiences', { key: unique(), type: { type: 'open' } })
  instead['PUT /v1/stores/{storeId}/audiences/{id}'] = { audiences: draft.body.id }
  const paid = { audiences: my['paid-audiences'] as string }
  instead['POST /v1/stores/{storeId}/audiences/{audienceId}/tiers'] = paid
  instead['PUT /v1/stores/{storeId}/audiences/{audienceId}/tiers/{id}'] = paid
  // The other tenant's collection gets a schema.
  const { id: collections } = await collection(mine)
  const plain = { collections, entries: (await entry(mine, collections)).id }
  Object.assign(instead, { 'POST /v1/stores/{storeId}/entries': plain, 'PUT /v1/stores/{storeId}/entries/{id}': plain })
  for (const table of ['services', 'providers'])
    for (const [at, rows] of [
      [mine, my],
      [theirs, their],
    ] as const)
      await database().query(`update ${table} set node_ids = $2 where tenant_id = $1`, [
        at.store_id,
        JSON.stringify([rows.entries]),
      ])
  for (const tenants of ['stores/{storeId}', 'businesses/{businessId}'])
    instead[`POST /v1/${tenants}/service-providers`] = { providers: await provider(mine) }
}, 120_000)
afterAll(() => database().end())

const blocks = (r: EveryRow) => [
  { key: 'm', type: 'media', value: r.media },
  { key: 'e', type: 'entry', value: r.entries },
  { key: 'p', type: 'product', value: r.products },
  {
    key: 'o',
    type: 'object',
    value: [{ key: 'i', type: 'list', value: [{ key: 'm', type: 'media', value: r.media }] }],
  },
]
const taxonomies = (r: EveryRow) => [{ taxonomy_id: r.taxonomies, entry_ids: [r.children] }]
const record = (r: EveryRow) => ({ blocks: blocks(r), taxonomies: taxonomies(r) })
const named = (r: EveryRow) => ({ key: unique(), ...record(r) })
const product_items = (r: EveryRow) => [{ product_id: r.products, variant_id: r.variants, quantity: 1 }]
const link = (r: EveryRow) => ({ service_id: r.services, provider_id: r.providers })
const conditions = (r: EveryRow) => [
  { type: 'products', product_ids: [r.products] },
  { type: 'services', service_ids: [r.services] },
]
const graph = (r: EveryRow) => ({
  nodes: {
    t: { type: 'trigger' },
    mail: { type: 'send_email', mailbox_id: r.mailboxes, template_id: r['email-templates'], to: 'a@tillwright.test' },
    deploy: { type: 'deploy_webhook', build_hook_id: r['build-hooks'] },
    drive: { type: 'drive_upload', connection_id: r['workflow-connections'], file_name: 'a', content: 'a' },
  },
  edges: ['mail', 'deploy', 'drive'].map((target) => ({ source: 't', target, output: 'default' })),
})
const booked = (r: EveryRow) => [{ ...link(r), slots: [slot] }]
const discounts = (r: EveryRow) => [
  { type: 'items_percentage', market_key: 'us', bps: 1000 },
  { type: 'audience_percentage', audience_id: r.audiences, tier_ids: [r.tiers], price_ids: [r.prices], bps: 1000 },
]
const confirmed = (r: EveryRow) => ({
  type: {
    type: 'confirmation',
    template_id: r['confirmation-templates'],
    mailbox_id: r.mailboxes,
    confirmation_url: 'https://shop.example/',
  },
})
const charged = (r: EveryRow) => ({ provider: { type: 'card_payment', payment_provider_id: r['payment-providers'] } })

const campaign = (r: EveryRow) => ({ mailbox_ids: [r.mailboxes], steps: [{ template_id: r['email-templates'] }] })

/** Its blocks refer to nothing. */
const reaction = (r: EveryRow) => ({
  ...{
    target: { type: 'product', id: r.products },
    parent_id: r['reaction-comments'],
    blocks: [{ key: 'text', type: 'text', value: unique() }],
    taxonomies: taxonomies(r),
  },
})

/** Own rows in the state that a route needs. */
const instead: Record<string, EveryRow> = {}
const rowsFor = (spec: string): EveryRow => ({ ...my, ...instead[routeOf(spec)] })
/** The text after ` # ` distinguishes several bodies of one route. */
const routeOf = (spec: string) => spec.split(' # ')[0] as string

/** A body with every id that the route takes, all of one store. */
const bodies: Record<string, (r: EveryRow) => Body> = {
  'POST /v1/stores/{storeId}/webhooks/test': (r) => ({ delivery_id: newId(), webhook_id: r.webhooks }),
  'POST /v1/stores/{storeId}/workflows': (r) => ({ key: unique(), ...graph(r) }),
  'PUT /v1/stores/{storeId}/workflows/{id}': graph,
  'POST /v1/stores/{storeId}/collections': (r) => ({
    key: unique(),
    schema: [{ key: 'e', type: 'entry', collection_id: r.collections }],
    blocks: blocks(r),
  }),
  'PUT /v1/stores/{storeId}/collections/{id}': (r) => ({
    schema: [{ key: 'e', type: 'entry', collection_id: r.collections }],
    blocks: blocks(r),
  }),
  'POST /v1/stores/{storeId}/entries': (r) => ({ collection_id: r.collections, ...named(r) }),
  'PUT /v1/stores/{storeId}/entries/{id}': (r) => ({ collection_id: r.collections, ...record(r) }),
  'POST /v1/stores/{storeId}/products': (r) => ({
    ...named(r),
    variants: [{ inventory: [{ location_id: r.locations, available: 1 }] }],
  }),
  'PUT /v1/stores/{storeId}/products/{id}': (r) => ({
    ...record(r),
    variants: [{ id: r.variants, inventory: [{ location_id: r.locations, available: 1 }] }],
  }),
  'POST /v1/stores/{storeId}/services': named,
  'PUT /v1/stores/{storeId}/services/{id}': record,
  'POST /v1/stores/{storeId}/providers': named,
  'PUT /v1/stores/{storeId}/providers/{id}': record,
  'POST /v1/stores/{storeId}/taxonomies': (r) => ({ key: unique(), parent_id: r.taxonomies }),
  'PUT /v1/stores/{storeId}/taxonomies/{id}': (r) => ({ parent_id: r.taxonomies }),
  'PUT /v1/storefront/carts/{id}': (r) => ({
    product_items: product_items(r),
    booking_items: booked(r),
    pickup_location_id: r.pickups,
  }),
  'PUT /v1/stores/{storeId}/orders/{id} # its bookings': (r) => ({
    version: 1,
    booking_statuses: [{ id: r['order-bookings'], status: 'completed' }],
  }),
  'PUT /v1/stores/{storeId}/orders/{id}': (r) => ({
    version: 1,
    product_items: product_items(r),
    booking_items: booked(r),
  }),
  'POST /v1/stores/{storeId}/promo-codes': (r) => ({
    code: unique(),
    discounts: discounts(r),
    conditions: conditions(r),
  }),
  'PUT /v1/stores/{storeId}/promo-codes/{id}': (r) => ({ discounts: discounts(r), conditions: conditions(r) }),
  'POST /v1/stores/{storeId}/orders/{orderId}/shipments': (r) => ({ items: [{ line_id: r.lines, quantity: 1 }] }),
  'PUT /v1/stores/{storeId}/products/{id}/inventory': (r) => ({
    inventory: [{ variant_id: r.variants, location_id: r.locations, available: 1 }],
  }),
  'POST /v1/stores/{storeId}/service-providers': (r) => ({ ...link(r), slot_interval: 30 }),
  'PUT /v1/stores/{storeId}/service-providers/{id}': link,
  'POST /v1/stores/{storeId}/contacts': (r) => ({ email: newEmail(), taxonomies: taxonomies(r) }),
  'PUT /v1/stores/{storeId}/contacts/{id}': (r) => ({ taxonomies: taxonomies(r) }),
  'POST /v1/stores/{storeId}/contacts/{id}/merge/preview': (r) => ({ source_contact_id: r['source-contacts'] }),
  'POST /v1/stores/{storeId}/contacts/{id}/merge': (r) => ({ source_contact_id: r['source-contacts'] }),
  'POST /v1/stores/{storeId}/audiences': (r) => ({ key: unique(), ...confirmed(r) }),
  'PUT /v1/stores/{storeId}/audiences/{id}': confirmed,
  'POST /v1/stores/{storeId}/audiences/{audienceId}/tiers': (r) => ({ key: unique(), ...charged(r) }),
  'PUT /v1/stores/{storeId}/audiences/{audienceId}/tiers/{id}': (r) => ({
    ...charged(r),
    prices: [{ id: r.prices, amount: 0, currency: 'USD' }],
  }),
  'POST /v1/stores/{storeId}/audiences/{audienceId}/members': (r) => ({ contact_id: r.contacts }),
  'POST /v1/stores/{storeId}/campaigns': (r) => ({ name: 'Spring', ...campaign(r) }),
  'PUT /v1/stores/{storeId}/campaigns/{id}': campaign,
  'POST /v1/stores/{storeId}/campaigns/{id}/enrollments/import': (r) => ({
    audience_ids: [r.audiences],
    contact_ids: [r.contacts],
  }),
  'POST /v1/stores/{storeId}/campaigns/{id}/preview': (r) => ({ step: 0, enrollment_id: r['campaign-enrollments'] }),
  'POST /v1/stores/{storeId}/campaigns/{id}/test': (r) => ({
    ...{ message_id: newId(), step: 0, to: newEmail(), enrollment_id: r['campaign-enrollments'] },
  }),
  'POST /v1/stores/{storeId}/campaign-enrollments/{id}/reply': (r) => ({
    ...{ message_id: newId(), subject: 'Re: Spring', body: 'Yes', attachments: [{ media_id: r.media }] },
  }),
  'POST /v1/stores/{storeId}/lead-research/runs': (r) => ({
    audience_id: r.audiences,
    member_ids: [r['audience-members']],
    goal: 'Goal',
    model_id: r.integrations,
  }),
  'POST /v1/stores/{storeId}/social-publications': (r) => ({
    social_connection_id: r['social-connections'],
    content: { type: 'network_d_account', caption: unique() },
  }),
  'POST /v1/stores/{storeId}/social-publications/validate': (r) => ({
    ...{ social_connection_id: r['social-connections'], publication_id: r['social-publications'] },
    content: { type: 'network_d_account', caption: unique() },
  }),
  'POST /v1/stores/{storeId}/social-publications/engagement/sync': (r) => ({
    publication_ids: [r['social-publications']],
  }),
  'POST /v1/stores/{storeId}/social-publications/comments/classify': (r) => ({
    publication_id: r['social-publications'],
  }),
  'POST /v1/businesses/{businessId}/agents': (r) => ({
    key: unique(),
    prompt: 'Hello',
    model_id: r.integrations,
    channel_ids: [r.bots],
  }),
  'PUT /v1/businesses/{businessId}/agents/{id}': (r) => ({ model_id: r.integrations, channel_ids: [r['spare-bots']] }),
  'POST /v1/businesses/{businessId}/agents/{id}/chats/messages': (r) => ({ message: 'Hello', chat_id: r.chats }),
  'POST /v1/businesses/{businessId}/services': named,
  'PUT /v1/businesses/{businessId}/services/{id}': record,
  'POST /v1/businesses/{businessId}/providers': named,
  'PUT /v1/businesses/{businessId}/providers/{id}': record,
  'POST /v1/businesses/{businessId}/service-providers': (r) => ({
    ...link(r),
    working_days: [],
    specific_dates: [],
    slot_interval: 30,
  }),
  'PUT /v1/businesses/{businessId}/service-providers/{id}': link,
  ...Object.fromEntries(
    ['storefront', 'stores/{storeId}', 'businesses/{businessId}'].flatMap((surface) => [
      [`POST /v1/${surface}/reactions`, (r: EveryRow) => ({ kind: 'comment', ...reaction(r) })],
      [`PUT /v1/${surface}/reactions/{id}`, reaction],
    ]),
  ),
  'POST /v1/storefront/forms/{formId}/submissions': (r) => ({ form_id: r.forms, fields: [] }),
  'POST /v1/stores/{storeId}/forms/{formId}/submissions': (r) => ({ form_id: r.forms, fields: [] }),
  'PUT /v1/stores/{storeId}/forms/{formId}/submissions/{id}': (r) => ({ form_id: r.forms, fields: [] }),
}

/** Fields whose ids name no row of a tenant, with the reason. The list may only become shorter. */
const noRows: [RegExp, string][] = [
  [/^(POST|PUT) \/v1\/platform\/networks(\/\{id\})? \/tenant_ids\/\*$/, 'of any tenant: the platform decides'],
  [/ \/(node|network|audience)_ids\/\*$/, 'kept as they are sent: they name records that may be deleted independently'],
  [/^(POST|PUT) \/v1\/businesses(\/\{businessId\})? \/languages\/\*\/id$/, 'the code of a language'],
  [
    / \/(blocks|schema|fields|taxonomies\/\*\/fields|taxonomies\/\*\/schema)\/\*\/id$/,
    'a part of the record itself, named by its author',
  ],
  [
    / \/blocks\/\*\/media\/id$/,
    'of the file that an answer shows beside the block, and that is not read when it is sent back',
  ],
  [/ \/zones\/\*\/(shipping_methods\/\*\/)?id$/, 'a part of the market itself'],
  [
    /\/social-publications(\/\{id\}|\/validate)? \/content\/media_ids\/\*$/,
    'stored as they are sent, and answered as issues below',
  ],
  [
    /^PUT \/v1\/stores\/\{storeId\}\/social-publications\/\{id\} \/social_connection_id$/,
    'compared with that of the record, and refused where it is another one',
  ],
  [/ \/shipping_method_id$/, 'a word of the market that the cart has'],
  [/ \/(refund_id|delivery_id|message_id|reply_id|run_id)$/, 'made by the caller'],
  [/^POST \/v1\/businesses\/\{businessId\}\/refund \/entity$/, 'of a paid order (test/business/shared.test.ts)'],
  [
    /^POST \/v1\/storefront\/audiences\/\{audienceId\}\/subscribe \/price_id$/,
    'of a paid audience (test/subscriptions/subscribe.test.ts)',
  ],
  [/\/(subscription|subscribe) \/plan_id$/, 'a word of the setting STORE_PLANS'],
  [/ \/connected_account_id$/, 'of the provider, where it is checked whose it is (test/stores/connect.test.ts)'],
  [/\/resolve \/provider_object_id$/, 'of the payment provider: an operator says what was found there'],
  [/^POST \/v1\/erasures\/\{erasureId\}\/resolve \/id$/, 'of an item of the deletion (test/payments/erasure.test.ts)'],
  [/ \/provider_(comment|post)_id$/, 'of the network: an operator says what was found there'],
  [/ \/provider\/(client_id|measurement_id)$/, 'of the provider, which is not contacted'],
  [/ \/challenge_id$/, 'tested by hand below, with the right code'],
  [/^PUT \/v1\/accounts \/id$/, 'answered, and ignored when it is sent back'],
  [
    /^POST \/v1\/stores\/\{storeId\}\/products \/variants\/\*\/id$/,
    'of a variant that exists: of a new product there is none',
  ],
]
/**
 * Own ids that are refused as well, because of the row's state and not its owner, with the code. The list may only
 * become shorter.
 */
const unfit: Record<string, string> = {
  'PUT /v1/stores/{storeId}/orders/{id} # its bookings': 'booking_not_confirmed',
}

const pathOf = (route: Route, r: EveryRow) =>
  route.path.replaceAll(/([^/]+)\/\{(\w+)\}/g, (_, resource: string, name: string) => {
    if (name === route.tenant) return `${resource}/${mine.store_id}`
    // A taxonomy cannot be its own parent.
    return `${resource}/${(resource === 'taxonomies' ? r.children : r[resource]) ?? r[`${resource}s`]}`
  })
const credentials = ({ may }: Route) => (may === 'visitor' || may === 'verified' ? visitor.headers : mine.op.headers)
const become = (kind: 'store' | 'business') =>
  database().query('update tenants set kind = $2 where id = any($1)', [[mine.store_id, theirs.store_id], kind])
/** On the business surface both tenants are businesses for the time of the request. */
async function call(route: Route, body?: Body, search = ''): Promise<Answer> {
  const isBusiness = route.surface === 'business'
  if (isBusiness) await become('business')
  const sent = route.method === 'GET' || !body ? undefined : spelledFor(route, body)
  const answer = await http(route.method, `${pathOf(route, rowsFor(route.spec))}${search}`, {
    headers: credentials(route),
    body: sent,
  })
  if (isBusiness) await become('store')
  return answer
}

/** An answer without the parts that may differ: the id that was sent and the request's id. */
const shapeOf = ({ status, body, headers }: Answer, id: string) => ({
  status,
  body: JSON.stringify(body).replaceAll(id, 'ID').replaceAll(body.request_id, 'REQUEST'),
  headers: [...headers.keys()].filter((name) => name !== 'content-length').sort(),
})

const parent = (place: string) => place.split('/').slice(0, -1).join('/')
const near = (pointer: string, place: string) =>
  `${place}/`.startsWith(`${pointer}/`) || parent(pointer) === parent(place)
const bodyPlaces = routes.flatMap((route) =>
  route.body && !route.request.unparsed ? [{ route, ...idPlaces(route.body) }] : [],
)

test.each(Object.keys(bodies))('%s treats another tenant’s id in its body like an unknown id', async (spec) => {
  const route = routes.find((one) => one.spec === routeOf(spec)) as Route
  const rows = rowsFor(spec)
  const body = () => (bodies[spec] as (r: EveryRow) => Body)(rows)
  const places = placesOf(body(), new Set(Object.values(rows)))
  expect(places.length).toBeGreaterThan(0)
  for (const place of places) {
    const id = valueAt(body(), place)
    const other = their[Object.keys(rows).find((resource) => rows[resource] === id) as string] as string
    const nothing = newId()
    const [none, foreign] = [
      await call(route, withAt(body(), place, nothing) as Body),
      await call(route, withAt(body(), place, other) as Body),
    ]
    const at = `/${place.map((part) => (typeof part === 'string' ? nameFor(route, part) : part)).join('/')}`
    expect([at, foreign.status]).toEqual([at, foreign.status === 404 ? 404 : 422])
    expect([at, shapeOf(foreign, other)]).toEqual([at, shapeOf(none, nothing)])
    // The fault's pointer is the id's field or the field of its pair.
    if (foreign.status === 422)
      expect([at, foreign.body.errors.map(({ pointer }: { pointer: string }) => near(pointer, at))]).toEqual([
        at,
        [true],
      ])
  }
  // And the body has no other fault.
  const own = await call(route, body())
  expect([own.status < 300 ? 'taken' : own.body.code, own.body.errors]).toEqual([
    unfit[spec] ?? 'taken',
    unfit[spec] ? own.body.errors : undefined,
  ])
})

test('A post with a file of another store has the issues of one with an unknown file', async () => {
  const issuesOf = async (id: string) => {
    const content = { type: 'network_d_account', caption: 'Hello', media_ids: [id] }
    const { status, body } = await mine.asOperator('POST', '/social-publications', {
      social_connection_id: my['social-connections'],
      content,
    })
    // The draft has the id as it was sent.
    expect((await mine.asOperator('DELETE', `/social-publications/${body.publication.id}`)).status).toBe(200)
    return [status, JSON.stringify(body.publication.issues).replaceAll(id, 'ID')]
  }
  const nothing = await issuesOf(newId())
  expect(nothing).toEqual([201, expect.stringContaining('/content/media_ids/0')])
  expect(await issuesOf(their.media as string)).toEqual(nothing)
})

test('Every id in a body is covered by these tests', () => {
  const looked = new Set(
    Object.entries(bodies).flatMap(([spec, body]) =>
      placesOf(body(rowsFor(spec)), new Set(Object.values(rowsFor(spec)))).map(
        (place: Place) => `${routeOf(spec)} ${patternOf(place)}`,
      ),
    ),
  )
  const all = bodyPlaces.flatMap(({ route, ids }) => ids.map((place) => `${route.spec} ${place}`))
  const excused = noRows.map(([pattern]) => all.filter((place) => pattern.test(place) && !looked.has(place)))
  expect(excused.filter((places) => places.length === 0)).toEqual([])
  expect(all.filter((place) => !looked.has(place) && !excused.flat().includes(place))).toEqual([])
  // Fields that take any value are covered where a reference can stand in them.
  const referring = bodyPlaces.filter(({ route }) => !route.path.includes('/reactions'))
  const open = referring.flatMap(({ route, anything }) => anything.map((place) => `${route.spec} ${place}`))
  expect(
    open.filter((place) => ![...looked].some((one) => one.startsWith(place.replace('/nodes/*', '/nodes/')))),
  ).toEqual([])
  expect([all.length > 90, looked.size > 60, open.length >= 10]).toEqual([true, true, true])
})

describe('Queries', () => {
  /** The resource of a parameter that is not named after it; `ids` are of the list itself. */
  const meant: Record<string, string> = { event_id: 'events', parent_id: 'taxonomies' }
  const ofReactions: Record<string, string> = {
    target_id: 'products',
    parent_id: 'reaction-comments',
    customer_id: 'contacts',
  }
  const resources: Record<string, string> = {
    node_id: 'entries',
    collection_id: 'collections',
    contact_id: 'contacts',
    product_ids: 'products',
  }
  const more: Record<string, string> = {
    service_ids: 'services',
    provider_ids: 'providers',
    service_id: 'services',
    provider_id: 'providers',
    taxonomy_query: 'taxonomies',
    member_ids: 'audience-members',
    member_id: 'audience-members',
    audience_id: 'audiences',
    contact_ids: 'contacts',
    agent_id: 'agents',
    customer_id: 'contacts',
    channel_id: 'bots',
    publication_id: 'social-publications',
    tenant_id: 'tenants',
    social_connection_id: 'social-connections',
  }
  /** Other parameters that a route requires. */
  const day = (after: number) => new Date(Date.now() + after * 86_400_000).toISOString().slice(0, 10)
  const besides = ({ path, query }: Route, name: string, r: EveryRow) => ({
    ...(path.endsWith('/media') && query && 'limit' in query.shape ? { limit: '20' } : {}),
    ...(path.endsWith('/bookings/availability')
      ? { month: day(2).slice(0, 7), ...(name === 'provider_id' ? { service_id: r.services } : {}) }
      : path.endsWith('/availability')
        ? { from: day(2), to: day(3), ...(name === 'provider_id' ? { service_id: r.services } : {}) }
        : {}),
    ...(path.endsWith('/reactions/summary') ? { target_type: 'product', target_id: r.products } : {}),
  })
  const wordsOf = (route: Route, name: string, id: string) =>
    name === 'taxonomy_query' ? JSON.stringify([{ [nameFor(route, 'taxonomy_id')]: id }]) : id
  const asked = routes.flatMap((route) => {
    if (!route.query) return []
    const names = idPlaces(route.query).ids.map((place) => place.split('/')[1] as string)
    return [...new Set(names), ...('taxonomy_query' in route.query.shape ? ['taxonomy_query'] : [])].map(
      (name): [string, Route, string] => [`${route.spec} ?${name}`, route, name],
    )
  })
  /** Without an order of a member, and without a paid member: test/audiences. */
  const found = asked.filter(
    ([name]) => !/ \?(audience_id|tier_id|price_id)$/.test(name) || name.includes('/lead-research/'),
  )

  test.each(found)('%s treats another tenant’s id like an unknown id', async (_, route, name) => {
    const resource =
      { ...meant, ...resources, ...more, ...(route.path.includes('/reactions') ? ofReactions : {}) }[name] ??
      (route.path.split('/').at(-1) as string)
    const look = (id: string) =>
      call(
        route,
        undefined,
        `?${new URLSearchParams(Object.entries({ ...besides(route, name, my), [name]: wordsOf(route, name, id) }).map(([one, value]): [string, string] => [nameFor(route, one), String(value)]))}`,
      )
    const sizeOf = ({ body }: Answer) => (body.items ?? body.providers ?? body.workingDays ?? body.own)?.length
    const nothing = newId()
    const [none, foreign, own] = [
      await look(nothing),
      await look(their[resource] as string),
      await look(my[resource] as string),
    ]
    expect(shapeOf(foreign, their[resource] as string)).toEqual(shapeOf(none, nothing))
    expect(foreign.status === 200 ? sizeOf(foreign) : foreign.status).toBe(foreign.status === 200 ? 0 : 404)
    expect([own.status, sizeOf(own) > 0]).toEqual([200, true])
  })

  test('Every id in a query is covered by these tests', () => {
    expect(asked.filter((one) => !found.includes(one)).map(([name]) => name)).toEqual([
      'GET /v1/stores/{storeId}/audiences/{audienceId}/members ?tier_id',
      'GET /v1/stores/{storeId}/audiences/{audienceId}/members ?price_id',
      'GET /v1/stores/{storeId}/orders ?audience_id',
      'GET /v1/stores/{storeId}/contacts ?audience_id',
    ])
    expect(found.length).toBeGreaterThan(40)
  })
})

test('A code does not verify another store’s or an operator’s challenge, and uses up no tries', async () => {
  const email = newEmail()
  const { body: asked } = await theirVisitor.call('POST', '/account/code', { email })
  const code = await codeFor(email)
  const [foreign, none] = [
    await visitor.call('POST', '/account/verify', { challenge_id: asked.challenge_id, code }),
    await visitor.call('POST', '/account/verify', { challenge_id: newId(), code }),
  ]
  expect(shapeOf(foreign, asked.challenge_id)).toEqual(shapeOf(none, asked.challenge_id))
  expect(foreign.status).toBe(422)
  for (const path of [
    '/v1/auth/verify',
    `/v1/stores/${mine.store_id}/auth/verify`,
    `/v1/stores/${theirs.store_id}/auth/verify`,
  ])
    expect([path, (await http('POST', path, { body: { challenge_id: asked.challenge_id, code } })).status]).toEqual([
      path,
      422,
    ])
  expect((await theirVisitor.call('POST', '/account/verify', { challenge_id: asked.challenge_id, code })).status).toBe(
    200,
  )
})

test('No own row contains an id of the other tenant', async () => {
  expect(await idsOf(theirs.store_id, mine.store_id)).toEqual([])
  // The search finds such ids where they belong.
  expect(
    new Set((await idsOf(theirs.store_id, theirs.store_id)).map(({ id }) => id)).has(their.products as string),
  ).toBe(true)
})

test('Every reference column has a known owner, and no row refers to another tenant', async () => {
  const { known, unknown } = await links()
  expect(unknown).toEqual([])
  expect(known.length).toBeGreaterThan(40)
  expect(await strays()).toEqual([])
})

test('A row that refers to another tenant is detected', async () => {
  const client = await database().connect()
  try {
    await client.query('begin')
    await client.query('update orders set contact_id = $1 where id = $2', [their.contacts, my.orders])
    await client.query('commit')
    expect(await strays()).toEqual([{ link: 'orders.contact_id', rows: 1 }])
  } finally {
    await client.query('update orders set contact_id = $1 where id = $2', [my.contacts, my.orders])
    client.release()
  }
})
