// Proves for every effect that it happens at most once, on a real database and with providers that record every
// arrival.
import { createHash } from 'node:crypto'
import diagnostics from 'node:diagnostics_channel'
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import type { ApplicationFailure } from '@temporalio/common'
import { newPermits } from '../activities/providers/smtp-pool.ts'
import { script } from '../dev/parts.ts'
import { sql } from '../entities/kit/database/sql.ts'
import { laterSql } from '../entities/kit/resolutions.ts'
import { saysOf } from '../rules/resolutions.ts'
import type { EffectKind } from './kit/effects/effect-rows.ts'
import { type EffectsLab, type Ended, effectNames, openEffects } from './kit/effects/effects-lab.ts'
import { strangeBodies, strangeStatuses } from './kit/effects/strange-answers.ts'
import { atOnce } from './kit/orders/buying.ts'
import { ownOwner } from './kit/owners.ts'
import { database } from './kit/shop.ts'
import type { Lab } from './kit/stack/lab.ts'

jest.setTimeout(60_000)

const limitMs = 5_000

let effects: EffectsLab
let lab: Lab
let kinds: EffectKind[]
beforeAll(async () => {
  effects = await openEffects('effects', { SEND_LIMIT_MS: String(limitMs) })
  ;({ lab, kinds } = effects)
})
afterAll(() => effects.close())

const attempt = (kind: EffectKind, id: string, token: string) => effects.attempt(kind, id, token)
const read = (kind: EffectKind, id: string) => effects.read(kind, id)
const arrived = (kind: EffectKind, id: string) => effects.arrived(kind, id)
const nameOf = ({ name }: EffectKind) => name

/** Proves a guarantee for every effect, for all of them concurrently. */
function proveForEvery(
  guarantee: string,
  prove: (kind: EffectKind, id: string) => Promise<void>,
  around?: (all: () => Promise<unknown>) => Promise<void>,
): void {
  describe(guarantee, () => {
    const proofs = new Map<string, Promise<void>>()
    beforeAll(async () => {
      const ids = await Promise.all(kinds.map((kind) => kind.ask()))
      const all = () =>
        Promise.allSettled(
          kinds.map((kind, n) => {
            const proof = prove(kind, ids[n] as string)
            proofs.set(nameOf(kind), proof)
            return proof
          }),
        )
      await (around ? around(all) : all())
    })
    test.each(effectNames)(`${guarantee}: %s`, (name) => proofs.get(name) as Promise<void>)
  })
}

test('Every effect is proved here', () => {
  expect(kinds.map(nameOf)).toEqual(effectNames)
})

/** Hundreds of callers in one process would wait for each other beyond the limit of an attempt. */
const races = newPermits(6)
proveForEvery('An effect is sent once when eight callers race', async (kind, id) => {
  const release = await races.acquire(ownOwner(''))
  const ended = await atOnce(8, (n) => attempt(kind, id, `caller ${n}`)).finally(release)
  expect(await kind.arrivals(id)).toEqual([expect.objectContaining({ effect: true })])
  expect(await read(kind, id)).toMatchObject({ status: 'succeeded', attempt: 1 })
  for (const one of ended) expect([one.status, one.failure]).toContainEqual(one.failure ? 'InFlight' : 'succeeded')
  // A later caller gets the outcome.
  expect(await attempt(kind, id, 'late')).toEqual({ status: 'succeeded' })
  expect(await arrived(kind, id)).toBe(1)
})

proveForEvery('An effect that the provider refuses is rejected and is not sent again', async (kind, id) => {
  await kind.next(id, 'refuse')
  expect(await attempt(kind, id, 'first')).toEqual({ status: 'rejected' })
  expect(await attempt(kind, id, 'second')).toEqual({ status: 'rejected' })
  expect((await kind.arrivals(id)).filter(({ effect }) => effect)).toEqual([])
  expect(await arrived(kind, id)).toBe(kind.by_mail ? 0 : 1)
})

proveForEvery('An effect without an answer in time is unknown and is never sent again', async (kind, id) => {
  await kind.next(id, 'hang')
  expect(await attempt(kind, id, 'first')).toEqual({ status: 'unknown' })
  expect(await attempt(kind, id, 'second')).toEqual({ status: 'unknown' })
  expect(await effects.giveUpEffect(kind.effect, id)).toBe('unknown')
  expect(await kind.arrivals(id)).toEqual([expect.objectContaining({ effect: true })])
})

proveForEvery(
  'An effect whose connection breaks after the request is unknown and is never sent again',
  async (kind, id) => {
    await kind.next(id, 'break')
    expect(await attempt(kind, id, 'first')).toEqual({ status: 'unknown' })
    expect(await attempt(kind, id, 'second')).toEqual({ status: 'unknown' })
    expect(await kind.arrivals(id)).toEqual([expect.objectContaining({ effect: true })])
  },
)

/** One after the other, so that each could be sent over the connection of the one before it. */
let lastOverKept: Promise<unknown> = Promise.resolve()
proveForEvery(
  'An effect is sent over no connection that its provider may be closing',
  async (kind, id) => {
    const before = lastOverKept
    const ended = before.then(() => attempt(kind, id, 'first'))
    lastOverKept = ended.catch(() => {})
    expect(await ended).toEqual({ status: 'succeeded' })
    expect(await kind.arrivals(id)).toEqual([expect.objectContaining({ effect: true })])
  },
  async (all) => {
    const { sim } = await import('./kit/orders/buying.ts')
    const { social } = await import('./kit/social/social.ts')
    const close = (closes: 'none' | 'writes') =>
      Promise.all([
        sim('POST', '/reused', { closes }),
        social('POST', '/reused', { closes }),
        effects.receiver.reused(closes),
      ])
    await close('writes')
    await all()
    await close('none')
  },
)

const statusOf = { done: 'succeeded', refused: 'rejected', unknown: 'unknown' } as const
/** One of each class of rules/http-verdicts.ts, which its own test goes through. */
const judged = [303, 307, 404, 408, 500, 502, 504, 522]
proveForEvery(
  'A status with the page of a gateway is judged by the one rule, and nothing is sent again',
  async (kind) => {
    expect([kind.answer, kind.proves].filter(Boolean)).toHaveLength(kind.by_mail ? 0 : 2)
    if (!kind.answer || !kind.proves) return
    const ended = await Promise.all(
      judged.map(async (status) => {
        const release = await races.acquire(ownOwner(''))
        try {
          const id = await kind.ask()
          await kind.answer?.(id, status)
          await attempt(kind, id, 'first')
          await attempt(kind, id, 'second')
          return [status, (await read(kind, id)).status, await arrived(kind, id)]
        } finally {
          release()
        }
      }),
    )
    expect(ended).toEqual(judged.map((status) => [status, statusOf[kind.proves?.(status) ?? 'unknown'], 1]))
  },
)

describe('A malformed provider answer', () => {
  const atStripe = [
    'refunds',
    'payment_sessions: order',
    'payment_sessions: membership',
    'session_expiries',
    'coupons',
    'payment_providers',
    'onboarding_links',
    'price_provisions',
    'portal_configurations',
    'portal_links',
    'subscription_changes',
  ]
  const answers = [
    ...strangeBodies.map(([name, body]) => ({ status: 200, name, body })),
    ...strangeStatuses.slice(1).map((status, n) => ({ status, ...named(n) })),
    { status: 200, name: 'a body that is cut off', body: '{"id":"x"', cut: true },
    { status: 502, name: 'a body that is cut off', body: '{"error":{"type":"api_error"', cut: true },
    { status: 200, name: 'an object of another kind', body: '{"object":"balance","id":"x"}' },
  ]
  function named(n: number) {
    const [name, body] = strangeBodies[n % strangeBodies.length] as [string, string]
    return { name, body }
  }

  test.each(atStripe)('A malformed answer neither settles nor resends %s', async (name) => {
    const kind = kinds.find((one) => nameOf(one) === name) as EffectKind
    const { fault } = await import('./kit/effects/provider.ts')
    const ended = await Promise.all(
      answers.map(async ({ status, name: said, ...answer }) => {
        const id = await kind.ask()
        await fault({ key: id, fault: 'answer', status, ...answer })
        await attempt(kind, id, 'first')
        await attempt(kind, id, 'second')
        return [status, said, (await read(kind, id)).status, await arrived(kind, id)]
      }),
    )
    // A refund that is not named waits for its signed event until its deadline.
    const broken = name === 'refunds' ? 'processing' : 'unknown'
    expect(ended).toEqual(answers.map(({ status, name: said }) => [status, said, status < 300 ? broken : 'unknown', 1]))
  })

  test('A malformed answer does not end the process: its other sends succeed', async () => {
    const { fault } = await import('./kit/effects/provider.ts')
    const bodies = ['"Service Unavailable"', '5', 'null', '[]', '{"error":5}', '<html>', '']
    const asked = await Promise.all(
      [502, 200].flatMap((status) =>
        kinds.flatMap((kind, n) => {
          if (!atStripe.includes(nameOf(kind))) return []
          return [status, null].map(async (strange) => {
            const id = await kind.ask()
            const answer =
              strange === null
                ? { fault: 'delay', delay_ms: 300 }
                : { fault: 'answer', status, body: bodies[n % bodies.length] }
            await fault({ key: id, ...answer })
            return { id, effect: kind.effect, good: strange === null }
          })
        }),
      ),
    )
    const told: { id: string; status: string }[] = []
    const child = script(
      'test/kit/effects/attempt.ts',
      asked.map(({ id, effect }) => `${effect}:${id}:first`),
      {
        name: 'strange',
        env: { ...process.env, SEND_LIMIT_MS: '15000' },
        onLine: (line) => line.startsWith('{"id"') && told.push(JSON.parse(line)),
      },
    )
    expect([await child.ended, child.tail().includes('Unhandled')]).toEqual([0, false])
    const good = asked.filter((one) => one.good).map(({ id }) => id)
    expect(told.length).toBe(asked.length)
    expect(told.filter(({ id }) => good.includes(id)).map(({ status }) => status)).toEqual(good.map(() => 'succeeded'))
    expect(told.filter(({ id, status }) => !good.includes(id) && status === 'succeeded')).toEqual([])
  })

  test('A refund whose answer was malformed is unknown at its deadline without a signed event', async () => {
    const { fault } = await import('./kit/effects/provider.ts')
    const kind = kinds.find(({ table }) => table === 'refunds') as EffectKind
    const id = await kind.ask()
    await fault({ key: id, fault: 'answer', status: 200, body: '{}' })
    expect(await attempt(kind, id, 'first')).toEqual({ status: 'processing' })
    const { transaction } = await import('../activities/kit/database.ts')
    const { decide, unfinished } = await import('../entities/kit/effects.ts')
    const { refundEffect } = await import('../entities/refunds/refund-effect.ts')
    expect(await transaction((em) => decide(em, refundEffect, id, null))).toMatchObject({
      status: 'processing',
      answered: false,
    })
    // As a row of an earlier version: only the reconciler finds it.
    await database().query(`update refunds set deadline_at = now() - interval '1 s', created_at = 1 where id = $1`, [
      id,
    ])
    const { rows } = await transaction((em) => unfinished(em, refundEffect, { idleS: 0, limit: 1_000, after: null }))
    expect(rows.find((one) => one.id === id)).toMatchObject({ overdue: true })
    expect(await transaction((em) => decide(em, refundEffect, id, null))).toMatchObject({ status: 'unknown' })
    expect(
      (
        await database().query(
          'select refund_pending_amount, refund_unknown_amount from payments where id = (select payment_id from refunds where id = $1)',
          [id],
        )
      ).rows,
    ).toEqual([{ refund_pending_amount: 0, refund_unknown_amount: 100 }])
  })

  test('A page opened without its client secret is unknown, and its id is stored', async () => {
    const { fault } = await import('./kit/effects/provider.ts')
    const kind = kinds.find(({ table }) => table === 'payment_sessions') as EffectKind
    const id = await kind.ask()
    const body = {
      object: 'checkout.session',
      id: 'cs_without_secret',
      status: 'open',
      metadata: { payment_session: id },
    }
    await fault({ key: id, fault: 'answer', status: 200, body })
    expect(await attempt(kind, id, 'first')).toEqual({ status: 'unknown' })
    const { rows } = await database().query('select provider_session_id, state from payment_sessions where id = $1', [
      id,
    ])
    expect(rows).toEqual([{ provider_session_id: 'cs_without_secret', state: 'open' }])
  })

  test('An answer to another request is no success, and its ids are not stored', async () => {
    const { fault } = await import('./kit/effects/provider.ts')
    const ask = (table: string) => (kinds.find((one) => one.table === table) as EffectKind).ask()
    const given = async (table: string, columns: string, body: (id: string) => Promise<object>) => {
      const kind = kinds.find((one) => one.table === table) as EffectKind
      const id = await ask(table)
      await fault({ key: id, fault: 'answer', status: 200, body: await body(id) })
      await attempt(kind, id, 'first')
      await attempt(kind, id, 'second')
      const { rows } = await database().query(`select status, ${columns} as named from ${table} where id = $1`, [id])
      return [rows[0].status, rows[0].named, await arrived(kind, id)]
    }
    const refund = async (id: string) => {
      const sql = 'select p.provider_payment_id from payments p join refunds r on r.payment_id = p.id where r.id = $1'
      const { rows } = await database().query(sql, [id])
      const payment_intent = rows[0].provider_payment_id
      return {
        object: 'refund',
        id: `re_${id}`,
        status: 'succeeded',
        amount: 100,
        currency: 'usd',
        payment_intent,
        metadata: { refund: id },
      }
    }
    const other = [
      { amount: 101 },
      { payment_intent: 'pi_another' },
      { metadata: { refund: 'another' } },
      { metadata: {} },
      { metadata: null },
    ]
    for (const wrong of other)
      expect(await given('refunds', 'provider_refund_id', async (id) => ({ ...(await refund(id)), ...wrong }))).toEqual(
        ['processing', null, 1],
      )
    expect(await given('refunds', 'provider_refund_id', refund)).toEqual([
      'succeeded',
      expect.stringMatching(/^re_/),
      1,
    ])
    const page = {
      object: 'checkout.session',
      id: 'cs_of_another',
      status: 'open',
      client_secret: 'cs_of_another_secret_1',
    }
    for (const metadata of [undefined, {}, { payment_session: await ask('payment_sessions') }])
      expect(await given('payment_sessions', 'provider_session_id', async () => ({ ...page, metadata }))).toEqual([
        'unknown',
        null,
        1,
      ])
    for (const metadata of [undefined, {}, { payment_provider_id: await ask('payment_providers') }])
      expect(
        await given('payment_providers', 'account_id', async () => ({
          object: 'account',
          id: 'acct_of_another',
          metadata,
        })),
      ).toEqual(['unknown', null, 1])
  })

  test('Expiring a page is unknown where the answer is an open page or another page', async () => {
    const { fault } = await import('./kit/effects/provider.ts')
    const kind = kinds.find(({ table }) => table === 'session_expiries') as EffectKind
    for (const body of [
      { object: 'checkout.session', id: 'cs_another', status: 'expired' },
      { object: 'checkout.session', id: 'cs_another', status: 'open' },
    ]) {
      const id = await kind.ask()
      await fault({ key: id, fault: 'answer', status: 200, body })
      expect(await attempt(kind, id, 'first')).toEqual({ status: 'unknown' })
    }
  })
})

test.each(['connect', 'rcpt', 'data'] as const)(
  'A mail whose connection breaks at %s, before the message, is sent again',
  async (step) => {
    const kind = kinds.find(({ table }) => table === 'mails') as EffectKind
    const id = await kind.ask()
    const { mailFault } = await import('./kit/effects/provider.ts')
    await mailFault({ step, action: 'reset' })
    expect(await attempt(kind, id, 'first')).toEqual({ failure: 'NotSent' })
    expect(await attempt(kind, id, 'second')).toEqual({ status: 'succeeded' })
    expect(await arrived(kind, id)).toBe(1)
  },
)

test.each(['mails', 'node_runs: http', 'node_runs: send_email'])(
  'A deferred effect is not attempted before it is due: %s',
  async (name) => {
    const kind = kinds.find((one) => nameOf(one) === name) as EffectKind
    const id = await kind.ask()
    await database().query(`update ${kind.table} set due_at = clock_timestamp() + interval '5 minutes' where id = $1`, [
      id,
    ])
    // As a workflow that lost the result of the deferred attempt.
    expect(await attempt(kind, id, 'early')).toEqual({ failure: 'Deferred' })
    expect([await read(kind, id), await arrived(kind, id)]).toEqual([
      expect.objectContaining({ status: 'requested', attempt: 0 }),
      0,
    ])
    await database().query(`update ${kind.table} set due_at = clock_timestamp() where id = $1`, [id])
    expect(await attempt(kind, id, 'due')).toEqual({ status: 'succeeded' })
    expect(await arrived(kind, id)).toBe(1)
  },
)

proveForEvery('An effect without an answer is settled before its deadline', async (kind, id) => {
  await kind.next(id, 'hang')
  await attempt(kind, id, 'first')
  const { deadline_at, settled_at, status } = await read(kind, id)
  expect(status).toBe('unknown')
  expect(settled_at?.getTime()).toBeLessThan(deadline_at?.getTime() ?? 0)
})

/** The bodies that undici was about to send, by idempotency key, also where no connection was made. */
const intended = new Map<string, string[]>()
function note(message: unknown): void {
  const { headers, body } = (message as { request: { headers: string[]; body: unknown } }).request
  const at = headers.findIndex((name) => ['idempotency-key', 'webhook-id'].includes(name.toLowerCase()))
  const key = headers[at + 1]
  // Our bodies are bytes; a stream is another client's.
  if (at < 0 || key === undefined || !(body === null || ArrayBuffer.isView(body))) return
  const digest = createHash('sha256')
    .update(body ? new Uint8Array(body.buffer, body.byteOffset, body.byteLength) : '')
    .digest('hex')
  intended.set(key, [...(intended.get(key) ?? []), digest])
}
diagnostics.subscribe('undici:request:create', note)
// The channel belongs to the process, in which other test files run later.
afterAll(() => {
  diagnostics.unsubscribe('undici:request:create', note)
})

async function away(work: () => Promise<unknown>): Promise<void> {
  const { sim } = await import('./kit/orders/buying.ts')
  await Promise.all([
    sim('POST', '/listen', { up: false }),
    lab.stack.mail.stop(),
    lab.stack.social.stop(),
    effects.receiver.listen(false),
  ])
  await work()
  await Promise.all([
    sim('POST', '/listen', { up: true }),
    lab.stack.mail.start(),
    lab.stack.social.start(),
    effects.receiver.listen(true),
  ])
}

describe('Unsent effects', () => {
  const ids = new Map<string, string>()
  const ended = new Map<string, Ended>()
  beforeAll(async () => {
    for (const kind of kinds) ids.set(nameOf(kind), await kind.ask())
    await away(() =>
      Promise.all(
        kinds.map(async (kind) =>
          ended.set(nameOf(kind), await attempt(kind, ids.get(nameOf(kind)) as string, 'first')),
        ),
      ),
    )
  })
  test.each(effectNames)('An effect that was provably not sent is sent again with the same bytes: %s', async (name) => {
    const kind = kinds.find((one) => nameOf(one) === name) as EffectKind
    const id = ids.get(name) as string
    expect(ended.get(name)).toMatchObject({ failure: 'NotSent' })
    expect(await read(kind, id)).toMatchObject({ status: 'requested', sent_at: null })
    await kind.change(id)
    expect(await attempt(kind, id, 'second')).toEqual({ status: 'succeeded' })
    const arrivals = await kind.arrivals(id)
    expect(arrivals).toEqual([expect.objectContaining({ effect: true })])
    // Of e-mail the first attempt is not observed; of HTTP the client reports it.
    if (!kind.by_mail && !kind.unnamed) expect(intended.get(id)).toEqual([arrivals[0]?.digest, arrivals[0]?.digest])
  })
})

describe('Attempts used up', () => {
  const failed = new Map<string, string | null>()
  const ids = new Map<string, string>()
  beforeAll(async () => {
    for (const kind of kinds) ids.set(nameOf(kind), await kind.ask())
    await away(() =>
      Promise.all(
        kinds.map(async (kind) => {
          const id = ids.get(nameOf(kind)) as string
          await attempt(kind, id, 'only')
          failed.set(nameOf(kind), await effects.giveUpEffect(kind.effect, id))
        }),
      ),
    )
  })
  test.each(effectNames)('An effect whose unsent attempts are used up fails without a call: %s', async (name) => {
    const kind = kinds.find((one) => nameOf(one) === name) as EffectKind
    const id = ids.get(name) as string
    expect(failed.get(name)).toBe('failed')
    expect(await attempt(kind, id, 'later')).toEqual({ status: 'failed' })
    expect(await arrived(kind, id)).toBe(0)
  })
})

proveForEvery('An effect is not sent when the commit of its stamp is not acknowledged', async (kind, id) => {
  lab.failAt('after_stamp', id, 'throw')
  expect(await attempt(kind, id, 'first')).toMatchObject({ failure: 'NotSent' })
  expect(await read(kind, id)).toMatchObject({ status: 'requested', sent_at: null, deadline_at: null })
  expect(await arrived(kind, id)).toBe(0)
  expect(await attempt(kind, id, 'second')).toEqual({ status: 'succeeded' })
  expect(await arrived(kind, id)).toBe(1)
})

proveForEvery("The provider's answer is stored when the settling write failed", async (kind, id) => {
  lab.failAt('before_settle', id, 'throw')
  const { failure, verdict } = await attempt(kind, id, 'first')
  expect(failure).toBe('Answered')
  expect(await read(kind, id)).toMatchObject({ status: 'processing' })
  expect(await effects.settleEffect(kind.effect, id, 'first', verdict ?? null)).toMatchObject({
    status: 'succeeded',
    waitMs: 0,
  })
  // The settle step is repeated when its own answer is lost.
  expect(await effects.settleEffect(kind.effect, id, 'first', verdict ?? null)).toMatchObject({
    status: 'succeeded',
    waitMs: 0,
  })
  const { rows } = await database().query(`select late_evidence from ${kind.table} where id = $1`, [id])
  expect(rows).toEqual([{ late_evidence: null }])
  expect(await kind.arrivals(id)).toEqual([expect.objectContaining({ effect: true })])
})

proveForEvery('The failure of an attempt holds no secret and no personal data', async (kind, id) => {
  lab.failAt('before_settle', id, 'throw')
  await kind.next(id, 'refuse')
  try {
    await effects.run(kind, id, 'first')
    throw new Error('it did not fail')
  } catch (error) {
    const { message, details } = error as ApplicationFailure
    const written = JSON.stringify({ message, details })
    expect(written).not.toMatch(/@|_secret_|https?:|A fault was asked for/)
    expect(written.length).toBeLessThan(2048)
  }
})

describe('Preconditions', () => {
  const gone = {
    mails: 'update mails set not_after = 1 where id = $1',
    node_runs:
      'update executions set cancel_requested = true where id = (select execution_id from node_runs where id = $1)',
    webhook_tests:
      'update webhooks set enabled = false where id = (select webhook_id from webhook_tests where id = $1)',
    coupons:
      'update subscriptions set cancel_requested = true where id = (select subscription_id from coupons where id = $1)',
    payment_sessions: `update orders set hold_until = now() - interval '1 s' where id = (select order_id from payment_sessions where id = $1)`,
  }
  test.each(Object.entries(gone))('An effect that is no longer wanted is not sent: %s', async (table, sql) => {
    const kind = kinds.find((one) => one.table === table) as EffectKind
    const id = await kind.ask()
    await database().query(sql, [id])
    expect(await attempt(kind, id, 'first')).toMatchObject({ failure: 'Hopeless' })
    expect(await effects.giveUpEffect(kind.effect, id)).toBe('failed')
    expect(await arrived(kind, id)).toBe(0)
  })
})

/** All orders of three reports about a request whose outcome is unknown. */
const orders = [0, 1, 2].flatMap((a) => [0, 1, 2].filter((b) => b !== a).map((b) => [a, b, 3 - a - b] as const))

proveForEvery('No late answer in any order weakens what a signed event said', async (kind, id) => {
  const error = { code: 'no_answer', message: 'no answer' }
  const event = { status: 'succeeded', event: 'evt_1' }
  const { encrypt } = await import('../entities/kit/encrypted.ts')
  const answered = (verdict: object) => effects.settleEffect(kind.effect, id, 'first', encrypt(JSON.stringify(verdict)))
  const reports = [
    () =>
      database().query(
        `update ${kind.table} e set late_evidence = ${laterSql('e', sql`$2::jsonb`).sql} where id = $1`,
        [id, JSON.stringify(event)],
      ),
    () => answered({ kind: 'unknown', evidence: { status: 502 }, error }),
    () => answered({ kind: 'not_sent', error }),
  ]
  for (const order of orders) {
    const state = `status = 'unknown', token = 'first', settled_at = now(), sent_at = now(), evidence = null, late_evidence = null`
    await database().query(`update ${kind.table} set ${state} where id = $1`, [id])
    let said = false
    for (const n of order) {
      await reports[n]?.()
      said ||= n === 0
      const { rows } = await database().query(`select late_evidence from ${kind.table} where id = $1`, [id])
      if (said) expect([order, rows]).toEqual([order, [{ late_evidence: event }]])
      else expect(['not_done', null]).toContain(saysOf([rows[0].late_evidence]))
    }
  }
})

test('An answer that PostgreSQL cannot store leaves its effect unknown after the deadline', async () => {
  const kind = kinds.find((one) => one.table === 'channel_messages') as EffectKind
  const id = await kind.ask()
  lab.failAt('before_settle', id, 'throw')
  await attempt(kind, id, 'first')
  const { encrypt } = await import('../entities/kit/encrypted.ts')
  const verdict = { kind: 'rejected', evidence: { status: 429 }, columns: { retry_after: 1e12 } }
  expect(await effects.decided(kind, id, 'first', encrypt(JSON.stringify(verdict)))).toBe('unknown')
  expect(await arrived(kind, id)).toBe(1)
})

test('A late answer of a payment session stores its page, so that its checkout closes it', async () => {
  const kind = kinds.find((one) => one.table === 'payment_sessions') as EffectKind
  const id = await kind.ask()
  lab.failAt('before_settle', id, 'throw')
  const { verdict } = await attempt(kind, id, 'first')
  await database().query(`update payment_sessions set status = 'unknown', settled_at = now() where id = $1`, [id])
  await effects.settleEffect(kind.effect, id, 'first', verdict ?? null)
  const { rows } = await database().query(
    `select s.status, s.state, s.provider_session_id like 'cs_%' as named, s.late_evidence->>'status' as late, o.kind from payment_sessions s
     left join outbox o on o.row_id = s.order_id where s.id = $1`,
    [id],
  )
  expect(rows).toEqual([{ status: 'unknown', state: 'open', named: true, late: expect.any(String), kind: 'checkout' }])
})

test('An unanswered attempt leaves no late evidence on a refund that an event settled', async () => {
  const kind = kinds.find((one) => one.table === 'refunds') as EffectKind
  const id = await kind.ask()
  lab.failAt('before_settle', id, 'throw')
  await attempt(kind, id, 'first')
  await database().query(`update refunds set status = 'succeeded', settled_at = now() where id = $1`, [id])
  const { encrypt } = await import('../entities/kit/encrypted.ts')
  const lateAfter = async (verdict: object) => {
    await effects.settleEffect(kind.effect, id, 'first', encrypt(JSON.stringify(verdict)))
    return (await database().query('select status, late_evidence from refunds where id = $1', [id])).rows[0]
  }
  const error = { code: 'no_answer', message: 'no answer' }
  expect(await lateAfter({ kind: 'unknown', evidence: {}, error })).toEqual({
    status: 'succeeded',
    late_evidence: null,
  })
  expect(await lateAfter({ kind: 'unknown', evidence: { provider_status: 502 }, error })).toEqual({
    status: 'succeeded',
    late_evidence: null,
  })
  // One that says the same as the event is the answer, and not late, also if it is recorded twice.
  const same = { kind: 'succeeded', evidence: { provider_refund_id: 're_1' } }
  const none = { status: 'succeeded', late_evidence: null }
  expect([await lateAfter(same), await lateAfter(same)]).toEqual([none, none])
  const { rows } = await database().query('select replaced from refunds where id = $1', [id])
  expect(rows[0].replaced).toMatchObject([{ slot: 'answered', status: 'succeeded', evidence: same.evidence }])
  // A status code says nothing to a person's resolution: the outcome that it proves does.
  const refused = { status: 'succeeded', late_evidence: { status: 'rejected', provider_status: 402 } }
  expect(await lateAfter({ kind: 'rejected', evidence: { status: 402 }, error })).toEqual(refused)
})
