// All effects and attempts at them, on a real database and with providers that record every arrival: for every-effect
// and crash-points.
//   lab = await openEffects('effects', { SEND_LIMIT_MS: '3000' })   in beforeAll; `await lab.close()` in afterAll
import fs from 'node:fs'
import path from 'node:path'
import { ApplicationFailure } from '@temporalio/common'
import type { Child } from '../../../dev/child.ts'
import { script } from '../../../dev/parts.ts'
import type { EffectName, EffectStatus } from '../../../rules/effects.ts'
import { effects } from '../../../rules/effects.ts'
import { until } from '../codes.ts'
import { database } from '../shop.ts'
import { type Lab, startLab } from '../stack/lab.ts'
import { type Receiver, startReceiver } from '../webhooks/receiver.ts'
import type { EffectKind } from './effect-rows.ts'

/** Effects with several kinds of requests, as effect-rows.ts has them. */
const kindsOf: Record<string, readonly string[]> = {
  node_runs: ['http', 'deploy_webhook', 'drive_upload', 'send_email'],
  payment_sessions: ['order', 'membership'],
}
/**
 * The names of the rows of effect-rows.ts, which can be imported only when the lab has started: the settings are read
 * at the first import.
 */
export const effectNames = Object.values(effects).flatMap(
  ({ table }) => kindsOf[table]?.map((kind) => `${table}: ${kind}`) ?? [table],
)

export type Ended = { status?: string; failure?: string; verdict?: string }
export type EffectState = {
  status: string
  attempt: number
  sent_at: Date | null
  deadline_at: Date | null
  settled_at: Date | null
  error: { code: string } | null
}
/** Where an attempt is held. */
export type Point = { step: string; kind: EffectKind; id: string }

export type EffectsLab = {
  lab: Lab
  receiver: Receiver
  kinds: EffectKind[]
  settleEffect(
    effect: EffectName,
    id: string,
    token: string,
    sealed: string | null,
  ): Promise<{ status: EffectStatus | null; waitMs: number; answered: boolean }>
  giveUpEffect(effect: EffectName, id: string): Promise<EffectStatus | null>
  /** As Temporal runs it: throws as the activity does. */
  run(kind: EffectKind, id: string, token: string): Promise<string>
  /** One attempt, as the workflow runs it. */
  attempt(kind: EffectKind, id: string, token: string): Promise<Ended>
  /** Repeats the settle step until it is decided, as the workflow does after a failed attempt. */
  decided(kind: EffectKind, id: string, token: string, sealed?: string | null): Promise<string>
  read(kind: EffectKind, id: string): Promise<EffectState>
  arrived(kind: EffectKind, id: string): Promise<number>
  /**
   * One attempt of every kind at every step, with the token `held`, in a process of their own; resolves when all are
   * held there.
   */
  hold(steps: readonly string[]): Promise<Held>
  close(): Promise<void>
}

export type Held = {
  child: Child
  points: Point[]
  /** The attempts continue, if their process can. */
  release(): void
  /** How each attempt ended, by its id, of those that have ended so far. */
  told: Map<string, Ended>
}

/** The settings hold for this process too. */
export async function openEffects(name: string, settings: Record<string, string>): Promise<EffectsLab> {
  const lab = await startLab(name, settings, { parts: ['postgres', 'migrations', 'stripe', 'mail', 'social'] })
  // Only now: the settings are read at the first import.
  const [{ MockActivityEnvironment }, { DefaultLogger }] = await Promise.all([
    import('@temporalio/testing'),
    import('@temporalio/worker'),
  ])
  const logger = new DefaultLogger('ERROR')
  const rows = await import('./effect-rows.ts')
  const { settleEffect, giveUpEffect } = await import('../../../activities/effects.ts')
  const { closeDatabase } = await import('../../../activities/kit/database.ts')
  const { sim } = await import('../orders/buying.ts')
  const receiver = await startReceiver(lab.stack.dir)
  rows.meetReceiver(receiver)
  await sim('POST', '/webhook', { url: '' })
  await rows.prepareProvider()
  const kinds = rows.effectKinds
  const run = (kind: EffectKind, id: string, token: string): Promise<string> =>
    new MockActivityEnvironment({}, { logger }).run(rows.sendOnce, kind.effect, id, token)

  async function hold(steps: readonly string[]): Promise<Held> {
    const asked = await Promise.all(
      kinds.map((kind) =>
        Promise.all(steps.map(async (step): Promise<Point> => ({ step, kind, id: await kind.ask() }))),
      ),
    )
    const points = asked.flat()
    // Slow preparation is done first and concurrently: a stamp is valid for seconds only.
    const gate = 'after_prepare'
    const beyond = points.filter(({ step }) => !['before_claim', 'after_claim', gate].includes(step))
    for (const { step, id } of points) lab.failAt(step, id, 'hold')
    for (const { id } of beyond) lab.failAt(gate, id, 'hold')
    const told: Held['told'] = new Map()
    const child = script(
      'test/kit/effects/attempt.ts',
      points.map(({ kind, id }) => `${kind.effect}:${id}:held`),
      {
        name: 'attempts',
        env: process.env,
        log: path.join(lab.stack.dir, 'logs', `attempts-${points[0]?.id}.log`),
        onLine(line) {
          if (!line.startsWith('{"id"')) return
          const { id, ...ended } = JSON.parse(line) as Ended & { id: string }
          told.set(id, ended)
        },
      },
    )
    const allHeld = async (wanted: readonly (readonly [step: string, point: Point])[]) => {
      const there = await Promise.allSettled(wanted.map(([step, { id }]) => lab.failed(step, id)))
      const missing = wanted
        .filter((_, n) => there[n]?.status === 'rejected')
        .map(([step, { kind, id }]) => [step, kind.name, told.get(id)])
      if (missing.length === 0) return
      child.kill('SIGKILL')
      throw new Error(`not held: ${JSON.stringify(missing)}`)
    }
    await allHeld(beyond.map((point) => [gate, point]))
    // A step after the other: a hundred attempts at once would wait for each other beyond their limits.
    for (const [, same] of Map.groupBy(beyond, ({ step }) => step)) {
      lab.release(same.map(({ id }) => [gate, id]))
      await allHeld(same.map((point) => [point.step, point]))
    }
    await allHeld(points.map((point) => [point.step, point]))
    return { child, points, told, release: () => lab.release(points.map(({ step, id }) => [step, id])) }
  }

  return {
    ...{ lab, receiver, kinds, settleEffect, giveUpEffect, run, hold },
    async attempt(kind, id, token) {
      try {
        return { status: await run(kind, id, token) }
      } catch (error) {
        if (!(error instanceof ApplicationFailure)) throw error
        return {
          failure: error.type ?? '',
          ...(typeof error.details?.[0] === 'string' ? { verdict: error.details[0] } : {}),
        }
      }
    },
    decided: (kind, id, token, sealed = null) =>
      until(async () => {
        const seen = await settleEffect(kind.effect, id, token, sealed)
        return seen.waitMs === 0 && seen.status
        // Longer than a deadline: the rows of all effects are looked at together.
      }, 60_000),
    async read({ table }, id) {
      const { rows: found } = await database().query<EffectState>(
        `select status, attempt, sent_at, deadline_at, settled_at, error from ${table} where id = $1`,
        [id],
      )
      return found[0] as EffectState
    },
    arrived: async (kind, id) => (await kind.arrivals(id)).length,
    async close() {
      await closeDatabase()
      await database().end()
      await receiver.stop()
      await lab.stop()
    },
  }
}

/** The steps of an attempt, as they stand in its code. */
export const stepsOfOnce = (): string[] =>
  [
    ...fs
      .readFileSync(path.resolve(import.meta.dirname, '../../../activities/kit/once.ts'), 'utf8')
      .matchAll(/failpoint\('(\w+)'/g),
  ].map(([, step]) => step as string)
