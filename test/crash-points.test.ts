// Every effect at every step of its attempt: killed there, standing still until others have gone on, or left without its database. None is sent twice,
// and only what may have been sent is unknown.
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { until } from './kit/codes.ts'
import type { EffectKind } from './kit/effect-rows.ts'
import { type EffectsLab, type Ended, effectNames, type Held, openEffects, type Point, stepsOfOnce } from './kit/effects-lab.ts'

jest.setTimeout(120_000)

const steps = ['before_claim', 'after_claim', 'after_prepare', 'after_stamp', 'after_send', 'before_settle', 'after_settle'] as const
type Step = (typeof steps)[number]
const sent = expect.objectContaining({ effect: true })

let effects: EffectsLab
beforeAll(async () => {
  effects = await openEffects('crash-points', { SEND_LIMIT_MS: '6000' })
})
afterAll(() => effects.close())

test('every step and every effect is struck here', () => {
  expect(stepsOfOnce()).toEqual(steps)
  expect(effects.kinds.map(({ name }) => name)).toEqual(effectNames)
})

/** Strikes the process when all attempts are held; then each is proved. */
function prove(
  guarantee: string,
  strike: (held: Held) => Promise<unknown>,
  proof: (point: Point, held: Held) => Promise<void>,
  after?: (held: Held) => Promise<unknown>,
): void {
  describe(guarantee, () => {
    const proofs = new Map<string, Promise<void>>()
    beforeAll(async () => {
      const held = await effects.hold(steps)
      try {
        await strike(held)
        for (const point of held.points) proofs.set(`${point.step} ${point.kind.name}`, proof(point, held))
        await Promise.allSettled(proofs.values())
        await after?.(held)
      } finally {
        held.child.kill('SIGKILL')
        await held.child.ended
      }
    })
    describe.each(steps)('%s', (step) => {
      test.each(effectNames)('%s', (name) => proofs.get(`${step} ${name}`) as Promise<void>)
    })
  })
}

/** What the next attempt finds, and leaves. */
async function sentByTheNext(kind: EffectKind, id: string): Promise<void> {
  // What was prepared is what is sent.
  const { status } = await effects.read(kind, id)
  expect(status).toBe('requested')
  expect(await effects.attempt(kind, id, 'second')).toEqual({ status: 'succeeded' })
  expect(await kind.arrivals(id)).toEqual([sent])
  expect(await effects.attempt(kind, id, 'third')).toEqual({ status: 'succeeded' })
}

/** It is not settled before its deadline, and by nobody else after it; `arrivals`: how many the provider has seen. */
async function unknownFromItsDeadlineOn(kind: EffectKind, id: string, arrivals: number): Promise<void> {
  expect(await effects.settleEffect(kind.effect, id, 'held', null)).toMatchObject({ status: 'processing' })
  expect(await effects.attempt(kind, id, 'second')).toMatchObject({ failure: 'InFlight' })
  expect(await effects.decided(kind, id, 'held')).toBe('unknown')
  const { settled_at, deadline_at, error } = await effects.read(kind, id)
  expect(settled_at?.getTime()).toBeGreaterThanOrEqual(deadline_at?.getTime() ?? Number.POSITIVE_INFINITY)
  expect(error).toMatchObject({ code: 'outcome_unknown' })
  expect(await effects.attempt(kind, id, 'third')).toEqual({ status: 'unknown' })
  expect(await effects.giveUpEffect(kind.effect, id)).toBe('unknown')
  expect(await effects.arrived(kind, id)).toBe(arrivals)
}

async function followed(step: Step, kind: EffectKind, id: string): Promise<void> {
  if (step === 'after_settle') {
    expect(await effects.decided(kind, id, 'held')).toBe('succeeded')
    expect(await effects.attempt(kind, id, 'second')).toEqual({ status: 'succeeded' })
    expect(await kind.arrivals(id)).toEqual([sent])
  } else if (step === 'after_stamp') await unknownFromItsDeadlineOn(kind, id, 0)
  else if (step === 'after_send' || step === 'before_settle') await unknownFromItsDeadlineOn(kind, id, 1)
  else {
    expect(await effects.decided(kind, id, 'held')).toBe('requested')
    // Before it was frozen, what is sent is what the record says now.
    if (step === 'after_prepare') await kind.change(id)
    await sentByTheNext(kind, id)
  }
}

prove(
  'killed: before sent_at the next attempt sends it, after that it is unknown from its deadline on and never sent again',
  async ({ child }) => {
    child.kill('SIGKILL')
    await child.ended
  },
  ({ step, kind, id }) => followed(step as Step, kind, id),
)

describe('standing still', () => {
  /** When everybody has gone on without them, they awake. */
  let awake: Held
  const before = new Map<string, Awaited<ReturnType<EffectsLab['read']>>>()
  prove(
    'until others have gone on: what they did stands',
    async ({ child }) => child.kill('SIGSTOP'),
    async ({ step, kind, id }) => {
      await followed(step as Step, kind, id)
      before.set(id, await effects.read(kind, id))
    },
    async (held) => {
      held.release()
      held.child.kill('SIGCONT')
      await held.child.ended
      awake = held
    },
  )

  /** What who awakes is told. */
  const told: Record<Step, Ended> = {
    before_claim: { status: 'succeeded' },
    after_claim: { failure: 'Fenced' },
    after_prepare: { failure: 'Fenced' },
    after_stamp: { failure: 'NotSent' },
    after_send: { status: 'unknown' },
    before_settle: { status: 'unknown' },
    after_settle: { status: 'succeeded' },
  }
  describe.each(steps)('awake at %s, it sends nothing and settles nothing', (step) => {
    test.each(effectNames)('%s', async (name) => {
      const { kind, id } = awake.points.find((point) => point.step === step && point.kind.name === name) as Point
      expect(awake.told.get(id)).toEqual(told[step])
      expect(await effects.arrived(kind, id)).toBe(step === 'after_stamp' ? 0 : 1)
      expect(await effects.read(kind, id)).toEqual(before.get(id))
    })
  })
})

/** Where the next thing is a stamp that may have been committed, it is taken back before anybody is told: when the database is there again. */
const patient = ['after_claim', 'after_prepare']

prove(
  'without its database, which comes back: sent once, and its answer is kept',
  async ({ points, told, release }) => {
    const { postgres } = effects.lab.stack
    postgres.kill('SIGQUIT')
    await until(async () => !postgres.running())
    release()
    await until(async () => points.every(({ step, id }) => told.has(id) || patient.includes(step)), 30_000)
    await postgres.start()
  },
  async ({ kind, id }, { told }) => {
    const ended = await until(async () => told.get(id))
    const status = await effects.decided(kind, id, 'held', ended.verdict)
    if (status === 'requested') await sentByTheNext(kind, id)
    else expect([ended, status]).toEqual([ended, 'succeeded'])
    expect(await kind.arrivals(id)).toEqual([sent])
  },
)
