// Who pays under an address that is not verified: the membership is found by the person who signs in with it, and by no
// other.
import { beforeAll, expect, jest, test } from '@jest/globals'
import { type Club, free, monthly, paidAudience, subscribe, subscriptionsOf } from '../kit/audiences/paid-audiences.ts'
import { codeFor, prove } from '../kit/codes.ts'
import { connected, fault, pay, refusalOf, sessionOf, sim, until } from '../kit/orders/buying.ts'
import { api, database, eitherApi, http, newEmail, newShop, type Shop, secondApi, type Visitor } from '../kit/shop.ts'

jest.setTimeout(60_000)

let shop: Shop
let club: Club
let other: Club
beforeAll(async () => {
  shop = await newShop()
  const account = await connected(shop)
  club = await paidAudience(shop, account, [monthly, { ...monthly, amount: 1200 }, free])
  other = await paidAudience(shop, account, [monthly])
})

const access = async (visitor: Visitor, of = club) => (await visitor.call('GET', `/audiences/${of.id}/access`)).body
const hasAccess = async (visitor: Visitor): Promise<boolean> => (await access(visitor)).has_access

/** A visitor who names an address, and pays. */
async function paidUnder(email: string, visitor?: Visitor, of = club): Promise<Visitor> {
  const payer = visitor ?? (await shop.visitor(email))
  const answer = await subscribe(payer, of, 0)
  expect([answer.status, answer.body.payment_action?.type]).toEqual([200, 'card_embedded_checkout'])
  await pay(sessionOf(answer))
  await until(async () => (await access(payer, of)).member?.paid_through_at, 20_000)
  return payer
}

async function signedIn(email: string, count = 1): Promise<Visitor> {
  const visitor = await shop.visitor()
  const answer = await prove(visitor, email, count)
  expect(answer.status).toBe(200)
  return { ...visitor, contact_id: answer.body.contact.id }
}

test('A membership paid under a claimed address is found by signing in with it on another device', async () => {
  const email = newEmail()
  const phone = await paidUnder(email)
  const before = await until(async () => {
    const { member } = await access(phone)
    return member.billing_status === 'active' && member
  })
  const laptop = await signedIn(email)
  expect(laptop.contact_id).not.toBe(phone.contact_id)
  const { has_access, member } = await access(laptop)
  expect([has_access, member]).toEqual([
    true,
    { ...before, contact_id: laptop.contact_id, contact: member.contact, ...changed(member) },
  ])
  // The subscription is one and the same: it cannot be paid for again.
  expect(refusalOf(await subscribe(laptop, club, 1))).toEqual([409, undefined, 'subscription_active'])
  const payments = await shop.asOperator('GET', `/audiences/${club.id}/members/${member.id}/payments`)
  expect(payments.body.items).toMatchObject([{ kind: 'initial', status: 'paid', payer_contact_id: phone.contact_id }])
  // The device that paid signs in, too; its former link is not valid any more. Until then it cannot pay a second time.
  expect(await access(phone)).toEqual({ has_access: false, member: null })
  const again = await subscribe(phone, club, 1)
  expect([...refusalOf(again), again.body.detail]).toEqual([
    409,
    undefined,
    'subscription_active',
    expect.stringContaining('Sign in with the address'),
  ])
  expect(await access(phone)).toEqual({ has_access: false, member: null })
  const page = (url: string) =>
    http('GET', `/v1/customer/audiences/manage?token=${new URL(url).searchParams.get('token')}`)
  expect([(await page(before.manage_url)).status, (await page(member.manage_url)).status]).toEqual([401, 200])
  await prove(phone, email, 2)
  expect(await hasAccess(phone)).toBe(true)
})
const changed = ({ manage_url, updated_at }: { manage_url: string; updated_at: number }) => ({ manage_url, updated_at })

test('Signing in finds memberships paid under the address by a visitor after its owner was known', async () => {
  const email = newEmail()
  const laptop = await signedIn(email)
  const phone = await paidUnder(email)
  // The owner does not pay a second time.
  const second = await subscribe(laptop, club, 0)
  expect([...refusalOf(second), second.body.detail]).toEqual([
    409,
    undefined,
    'subscription_active',
    expect.stringContaining('on another device'),
  ])
  expect(await hasAccess(await signedIn(email, 2))).toBe(true)
  expect(await hasAccess(phone)).toBe(false)
})

test('An owner with a subscription keeps it, and another one paid under the address stays', async () => {
  const email = newEmail()
  const [one, other] = [await paidUnder(email), await paidUnder(email)]
  const owner = await signedIn(email)
  const ids = (await Promise.all([one, other].map((visitor) => subscriptionsOf(visitor.contact_id)))).map(
    (rows) => rows.length,
  )
  expect(ids.toSorted()).toEqual([0, 1])
  expect(await subscriptionsOf(owner.contact_id)).toHaveLength(1)
  expect((await Promise.all([owner, one, other].map(hasAccess))).filter(Boolean)).toHaveLength(2)
})

test('A membership goes to the owner of the address that was claimed when it was paid for', async () => {
  const [email, later] = [newEmail(), newEmail()]
  const visitor = await paidUnder(email)
  await visitor.call('POST', '/account/identify', { email: later })
  expect(await hasAccess(await signedIn(later))).toBe(false)
  expect(await hasAccess(visitor)).toBe(true)
  expect(await hasAccess(await signedIn(email))).toBe(true)
})

test('A contact that verified another address keeps what it paid for under a claimed one', async () => {
  const [email, own] = [newEmail(), newEmail()]
  const visitor = await paidUnder(email)
  await prove(visitor, own)
  expect(await hasAccess(await signedIn(email))).toBe(false)
  expect(await hasAccess(visitor)).toBe(true)
})

test('An open payment page and a free membership stay with the visitor who claimed the address', async () => {
  const [paying, joining] = [newEmail(), newEmail()]
  const [page, member] = [await shop.visitor(paying), await shop.visitor(joining)]
  const opened = await subscribe(page, club, 0)
  expect((await subscribe(member, club, 2)).body.member.status).toBe('active')
  expect([await hasAccess(await signedIn(paying)), await hasAccess(await signedIn(joining))]).toEqual([false, false])
  expect((await subscribe(page, club, 0)).body).toEqual(opened.body)
  expect(await hasAccess(member)).toBe(true)
})

test('A visitor without an address cannot pay for a membership, and may take a free one', async () => {
  const visitor = await shop.visitor()
  expect(refusalOf(await subscribe(visitor, club, 0))).toEqual([422, '', 'email_required'])
  expect(await subscriptionsOf(visitor.contact_id)).toEqual([])
  expect((await subscribe(visitor, club, 2)).body.member.status).toBe('active')
})

test('Signing in beside subscribing, paying and merging keeps every subscription and its payment', async () => {
  await Promise.all(
    Array.from({ length: 8 }, async (_, n) => {
      const email = newEmail()
      const phone = n % 2 === 0 ? await paidUnder(email) : await shop.visitor(email)
      const opened = n % 2 === 0 ? null : await subscribe(phone, club, 0)
      const target = n % 4 < 2 ? null : (await shop.asOperator('POST', '/contacts', { email: newEmail() })).body.id
      const laptops = [await shop.visitor(), await shop.visitor()]
      const codes: { challenge_id: string; code: string }[] = []
      for (const [at, laptop] of laptops.entries()) {
        const { challenge_id } = (await laptop.call('POST', '/account/code', { email })).body
        codes.push({ challenge_id, code: await codeFor(email, at + 1) })
      }
      const [aside, ...answers] = await Promise.all([
        target
          ? shop.asOperator('POST', `/contacts/${target}/merge`, { source_contact_id: phone.contact_id }, eitherApi())
          : subscribe(phone, club, 1, {}, eitherApi()),
        ...laptops.map((laptop, at) =>
          laptop.call('POST', '/account/verify', codes[at], at === 0 ? api() : secondApi()),
        ),
        ...(opened ? [pay(sessionOf(opened)).catch(() => null)] : []),
      ])
      expect(aside?.status).toBeLessThan(500)
      // The phone paid, in either order of the two.
      if (n % 4 === 0) expect([aside?.status, aside?.body.code]).toEqual([409, 'subscription_active'])
      for (const answer of answers.slice(0, 2)) expect(answer.status).toBe(200)
      const owner = answers[0].body.contact.id as string
      const { rows } = await database().query(
        `select m.contact_id, (select count(*) from payments p where p.subscription_id = u.id and p.status = 'paid') as paid,
           (select count(*) from member_tokens t where t.member_id = m.id and t.scope = 'manage') as links
         from subscriptions u join payments i on i.subscription_id = u.id and i.kind = 'initial' join audience_members m on m.id = u.member_id
         where i.payer_contact_id = $1 and m.audience_id = $2 and u.status = 'live'`,
        [phone.contact_id, club.id],
      )
      // A page that is paid at the same moment is found with the next sign-in at the latest, and a contact that owns
      // another address keeps what is merged into it.
      expect(rows.length).toBeLessThanOrEqual(1)
      if (n % 2 === 0) expect(rows).toMatchObject([{ paid: '1', links: '1' }])
      for (const { contact_id } of rows) expect([owner, phone.contact_id, target]).toContain(contact_id)
      if (n % 4 === 0) expect(rows).toMatchObject([{ contact_id: owner }])
    }),
  )
})

test('An owner who subscribes while another of their devices signs in has one subscription', async () => {
  await Promise.all(
    Array.from({ length: 6 }, async () => {
      const email = newEmail()
      const owner = await signedIn(email)
      await paidUnder(email)
      const laptop = await shop.visitor()
      const { challenge_id } = (await laptop.call('POST', '/account/code', { email })).body
      const code = await codeFor(email, 2)
      const [chosen, verified] = await Promise.all([
        subscribe(owner, club, 1, {}, eitherApi()),
        laptop.call('POST', '/account/verify', { challenge_id, code }, eitherApi()),
      ])
      expect([verified.status, verified.body.contact.id]).toEqual([200, owner.contact_id])
      expect([200, 409]).toContain(chosen.status)
      // A page that was opened before is closed, and the paid membership moves then.
      const running = async () =>
        (await subscriptionsOf(owner.contact_id)).filter(({ status }) =>
          ['waiting', 'pending', 'live'].includes(status),
        )
      await until(
        async () => (await running()).every(({ status }) => status === 'live') && (await hasAccess(owner)),
        20_000,
      )
      expect((await running()).map(({ status, price_id }) => [status, price_id])).toEqual([['live', club.prices[0]]])
    }),
  )
})

test('A paid membership that is found replaces the free one of the owner of the address', async () => {
  const email = newEmail()
  const owner = await signedIn(email)
  expect((await subscribe(owner, club, 2)).body.member.status).toBe('active')
  const phone = await paidUnder(email)
  const { paid_through_at, access_until } = (await access(phone)).member
  await signedIn(email, 2)
  expect(await access(owner)).toMatchObject({
    has_access: true,
    member: { paid_through_at, access_until, price_id: club.prices[0], billing_status: 'active' },
  })
  expect((await subscriptionsOf(owner.contact_id)).map(({ status }) => status).toSorted()).toEqual(['ended', 'live'])
})

test('Each membership under a claimed address is charged to a customer of its own', async () => {
  const email = newEmail()
  const owner = await paidUnder(email, await signedIn(email), other)
  const phone = await paidUnder(email, await paidUnder(email), other)
  await signedIn(email, 2)
  // The owner has a subscription in the other audience: one of the two moves.
  const [stays, ...none] = await subscriptionsOf(phone.contact_id)
  const own = await subscriptionsOf(owner.contact_id)
  expect([stays?.status, none, own.map(({ status }) => status)]).toEqual(['live', [], ['live', 'live']])
  const moved = own.find(({ price_id }) => price_id === club.prices[0])
  const { rows } = await database().query(
    'select distinct provider_customer_id from subscriptions where id = any ($1) and provider_customer_id is not null',
    [[stays?.id, moved?.id]],
  )
  expect(rows).toHaveLength(2)
})

test('An owner of an address pays for all memberships with one customer', async () => {
  const email = newEmail()
  const owner = await paidUnder(email, await paidUnder(email, await signedIn(email)), other)
  const { rows } = await database().query(
    'select distinct u.provider_customer_id from subscriptions u join audience_members m on m.id = u.member_id where m.contact_id = $1',
    [owner.contact_id],
  )
  expect(rows).toHaveLength(1)
})

test('An address that is corrected before paying closes the open page and opens another one', async () => {
  const [typo, email] = [newEmail(), newEmail()]
  const phone = await shop.visitor(typo)
  const first = await subscribe(phone, club, 0)
  await phone.call('POST', '/account/identify', { email })
  const second = await subscribe(phone, club, 0)
  expect([first.status, second.status, second.body.member.id]).toEqual([200, 200, first.body.member.id])
  expect(sessionOf(second)).not.toBe(sessionOf(first))
  await expect(pay(sessionOf(first))).rejects.toThrow()
  expect((await subscribe(phone, club, 0)).body).toEqual(second.body)
  await pay(sessionOf(second))
  await until(async () => (await access(phone)).member?.paid_through_at, 20_000)
  expect(await hasAccess(await signedIn(typo))).toBe(false)
  expect(await hasAccess(await signedIn(email))).toBe(true)
})

test('A visitor who verifies the address of an open page keeps the page', async () => {
  const email = newEmail()
  const visitor = await shop.visitor(email)
  const opened = await subscribe(visitor, club, 0)
  await prove(visitor, email)
  expect((await subscribe(visitor, club, 0)).body).toMatchObject({
    member: { id: opened.body.member.id },
    payment_action: opened.body.payment_action,
  })
})

/** Paid under the address, and ended at the provider: the paid time is left. */
async function endedUnder(email: string, visitor: Visitor, more_s = 0): Promise<void> {
  await visitor.call('POST', '/account/identify', { email })
  await paidUnder(email, visitor)
  const row = await until(async () =>
    (await subscriptionsOf(visitor.contact_id)).find((one) => one.status === 'live' && one.paid_through_at),
  )
  const { rows } = await database().query(
    'update subscriptions set paid_through_at = paid_through_at + $2 where id = $1 returning provider_subscription_id',
    [...[row.id, more_s]],
  )
  await sim('POST', `/subscriptions/${rows[0].provider_subscription_id}/cancel`, { mode: 'now' })
  await until(async () => (await subscriptionsOf(visitor.contact_id)).every(({ status }) => status === 'ended'))
}

test('Time that was paid under another address does not go to the owner of the first one', async () => {
  const [first, second] = [newEmail(), newEmail()]
  const visitor = await shop.visitor(first)
  await endedUnder(first, visitor)
  await endedUnder(second, visitor, 999)
  expect([await hasAccess(await signedIn(first)), await hasAccess(visitor)]).toEqual([false, true])
  expect([await hasAccess(await signedIn(second)), await hasAccess(visitor)]).toEqual([true, false])
})

test('A visitor whose membership moves while its page opens does not get the link of the owner', async () => {
  const email = newEmail()
  const phone = await shop.visitor(email)
  await endedUnder(email, phone)
  const laptop = await shop.visitor()
  const { challenge_id } = (await laptop.call('POST', '/account/code', { email })).body
  const code = await codeFor(email)
  const return_url = `https://shop.example/slow-${phone.contact_id}`
  await fault({ body_match: encodeURIComponent(return_url), fault: 'delay', delay_ms: 3000 })
  const answer = subscribe(phone, club, 0, { return_url })
  await until(async () => (await subscriptionsOf(phone.contact_id)).some(({ status }) => status === 'pending'))
  expect((await laptop.call('POST', '/account/verify', { challenge_id, code })).status).toBe(200)
  expect(await hasAccess(laptop)).toBe(true)
  const { status, body } = await answer
  expect([status, body.code, body.member]).toEqual([503, 'provider_retryable', undefined])
})

test('A page that the owner left open is closed, and what was paid under the address moves', async () => {
  const email = newEmail()
  const owner = await signedIn(email)
  const left = await subscribe(owner, club, 1)
  expect(left.status).toBe(200)
  const phone = await paidUnder(email)
  await signedIn(email, 2)
  await until(() => hasAccess(owner), 20_000)
  expect(
    (await subscriptionsOf(owner.contact_id)).map(({ status, price_id }) => [status, price_id]).toSorted(),
  ).toEqual([
    ['given_up', club.prices[1]],
    ['live', club.prices[0]],
  ])
  expect(await subscriptionsOf(phone.contact_id)).toEqual([])
  await expect(pay(sessionOf(left))).rejects.toThrow()
})
