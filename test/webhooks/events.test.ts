// Each change of a store publishes one event, as the API shows the record then, to its subscribers; it fails no request
// and costs nothing without subscribers.
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { encrypt } from '../../entities/kit/encrypted.ts'
import { newId } from '../../entities/kit/ids.ts'
import { bookable, bookingsOf } from '../kit/bookings/booking.ts'
import { webhook } from '../kit/bookings/booking-reminders.ts'
import { until } from '../kit/codes.ts'
import { deadlocks, untilAwaited } from '../kit/database/locks.ts'
import { recordStatements } from '../kit/database/statements.ts'
import {
  atOnce,
  buyer,
  card,
  cash,
  checkOut,
  connected,
  hasStatus,
  linesOf,
  locationOf,
  order,
  pay,
  product,
  read,
  update,
} from '../kit/orders/buying.ts'
import { database, http, newShop, operator, type Shop, unique } from '../kit/shop.ts'

jest.setTimeout(60_000)

const types = [
  'product.created',
  'product.updated',
  'product.deleted',
  'order.created',
  'order.updated',
  'account.updated',
]

// biome-ignore lint/suspicious/noExplicitAny: events are of every shape
type Heard = { id: string; type: string; data: any; webhooks: string[] }
const columns = `e.id, e.type, e.data, (select coalesce(array_agg(d.webhook_id::text order by d.webhook_id), '{}') from deliveries d
  where d.event_id = e.id and d.tenant_id = e.tenant_id and d.type = e.type) as webhooks`
async function heardBy(tenantId: string): Promise<Heard[]> {
  return (
    await database().query<Heard>(
      `select ${columns} from events e where e.tenant_id = $1 order by e.created_at, e.id`,
      [tenantId],
    )
  ).rows
}

let shop: Shop
/** Disabled, though it subscribes to every event. */
let other: Shop
let account: string
/** The two that subscribe to every event, in the order of their ids. */
let hooks: string[]
let tea: Awaited<ReturnType<typeof product>>
let location_id: string

beforeAll(async () => {
  shop = await newShop()
  other = await newShop()
  account = await connected(shop)
  location_id = await locationOf(shop)
  tea = await product(shop, { stock: 1_000 })
  hooks = [await webhook(shop.store_id, types), await webhook(shop.store_id, [...types, 'entry.created'])].sort()
  await webhook(shop.store_id, types, false)
  await webhook(shop.store_id, ['entry.created', 'order_booking.reminder'])
  await webhook(other.store_id, types)
})
afterAll(() => database().end())

/** The events that the store publishes during this work. */
async function during(work: () => Promise<unknown>, at = shop): Promise<Heard[]> {
  const before = new Set((await heardBy(at.store_id)).map(({ id }) => id))
  await work()
  return (await heardBy(at.store_id)).filter(({ id }) => !before.has(id))
}
const told = (type: string, data: unknown) => [{ id: expect.any(String), type, data, webhooks: hooks }]

const productOf = async (id: string) => (await shop.asOperator('GET', `/products/${id}`)).body
const storeOf = async () => (await shop.asOperator('GET', '')).body
const ok = async (answer: Promise<{ status: number; body: unknown }>) => {
  const { status, body } = await answer
  if (status > 201) throw new Error(`${status} ${JSON.stringify(body)}`)
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  return body as any
}
const cashOrder = async () => (await order(shop, [tea.item(2)], cash)).order_id
const confirmed = async () => {
  const id = await cashOrder()
  await ok(update(shop, id, { confirm: true }))
  return id
}

describe('Products', () => {
  const content = () => ({
    key: unique(),
    slug: { en: unique() },
    blocks: [{ id: 'b1', key: 'title', type: 'text', value: 'Tea' }],
    variants: [
      {
        sku: 'a',
        attributes: [{ size: 'xl' }],
        prices: [{ market: 'us', amount: 5 }],
        inventory: [{ location_id, available: 3 }],
      },
      {},
    ],
  })
  const add = () => ok(shop.asOperator('POST', '/products', content()))

  test('Creating, updating and deleting a product each publish it as it is read then', async () => {
    let id = ''
    expect(
      await during(async () => {
        id = (await add()).id
      }),
    ).toEqual(told('product.created', await productOf(id)))

    const { variants } = await productOf(id)
    const changes = {
      status: 'archived',
      variants: [{ id: variants[0].id, weight: 7, inventory: [{ location_id, available: 9 }] }, { sku: 'new' }],
    }
    expect(await during(() => ok(shop.asOperator('PUT', `/products/${id}`, changes)))).toEqual(
      told('product.updated', await productOf(id)),
    )
    expect(await productOf(id)).toMatchObject({
      status: 'archived',
      variants: [{ weight: 7, sku: 'a' }, { sku: 'new' }],
    })

    const last = await productOf(id)
    expect(await during(() => ok(shop.asOperator('DELETE', `/products/${id}`)))).toEqual(told('product.deleted', last))
  })

  test('Refused product changes and changes of stock alone publish nothing', async () => {
    const { id, key, variants } = await add()
    const heard = await during(async () => {
      expect((await shop.asOperator('POST', '/products', { key })).status).toBe(409)
      expect(
        (
          await shop.asOperator('POST', '/products', {
            key: unique(),
            variants: [{ prices: [{ market: 'mars', amount: 1 }] }],
          })
        ).status,
      ).toBe(422)
      expect((await shop.asOperator('PUT', `/products/${id}`, { variants: [{ id: tea.variant_id }] })).status).toBe(422)
      expect((await shop.asOperator('DELETE', `/products/${other.store_id}`)).status).toBe(404)
      await ok(
        shop.asOperator('PUT', `/products/${id}/inventory`, {
          inventory: [{ variant_id: variants[0].id, location_id, available: 4 }],
        }),
      )
      await cashOrder()
    })
    expect(heard.map(({ type }) => type)).toEqual(['order.created'])
  })

  test('A product that several requests delete publishes one event', async () => {
    const { id } = await add()
    const heard = await during(() => atOnce(5, () => shop.asOperator('DELETE', `/products/${id}`)))
    expect(heard.map(({ type }) => type)).toEqual(['product.deleted'])
  })
})

test.each([
  ['in cash', () => order(shop, [tea.item(2)], cash)],
  ['by card', () => order(shop, [tea.item(2)], card)],
  ['for nothing', async () => order(shop, [(await product(shop, { amount: 0 })).item()], {})],
  [
    'with an address, forms and booked time',
    async () => {
      const cut = await bookable(shop)
      const [slot] = await cut.free()
      const { visitor, cart } = await buyer(shop, [tea.item()], {
        booking_items: [cut.item(slot as never)],
        shipping_address: { name: 'Ann', country: 'US', street1: 'Main Street 1' },
        forms: [{ key: 'notes', entries: [{ key: 'text', value: 'ring twice' }] }],
      })
      const answer = await checkOut(visitor, cart, cash)
      return { order_id: (await ok(Promise.resolve(answer))).order_id }
    },
  ],
])('An order placed %s publishes order.created once, as it is read', async (_, make) => {
  let id = ''
  const heard = await during(async () => {
    id = (await make()).order_id
  })
  expect(heard.filter(({ type }) => type !== 'product.created')).toEqual(told('order.created', await read(shop, id)))
})

test('Twenty equal checkouts publish one order.created, and refused ones publish none', async () => {
  const { visitor, cart } = await buyer(shop, [tea.item()])
  const heard = await during(async () => {
    expect((await checkOut(visitor, cart, { payment_method_key: 'credit_card' })).status).toBe(422)
    const answers = await atOnce(20, () => checkOut(visitor, cart, cash))
    expect(new Set(answers.map(({ body }) => body.order_id)).size).toBe(1)
    const greedy = await buyer(shop, [tea.item(1)])
    await database().query('update inventory_levels set available = 0 where variant_id = $1', [tea.variant_id])
    expect((await checkOut(greedy.visitor, greedy.cart, cash)).status).toBe(409)
    await database().query('update inventory_levels set available = 1000 where variant_id = $1', [tea.variant_id])
  })
  expect(heard.map(({ type }) => type)).toEqual(['order.created'])
})

test.each<[string, () => Promise<string>, (id: string) => Promise<unknown>]>([
  ['is confirmed', cashOrder, (id) => ok(update(shop, id, { confirm: true }))],
  ['is cancelled', cashOrder, (id) => ok(update(shop, id, { cancel: true }))],
  ['is emptied', cashOrder, (id) => ok(update(shop, id, { product_items: [] }))],
  ['gets an address', cashOrder, (id) => ok(update(shop, id, { shipping_address: { name: 'Bob', country: 'US' } }))],
  [
    'gets other items, an address and is confirmed at once',
    cashOrder,
    (id) => ok(update(shop, id, { product_items: [tea.item(5)], forms: [], confirm: true })),
  ],
  ['is paid in cash', cashOrder, (id) => ok(shop.asOperator('POST', `/orders/${id}/payment/mark-paid`, {}))],
  [
    'is shipped',
    confirmed,
    async (id) =>
      ok(
        shop.asOperator('POST', `/orders/${id}/shipments`, {
          items: [{ line_id: (await linesOf(shop, id))[0].id, quantity: 1 }],
        }),
      ),
  ],
  [
    'gets a shipment back',
    async () => {
      const id = await confirmed()
      await ok(
        shop.asOperator('POST', `/orders/${id}/shipments`, {
          items: [{ line_id: (await linesOf(shop, id))[0].id, quantity: 2 }],
        }),
      )
      return id
    },
    async (id) => {
      const { items } = await ok(shop.asOperator('GET', `/orders/${id}/shipments`))
      return ok(shop.asOperator('DELETE', `/orders/${id}/shipments/${items[0].id}`))
    },
  ],
  [
    'has a booking that is done',
    async () => {
      const cut = await bookable(shop)
      const [slot] = await cut.free()
      const { visitor, cart } = await buyer(shop, [], { booking_items: [cut.item(slot as never)] })
      const { order_id } = await ok(checkOut(visitor, cart, cash))
      await ok(update(shop, order_id, { confirm: true }))
      await database().query('update order_bookings set starts_at = 1, ends_at = 2, slots = $2 where order_id = $1', [
        order_id,
        JSON.stringify([{ from: 1, to: 2 }]),
      ])
      return order_id
    },
    async (id) =>
      ok(update(shop, id, { booking_statuses: [{ id: (await bookingsOf(shop, id))[0].id, status: 'completed' }] })),
  ],
])('An order that %s publishes order.updated once, as it is read', async (_, make, change) => {
  const id = await make()
  expect(await during(() => change(id))).toEqual(told('order.updated', await read(shop, id)))
})

test('The signed event of a payment publishes order.updated once', async () => {
  const made = await order(shop, [tea.item()], card)
  const heard = await during(async () => {
    await pay(made.session)
    await hasStatus(shop, made.order_id, 'confirmed')
  })
  expect(heard).toEqual(told('order.updated', await read(shop, made.order_id)))
  expect(account).not.toBe('')
})

test('A checkout that is released unpaid publishes order.updated once', async () => {
  const made = await order(shop, [tea.item()], card)
  const heard = await during(async () => {
    await ok(update(shop, made.order_id, { cancel: true }))
    await hasStatus(shop, made.order_id, 'cancelled')
  })
  expect(heard).toEqual(told('order.updated', await read(shop, made.order_id)))
})

test('Order updates that change nothing or are refused publish nothing', async () => {
  const id = await confirmed()
  const { version } = await read(shop, id)
  const paid = await cashOrder()
  await ok(shop.asOperator('POST', `/orders/${paid}/payment/mark-paid`, {}))
  const heard = await during(async () => {
    expect((await shop.asOperator('PUT', `/orders/${id}`, { version: version - 1, cancel: true })).status).toBe(409)
    expect((await update(shop, id, { confirm: true, cancel: true })).status).toBe(422)
    await ok(update(shop, id, {}))
    await ok(update(shop, id, { confirm: true }))
    await ok(shop.asOperator('POST', `/orders/${paid}/payment/mark-paid`, {}))
    expect(
      (await shop.asOperator('POST', `/orders/${id}/shipments`, { items: [{ line_id: unique(), quantity: 1 }] }))
        .status,
    ).toBe(422)
  })
  expect(heard).toEqual([])
})

describe('Stores and members', () => {
  const about = (action: string, store: unknown, member: unknown = null) =>
    told('account.updated', { action, store, member })

  test('A store publishes its own changes', async () => {
    expect(
      await during(() => ok(shop.asOperator('PUT', `/v1/stores/${shop.store_id}`, { settings: { name: 'Tea & Co' } }))),
    ).toEqual(about('store_updated', await storeOf()))
    const own = await newShop()
    await webhook(own.store_id, types)
    const [rotated] = await during(() => ok(own.asOperator('POST', '/publishable-key/rotate')), own)
    expect(rotated?.data).toEqual({
      action: 'store_updated',
      store: (await own.asOperator('GET', '')).body,
      member: null,
    })
    const refused = await during(async () =>
      expect((await shop.asOperator('PUT', `/v1/stores/${shop.store_id}`, { key: other.store.key })).status).toBe(409),
    )
    expect(refused).toEqual([])
  })

  test('Adding, changing and removing a member each publish an event', async () => {
    const { email, account_id } = await operator()
    const memberOf = async () =>
      (await shop.asOperator('GET', '/members')).body.items.find((one: { email: string }) => one.email === email)
    const added = await during(() => ok(shop.asOperator('POST', '/members', { email })))
    expect(added).toEqual(about('member_added', await storeOf(), await memberOf()))
    const moved = await during(() => ok(shop.asOperator('POST', '/members', { email, role: 'owner' })))
    expect(moved).toEqual(about('member_updated', await storeOf(), await memberOf()))
    const last = await memberOf()
    const gone = await during(() => ok(shop.asOperator('DELETE', `/members/${account_id}`)))
    expect(gone).toEqual(about('member_removed', await storeOf(), last))
    expect(last.role).toBe('owner')
    const refused = await during(async () =>
      expect((await shop.asOperator('DELETE', `/members/${shop.op.account_id}`)).status).toBe(409),
    )
    expect(refused).toEqual([])
  })

  test('A renamed member or deleted account publishes events in all of their stores and no other', async () => {
    const him = await operator()
    const second = await newShop()
    await webhook(second.store_id, types)
    for (const at of [shop, second]) {
      await ok(at.asOperator('POST', '/members', { email: him.email }))
      await ok(at.as(him, 'GET', ''))
    }
    const mine = (name: string | null, role = 'admin') => ({
      ...{ account_id: him.account_id, email: him.email, name, role },
      ...{ accepted_at: expect.any(Number), created_at: expect.any(Number), updated_at: expect.any(Number) },
    })
    const change = (body: unknown) => () => ok(http('PUT', '/v1/accounts', { body, headers: him.headers }))
    let there: Heard[] = []
    const renamed = await during(async () => {
      there = await during(change({ name: 'Him' }), second)
    })
    expect(renamed).toEqual(about('member_updated', await storeOf(), mine('Him')))
    expect(there.map(({ data }) => data.member)).toEqual([mine('Him')])
    expect(await during(change({ name: 'Him', onboarding_completed: true }))).toEqual([])

    const here = await during(async () => {
      there = await during(() => ok(http('DELETE', '/v1/accounts', { headers: him.headers })), second)
    })
    expect(here).toEqual(about('member_removed', await storeOf(), mine('Him')))
    expect(there.map(({ data }) => [data.action, data.member])).toEqual([['member_removed', mine('Him')]])
  })
})

describe('Automations that subscribe', () => {
  const row = { created_at: 1, updated_at: 1 }
  async function insert(table: string, values: Record<string, unknown>): Promise<void> {
    const names = Object.keys(values)
    await database().query(
      `insert into ${table} (${names.join(', ')}) values (${names.map((_, n) => `$${n + 1}`).join(', ')})`,
      Object.values(values),
    )
  }
  async function automation(
    tenant_id: string,
    status: string,
    events = ['order.created', 'product.updated'],
  ): Promise<string> {
    const [id, graph_id] = [newId(), newId()]
    const secret_digest = randomBytes(32).toString('hex')
    await insert('workflows', {
      id,
      tenant_id,
      ...row,
      key: unique(),
      status,
      graph_id,
      events: JSON.stringify(events),
      secret: encrypt(id),
      secret_digest,
    })
    await insert('graphs', {
      id: graph_id,
      tenant_id,
      ...row,
      workflow_id: id,
      nodes: JSON.stringify({ start: { type: 'trigger' } }),
      edges: '[]',
    })
    return id
  }

  test('An event starts each subscribed active workflow once, with or without webhooks', async () => {
    const own = await newShop()
    const sold = await product(own)
    const [first, second] = [await automation(own.store_id, 'active'), await automation(own.store_id, 'active')]
    await automation(own.store_id, 'draft')
    await automation(other.store_id, 'active')
    const { order_id } = await order(own, [sold.item()])
    const shown = await read(own, order_id)
    const hook = await webhook(own.store_id, ['product.updated'])
    await ok(own.asOperator('PUT', `/products/${sold.id}`, { status: 'draft' }))
    const [made, changed] = (await heardBy(own.store_id)) as [Heard, Heard]
    expect([made.type, made.webhooks, changed.type, changed.webhooks]).toEqual([
      'order.created',
      [],
      'product.updated',
      [hook],
    ])
    const { rows } = await database().query<Record<string, unknown>>(
      'select workflow_id, source, occurrence, input from executions where tenant_id = $1 order by occurrence, workflow_id',
      [own.store_id],
    )
    const inputOf = ({ id, type, data }: Heard) => ({
      id,
      type,
      created_at: expect.any(Number),
      store_id: own.store_id,
      data,
    })
    expect(made.data).toEqual(shown)
    expect(rows).toEqual(
      [made, changed].flatMap((event) =>
        [first, second]
          .sort()
          .map((workflow_id) => ({ workflow_id, source: 'event', occurrence: event.id, input: inputOf(event) })),
      ),
    )
    expect((await database().query('select 1 from executions where tenant_id = $1', [other.store_id])).rowCount).toBe(0)

    const tin = await product(own)
    await Promise.all([
      ...[first, second].map((id) => database().query('delete from workflows where id = $1', [id])),
      ...Array.from({ length: 10 }, () => order(own, [tin.item()])),
    ])
  })
})

test('Webhooks of other stores, disabled ones and other event types receive nothing', async () => {
  expect(await heardBy(other.store_id)).toEqual([])
  const { rows } = await database().query(
    'select count(*)::int as count from deliveries where tenant_id = $1 and not (webhook_id = any ($2::uuid[]))',
    [shop.store_id, hooks],
  )
  expect(rows[0].count).toBe(0)
  const quiet = await newShop()
  await webhook(quiet.store_id, types, false)
  await webhook(quiet.store_id, ['entry.created'])
  const sold = await product(quiet)
  const made = await order(quiet, [sold.item()])
  await ok(update(quiet, made.order_id, { confirm: true }))
  await ok(quiet.asOperator('DELETE', `/products/${sold.id}`))
  await ok(quiet.asOperator('POST', '/members', { email: (await operator()).email }))
  expect(await heardBy(quiet.store_id)).toEqual([])
})

test('An event without subscribers costs one statement at most, and a checkout none', async () => {
  const own = await recordStatements()
  try {
    const quiet = await newShop()
    const sold = await product(quiet)
    const { visitor, cart } = await buyer(quiet, [sold.item()])
    const said = await own.said((base) => checkOut(visitor, cart, cash, base))
    expect(said.filter(({ text }) => /webhooks/.test(text)).map(({ text }) => /insert into orders/.test(text))).toEqual(
      [true],
    )
    expect(said.length).toBeLessThanOrEqual(8)
    const { body } = await quiet.asOperator('GET', '/orders')
    for (const [method, path, change] of [
      ['PUT', `/orders/${body.items[0].id}`, { version: 1, confirm: true }],
      ['PUT', `/products/${sold.id}`, { status: 'draft' }],
      ['DELETE', `/products/${sold.id}`, undefined],
      ['POST', '/members', { email: (await operator()).email }],
    ] as const) {
      const statements = await own.statementsOf(quiet, method, path, change)
      expect(statements.filter(({ text }) => /webhooks|events|deliveries/.test(text)).length).toBe(1)
    }
  } finally {
    await own.close()
  }
})

describe('Deleted webhooks', () => {
  test.each(['commit', 'rollback'])(
    'A webhook deleted during checkouts delays none, and gets events unless deleted (%s)',
    async (end) => {
      const own = await newShop()
      const sold = await product(own)
      const [going, staying] = [
        await webhook(own.store_id, ['order.created']),
        await webhook(own.store_id, ['order.created']),
      ]
      const buyers = await Promise.all(Array.from({ length: 3 }, () => buyer(own, [sold.item()])))
      const client = await database().connect()
      let answers: Promise<{ status: number }[]>
      try {
        await client.query('begin')
        await client.query('delete from webhooks where id = $1', [going])
        answers = Promise.all(buyers.map(({ visitor, cart }) => checkOut(visitor, cart, cash)))
        await untilAwaited(client, { like: 'with new_events%' })
      } finally {
        await client.query(end)
        client.release()
      }
      expect((await answers).map(({ status }) => status)).toEqual([200, 200, 200])
      const asked = (end === 'commit' ? [staying] : [going, staying]).sort()
      expect((await heardBy(own.store_id)).map(({ webhooks }) => webhooks)).toEqual([asked, asked, asked])
    },
  )

  test('Deleting the only webhook during a checkout leaves no event behind', async () => {
    const own = await newShop()
    const sold = await product(own)
    const going = await webhook(own.store_id, ['order.created'])
    const { visitor, cart } = await buyer(own, [sold.item()])
    const client = await database().connect()
    await client.query('begin')
    await client.query('delete from webhooks where id = $1', [going])
    const answer = checkOut(visitor, cart, cash)
    await untilAwaited(client, { like: 'with new_events%' })
    await client.query('commit')
    client.release()
    expect((await answer).status).toBe(200)
    expect(await heardBy(own.store_id)).toEqual([])
  })

  test('Adding and removing webhooks concurrently does not deadlock writers', async () => {
    const own = await newShop()
    const sold = await product(own)
    const him = await operator()
    const before = await deadlocks()
    let over = false
    const churn = Promise.all(
      Array.from({ length: 2 }, async () => {
        while (!over) {
          const id = await webhook(own.store_id, types)
          await until(
            async () =>
              over ||
              (await database().query('select 1 from deliveries where webhook_id = $1 limit 1', [id])).rowCount !== 0,
          )
          await database().query('delete from webhooks where id = $1', [id])
        }
      }),
    )
    const work = [
      ...Array.from({ length: 15 }, async () => {
        const made = await order(own, [sold.item()])
        await ok(update(own, made.order_id, { confirm: true }))
      }),
      ...Array.from({ length: 5 }, async () => ok(own.asOperator('PUT', `/products/${sold.id}`, { status: 'active' }))),
      ...Array.from({ length: 5 }, async () => ok(own.asOperator('POST', '/members', { email: him.email }))),
      ...Array.from({ length: 5 }, async () =>
        ok(http('PUT', '/v1/accounts', { body: { name: unique() }, headers: him.headers })),
      ),
    ]
    const ended = await Promise.allSettled(work)
    over = true
    await churn
    expect(ended.filter(({ status }) => status === 'rejected')).toEqual([])
    expect(await deadlocks()).toEqual(before)
  })
})
