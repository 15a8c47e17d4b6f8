// The next step of a membership, and what a state of the provider replaces, for any facts.
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { effectStatuses } from '../../../rules/effects.ts'
import { type BillingState, isOver, precedence } from '../../../rules/subscriptions/events.ts'
import { type MembershipFacts, nextMembershipStep, READ_BACK_MS } from '../../../rules/subscriptions/membership.ts'

const id = fc.option(fc.uuid())
const facts: fc.Arbitrary<MembershipFacts> = fc.record({
  payment: id,
  change: id,
  unproved: fc.option(fc.record({ age_ms: fc.integer({ min: 0, max: 2 * READ_BACK_MS }) })),
  read_requested: fc.boolean(),
  outcome: fc.option(fc.constantFrom(...effectStatuses)),
})

test('A membership is done only if no payment, change or read is left', () => {
  fc.assert(
    fc.property(facts, (given) => {
      const step = nextMembershipStep(given)
      const looksFor = given.unproved !== null && given.unproved.age_ms < READ_BACK_MS
      expect(step.do === 'done').toBe(
        given.payment === null && given.change === null && !given.read_requested && !looksFor,
      )
    }),
  )
})

test('A step of a membership names what is open, and a change is sent before anything is read', () => {
  fc.assert(
    fc.property(facts, (given) => {
      const step = nextMembershipStep(given)
      if (step.do === 'payment') expect([step.id, given.change]).toEqual([given.payment, null])
      if (step.do === 'send') expect(step.id).toBe(given.change)
      if (step.do === 'read') expect(given.change).toBeNull()
    }),
  )
})

test('The work of a membership ends: every step removes one reason for another', () => {
  fc.assert(
    fc.property(facts, (given) => {
      const left = { ...given }
      for (let steps = 0; ; steps++) {
        expect(steps).toBeLessThan(5)
        const step = nextMembershipStep(left)
        if (step.do === 'done') return
        if (step.do === 'payment') left.payment = null
        if (step.do === 'send') left.change = null
        if (step.do === 'read')
          Object.assign(left, step.again ? { unproved: { age_ms: READ_BACK_MS } } : { read_requested: false })
      }
    }),
  )
})

const state: fc.Arbitrary<BillingState & { at: number }> = fc.record({
  billing_status: fc.constantFrom('incomplete', 'trialing', 'active', 'past_due', 'unpaid', 'paused'),
  cancel_at: fc.constantFrom(null, 50, 60),
  at: fc.integer({ min: 1, max: 3 }),
})

test('States of a subscription, in any order, leave the same state', () => {
  const end = fc.record({
    billing_status: fc.constantFrom('canceled', 'incomplete_expired'),
    cancel_at: fc.constant(null),
    at: fc.integer({ min: 1, max: 3 }),
  })
  const lives = fc
    .tuple(fc.array(state, { minLength: 1, maxLength: 5 }), fc.option(end))
    .map(([all, last]) => (last ? [...all, last] : all))
    .chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray([...all, ...all], { minLength: 2 * all.length })))
  const apply = (all: readonly (BillingState & { at: number })[]) => {
    const known = {
      billing_status: null as string | null,
      cancel_at: null as number | null,
      event_at: null as number | null,
    }
    for (const { at, ...one } of all)
      if (precedence(known, one, at, false).newer) Object.assign(known, one, { event_at: at })
    return known
  }
  fc.assert(
    fc.property(lives, ([all, shuffled]) => {
      expect(apply(shuffled)).toEqual(apply(all))
    }),
  )
})

test('A subscription that has ended is never taken back, by an event or a read', () => {
  fc.assert(
    fc.property(state, fc.boolean(), ({ at, ...one }, isRead) => {
      for (const billing_status of ['canceled', 'incomplete_expired'])
        expect(precedence({ billing_status, cancel_at: null, event_at: 0 }, one, at, isRead)).toEqual({
          newer: false,
          read_again: false,
        })
      expect(isOver(one.billing_status)).toBe(false)
    }),
  )
})

test('Two states of the same second ask for a read of the provider, unless they are equal', () => {
  const known = { billing_status: 'active', cancel_at: null, event_at: 5 }
  expect(precedence(known, { billing_status: 'active', cancel_at: null }, 5, false)).toEqual({
    newer: false,
    read_again: false,
  })
  expect(precedence(known, { billing_status: 'past_due', cancel_at: null }, 5, false)).toEqual({
    newer: true,
    read_again: true,
  })
  expect(precedence(known, { billing_status: 'trialing', cancel_at: null }, 5, false)).toEqual({
    newer: false,
    read_again: true,
  })
  expect(precedence(known, { billing_status: 'trialing', cancel_at: null }, 5, true)).toEqual({
    newer: true,
    read_again: true,
  })
  expect(precedence(known, { billing_status: 'trialing', cancel_at: null }, 6, true)).toEqual({
    newer: true,
    read_again: false,
  })
  expect(precedence(known, { billing_status: 'incomplete', cancel_at: null }, 5, false)).toEqual({
    newer: false,
    read_again: false,
  })
  expect(
    precedence({ ...known, billing_status: 'incomplete' }, { billing_status: 'active', cancel_at: null }, 5, false),
  ).toEqual({
    newer: true,
    read_again: false,
  })
})
