// A store whose rows are as large as they may be, made through the API: every request that makes one is measured as well.
import type { Method } from '../../kit/shop.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
export type Made = any
/** Asks by the path below the store or, of a visitor, below the storefront; `body` of the attempt, because a key is taken once. */
export type Maker = {
  asOperator(name: string, method: Method, path: string, body?: (attempt: number) => unknown): Promise<Made>
  asVisitor(name: string, method: Method, path: string, body?: (attempt: number) => unknown): Promise<Made>
  unique(): string
  receiver: string
}

const many = <T>(count: number, of: (nth: number) => T): T[] => Array.from({ length: count }, (_, nth) => of(nth))

const languages = 'abcdefghijklmnopqrstuvwxyz'
const locale = (nth: number) => `${languages[nth % 26]}${languages[Math.floor(nth / 26) % 26]}`

async function markets({ asOperator, unique }: Maker): Promise<void> {
  const { items } = await asOperator('all markets', 'GET', '/markets')
  const us = items.find(({ key }: { key: string }) => key === 'us')
  const method = (zone: number) => (nth: number) => ({ id: `${zone}-${nth}`, name: 'n'.repeat(100), eta_text: 'e'.repeat(100), amount: 100 })
  const home = { id: 'home', countries: ['DE'], tax_bps: 1900, shipping_methods: many(100, method(0)) }
  const codes = many(4, (zone) => ({ id: `codes-${zone}`, postal_codes: many(4_000, (nth) => `${zone}${nth}*`), tax_bps: zone }))
  const states = many(3, (zone) => ({ id: `states-${zone}`, countries: ['GB', 'US'], states: many(1_000, (nth) => `Kent ${nth}`) }))
  await asOperator('a market of 20,000 places', 'PUT', `/markets/${us.id}`, () => ({
    zones: [...codes, ...states, home],
    payment_methods: many(50, (nth) => ({ key: nth === 0 ? 'cash' : `m${nth}`, type: 'cash' })),
  }))
  const wide = many(450, (zone) => ({
    id: `z${zone}`,
    countries: many(30, () => 'DE'),
    states: many(10, () => 'Kent'),
    shipping_methods: many(8, method(zone + 1)).map((one) => ({ ...one, name: 'n', eta_text: '' })),
  }))
  await asOperator('a market of 450 zones', 'POST', '/markets', () => ({ key: unique(), currency: 'EUR', zones: wide }))
  await asOperator('a market of 150,000 countries', 'POST', '/markets', () => ({
    key: unique(),
    currency: 'EUR',
    zones: many(490, (zone) => ({ id: `z${zone}`, countries: many(300, () => 'DE') })),
  }))
  await asOperator('a market of far too many zones', 'POST', '/markets', () => ({ key: unique(), currency: 'EUR', zones: many(60_000, () => ({})) }))
}

async function places({ asOperator, unique }: Maker): Promise<string[]> {
  const ids: string[] = []
  for (let nth = 0; nth < 30; nth++)
    ids.push((await asOperator('a location', 'POST', '/locations', () => ({ key: unique(), address: { country: 'DE' }, is_pickup_location: true }))).id)
  return ids
}

const nested = (depth: number, wide: number): Record<string, unknown> => ({
  key: `level-${depth}`,
  type: 'object',
  children:
    depth === 0
      ? many(wide, (nth) => ({ key: `t${nth}`, type: 'text', properties: { min: 0, max: 900, pattern: '(a|b|ab)*[\\p{L}\\d]{0,40}' } }))
      : [nested(depth - 1, wide)],
})
const nestedValue = (depth: number, wide: number): unknown[] =>
  depth < 0
    ? many(wide, (nth) => ({ key: `t${nth}`, type: 'text', value: 'ab'.repeat(20) }))
    : [{ key: `level-${depth}`, type: 'object', value: nestedValue(depth - 1, wide) }]

async function content({ asOperator, asVisitor, unique }: Maker): Promise<{ taxonomies: Made[] }> {
  const fields = many(200, (nth) => ({ key: `f${nth}`, type: 'text', value: many(20, (n) => `option ${nth} ${n}`) }))
  const root = await asOperator('a taxonomy of 200 fields', 'POST', '/taxonomies', () => ({ key: unique(), schema: fields }))
  await asOperator('a taxonomy of 500 words in 60 fields', 'POST', '/taxonomies', () => ({
    key: unique(),
    schema: many(60, (nth) => ({ key: `f${nth}`, type: 'text', value: many(500, (n) => `option ${nth} ${n}`) })),
  }))
  let parent = root.id
  for (let level = 1; level < 32; level++)
    parent = (await asOperator('a deep taxonomy', 'POST', '/taxonomies', () => ({ key: unique(), parent_id: parent }))).id
  const children: string[] = []
  for (let nth = 0; nth < 100; nth++)
    children.push((await asOperator('a child taxonomy', 'POST', '/taxonomies', () => ({ key: unique(), parent_id: root.id }))).id)
  const taxonomies = [{ taxonomy_id: root.id, entry_ids: children, fields: fields.map(({ key, value }) => ({ key, value: value[0] })) }]

  const wide = many(200, (nth) => ({
    key: `b${nth}`,
    type: ['text', 'select', 'number', 'localized_text', 'date', 'list', 'object', 'markdown'][nth % 8],
    properties: nth % 8 === 1 ? { options: many(100, (n) => `o${n}`) } : nth % 8 === 0 ? { pattern: '([a-z]+\\s?)*\\d*', max: 1000 } : {},
  }))
  const collection = await asOperator('a collection of 200 blocks', 'POST', '/collections', () => ({ key: unique(), schema: wide }))
  const value = (nth: number) =>
    [
      `${'word '.repeat(190)}1`,
      'o99',
      nth,
      Object.fromEntries(many(20, (n) => [locale(n), 'text '.repeat(100)])),
      '2030-01-01',
      many(300, (n) => n),
      { a: many(100, (n) => ({ n })) },
      'm'.repeat(5_000),
    ][nth % 8]
  const blocks = wide.map(({ key, type }, nth) => ({ key, type, value: value(nth) }))
  for (let nth = 0; nth < 3; nth++)
    await asOperator('an entry of 200 blocks', 'POST', '/entries', () => ({
      collection_id: collection.id,
      key: unique(),
      blocks: blocks.map((one) => (one.type === 'localized_text' ? { ...one, value: { en: 'text' } } : one)),
      taxonomies,
      slug: Object.fromEntries(many(200, (n) => [`${locale(n)}`, `slug-${n}-${unique()}`])),
      status: 'active',
    }))
  await asOperator('a collection of two thousand blocks, ten deep', 'POST', '/collections', () => ({
    key: unique(),
    schema: many(10, (nth) => ({ ...nested(8, 200), key: `n${nth}` })),
  }))
  const deep = await asOperator('a collection of 200 patterns, ten deep', 'POST', '/collections', () => ({ key: unique(), schema: [nested(8, 200)] }))
  await asOperator('an entry ten deep', 'POST', '/entries', () => ({ collection_id: deep.id, key: unique(), blocks: nestedValue(8, 200), status: 'active' }))
  const loose = await asOperator('a collection without a schema', 'POST', '/collections', () => ({ key: unique() }))
  const shapes: [string, unknown][] = [
    ['of 330,000 numbers', many(330_000, (nth) => nth % 10)],
    ['of 90,000 objects', many(90_000, () => ({ a: 1 }))],
    ['of 60,000 words', many(60_000, (nth) => `word ${nth}`)],
    ['of one text', 'word '.repeat(190_000)],
    ['of one word', 'x'.repeat(1_000_000)],
    ['of markup', '<p>&amp;"\\'.repeat(60_000)],
  ]
  for (const [what, value] of shapes)
    await asOperator(`an entry ${what}`, 'POST', '/entries', () => ({
      collection_id: loose.id,
      key: unique(),
      blocks: [{ key: 'b', type: 'object', value: { v: value } }],
      status: 'active',
    }))
  await asOperator('an entry of 500 blocks', 'POST', '/entries', () => ({
    collection_id: loose.id,
    key: unique(),
    blocks: many(500, (nth) => ({ key: `b${nth}`, type: 'markdown', value: 'word '.repeat(380) })),
    status: 'active',
  }))
  await asOperator('an entry of nested lists', 'POST', '/entries', () => ({
    collection_id: loose.id,
    key: unique(),
    blocks: many(500, (nth) => ({ key: `b${nth}`, type: 'list', value: many(45, (n) => ({ key: `c${n}`, type: 'text', value: 'v' })) })),
    status: 'active',
  }))

  const selects = many(200, (nth) => ({ key: `s${nth}`, type: 'select', options: many(300, (n) => `option ${n}`), required: true }))
  const form = await asOperator('a form of 200 selects', 'POST', '/forms', () => ({ key: unique(), schema: selects }))
  const submission = { fields: selects.map(({ key }) => ({ key, value: 'option 299' })) }
  await asVisitor('a submission of 200 fields', 'POST', `/forms/${form.id}/submissions`, () => submission)
  const texts = await asOperator('a form of 200 texts', 'POST', '/forms', () => ({
    key: unique(),
    schema: many(200, (nth) => ({ key: `t${nth}`, type: 'text' })),
  }))
  await asVisitor('a submission of 250 KiB', 'POST', `/forms/${texts.id}/submissions`, () => ({
    fields: many(25, (nth) => ({ key: `t${nth}`, value: 'word '.repeat(1_990) })),
  }))
  await asVisitor('a submission of unknown values', 'POST', `/forms/${texts.id}/submissions`, () => ({
    fields: many(200, (nth) => ({ key: `t${nth}`, value: many(1_500, (n) => n % 10) })),
  }))
  return { taxonomies }
}

type Sold = { product_id: string; variant_id: string }

async function trade({ asOperator, asVisitor, unique }: Maker, locations: string[], taxonomies: Made[]): Promise<void> {
  const inventory = locations.map((location_id) => ({ location_id, available: 1_000_000 }))
  const prices = [
    { market: 'us', amount: 1000 },
    { market: 'eu', amount: 1000 },
  ]
  const variants = () =>
    many(250, (nth) => ({
      sku: `${unique()}-${nth}`,
      prices,
      is_digital: nth % 2 === 0,
      requires_shipping: nth % 2 === 1,
      inventory,
      attributes: many(20, (n) => ({ name: `a${n}`, value: n })),
    }))
  const blocks = many(100, (nth) => ({ key: `b${nth}`, type: 'text', value: 'word '.repeat(50) }))
  const sold: Sold[] = []
  for (let nth = 0; nth < 2; nth++) {
    const made = await asOperator('a product of 250 variants', 'POST', '/products', () => ({
      key: unique(),
      variants: variants(),
      blocks,
      taxonomies,
      slug: { en: unique() },
    }))
    for (const { id } of made.variants) sold.push({ product_id: made.id, variant_id: id })
    await asOperator('a product of 250 variants written anew', 'PUT', `/products/${made.id}`, () => ({
      variants: made.variants.map(({ id }: { id: string }) => ({ id, prices, attributes: many(20, (n) => ({ name: `a${n}`, value: n })), inventory })),
    }))
    await asOperator('stock of 250 variants in 30 places', 'PUT', `/products/${made.id}/inventory`, () => ({
      inventory: many(1_990, (n) => ({ variant_id: made.variants[n % 250].id, location_id: locations[Math.floor(n / 250)], available: 1_000_000 })),
    }))
    await asOperator('the stock of a product', 'GET', `/products/${made.id}/inventory`)
  }
  await asOperator('a product of 250 empty variants', 'POST', '/products', () => ({ key: unique(), variants: many(250, () => ({})) }))
  await asOperator('a product of 100,000 attributes', 'POST', '/products', () => ({
    key: unique(),
    variants: many(250, () => ({ attributes: many(200, () => [1, 2, 3, 4]) })),
  }))

  const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']
  const windows = many(24, (hour) => ({ from: `${String(hour).padStart(2, '0')}:00`, to: `${String(hour + 1).padStart(2, '0')}:00` }))
  const service = await asOperator('a service', 'POST', '/services', () => ({ key: unique(), blocks, taxonomies, slug: { en: unique() } }))
  const date = (nth: number) => new Date(Date.UTC(2030, 0, 1) + nth * 86_400_000).toISOString().slice(0, 10)
  const plain = {
    durations: [{ duration: 30 }],
    slot_interval: 30,
    prices,
    concurrent_limit: 1000,
    working_days: days.map((day) => ({ day, windows: [{ from: '00:00', to: '24:00' }] })),
  }
  const providers: string[] = []
  for (let nth = 0; nth < 3; nth++) {
    const provider = await asOperator('a provider', 'POST', '/providers', () => ({ key: unique(), blocks, taxonomies }))
    providers.push(provider.id)
    const link = await asOperator('a link', 'POST', '/service-providers', () => ({ service_id: service.id, provider_id: provider.id, ...plain }))
    if (nth === 0)
      await asOperator('a link of a thousand dates of 24 windows', 'PUT', `/service-providers/${link.id}`, () => ({
        ...plain,
        service_id: service.id,
        provider_id: provider.id,
        specific_dates: many(1_000, (n) => ({ date: date(n), windows })),
        working_days: days.map((day) => ({ day, windows })),
      }))
  }
  const minutes = await asOperator('a service of every minute', 'POST', '/services', () => ({ key: unique() }))
  const provider = await asOperator('a provider of every minute', 'POST', '/providers', () => ({ key: unique() }))
  await asOperator('a link of every minute', 'POST', '/service-providers', () => ({
    ...plain,
    service_id: minutes.id,
    provider_id: provider.id,
    slot_interval: 1,
    durations: many(25, (nth) => ({ duration: 1 + nth })),
  }))
  for (const range of ['from=2030-01-01&to=2030-01-01', 'from=2030-01-01&to=2030-02-28&duration=1', 'month=2030-01&duration=1', 'month=2030-01'])
    await asVisitor(`free minutes: ${range}`, 'GET', `/services/availability?service_id=${minutes.id}&${range}`)
  await asVisitor('free slots of two months', 'GET', `/services/availability?service_id=${service.id}&from=2030-01-01&to=2030-03-01`)
  const slotsOf = (day: number) =>
    many(48, (nth) => ({ from: Date.UTC(2030, 0, 1 + day) / 1000 + nth * 1800, to: Date.UTC(2030, 0, 1 + day) / 1000 + (nth + 1) * 1800 }))

  const ids = many(500, (nth) => sold[nth % sold.length]?.product_id ?? '')
  const discounts = many(100, (nth) => ({
    type: nth === 0 ? 'items_percentage' : 'audience_percentage',
    ...(nth === 0 ? { market_key: 'us' } : { audience_id: crypto.randomUUID() }),
    bps: 1 + nth,
  }))
  const conditions = [
    ...many(20, () => ({ type: 'products', product_ids: ids })),
    ...many(20, () => ({ type: 'services', service_ids: many(500, () => service.id) })),
    ...many(5, () => ({ type: 'min_order_amount', amount: 1 })),
  ]
  const code = await asOperator('a promo code of 100 discounts and 45 conditions', 'POST', '/promo-codes', () => ({ code: unique(), discounts, conditions }))
  await asOperator('a promo code that is longer', 'POST', '/promo-codes', () => ({
    code: unique(),
    discounts: many(100, () => ({ type: 'audience_percentage', audience_id: service.id, tier_ids: many(60, () => service.id), bps: 1 })),
    conditions: many(20, () => ({ type: 'products', product_ids: ids })),
  }))

  const forms = many(100, (nth) => ({ key: `f${nth}`, entries: many(100, (n) => ({ key: `e${n}`, value: 'v'.repeat(20) })) }))
  const address = { country: 'US', state: 'nowhere', postal_code: '39999', city: 'c'.repeat(200) }
  const items = sold.map((one) => ({ ...one, quantity: 3 }))
  const booking_items = [
    ...many(5, (day) => ({ service_id: service.id, provider_id: providers[0], slots: slotsOf(day) })),
    ...many(5, (day) => ({ service_id: service.id, provider_id: providers[1], slots: slotsOf(day) })),
  ]
  const fillings: [string, Record<string, unknown>][] = [
    [
      'goods',
      { product_items: items, booking_items: [], forms, promo_code: code.code, billing_address: address, shipping_address: { ...address, postal_code: '1' } },
    ],
    ['time', { product_items: [], booking_items, promo_code: null }],
    ['both', { product_items: items, booking_items, promo_code: code.code }],
  ]
  for (const [what, filling] of fillings) {
    const cart = await asVisitor('the cart', 'POST', '/carts/current', () => ({}))
    await asVisitor(`a cart full of ${what}`, 'PUT', `/carts/${cart.id}`, () => ({
      market: 'us',
      billing_address: address,
      shipping_address: address,
      ...filling,
    }))
    await asVisitor(`a quote for a cart full of ${what}`, 'POST', `/carts/${cart.id}/quote`, () => ({}))
    const done = await asVisitor(`a checkout of a cart full of ${what}`, 'POST', `/carts/${cart.id}/checkout`, () => ({ payment_method_key: 'cash' }))
    if (!done?.order_id) continue
    const at = `/orders/${done.order_id}`
    const version = async () => (await asOperator('an order', 'GET', at)).version
    for (const part of ['/products', '/digital-products', '/bookings']) await asOperator(`an order's ${part}`, 'GET', `${at}${part}`)
    let now = await version()
    await asOperator('an order with all items replaced', 'PUT', at, (attempt) => ({
      version: now + attempt,
      ...(what === 'time' ? {} : { product_items: items.map((one) => ({ ...one, quantity: 2 + (attempt % 2) })) }),
      ...(what === 'goods' ? {} : { booking_items: booking_items.toReversed() }),
    }))
    now = await version()
    await asOperator('an order confirmed', 'PUT', at, () => ({ version: now, confirm: true }))
    const lines = (await asOperator("an order's /products", 'GET', `${at}/products`)) as { id: string }[]
    if (lines.length > 0)
      await asOperator('a shipment of all lines', 'POST', `${at}/shipments`, () => ({ items: lines.map(({ id }) => ({ line_id: id, quantity: 1 })) }))
    now = await version()
    if (what === 'time') await asOperator('an order cancelled', 'PUT', at, () => ({ version: now, cancel: true }))
  }
}

/** Of mails: what templates may cost that is legal. */
const bodies: [string, string, string][] = [
  ['many outputs', 'html', '{{ a }}'.repeat(37_000)],
  ['many tags', 'html', '{% if a %}x{% endif %}'.repeat(11_500)],
  ['deep tags', 'html', `${'{% if a %}'.repeat(9_000)}x${'{% endif %}'.repeat(9_000)}`],
  ['open tags', 'html', '{{'.repeat(130_000)],
  ['open markup', 'html', '<a '.repeat(87_000)],
  ['deep markup', 'html', '<div>'.repeat(26_000) + '</div>'.repeat(17_000)],
  ['many filters', 'html', `{{ a ${'| upcase '.repeat(28_000)} }}`],
  ['many sections', 'mjml', `<mjml><mj-body>${'<mj-section><mj-column><mj-text>{{ a }}</mj-text></mj-column></mj-section>'.repeat(3_300)}</mj-body></mjml>`],
  ['deep sections', 'mjml', `<mjml><mj-body>${'<mj-wrapper>'.repeat(10_000)}${'</mj-wrapper>'.repeat(10_000)}</mj-body></mjml>`],
  ['no markup', 'mjml', 'x '.repeat(130_000)],
  ['a loop', 'html', '{% for n in (1..1000000) %}{% for m in (1..1000000) %}x{% endfor %}{% endfor %}'],
]

async function automation({ asOperator, unique, receiver }: Maker): Promise<void> {
  const text = '{{input.start.a}} '.repeat(8)
  const chain = (nodes: Record<string, unknown>) => {
    const ids = Object.keys(nodes)
    return ids.slice(1).map((target, nth) => ({ source: ids[nth], target, output: ids[nth] === 'start' ? 'default' : 'success' }))
  }
  const http = {
    type: 'http',
    method: 'post',
    url: `${receiver}/x`,
    headers: Object.fromEntries(many(5, (n) => [`x-${n}`, text])),
    body: { a: many(5, () => text) },
  }
  const line = { start: { type: 'trigger' }, ...Object.fromEntries(many(199, (nth) => [`n${nth}`, { ...http, body: { a: text } }])) }
  const wide = { start: { type: 'trigger' }, ...Object.fromEntries(many(199, (nth) => [`n${nth}`, { type: 'http', method: 'get', url: `${receiver}/x` }])) }
  const mesh = many(1_000, (nth) =>
    nth < 199
      ? { source: 'start', target: `n${nth}`, output: 'default' }
      : { source: `n${nth % 198}`, target: `n${(nth % 198) + 1 + Math.floor(nth / 198)}`, output: 'success' },
  ).filter(({ target }) => Number(target.slice(1)) < 199)
  const loops = { start: { type: 'trigger' }, ...Object.fromEntries(many(99, (nth) => [`l${nth}`, { type: 'loop', items: '{{input.start.items}}' }])) }
  const rules = many(50, () => ({ condition: `'{{input.start.a}}' === "x" || ${'(1+1) && '.repeat(80)} true` }))
  const graphs: [string, Record<string, unknown>, unknown[]][] = [
    ['a line of 200 nodes', line, chain(line)],
    ['200 nodes and 1,000 edges', wide, mesh],
    [
      '200 nodes, each reading all before it',
      Object.fromEntries(
        Object.entries(wide).map(([id, node], nth) => [
          id,
          nth === 0 ? node : { ...(node as object), method: 'post', body: many(Math.min(nth, 35), (n) => `{{nodes.n${n}.output}}`) },
        ]),
      ),
      chain(wide),
    ],
    ['99 loops', loops, many(98, (nth) => ({ source: nth === 0 ? 'start' : `l${nth - 1}`, target: `l${nth}`, output: nth === 0 ? 'default' : 'each' }))],
    ['50 conditions', { start: { type: 'trigger' }, s: { type: 'switch', rules } }, [{ source: 'start', target: 's', output: 'default' }]],
    [
      '250 KiB of conditions',
      {
        start: { type: 'trigger' },
        ...Object.fromEntries(
          many(2, (nth) => [
            `s${nth}`,
            { type: 'switch', rules: many(12, () => ({ condition: `${'((('.repeat(600)}1${')))'.repeat(600)}${' '.repeat(1_000)}` })) },
          ]),
        ),
      },
      many(2, (nth) => ({ source: 'start', target: `s${nth}`, output: 'default' })),
    ],
    [
      '250 KiB of templates',
      { start: { type: 'trigger' }, d: { type: 'http', method: 'post', url: `${receiver}/x`, body: '{{input.start.a}}'.repeat(14_000) } },
      [{ source: 'start', target: 'd', output: 'default' }],
    ],
    [
      '250 KiB of open templates',
      { start: { type: 'trigger' }, d: { type: 'http', method: 'post', url: `${receiver}/x`, body: '{{'.repeat(120_000) } },
      [{ source: 'start', target: 'd', output: 'default' }],
    ],
    [
      '250 KiB of code',
      {
        start: { type: 'trigger' },
        ...Object.fromEntries(many(3, (nth) => [`c${nth}`, { type: 'transform', code: `return ${'[['.repeat(10_000)}${']]'.repeat(10_000)}` }])),
      },
      many(3, (nth) => ({ source: 'start', target: `c${nth}`, output: 'default' })),
    ],
    [
      'a long address',
      {
        start: { type: 'trigger' },
        ...Object.fromEntries(many(30, (nth) => [`h${nth}`, { type: 'http', method: 'get', url: `http://a.example/${'{{input.start.a}}/'.repeat(440)}` }])),
      },
      many(30, (nth) => ({ source: 'start', target: `h${nth}`, output: 'default' })),
    ],
  ]
  for (const [what, nodes, edges] of graphs)
    for (const status of ['draft', 'active'])
      await asOperator(`a graph of ${what}, ${status}`, 'POST', '/workflows', () => ({ key: unique(), status, nodes, edges }))
  for (const [what, body] of [
    ['nodes', { nodes: Object.fromEntries(many(50_000, (nth) => [`n${nth}`, {}])), edges: [] }],
    ['edges', { nodes: {}, edges: many(60_000, () => ({})) }],
    ['bytes', { nodes: { start: { type: 'trigger', a: many(300_000, () => 1) } }, edges: [] }],
  ] as const)
    for (const status of ['draft', 'active'])
      await asOperator(`a graph of far too many ${what}, ${status}`, 'POST', '/workflows', () => ({ key: unique(), status, ...body }))
  const quiet = await asOperator('a small graph', 'POST', '/workflows', () => ({
    key: unique(),
    status: 'active',
    nodes: { start: { type: 'trigger' }, s: { type: 'transform', code: 'return 1' } },
    edges: [{ source: 'start', target: 's', output: 'default' }],
  }))
  const trigger = quiet?.webhook_url ? new URL(quiet.webhook_url).pathname : null
  if (trigger)
    for (const [what, body] of [
      ['numbers', many(330_000, (nth) => nth % 10)],
      ['objects', many(90_000, () => ({ a: 1 }))],
      ['keys', Object.fromEntries(many(70_000, (nth) => [`k${nth}`, 1]))],
      ['text', 'x'.repeat(1_000_000)],
    ] as const)
      await asOperator(`a trigger with a MiB of ${what}`, 'POST', trigger, () => ({ a: body }))
  const headers = Object.fromEntries(many(100, (nth) => [`x-${nth}`, 'v'.repeat(8_000)]))
  const hook = { url: `${receiver}/hook`, events: [{ event: 'order.created' }], secret: 'signs-every-one-of-them', enabled: false }
  await asOperator('a webhook with 100 headers', 'POST', '/webhooks', () => ({ key: unique(), ...hook, headers }))
  await asOperator('a build hook with 100 headers', 'POST', '/build-hooks', () => ({ key: unique(), type: 'custom', url: `${receiver}/build`, headers }))
  for (const [what, format, body] of bodies) {
    const letter = { format, subject: 'Hello', body }
    await asOperator(`a mail of ${what}`, 'POST', '/email-templates', () => ({ key: unique(), ...letter }))
    await asOperator(`a preview of ${what}`, 'POST', '/email-templates/preview', () => ({ ...letter, variables: { a: 'x'.repeat(1_000) } }))
  }
  await asOperator('a mail in three parts', 'POST', '/email-templates', () => ({
    key: unique(),
    format: 'html',
    subject: '{{ a }}'.repeat(280),
    body: `<p>${'word '.repeat(50_000)}</p>`,
    text: '{{ a }} '.repeat(32_000),
  }))
  const variables = Object.fromEntries(many(30_000, (nth) => [`v${nth}`, nth]))
  await asOperator('a preview with many variables', 'POST', '/email-templates/preview', () => ({ format: 'html', subject: 's', body: '{{ v1 }}', variables }))
}

/** All at their limits. */
export async function fill(maker: Maker): Promise<void> {
  await markets(maker)
  const locations = await places(maker)
  const { taxonomies } = await content(maker)
  await automation(maker)
  await trade(maker, locations, taxonomies)
}
