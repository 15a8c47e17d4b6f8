// Random sequences of carts, checkouts, subscriptions, sign-ins, events and merges, over HTTP on two processes, lose
// nothing (merge-judges.ts says what holds).
// A failure prints its seed and its script. MERGE_SEED=random (or a number) picks another seed, MERGE_RUNS sets the
// number of runs. MERGE_TOLD=1 prints which cases occurred.
import { randomInt, randomUUID } from 'node:crypto'
import { afterAll, test } from '@jest/globals'
import fc from 'fast-check'
import { mustHaveMet, tellCases } from '../kit/cases.ts'
import { codeFor } from '../kit/codes.ts'
import { card, cash, checkOut, pay, return_url, sessionOf, sim } from '../kit/orders/buying.ts'
import { type Answer, api, database, eitherApi, http, secondApi, type Visitor } from '../kit/shop.ts'
import { judge } from './merge-judges.ts'
import {
  addresses,
  factsOf,
  newMemberStore,
  newScene,
  people,
  possessions,
  rowsOf,
  type Scene,
  type Store,
  settled,
} from './merge-scene.ts'

const seed = process.env.MERGE_SEED === 'random' ? randomInt(2 ** 31) : Number(process.env.MERGE_SEED ?? 20261122)
const runs = Number(process.env.MERGE_RUNS ?? 24)
const lanes = 6
/** The lists of the provider grow with the scripts of a store. */
const scriptsOfStore = 10

const met: Record<string, number> = {}
const meet = (what: string) => {
  met[what] = (met[what] ?? 0) + 1
}

const [who, address, nth] = [fc.nat(people - 1), fc.nat(addresses - 1), fc.nat(7)]
const coin = fc.boolean()
const oneIn3 = fc.nat(2).map((n) => n === 2)
/** A contact: that of a visitor, or the owner of an address. */
const contact = fc.record({ owner: fc.nat(2).map((n) => n === 0), n: fc.nat(people - 1) })
const is = <const Name extends string>(name: Name) => fc.constant(name)
const single = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: is('identify'), who, address }) },
  { weight: 4, arbitrary: fc.record({ do: is('sign in'), who, address }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: is('buy'),
      who,
      how: fc.constantFrom('cash' as const, 'cash' as const, 'card' as const),
      code: coin,
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: is('fill'), who }) },
  { weight: 2, arbitrary: fc.record({ do: is('join'), who }) },
  {
    weight: 7,
    arbitrary: fc.record({ do: is('subscribe'), who, price: fc.constantFrom(0, 0, 0, 1), code: coin, pays: coin }),
  },
  { weight: 6, arbitrary: fc.record({ do: is('pay'), nth, leaves: oneIn3 }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: is('advance'),
      nth,
      outcome: fc.constantFrom('renew', 'renew', 'decline', 'recover', 'give_up'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: is('link'),
      nth,
      to: fc.constantFrom('subscription/cancel', 'subscription/resume', 'unsubscribe', 'unsubscribe', 'resubscribe'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: is('refund'), nth, share: fc.constantFrom(0.3, 0.5, 1), again: coin }) },
  { weight: 2, arbitrary: fc.record({ do: is('add'), contact }) },
  { weight: 2, arbitrary: fc.record({ do: is('remove'), nth, now: coin }) },
  { weight: 2, arbitrary: fc.record({ do: is('import'), address }) },
  { weight: 2, arbitrary: fc.record({ do: is('grace'), hours: fc.constantFrom(0, 24, 72) }) },
  { weight: 1, arbitrary: fc.record({ do: is('create'), address }) },
  {
    weight: 9,
    arbitrary: fc.record({
      do: is('merge'),
      source: contact,
      target: contact,
      how: fc.constantFrom('once' as const, 'twice' as const, 'both ways' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: is('merge subscribers'), who, other: who, price: fc.constantFrom(0, 1) }) },
  { weight: 1, arbitrary: fc.record({ do: is('merge a gone one'), target: contact }) },
)
const command = fc.oneof(
  { weight: 8, arbitrary: single },
  { weight: 4, arbitrary: fc.record({ do: is('together'), all: fc.array(single, { minLength: 2, maxLength: 4 }) }) },
  { weight: 1, arbitrary: fc.record({ do: is('hold events') }) },
  { weight: 1, arbitrary: fc.record({ do: is('deliver'), times: fc.integer({ min: 1, max: 2 }), parallel: coin }) },
)
const script = fc.record({
  max: fc.integer({ min: 1, max: 3 }),
  commands: fc.array(command, { minLength: 6, maxLength: 14, size: 'max' }),
})
type Single = typeof single extends fc.Arbitrary<infer T> ? T : never
type Command = typeof command extends fc.Arbitrary<infer T> ? T : never
type Of<Name extends Single['do']> = Extract<Single, { do: Name }>

const visitorOf = (scene: Scene, n: number) => scene.visitors[n] as Visitor
const ownedBy = async (scene: Scene, email: string) =>
  (
    await rowsOf<{ contact_id: string }>(
      `select contact_id from contact_channels where tenant_id = $1 and address = $2 and owned`,
      [scene.store.shop.store_id, email],
    )
  )[0]?.contact_id
const contactOf = async (scene: Scene, { owner, n }: { owner: boolean; n: number }): Promise<string | undefined> =>
  owner
    ? ownedBy(scene, scene.emails[n % addresses] as string)
    : (await visitorOf(scene, n).call('GET', '/account/me')).body.contact.id

function told(scene: Scene, what: string, whom: string): void {
  meet(what)
  scene.log.push(`${what} ${whom}`)
}

/** A refusal is right in a random sequence, an error is not. The kit gives up after eight deadlocks. */
function note(scene: Scene, what: string, { status, body }: Answer, whom = ''): boolean {
  told(scene, `${what}: ${status < 300 ? 'done' : (body?.code ?? status)}`, whom)
  const retryable = status === 503 && ['provider_retryable', 'engine_unavailable'].includes(body?.code)
  if (status >= 500 && !retryable) scene.told.surprises.push(`${what}: ${status} ${JSON.stringify(body)}`)
  return status < 300
}
const operator = (scene: Scene, method: 'GET' | 'POST' | 'DELETE', at: string, body?: unknown, base = eitherApi()) =>
  scene.store.shop.asOperator(method, at, body, base)

async function buy(scene: Scene, { who, how, code }: Of<'buy'>): Promise<void> {
  const visitor = visitorOf(scene, who)
  const { body: cart } = await visitor.call('POST', '/carts/current', {}, eitherApi())
  const filled = await visitor.call(
    'PUT',
    `/carts/${cart.id}`,
    { product_items: [scene.store.tea.item(1)], promo_code: code ? scene.code.code : null },
    eitherApi(),
  )
  if (!note(scene, 'fill', filled)) return
  const contact_id = (await visitor.call('GET', '/account/me')).body.contact.id
  const answer = await checkOut(visitor, cart, how === 'card' ? card : cash, eitherApi())
  if (!note(scene, `buy by ${how}`, answer, `${answer.body.order_id} of ${contact_id}`)) return
  if (how === 'card') scene.pages.push(sessionOf(answer))
  scene.told.orders.push({ id: answer.body.order_id, contact_id, total: answer.body.payment.amount })
}

async function signIn(scene: Scene, { who, address }: Of<'sign in'>): Promise<void> {
  const [visitor, email] = [visitorOf(scene, who), scene.emails[address] as string]
  const asked = async (before: number) => {
    const challenge = await visitor.call('POST', '/account/code', { email }, eitherApi())
    return note(scene, 'code', challenge)
      ? { id: challenge.body.challenge_id, code: await codeFor(email, before + 1), count: before + 1 }
      : null
  }
  const turn = (scene.mailed.get(email) ?? Promise.resolve(0)).then(async (before) => ({
    before,
    proof: await asked(before),
  }))
  scene.mailed.set(
    email,
    turn.then(({ before, proof }) => proof?.count ?? before),
  )
  const { proof } = await turn
  if (!proof) return
  const before = (await visitor.call('GET', '/account/me')).body.contact.id
  const answer = await visitor.call(
    'POST',
    '/account/verify',
    { challenge_id: proof.id, code: proof.code },
    eitherApi(),
  )
  if (!note(scene, 'sign in', answer, `${before} is ${answer.body.contact?.id}`)) return
  const to = answer.body.contact.id
  scene.owned.push({ email, contact_id: to })
  if (to !== before) {
    meet('sign in: attached to another contact')
    scene.moves.push({ from: before, to, merged: false })
  }
}

const leave = (scene: Scene, session: string, unpaid: boolean) =>
  (unpaid ? sim('POST', `/checkout_sessions/${session}/expire`) : pay(session)).then(
    () => told(scene, `page: ${unpaid ? 'left' : 'paid'}`, session.slice(-6)),
    () => told(scene, 'page: closed already', session.slice(-6)),
  )

async function subscribe(scene: Scene, { who, price, code, pays }: Of<'subscribe'>): Promise<void> {
  const { club, prices } = scene.store
  const body = { price_id: prices[price], return_url, ...(code ? { promo_code: scene.code.code } : {}) }
  const visitor = visitorOf(scene, who)
  const answer = await visitor.call('POST', `/audiences/${club}/subscribe`, body, eitherApi())
  if (
    !note(scene, 'subscribe', answer, `${answer.body.member?.id} of ${answer.body.member?.contact_id}`) ||
    answer.body.payment_action.type === 'none'
  )
    return
  scene.pages.push(sessionOf(answer))
  scene.told.members.push({ audience_id: club, contact_id: answer.body.member.contact_id })
  if (pays) await leave(scene, sessionOf(answer), false)
}

/** The rows of the store, of all its scripts: those of this one are the newest. */
const newest = async <T extends object>(scene: Scene, statement: string, n: number): Promise<T | undefined> => {
  const rows = await rowsOf<T>(`${statement} limit 6`, [scene.store.shop.store_id])
  return rows[n % Math.max(1, rows.length)]
}

type Pair = { source: string; target: string }
const mergeOf = (scene: Scene, { source, target }: Pair, base?: string) =>
  operator(scene, 'POST', `/contacts/${target}/merge`, { source_contact_id: source }, base)

async function merge(scene: Scene, { source: from, target: to, how }: Of<'merge'>, alone: boolean): Promise<void> {
  const [source, target] = [await contactOf(scene, from), await contactOf(scene, to)]
  if (!source || !target) return
  const surprise = (what: string) => scene.told.surprises.push(`${what} (${source} into ${target})`)
  const pair = { source, target }
  if (how === 'both ways') {
    const answers = await Promise.all([
      mergeOf(scene, pair, api()),
      mergeOf(scene, { source: target, target: source }, secondApi()),
    ])
    for (const answer of answers) note(scene, 'merge both ways', answer, `${source} ${target}`)
    if (source !== target && answers.every(({ status }) => status === 200)) surprise('both ways were answered with 200')
    return
  }
  const before = alone ? await possessions([source, target]) : ''
  const answers =
    how === 'twice'
      ? await Promise.all([mergeOf(scene, pair, api()), mergeOf(scene, pair, secondApi())])
      : [await mergeOf(scene, pair)]
  for (const answer of answers) note(scene, `merge ${how}`, answer, `${source} into ${target}`)
  const [first] = answers as [Answer]
  if (source === target && first.body.code !== 'same_contact') surprise('a contact was merged into itself')
  if (!alone) return
  if (
    answers.some(({ status, body }) => status !== first.status || JSON.stringify(body) !== JSON.stringify(first.body))
  ) {
    // `instance` names the request.
    if (first.status === 200 || answers.some(({ body }) => body.code !== first.body.code))
      surprise(`two answers to one merge: ${JSON.stringify(answers.map(({ body }) => body))}`)
  }
  if (first.status !== 200 && before !== (await possessions([source, target])))
    surprise(`a merge that was refused with ${first.body.code} moved something`)
  if (first.status !== 200) return
  const again = await mergeOf(scene, pair, how === 'once' ? secondApi() : api())
  if (again.status !== 200 || JSON.stringify(again.body) !== JSON.stringify(first.body))
    surprise(`the merge again was answered with ${JSON.stringify(again.body)}`)
}

const perform: { [Name in Single['do']]: (scene: Scene, one: Of<Name>, alone: boolean) => Promise<unknown> } = {
  async identify(scene, { who, address }) {
    const email = scene.emails[address] as string
    const answer = await visitorOf(scene, who).call('POST', '/account/identify', { email }, eitherApi())
    if (note(scene, 'identify', answer)) scene.claimed.push({ email, contact_id: answer.body.contact.id })
  },
  'sign in': signIn,
  buy,
  async fill(scene, { who }) {
    const visitor = visitorOf(scene, who)
    const { body } = await visitor.call('POST', '/carts/current', {}, eitherApi())
    note(
      scene,
      'fill',
      await visitor.call('PUT', `/carts/${body.id}`, { product_items: [scene.store.tea.item(2)] }, eitherApi()),
    )
  },
  async join(scene, { who }) {
    const answer = await visitorOf(scene, who).call('POST', `/audiences/${scene.store.open}/subscribe`, {}, eitherApi())
    if (!note(scene, 'join', answer, answer.body.member?.contact_id)) return
    resubscribes(scene)
    scene.told.members.push({ audience_id: scene.store.open, contact_id: answer.body.member.contact_id })
  },
  subscribe,
  async pay(scene, { nth, leaves }) {
    const session = scene.pages.at(-1 - (nth % Math.max(1, scene.pages.length)))
    if (!session) return
    await leave(scene, session, leaves)
  },
  async advance(scene, { nth, outcome }) {
    const found = await newest<{ at: string }>(
      scene,
      `select provider_subscription_id as at from subscriptions where tenant_id = $1 and status = 'live' and provider_subscription_id is not null order by id desc`,
      nth,
    )
    if (!found) return
    await sim('POST', `/subscriptions/${found.at}/advance`, outcome === 'renew' ? {} : { outcome }).then(
      () => told(scene, `advance: ${outcome}`, found.at),
      () => told(scene, `advance: ${outcome} refused`, found.at),
    )
  },
  async link(scene, { nth, to }) {
    const visitor = visitorOf(scene, nth % people)
    const audience_id = to.startsWith('subscription') ? scene.store.club : scene.store.open
    const { body } = await visitor.call('GET', `/audiences/${audience_id}/access`, undefined, eitherApi())
    const token = body.member?.manage_url && new URL(body.member.manage_url).searchParams.get('token')
    if (!token) return
    const answer = await http('POST', `/v1/customer/audiences/${to}?token=${token}`, { base: eitherApi() })
    if (!note(scene, `link ${to}`, answer, body.member.id)) return
    if (to === 'unsubscribe') scene.told.opted_out.push({ audience_id, contact_id: body.member.contact_id })
    if (to === 'resubscribe') resubscribes(scene)
  },
  async refund(scene, { nth, share, again }) {
    const found = await newest<{ id: string; order_id: string | null; member_id: string; captured: number }>(
      scene,
      `select p.id, p.order_id, s.member_id, p.captured_amount as captured from payments p left join subscriptions s on s.id = p.subscription_id
       where p.tenant_id = $1 and p.captured_amount > 0 order by p.id desc`,
      nth,
    )
    if (!found) return
    const body = { refund_id: randomUUID(), amount: Math.ceil(found.captured * share) }
    const at = found.order_id
      ? `/orders/${found.order_id}/refunds`
      : `/audiences/${scene.store.club}/members/${found.member_id}/payments/${found.id}/refunds`
    const answers = await Promise.all(Array.from({ length: again ? 2 : 1 }, () => operator(scene, 'POST', at, body)))
    for (const answer of answers) note(scene, `refund of ${found.order_id ? 'an order' : 'a membership'}`, answer)
  },
  async add(scene, { contact }) {
    const contact_id = await contactOf(scene, contact)
    if (contact_id)
      note(scene, 'add', await operator(scene, 'POST', `/audiences/${scene.store.open}/members`, { contact_id }))
  },
  async remove(scene, { nth, now }) {
    const found = await newest<{ id: string; audience_id: string }>(
      scene,
      'select id, audience_id from audience_members where tenant_id = $1 order by id desc',
      nth,
    )
    if (found)
      note(
        scene,
        `remove${now ? ' now' : ''}`,
        await operator(scene, 'DELETE', `/audiences/${found.audience_id}/members/${found.id}?now=${now}`),
        found.id,
      )
  },
  async import(scene, { address }) {
    const rows = [scene.emails[address], scene.emails[(address + 1) % addresses]].map((email) => ({ email }))
    note(scene, 'import', await operator(scene, 'POST', `/audiences/${scene.store.open}/members/import`, { rows }))
  },
  async grace(scene, { hours }) {
    note(
      scene,
      'grace',
      await scene.store.shop.asOperator('PUT', '', { settings: { membership_grace_hours: hours } }, eitherApi()),
    )
  },
  create: async (scene, { address }) =>
    note(scene, 'create', await operator(scene, 'POST', '/contacts', { email: scene.emails[address] })),
  merge,
  async 'merge subscribers'(scene, { who, other, price }, alone) {
    for (const one of [who, other])
      await subscribe(scene, { do: 'subscribe', who: one, price, code: false, pays: true })
    await merge(
      scene,
      { do: 'merge', source: { owner: false, n: who }, target: { owner: false, n: other }, how: 'twice' },
      alone,
    )
  },
  async 'merge a gone one'(scene, one) {
    const target = await contactOf(scene, one.target)
    const gone = await newest<{ source: string; target: string }>(
      scene,
      'select source_id as source, target_id as target from contact_merges where tenant_id = $1 order by id desc',
      0,
    )
    if (!target || !gone) return
    const answer = await mergeOf(scene, { source: gone.source, target })
    note(scene, 'merge a gone one', answer)
    if (answer.status === 200 && target !== gone.target)
      scene.told.surprises.push(`${gone.source} was merged into ${target}, after ${gone.target}`)
  },
}

/** Contacts who join by themselves get e-mail again. Which of them are one person is not followed here. */
const resubscribes = (scene: Scene) => void scene.told.opted_out.splice(0)

const performOne = <Name extends Single['do']>(scene: Scene, one: Of<Name>, alone: boolean) =>
  (perform[one.do as Name] as (scene: Scene, one: Of<Name>, alone: boolean) => Promise<unknown>)(scene, one, alone)

async function play(scene: Scene, one: Command): Promise<void> {
  const { account } = scene.store
  if (one.do === 'hold events') await sim('POST', '/events', { hold: true, account })
  else if (one.do === 'deliver')
    await sim('POST', '/events/deliver', { account, order: 'shuffle', times: one.times, parallel: one.parallel })
  else if (one.do === 'together') {
    const known = scene.told.opted_out.length
    await Promise.all(one.all.map((each) => performOne(scene, each, false)))
    // An opt-out beside a return has no order.
    const returns = one.all.some((each) => each.do === 'join' || (each.do === 'link' && each.to === 'resubscribe'))
    if (returns && scene.told.opted_out.length > known) resubscribes(scene)
  } else await performOne(scene, one as Single, true)
}

async function live(scene: Scene, commands: readonly Command[]): Promise<string[]> {
  for (const one of commands) await play(scene, one)
  const left = await settled(scene)
  if (left.length > 0) return left.map((what) => `not settled: ${what}`)
  const facts = await factsOf(scene)
  meet(`redemptions: ${facts.codes[0]?.redemptions.length}`)
  return judge(facts)
}

afterAll(() => database().end())

test(`${runs} random sequences of purchases, memberships, sign-ins and merges lose nothing`, async () => {
  const since = performance.now()
  const lived = Array.from({ length: lanes }, async (_, lane) => {
    let store: Store | undefined
    let scripts = 0
    await fc.assert(
      fc.asyncProperty(script, async ({ max, commands }) => {
        if (!store || scripts++ % scriptsOfStore === 0) store = await newMemberStore()
        const scene = await newScene(store, max)
        const wrong = await live(scene, commands)
        // What is wrong in this store stays wrong.
        if (wrong.length > 0) store = undefined
        // What is wrong comes first: the end of a long output may be cut.
        if (wrong.length > 0) throw new Error([...wrong, 'after', ...scene.log].join('\n'))
      }),
      // Races do not repeat: a shorter script proves nothing.
      { seed: seed + lane, numRuns: Math.ceil(runs / lanes), endOnFailure: true },
    )
  })
  const ended = await Promise.allSettled(lived)
  if (process.env.MERGE_TOLD) tellCases(met, seed, since)
  for (const one of ended) if (one.status === 'rejected') throw one.reason
  const times = (ending: string) =>
    Object.entries(met).reduce((sum, [name, count]) => (name.endsWith(ending) ? sum + count : sum), 0)
  const rare = ['twice: done', 'both_subscribed', 'attached to another contact', 'page: paid', 'advance: renew']
  mustHaveMet(rare, times, runs, 200)
}, 14_400_000)
