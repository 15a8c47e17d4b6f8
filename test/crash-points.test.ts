// Every effect at every step of its attempt: the worker is killed, is paused until others have finished, or loses its
// database. No effect is sent twice, and only one that may have been sent is unknown.
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { newPermits } from '../activities/providers/smtp-pool.ts'
import { until } from './kit/codes.ts'
import type { EffectKind } from './kit/effects/effect-rows.ts'
import {
  type EffectState,
  type EffectsLab,
  type Ended,
  effectNames,
  type Held,
  openEffects,
  type Point,
  stepsOfOnce,
} from './kit/effects/effects-lab.ts'
import { ownOwner } from './kit/owners.ts'

jest.setTimeout(120_000)

const steps = [
  'before_claim',
  'after_claim',
  'after_prepare',
  'after_stamp',
  'after_send',
  'before_settle',
  'after_settle',
] as const
type Step = (typeof steps)[number]
const sent = expect.objectContaining({ effect: true })

let effects: EffectsLab
beforeAll(async () => {
  effects = await openEffects('crash-points', { SEND_LIMIT_MS: '10000' })
})
afterAll(() => effects.close())

test('Every step and every effect is covered by these tests', () => {
  expect(stepsOfOnce()).toEqual(steps)
  expect(effects.kinds.map(({ name }) => name)).toEqual(effectNames)
})

/**
 * Holds one attempt of every effect at every step, strikes their process, and proves each; `attempt` is the subject of
 * the tests' names.
 */
function prove(
  attempt: string,
  strike: (held: Held) => Promise<unknown>,
  proof: (point: Point, held: Held) => Promise<void>,
  after?: (held: Held) => Promise<unknown>,
): void {
  describe(attempt, () => {
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
    describe.each(steps)('Struck at %s', (step) => {
      test.each(effectNames)(
        `${attempt} at ${step} is sent at most once: %s`,
        (name) => proofs.get(`${step} ${name}`) as Promise<void>,
      )
    })
  })
}

/**
 * Hundreds of attempts begin together in this process: all at once, each would wait for the others beyond its own
 * limit, and end as not sent.
 */
const permits = newPermits(16)
const attempt: typeof effects.attempt = async (...of) => {
  const release = await permits.acquire(ownOwner(''))
  return effects.attempt(...of).finally(release)
}

/** The next attempt finds the row requested, and sends it. */
async function sentByTheNext(kind: EffectKind, id: string): Promise<void> {
  // The frozen request is sent unchanged.
  const { status } = await effects.read(kind, id)
  expect(status).toBe('requested')
  const second = await attempt(kind, id, 'second')
  expect(second).toEqual({ status: 'succeeded' })
  expect(await kind.arrivals(id)).toEqual([sent])
  expect(await attempt(kind, id, 'third')).toEqual({ status: 'succeeded' })
}

/**
 * The row is processing until its deadline and unknown afterwards, and no attempt sends it; `arrivals`: how many
 * requests the provider received.
 */
async function unknownAfterItsDeadline(kind: EffectKind, id: string, arrivals: number): Promise<void> {
  expect(await effects.settleEffect(kind.effect, id, 'held', null)).toMatchObject({ status: 'processing' })
  expect(await attempt(kind, id, 'second')).toMatchObject({ failure: 'InFlight' })
  expect(await effects.decided(kind, id, 'held')).toBe('unknown')
  const { settled_at, deadline_at, error } = await effects.read(kind, id)
  expect(settled_at?.getTime()).toBeGreaterThanOrEqual(deadline_at?.getTime() ?? Number.POSITIVE_INFINITY)
  expect(error).toMatchObject({ code: 'outcome_unknown' })
  expect(await attempt(kind, id, 'third')).toEqual({ status: 'unknown' })
  expect(await effects.giveUpEffect(kind.effect, id)).toBe('unknown')
  expect(await effects.arrived(kind, id)).toBe(arrivals)
}

async function followed(step: Step, kind: EffectKind, id: string): Promise<void> {
  if (step === 'after_settle') {
    expect(await effects.decided(kind, id, 'held')).toBe('succeeded')
    expect(await attempt(kind, id, 'second')).toEqual({ status: 'succeeded' })
    expect(await kind.arrivals(id)).toEqual([sent])
  } else if (step === 'after_stamp') await unknownAfterItsDeadline(kind, id, 0)
  else if (step === 'after_send' || step === 'before_settle') await unknownAfterItsDeadline(kind, id, 1)
  else {
    expect(await effects.decided(kind, id, 'held')).toBe('requested')
    // Before the request was frozen, the next attempt prepares it from the current record.
    if (step === 'after_prepare') await kind.change(id)
    await sentByTheNext(kind, id)
  }
}

prove(
  'An attempt killed',
  async ({ child }) => {
    child.kill('SIGKILL')
    await child.ended
  },
  ({ step, kind, id }) => followed(step as Step, kind, id),
)

describe('Paused attempts', () => {
  /** The paused attempts continue when all others have finished. */
  let continued: Held
  const before = new Map<string, Awaited<ReturnType<EffectsLab['read']>>>()
  prove(
    'An attempt paused',
    async ({ child }) => child.kill('SIGSTOP'),
    async ({ step, kind, id }) => {
      await followed(step as Step, kind, id)
      before.set(id, await effects.read(kind, id))
    },
    async (held) => {
      held.release()
      held.child.kill('SIGCONT')
      await held.child.ended
      continued = held
    },
  )

  /** The result of an attempt that continues, by the step at which it was paused. */
  const told: Record<Step, Ended> = {
    before_claim: { status: 'succeeded' },
    after_claim: { failure: 'Fenced' },
    after_prepare: { failure: 'Fenced' },
    after_stamp: { failure: 'NotSent' },
    after_send: { status: 'unknown' },
    before_settle: { status: 'unknown' },
    after_settle: { status: 'succeeded' },
  }
  /**
   * A network's own answer settles a call whose outcome was unknown: what was shown is its proof, however late it is.
   */
  const isProved = (step: Step, name: string) =>
    name === 'social_reveals' && (step === 'after_send' || step === 'before_settle')
  describe.each(steps)('Continued at %s', (step) => {
    test.each(effectNames)(`An attempt paused at ${step} changes nothing when it continues: %s`, async (name) => {
      const { kind, id } = continued.points.find((point) => point.step === step && point.kind.name === name) as Point
      expect(continued.told.get(id)).toEqual(isProved(step, name) ? { status: 'succeeded' } : told[step])
      expect(await effects.arrived(kind, id)).toBe(step === 'after_stamp' ? 0 : 1)
      const { status, settled_at, error, ...row } = before.get(id) as EffectState
      const proved = { ...row, status: 'succeeded', settled_at: expect.any(Date), error: null }
      expect(await effects.read(kind, id)).toEqual(
        isProved(step, name) ? proved : { ...row, status, settled_at, error },
      )
    })
  })
})

/** All at once would wait for connections of the database longer than a connection is waited for. */
const afterOutage = newPermits(40)

/** A stamp whose commit may have succeeded is withdrawn once the database is reachable again. */
const patient = ['after_claim', 'after_prepare']

prove(
  'An attempt that loses its database',
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
    const release = await afterOutage.acquire(ownOwner(''))
    try {
      const status = await effects.decided(kind, id, 'held', ended.verdict)
      if (status === 'requested') await sentByTheNext(kind, id)
      else expect([ended, status]).toEqual([ended, 'succeeded'])
      expect(await kind.arrivals(id)).toEqual([sent])
    } finally {
      release()
    }
  },
)
