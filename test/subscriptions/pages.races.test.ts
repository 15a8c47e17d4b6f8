// Two payable pages never exist: requests for two prices and the steps of their checkouts, in random orders and at the
// same time, without a worker.
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import type { Orm } from '../../entities/kit/database/orm.ts'
import type { Choice } from '../../entities/subscriptions/offer.ts'
import { random } from '../chaos/random.ts'
import { type Club, forever, monthly, paidAudience, subscriptionsOf } from '../kit/audiences/paid-audiences.ts'
import { return_url, sim } from '../kit/orders/buying.ts'
import { database, newEmail, newShop, type Shop, unique } from '../kit/shop.ts'
import { type Lab, startLab } from '../kit/stack/lab.ts'

jest.setTimeout(120_000)

const runs = Number(process.env.PAGE_RUNS ?? 60)
const atOnce = 8
const account = `acct_${unique()}`

let lab: Lab
let orm: Orm
let shop: Shop
let club: Club
/** The transaction of a request of the session. */
let request: (sessionId: string, choice: Choice) => Promise<unknown>
/** Runs one step of a checkout, as its workflow would. Returns whether it was one. */
let stepOf: (id: string) => Promise<boolean>
beforeAll(async () => {
  lab = await startLab('interleavings', { SEND_LIMIT_MS: '5000' }, { parts: ['postgres', 'migrations', 'stripe'] })
  await lab.stack.startApi()
  shop = await newShop()
  await sim('POST', '/webhook', { url: '' })
  await sim('POST', `/accounts/${account}`, { charges_enabled: true, details_submitted: true, payouts_enabled: true })
  const { rows } = await database().query(
    `insert into payment_providers (id, created_at, updated_at, tenant_id, type, country, charges_enabled, payouts_enabled, details_submitted, status, fingerprint, attempt, account_id)
     values (gen_random_uuid(), 1, 1, $1, 'stripe', 'US', true, true, true, 'succeeded', '', 1, $2) returning id`,
    [shop.store_id, account],
  )
  club = await paidAudience(shop, account, [monthly, forever], rows[0].id)
  // The settings are read at the first import.
  const [{ MockActivityEnvironment }, { DefaultLogger }, activities] = await Promise.all([
    import('@temporalio/testing'),
    import('@temporalio/worker'),
    import('../../activities/index.ts'),
  ])
  const [{ unit }, { openOrm }] = await Promise.all([
    import('../../api/kit/unit.ts'),
    import('../../entities/kit/database/orm.ts'),
  ])
  const [{ lockForVisitor }, entities] = await Promise.all([
    import('../../entities/audiences/audiences.ts'),
    import('../../entities/subscriptions/subscribe.ts'),
  ])
  orm = await openOrm({ url: process.env.DATABASE_URL as string, pool: 8 })
  request = (sessionId, choice) =>
    unit(orm, async (em) => {
      const audience = await lockForVisitor(em, shop.store_id, club.id, { session_id: sessionId, verified: true })
      return entities.subscribe(em, shop.store_id, audience, choice, Math.floor(Date.now() / 1000))
    })
  const logger = new DefaultLogger('ERROR')
  const attempt = async (effect: 'payment_session' | 'session_expiry' | 'coupon', id: string) => {
    const token = unique()
    try {
      await new MockActivityEnvironment({}, { logger }).run(activities.sendEffect, effect, id, token)
    } catch (error) {
      await activities.settleEffect(effect, id, token, null)
      // Another attempt of the next step would have the same result.
      if ((error as { type?: string }).type === 'Hopeless') await activities.giveUpEffect(effect, id, true)
    }
  }
  stepOf = async (id) => {
    const step = await activities.readCheckout(id)
    if (step.do === 'open') await attempt('payment_session', step.id)
    if (step.do === 'make_coupon') await attempt('coupon', step.id)
    if (step.do === 'close') await attempt('session_expiry', step.id)
    if (step.do === 'request_close') await activities.requestSessionExpiry(step.id)
    if (step.do === 'read') await activities.readPaymentSession(step.id)
    if (step.do === 'release') await activities.releaseCheckout(id)
    if (step.do === 'drop_waiting') await activities.dropWaiting(id)
    return step.do !== 'wait' && step.do !== 'done'
  }
})
afterAll(async () => {
  const { closeDatabase } = await import('../../activities/kit/database.ts')
  await closeDatabase()
  await orm.close(true)
  await database().end()
  await lab.stop()
})

type Page = { id: string; opened: number; closed: number | null; status: string; metadata: { subscription?: string } }
const allPages = async (): Promise<Page[]> => sim('GET', `/ledger/pages?account=${account}`)

/** The contact of a visitor who chose, paid and changed their mind in the order of the seed. */
async function play(seed: number): Promise<string> {
  const draw = random(seed)
  const visitor = await shop.visitor(newEmail())
  const { contact_id } = visitor
  const codes: string[] = []
  const { rows } = await database().query('select id from contact_sessions where contact_id = $1', [contact_id])
  const ask = async () => {
    const price_id = club.prices[draw.whole(0, 1)] as string
    const choice = {
      price_id,
      promo_code: null,
      return_url: draw.chance(0.2) ? 'https://shop.example/elsewhere' : return_url,
    }
    await request(rows[0].id, choice).catch(({ code, message }) => codes.push(code ?? message))
  }
  const anyStep = async () => {
    const rows = await subscriptionsOf(contact_id)
    if (rows.length > 0) await stepOf(draw.pick(rows).id)
  }
  const buy = async () => {
    const ids = (await subscriptionsOf(contact_id)).map(({ id }) => id)
    const open = (await allPages()).find(
      ({ status, metadata }) => status === 'open' && ids.includes(metadata.subscription ?? ''),
    )
    if (open) await sim('POST', `/checkout_sessions/${open.id}/pay`, { outcome: 'succeeded' }).catch(() => {})
  }
  await ask()
  for (let moves = draw.whole(3, 9); moves > 0; moves--) {
    const together = Array.from({ length: draw.whole(1, 3) }, () =>
      draw.weighted([
        [4, anyStep],
        [3, ask],
        [seed % 4 === 0 ? 0.3 : 0, buy],
      ]),
    )
    await Promise.all(together.map((move) => move()))
  }
  let more = true
  for (let rounds = 0; more && rounds < 50; rounds++) {
    more = false
    for (const { id } of await subscriptionsOf(contact_id)) more = (await stepOf(id)) || more
  }
  expect(more).toBe(false)
  // A completed page whose closing was tried is read, and its subscription is linked.
  expect(codes.filter((code) => code !== 'payment_in_progress' && code !== 'subscription_active')).toEqual([])
  return contact_id
}

test(`In ${runs} random orders of choices a page opens only after the former one was closed`, async () => {
  const players: string[] = []
  let seed = 0
  const next = async (): Promise<void> => {
    while (seed < runs) players.push(await play(seed++))
  }
  await Promise.all(Array.from({ length: atOnce }, next))

  const pages = await allPages()
  let replaced = 0
  for (const contact_id of players) {
    const rows = await subscriptionsOf(contact_id)
    const own = pages
      .filter(({ metadata }) => rows.some(({ id }) => id === metadata.subscription))
      .sort((a, b) => a.opened - b.opened)
    replaced += own.length - 1
    for (const [n, page] of own.entries()) {
      const before = own[n - 1]
      if (before)
        expect([before.status, (before.closed ?? Number.POSITIVE_INFINITY) < page.opened]).toEqual(['expired', true])
    }
    const open = rows.filter(({ status }) => status === 'pending' || status === 'live')
    expect([open.length, rows.filter(({ status }) => status === 'waiting').length]).toEqual([1, 0])
    expect(own.filter(({ status }) => status !== 'expired').map(({ metadata }) => metadata.subscription)).toEqual(
      open.map(({ id }) => id),
    )
  }
  expect(replaced).toBeGreaterThan(runs / 4)
})
