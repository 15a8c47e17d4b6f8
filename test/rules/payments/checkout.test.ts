// A checkout's workflow ends when no part of it is pending, however it ended.
import { expect, test } from '@jest/globals'
import { type CheckoutFacts, nextCheckoutStep } from '../../../rules/payments/checkout.ts'

const statuses = ['requested', 'processing', 'succeeded', 'rejected', 'failed', 'unknown'] as const

function* everything(): Generator<CheckoutFacts> {
  for (const owner of ['pending', 'kept', 'given_up'] as const)
    for (const payment_status of ['pending', 'paid', 'failed', 'cancelled'] as const)
      for (const status of statuses)
        for (const state of ['open', 'complete', 'expired', null] as const)
          for (const expiry of [null, ...statuses.map((of) => ({ id: 'e', status: of }))])
            for (const cancel_requested of [false, true])
              for (const hasProviderId of [false, true])
                yield {
                  owner,
                  cancel_requested,
                  hold_left_ms: 0,
                  payment_status,
                  session: { id: 's', status, state, has_provider_id: hasProviderId },
                  expiry,
                  coupon: null,
                  waiting: false,
                }
}

test('A checkout does not end while the closing of its page is pending', () => {
  let done = 0
  for (const facts of everything()) {
    if (nextCheckoutStep(facts).do !== 'done') continue
    done++
    expect([facts, facts.expiry?.status]).not.toEqual([facts, expect.stringMatching(/requested|processing/)])
  }
  expect(done).toBeGreaterThan(100)
})

test('A paid or released checkout requests no closing that was not requested before', () => {
  for (const facts of everything())
    if (facts.payment_status === 'paid' && !facts.expiry) expect(nextCheckoutStep(facts)).toEqual({ do: 'done' })
})

test('A page that was recorded as open without its id is released, looked up and closed', () => {
  for (const facts of everything()) {
    if (facts.session.status !== 'succeeded' || facts.session.has_provider_id) continue
    const unknown = { ...facts, session: { ...facts.session, status: 'unknown' as const } }
    expect(nextCheckoutStep(facts)).toEqual(nextCheckoutStep(unknown))
  }
  const facts = {
    owner: 'pending',
    cancel_requested: false,
    hold_left_ms: 9,
    payment_status: 'pending',
    expiry: null,
    coupon: null,
    waiting: false,
  } as const
  const session = { id: 's', status: 'succeeded', state: 'open', has_provider_id: false } as const
  expect(nextCheckoutStep({ ...facts, session })).toEqual({ do: 'release' })
  expect(nextCheckoutStep({ ...facts, owner: 'given_up', session })).toEqual({ do: 'find', id: 's' })
  for (const status of ['succeeded', 'unknown'] as const) {
    const found = { ...session, has_provider_id: true, status }
    expect(nextCheckoutStep({ ...facts, owner: 'given_up', session: found })).toEqual({ do: 'request_close', id: 's' })
    expect(nextCheckoutStep({ ...facts, owner: 'given_up', session: { ...found, state: 'expired' } })).toEqual({
      do: 'done',
    })
  }
})

test('A page is opened only when its coupon is settled, and an unknown coupon is looked up once', () => {
  const session = { id: 's', status: 'requested', state: null, has_provider_id: false } as const
  const facts = {
    owner: 'pending',
    cancel_requested: false,
    hold_left_ms: 9,
    payment_status: 'pending',
    session,
    expiry: null,
    waiting: false,
  } as const
  const stepWith = (status: (typeof statuses)[number], at_provider: boolean | null = null) =>
    nextCheckoutStep({ ...facts, coupon: { id: 'c', status, at_provider } }).do
  expect(statuses.map((status) => stepWith(status))).toEqual([
    'make_coupon',
    'make_coupon',
    'open',
    'open',
    'open',
    'find_coupon',
  ])
  expect([stepWith('unknown', true), stepWith('unknown', false)]).toEqual(['open', 'open'])
})

test('A choice that waits for a page is given up only if the page was paid', () => {
  for (const facts of everything()) {
    const paid = facts.owner === 'kept' || facts.payment_status === 'paid' || facts.session.state === 'complete'
    expect(nextCheckoutStep({ ...facts, waiting: true }).do === 'drop_waiting').toBe(paid && facts.owner !== 'given_up')
  }
})
