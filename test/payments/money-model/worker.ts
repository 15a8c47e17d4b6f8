// A worker without Temporal: the steps that the workflows of a scene would make, by their own activities, once each in
// a run. What waits for time is moved by SQL.
import { sim } from '../../kit/orders/buying.ts'
import { database, unique } from '../../kit/shop.ts'
import { type Lab, startLab } from '../../kit/stack/lab.ts'
import { idleEngine } from './engine.ts'
import type { Scene } from './scenes.ts'

/** An attempt that is not over after this many sends is given up, as by the workflow. */
const tries = 5

type Effects = 'payment_session' | 'session_expiry' | 'coupon' | 'refund' | 'authorization_end' | 'subscription_change'
const tables: Partial<Record<Effects, string>> = {
  payment_session: 'payment_sessions',
  session_expiry: 'session_expiries',
  refund: 'refunds',
  authorization_end: 'authorization_ends',
  subscription_change: 'subscription_changes',
}

export type MoneyLab = {
  lab: Lab
  /** Makes every step that can be made now; returns whether there was one but for reads. */
  work(scene: Scene): Promise<boolean>
  /** What the reconciler asks for again, of all scenes whose time has passed. */
  reconcile(): Promise<void>
  /** In a transaction, as a request. */
  inUnit<T>(work: (em: import('@mikro-orm/postgresql').EntityManager) => Promise<T>): Promise<T>
  moneyAttention: typeof import('../../../entities/payments/attention/money-items.ts').moneyAttention
  resolveRequest: typeof import('../../../entities/payments/resolve-request.ts').resolveRequest
  continueErasure(id: string): Promise<void>
  stop(): Promise<void>
}

export async function moneyLab(): Promise<MoneyLab> {
  const lab = await startLab('money', { SEND_LIMIT_MS: '8000' }, { parts: ['postgres', 'migrations', 'stripe'] })
  const engine = await idleEngine()
  const api = await lab.stack.startApi({ ANSWER_WAIT_MS: '0', TEMPORAL_ADDRESS: engine.address })
  Object.assign(process.env, { TEST_API: api.url, TEST_API_2: api.url })
  // Every event is delivered by the model.
  await sim('POST', '/events', { hold: true })
  // The settings are read at the first import. Answers that are no answers are what this is about.
  process.env.LOG_LEVEL = 'fatal'
  const [{ MockActivityEnvironment }, { DefaultLogger }, activities, { transaction, closeDatabase, statement }] =
    await Promise.all([
      import('@temporalio/testing'),
      import('@temporalio/worker'),
      import('../../../activities/index.ts'),
      import('../../../activities/kit/database.ts'),
    ])
  const [{ moneyAttention }, { resolveRequest }, { continueErasure, erasureFor }, { repeatCancellations }] =
    await Promise.all([
      import('../../../entities/payments/attention/money-items.ts'),
      import('../../../entities/payments/resolve-request.ts'),
      import('../../../entities/erasure/erasures.ts'),
      import('../../../entities/subscriptions/changes.ts'),
    ])
  const logger = new DefaultLogger('ERROR')
  const run = <A extends unknown[], R>(activity: (...args: A) => Promise<R>, ...args: A): Promise<R> =>
    new MockActivityEnvironment({}, { logger }).run(activity, ...args)

  /** The deadline of an attempt has passed. */
  const expire = (effect: Effects, id: string) =>
    database().query(
      `update ${tables[effect]} set deadline_at = now() - interval '1 s', claimed_at = claimed_at - interval '2 min' where id = $1 and status = 'processing' and answered_at is null`,
      [id],
    )

  /** The answer comes after the deadline, when the reconciler has settled the row. */
  async function overtaken(effect: Effects, id: string, attempt: Promise<unknown>): Promise<void> {
    let over = false
    const ended = attempt.finally(() => {
      over = true
    })
    while (!over) {
      const { rows } = await database().query(
        `select sent_at from ${tables[effect]} where id = $1 and status = 'processing'`,
        [id],
      )
      if (!rows[0]?.sent_at) continue
      await expire(effect, id)
      await activities.settleEffect(effect, id, 'reconciler', null)
      break
    }
    await ended
  }

  async function send(scene: Scene, effect: Effects, id: string): Promise<void> {
    for (let n = 1; ; n++) {
      const token = unique()
      let hopeless = false
      let status: string | null
      try {
        const attempt = run(activities.sendEffect, effect, id, token)
        const isLate = scene.slow && tables[effect] !== undefined
        scene.slow &&= !isLate
        if (isLate) await overtaken(effect, id, attempt)
        status = await attempt
      } catch (error) {
        const { type, details } = error as { type?: string; details?: unknown[] }
        let sealed = type === 'Answered' ? (details?.[0] as string) : null
        for (;;) {
          const seen = await activities.settleEffect(effect, id, token, sealed)
          status = seen.status
          sealed = null
          if (seen.waitMs === 0) break
          await expire(effect, id)
        }
        hopeless = type === 'Hopeless'
      }
      if (status !== 'requested') return
      if (n < tries && !hopeless) continue
      await activities.giveUpEffect(effect, id, hopeless)
      return
    }
  }

  /** A read of the provider: one that fails is made by the next run. */
  const read = async (what: Promise<unknown>) => {
    await what.catch((error: { name?: string }) => {
      if (!/Stripe|ApplicationFailure|Error/.test(error.name ?? '')) throw error
    })
  }

  /** `made`: the steps of this run that are made once. Returns whether it was a step. */
  async function checkoutStep(scene: Scene, owner: string, made: Set<string>): Promise<boolean> {
    const step = await activities.readCheckout(owner)
    if (step.do === 'wait' || step.do === 'done') return false
    const name = `${step.do} ${'id' in step ? step.id : owner}`
    if (made.has(name)) return false
    if (!['request_close', 'release', 'drop_waiting'].includes(step.do)) made.add(name)
    if (step.do === 'open') await send(scene, 'payment_session', step.id)
    if (step.do === 'close') await send(scene, 'session_expiry', step.id)
    if (step.do === 'make_coupon') await send(scene, 'coupon', step.id)
    if (step.do === 'request_close') await activities.requestSessionExpiry(step.id)
    if (step.do === 'release') await activities.releaseCheckout(owner)
    if (step.do === 'drop_waiting') await activities.dropWaiting(owner)
    if (step.do === 'read') await read(run(activities.readPaymentSession, step.id))
    if (step.do === 'find') await read(run(activities.findPaymentSession, step.id))
    return true
  }

  async function membershipStep(scene: Scene, id: string, made: Set<string>): Promise<boolean> {
    const step = await activities.readMembership(id)
    if (step.do === 'done') return false
    const name = `${step.do} ${'id' in step ? step.id : id}`
    if (made.has(name)) return false
    made.add(name)
    if (step.do === 'payment') await read(run(activities.readInvoicePayment, step.id))
    if (step.do === 'send') await send(scene, 'subscription_change', step.id)
    if (step.do === 'read') await read(run(activities.readSubscription, id))
    return true
  }

  const idsOf = async (statement: string, values: unknown[]): Promise<string[]> =>
    (await database().query(statement, values)).rows.map(({ id }) => id)
  const unsent = (table: string, tenant: string) =>
    idsOf(`select id from ${table} where tenant_id = $1 and status = 'requested' order by id`, [tenant])

  const unresolvedRows = ['refunds', 'authorization_ends']
    .map((table) => `select id from ${table} where tenant_id = $1 and status = 'unknown'`)
    .join(' union all ')

  async function work(scene: Scene): Promise<boolean> {
    const made = new Set<string>()
    const reads = /^(read|find|payment) /
    for (let busy = true, rounds = 0; busy; rounds++) {
      if (rounds > 60) throw new Error(`the work of the scene does not end: ${[...made].join(', ')}`)
      busy = false
      const { order_id, shop, subscriptions } = scene
      const bought = await subscriptions()
      for (const owner of [...(order_id ? [order_id] : []), ...bought])
        busy = (await checkoutStep(scene, owner, made)) || busy
      for (const id of bought) busy = (await membershipStep(scene, id, made)) || busy
      for (const effect of ['refund', 'authorization_end'] as const)
        for (const id of await unsent(tables[effect] as string, shop.store_id)) {
          if (made.has(`${effect} ${id}`)) continue
          made.add(`${effect} ${id}`)
          await send(scene, effect, id)
          busy = true
        }
      if (scene.erasure && !scene.erased) {
        const open = await idsOf(unresolvedRows, [shop.store_id])
        const step = await run(activities.eraseTenant, scene.erasure, 'attention' as const)
        scene.erased = step === 'over'
        if (scene.erased) scene.unresolved = open
        scene.stuck = step === 'attention'
        const name = `erase ${step}`
        busy ||= step === 'more' || (step === 'over' && !made.has(name))
        made.add(name)
      }
    }
    return [...made].some((name) => !reads.test(name) && !/^erase (wait|attention)/.test(name))
  }

  return {
    ...{ lab, work, moneyAttention, resolveRequest },
    reconcile: () => statement((em) => repeatCancellations(em, 200, Math.floor(Date.now() / 1000))),
    inUnit: (what) => transaction(what),
    continueErasure: (id) =>
      transaction(async (em) => {
        const erasure = await erasureFor(em, id, { account_id: '', platform: true }, true)
        await continueErasure(
          em,
          erasure,
          { account_id: '00000000-0000-7000-8000-000000000000', note: 'It has to go.', plans: true },
          Math.floor(Date.now() / 1000),
        )
      }),
    async stop() {
      await closeDatabase()
      await database().end()
      await lab.stop()
      engine.stop()
    },
  }
}
