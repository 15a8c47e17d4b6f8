// Records of a business on the business surface, made by requests whose answers the pool learns.
import type { Answer, Method } from '../kit/shop.ts'
import { unique } from '../kit/shop.ts'
import type { CallerName } from './callers.ts'

type Ask = (name: CallerName, method: Method, target: string, body?: unknown) => Promise<Answer>

const day = 86_400

/** One of each resource that a business can create by a request of its own. */
export async function fillBusiness(by: Ask, id: string, receiver: string): Promise<void> {
  const at = `/v1/businesses/${id}`
  const ask = (method: Method, target: string, body?: unknown) => by('operator', method, target, body)
  const create = async (path: string, body: Record<string, unknown>) => (await ask('POST', `${at}${path}`, body)).body
  const key = unique
  const prices = [{ market: 'booking', amount: 4_000 }]
  for (let n = 0; n < 2; n++) {
    const product = await create('/products', { key: key(), slug: { en: key() } })
    await fillReactions(by, at, { type: 'product', id: product.id })
    const collection = await create('/collections', { key: key() })
    await create('/entries', { key: key(), collectionId: collection.id })
    await create('/taxonomies', { key: key() })
    await create('/forms', { key: key(), schema: [{ key: 'name', type: 'text' }] })
    await create('/promo-codes', {
      code: key(),
      discounts: [{ type: 'items_percentage', marketKey: 'booking', bps: 1_000 }],
      conditions: [],
    })
    await create('/webhooks', {
      key: key(),
      url: `${receiver}/${key()}`,
      events: [{ event: 'node.created' }],
      headers: {},
      enabled: true,
    })
    await create('/integrations', { key: key(), provider: { type: 'llm_a', apiKey: 'a-key', model: 'a-model' } })
    await create('/locations', { key: key(), address: { country: 'DE' } })
    const service = await create('/services', { key: key(), prices, durations: [{ duration: 30 }] })
    const provider = await create('/providers', { key: key() })
    const workingDays = ['MONDAY', 'WEDNESDAY', 'FRIDAY'].map((name) => ({
      day: name,
      workingHours: [{ from: 0, to: 1_440 }],
    }))
    await create('/service-providers', {
      serviceId: service.id,
      providerId: provider.id,
      workingDays,
      specificDates: [],
      slotInterval: 30,
    })
    const month = new Date(Date.now() + 40 * day * 1_000).toISOString().slice(0, 7)
    const free = await ask('GET', `${at}/bookings/availability?serviceId=${service.id}&month=${month}`)
    const [first, second] = free.body.providers[0].days[0].slots as { from: number; to: number }[]
    const item = { serviceId: service.id, providerId: provider.id }
    await create('/bookings', {
      items: [{ ...item, slots: [{ from: first?.from, to: first?.to }] }],
      paymentMethodId: 'cash',
    })
    await create('/reservations', { items: [{ ...item, from: second?.from, to: second?.to }], paymentMethodId: 'cash' })
  }
  for (const list of ['members', 'markets', 'orders', 'refunds', 'media?limit=20']) await ask('GET', `${at}/${list}`)
}

/**
 * One of each kind of reaction, by those who may make it, so that later requests find some to read, change and answer.
 */
export async function fillReactions(by: Ask, at: string, target: { type: string; id: string }): Promise<void> {
  const content = (value: string) => ({ blocks: [{ key: 'text', type: 'text', value }] })
  const create = async (name: CallerName, body: object) =>
    (await by(name, 'POST', `${at}/reactions`, { target, ...body })).body
  const comment = await create('customer', { kind: 'comment', ...content(`A comment, ${unique()}`) })
  await create('operator', { kind: 'comment', parentId: comment.id, ...content(`An answer, ${unique()}`) })
  for (const kind of ['like', 'star_4']) await create('customer', { kind })
  await create('customer', { kind: 'review', ...content(`A review, ${unique()}`) })
  for (const name of ['customer', 'operator'] as const)
    for (const list of ['reactions', 'reactions/summary'])
      await by(name, 'GET', `${at}/${list}?targetType=${target.type}&targetId=${target.id}`)
  await by('operator', 'GET', `${at}/reactions/admin?limit=20`)
  await by('customer', 'PUT', `${at}/reactions/${comment.id}`, content(`A better comment, ${unique()}`))
  await by('operator', 'POST', `${at}/reactions/${comment.id}/moderate`, { status: 'published', note: 'Read.' })
}
