// No attempt of a node arrives twice after any failure while a graph runs, and the execution ends with statuses that
// are proved.
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { Client, Connection, WorkflowNotFoundError } from '@temporalio/client'
import type { Process } from '../../dev/parts.ts'
import { type EntityManager, openOrm, unitOf } from '../../entities/kit/database/orm.ts'
import { encrypt } from '../../entities/kit/encrypted.ts'
import { newId } from '../../entities/kit/ids.ts'
import { queueTemplateMail } from '../../entities/mail/mails.ts'
import { freeSlot, takeSlot } from '../../entities/platform/task-slots.ts'
import { begin, edge, ended, execute, executionOf, type GivenGraph, newWorkflow } from '../kit/automation/graphs.ts'
import { until } from '../kit/codes.ts'
import { mailFault, mailLedger } from '../kit/effects/provider.ts'
import { database, newEmail, unique } from '../kit/shop.ts'
import { type Lab, startLab } from '../kit/stack/lab.ts'
import { type Receiver, startReceiver, type Way } from '../kit/webhooks/receiver.ts'

jest.setTimeout(180_000)

const settings = { RECONCILE_EVERY_MS: '1000', MAIL_RETRY_S: '4,4' }
const tenant = newId()
let lab: Lab
let receiver: Receiver
let worker: Process
let connection: Connection
let temporal: Client
let advanceExecution: typeof import('../../activities/automation/graphs.ts').advanceExecution
let closeDatabase: typeof import('../../activities/kit/database.ts').closeDatabase

beforeAll(async () => {
  lab = await startLab('executions', settings, { queues: ['automation', 'mail'] })
  receiver = await startReceiver(lab.stack.dir)
  // Paths are unique per store, so that requests of other tests are not counted.
  await database().query(
    `insert into tenants (id, created_at, updated_at, kind, key, timezone, languages, emails, settings, status, is_network, publishable_key)
     values ($1, 1, 1, 'store', 'faults', 'UTC', '["en"]', '{}', '{}', 'ACTIVE', false, $2)`,
    [tenant, unique()],
  )
  // Only now: the settings are read at the first import.
  ;[{ advanceExecution }, { closeDatabase }] = await Promise.all([
    import('../../activities/automation/graphs.ts'),
    import('../../activities/kit/database.ts'),
  ])
  worker = await lab.startWorker(settings)
  connection = await Connection.connect({ address: lab.stack.env.TEMPORAL_ADDRESS as string })
  temporal = new Client({ connection })
})

afterAll(async () => {
  await connection.close()
  await receiver.stop()
  await closeDatabase()
  await database().end()
  await lab.stop()
})

const trigger = { type: 'trigger' }
const http = (at: string, more: Record<string, unknown> = {}) => ({
  type: 'http',
  method: 'post',
  url: `${receiver.url}${at}`,
  timeout_ms: 1_000,
  ...more,
})
const plain = { type: 'transform', code: 'return 1' }

/** A post to its own path, with one node on its success and one on its error. */
function posting(at: string, more: Record<string, unknown> = {}): GivenGraph {
  return {
    nodes: {
      start: trigger,
      call: http(at, more),
      after: plain,
      otherwise: { type: 'transform', code: 'return input.call' },
    },
    edges: [edge('start', 'call', 'default'), edge('call', 'after'), edge('call', 'otherwise', 'error')],
  }
}
const meeting = async (way: Way, more: Record<string, unknown> = {}) => {
  const at = `/${unique()}`
  await receiver.rule(at, way)
  const run = await execute(tenant, posting(at, more))
  return { run, arrived: await receiver.count(at) }
}

test.each<[string, Way, number]>([
  ['a reset after it was read', { do: 'reset_after_read' }, 1],
  ['a reset before it was read', { do: 'reset_before_read' }, 0],
  ['silence', { do: 'hang' }, 1],
])('A post that meets %s is unknown, takes no output, and the execution fails', async (_, way, arrivals) => {
  const { run, arrived } = await meeting(way)
  expect(run).toMatchObject({
    status: 'failed',
    error: { code: 'node_unknown', node: 'call' },
    runs: { call: { status: 'unknown', attempt: 1 } },
  })
  expect(run.states).toMatchObject({ after: { status: 'skipped' }, otherwise: { status: 'skipped' } })
  expect(arrived).toBe(arrivals)
  const query = `ExecutionStatus = 'Failed' and Kind = 'execution' and EffectStatus = 'unknown' and WorkflowId = 'execution/${run.id}'`
  await until(async () => {
    for await (const one of temporal.workflow.list({ query })) return one.type === 'execution'
    return false
  })
  // A workflow that lost the result of its last step takes it once more, and concludes the same.
  expect(await advanceExecution(run.id)).toEqual({ do: 'done', status: 'unknown' })
})

test.each([400, 404, 429, 500, 307])(
  'A post answered with %i takes the error output, which carries the answer',
  async (status) => {
    const { run, arrived } = await meeting({ status, body: 'no', headers: { location: '/elsewhere' } })
    expect(run).toMatchObject({
      status: 'completed',
      runs: {
        call: { status: 'rejected', output: { status, body: 'no' } },
        otherwise: { output: { status, body: 'no' } },
      },
    })
    expect(run.states.after).toMatchObject({ status: 'skipped' })
    expect(arrived).toBe(1)
  },
)

test.each([301, 302, 303])(
  'A post answered with %i is done: it is not followed, and its answer is the output',
  async (status) => {
    const { run, arrived } = await meeting({ status, body: 'done', headers: { location: '/elsewhere' } })
    expect(run).toMatchObject({
      status: 'completed',
      runs: { call: { status: 'succeeded', output: { status, body: 'done' } } },
    })
    expect(run.states.otherwise).toMatchObject({ status: 'skipped' })
    expect([arrived, await receiver.count('/elsewhere')]).toEqual([1, 0])
  },
)

test.each([502, 504, 522])(
  'A post answered with %i, for which a proxy may speak, is unknown and takes no output',
  async (status) => {
    const { run, arrived } = await meeting({ status, body: 'no' })
    expect(run).toMatchObject({
      status: 'failed',
      runs: { call: { status: 'unknown', output: { status, body: 'no' } } },
    })
    expect([run.states.otherwise, run.states.after]).toMatchObject([{ status: 'skipped' }, { status: 'skipped' }])
    expect(arrived).toBe(1)
  },
)

test('A post with retries, which only a read may have, is sent once', async () => {
  const { run, arrived } = await meeting({ status: 500 }, { retries: 5, retry_delay_ms: 1 })
  expect([run.status, arrived]).toEqual(['completed', 1])
})

test('A post to an unreachable host is retried and arrives once the host is reachable', async () => {
  const at = `/${unique()}`
  await receiver.listen(false)
  const id = await begin(tenant, await newWorkflow(tenant, posting(at)))
  await until(async () => (await executionOf(id)).runs.call?.error?.code === 'egress_not_sent')
  await receiver.listen(true)
  expect(await ended(id)).toMatchObject({ status: 'completed', runs: { call: { status: 'succeeded' } } })
  expect(await receiver.count(at)).toBe(1)
})

test('A post to an address that is not public is refused before anything is sent', async () => {
  const run = await execute(tenant, posting('', { url: 'http://10.1.2.3/' }))
  expect(run).toMatchObject({
    status: 'completed',
    runs: { call: { status: 'failed', error: { code: 'egress_refused' }, attempt: 1, sent_at: null } },
  })
  expect(run.runs.otherwise?.output).toEqual({ error: { code: 'egress_refused', message: expect.any(String) } })
})

describe('Reads', () => {
  const reading = (at: string, more: Record<string, unknown> = {}) => posting(at, { method: 'get', ...more })

  test('A read that fails is retried as often as it says and then takes its error output', async () => {
    const at = `/${unique()}`
    await receiver.rule(at, { status: 503 })
    const run = await execute(tenant, reading(at, { retries: 3, retry_delay_ms: 20 }))
    expect(run).toMatchObject({
      status: 'completed',
      runs: { call: { status: 'rejected', attempt: 4, output: { status: 503 } } },
    })
    expect(await receiver.count(at)).toBe(4)
  })

  test('A read succeeds with its first successful attempt', async () => {
    const at = `/${unique()}`
    await receiver.rule(at, { do: 'reset_after_read' }, 2)
    const run = await execute(tenant, reading(at, { retries: 5, retry_delay_ms: 20 }))
    expect(run).toMatchObject({ status: 'completed', runs: { call: { status: 'succeeded', attempt: 3 } } })
  })

  test('A read that is refused permanently is not retried', async () => {
    const at = `/${unique()}`
    await receiver.rule(at, { status: 404 })
    expect((await execute(tenant, reading(at, { retries: 5 }))).runs.call).toMatchObject({
      status: 'rejected',
      attempt: 1,
    })
  })
})

test('A failure without an error edge ends the execution, and delayed nodes are not sent', async () => {
  const at = `/${unique()}`
  const run = await execute(tenant, {
    nodes: {
      start: trigger,
      late: http(at, { delay_ms: 600_000 }),
      call: http('/any'),
      bad: { type: 'transform', code: 'throw new Error("no")' },
    },
    edges: [edge('start', 'late', 'default'), edge('start', 'call', 'default'), edge('call', 'bad')],
  })
  expect(run).toMatchObject({
    status: 'failed',
    error: { code: 'node_failed', node: 'bad' },
    runs: { late: { status: 'failed', error: { code: 'execution_cancelled' } } },
  })
  expect(await receiver.count(at)).toBe(0)
})

test('The delays of the trigger and of a node are waited for', async () => {
  const at = `/${unique()}`
  const started = performance.timeOrigin + performance.now()
  const run = await execute(tenant, {
    nodes: { start: { type: 'trigger', delay_ms: 700 }, call: http(at, { delay_ms: 800 }) },
    edges: [edge('start', 'call', 'default')],
  })
  expect(run.status).toBe('completed')
  expect(((await receiver.arrivals(at))[0]?.at ?? 0) - started).toBeGreaterThan(1_500)
})

test('Cancelling lets a sent node end by its own verdict and sends nothing else', async () => {
  const [first, second] = [`/${unique()}`, `/${unique()}`]
  await receiver.rule(first, { delay_ms: 5_000 })
  const graph = {
    nodes: {
      start: trigger,
      first: http(first, { timeout_ms: 20_000 }),
      waits: http(second, { delay_ms: 600_000 }),
      second: http(second),
    },
    edges: [edge('start', 'first', 'default'), edge('start', 'waits', 'default'), edge('first', 'second')],
  }
  const id = await begin(tenant, await newWorkflow(tenant, graph))
  await until(async () => (await executionOf(id)).runs.first?.sent_at)
  await database().query('update executions set cancel_requested = true where id = $1', [id])
  await temporal.workflow.getHandle(`execution/${id}`).signal('changed')
  const run = await ended(id)
  expect(run).toMatchObject({
    status: 'cancelled',
    runs: { first: { status: 'succeeded' }, waits: { status: 'failed', error: { code: 'execution_cancelled' } } },
  })
  expect(run.states).toMatchObject({ waits: { status: 'cancelled' }, second: { status: 'cancelled' } })
  expect(await receiver.count(second)).toBe(0)
})

test('A cancellation that Temporal did not receive is found by the reconciler', async () => {
  const at = `/${unique()}`
  const id = await begin(tenant, await newWorkflow(tenant, posting(at, { delay_ms: 600_000 })))
  await until(async () => (await executionOf(id)).runs.call)
  await database().query('update executions set cancel_requested = true, wake_at = now() where id = $1', [id])
  expect(await ended(id)).toMatchObject({ status: 'cancelled', states: { call: { status: 'cancelled' } } })
  expect(await receiver.count(at)).toBe(0)
})

describe('Killed and paused workers', () => {
  const at: Record<string, string> = {}
  const ids: Record<string, string> = {}
  /** Three executions of one worker: one node is claimed, one is stamped, one has its answer. */
  async function stalled(name: string, waitMs: number): Promise<void> {
    for (const step of ['after_claim', 'after_stamp', 'after_send']) {
      const key = `${name} ${step}`
      at[key] = `/${unique()}`
      lab.failAt(step, 'node_runs', `wait:${waitMs}`)
      ids[key] = await begin(tenant, await newWorkflow(tenant, posting(at[key] as string)))
      await lab.failed(step, 'node_runs')
    }
  }
  const outcome = async (key: string) => ({
    call: (await ended(ids[key] as string, 90_000)).runs.call?.status,
    arrived: await receiver.count(at[key]),
  })
  const endings = [
    ['after_claim', 'succeeded', 1],
    ['after_stamp', 'unknown', 0],
    ['after_send', 'unknown', 1],
  ] as const

  describe('A killed worker', () => {
    beforeAll(async () => {
      await stalled('killed', 60_000)
      worker.kill('SIGKILL')
      worker = await lab.startWorker(settings)
    })

    test.each(endings)('A post whose worker is killed %s ends as %s', async (step, status, arrived) => {
      expect(await outcome(`killed ${step}`)).toEqual({ call: status, arrived })
    })
  })

  // After those of the killed worker have ended: this one would take them over, too.
  describe('A paused worker', () => {
    let sleeper: Process
    beforeAll(async () => {
      await stalled('paused', 3_000)
      sleeper = worker
      sleeper.kill('SIGSTOP')
      worker = await lab.startWorker(settings)
    })

    test.each(endings)('A post whose worker is paused %s ends as %s', async (step, status, arrived) => {
      expect(await outcome(`paused ${step}`)).toEqual({ call: status, arrived })
    })

    test('A worker that resumes after its nodes are settled sends nothing', async () => {
      sleeper.kill('SIGCONT')
      await until(async () => {
        const { rows } = await database().query(
          'select 1 from node_runs where execution_id = $1 and late_evidence is not null',
          [ids['paused after_send']],
        )
        return rows.length > 0
      })
      expect(await outcome('paused after_stamp')).toEqual({ call: 'unknown', arrived: 0 })
      expect(await outcome('paused after_claim')).toEqual({ call: 'succeeded', arrived: 1 })
      await sleeper.stop()
    })
  })
})

describe('Four killed workers', () => {
  const [read, after, sent] = [`/${unique()}`, `/${unique()}`, `/${unique()}`]
  const items = 30
  let reading: string
  let posting: string[]

  beforeAll(async () => {
    await receiver.rule(read, { delay_ms: 150, body: 'read' })
    await receiver.rule(sent, { delay_ms: 60 })
    const reads = await newWorkflow(tenant, {
      nodes: {
        start: trigger,
        each: { type: 'loop', items: `Array.from({ length: ${items} }, (_, at) => at)` },
        call: { type: 'http', method: 'get', url: `${receiver.url}${read}` },
        back: { type: 'transform', code: 'return input.call.body + nodes.each.output.item' },
        after: http(after, { body: '{{input.each}}' }),
      },
      edges: [
        edge('start', 'each', 'default'),
        edge('each', 'call', 'each'),
        edge('call', 'back'),
        edge('back', 'each', 'success', true),
        edge('each', 'after', 'done'),
      ],
    })
    const posts = await newWorkflow(tenant, {
      nodes: {
        start: trigger,
        each: { type: 'loop', items: 'Array.from({ length: 15 }, (_, at) => at)' },
        call: http(sent, { body: '{{nodes.each.output.item}} of {{input.trigger.n}}' }),
      },
      edges: [
        edge('start', 'each', 'default'),
        edge('each', 'call', 'each'),
        edge('call', 'each', 'success', true),
        edge('call', 'each', 'error', true),
      ],
    })
    reading = await begin(tenant, reads)
    posting = await Promise.all(Array.from({ length: 10 }, (_, n) => begin(tenant, posts, { n })))
    for (let killed = 0; killed < 4; killed++) {
      // A worker is killed at once, after one more read, or after ten more posts.
      const [reads, posts] = [await receiver.count(read), await receiver.count(sent)]
      const moved = async () =>
        killed % 2 > 0
          ? (await receiver.count(sent)) > posts + 10 || (await ended(posting[0] as string, 1).catch(() => null))
          : (await receiver.count(read)) >= Math.min(items - 4, reads + (killed >> 1))
      await until(moved, 60_000)
      worker.kill('SIGKILL')
      worker = await lab.startWorker(settings)
    }
  })

  test('A loop of reads completes although four workers are killed one after the other', async () => {
    const run = await ended(reading, 120_000)
    expect(run).toMatchObject({ status: 'completed' })
    const all = Array.from({ length: items }, (_, item) => `read${item}`)
    expect(run.runs.each?.output).toEqual(all)
    expect((await receiver.arrivals(after)).map(({ body }) => JSON.parse(body))).toEqual([all])
  })

  test('Posts of loops arrive at most once while workers are killed, and unproved ones are unknown', async () => {
    const runs = await Promise.all(posting.map((one) => ended(one, 120_000)))
    const arrived = (await receiver.arrivals(sent)).map(({ body }) => body)
    expect(new Set(arrived).size).toBe(arrived.length)
    for (const [n, { status, runs: nodes }] of runs.entries()) {
      const calls = Object.values(nodes).filter(({ key }) => key.startsWith('call'))
      expect(status).toBe(calls.some((call) => call.status === 'unknown') ? 'failed' : 'completed')
      for (const { key, status: how } of calls)
        if (how === 'succeeded') expect(arrived).toContain(`${key.split('#')[1]} of ${n}`)
    }
  })
})

describe('Mail servers that defer', () => {
  let nodes: GivenGraph['nodes']
  beforeAll(async () => {
    const { hostname, port } = new URL(process.env.SMTP_URL as string)
    const [mailbox_id, template_id] = [newId(), newId()]
    await database().query(
      `insert into mailboxes (id, tenant_id, created_at, updated_at, key, email, status, smtp_host, smtp_port, smtp_security)
       values ($1, $2, 1, 1, 'shop', 'shop@tillwright.test', 'active', $3, $4, 'none')`,
      [mailbox_id, tenant, hostname, Number(port)],
    )
    await database().query(
      `insert into email_templates (id, tenant_id, created_at, updated_at, key, type, status, format, subject, body)
       values ($1, $2, 1, 1, 'hello', 'transactional', 'active', 'html', 'Hello', '<p>Hello</p>')`,
      [template_id, tenant],
    )
    nodes = {
      start: trigger,
      mail: { type: 'send_email', mailbox_id, template_id, to: '{{input.trigger.to}}', variables: {} },
      otherwise: plain,
    }
  })
  const greylisted = async (delay_ms: number) => {
    const to = newEmail('reader')
    await mailFault({ step: 'rcpt', action: 'greylist', to, delay_ms })
    const id = await begin(
      tenant,
      await newWorkflow(tenant, {
        nodes,
        edges: [edge('start', 'mail', 'default'), edge('mail', 'otherwise', 'error')],
      }),
      { to },
    )
    await until(async () => (await executionOf(id)).runs.mail?.error?.code === 'EENVELOPE', 30_000)
    return { to, id }
  }
  const dueIn = async (id: string) =>
    (
      await database().query(
        `select extract(epoch from due_at - clock_timestamp())::float8 as s from node_runs where execution_id = $1 and key = 'mail'`,
        [id],
      )
    ).rows[0].s

  test('A greylisted email is sent once by a later attempt, and its node completes', async () => {
    const { to, id } = await greylisted(1_000)
    expect(await executionOf(id)).toMatchObject({
      status: 'running',
      runs: { mail: { status: 'requested', attempt: 1, sent_at: null } },
    })
    expect(await dueIn(id)).toBeGreaterThan(0.5)
    expect(await ended(id)).toMatchObject({ status: 'completed', runs: { mail: { status: 'succeeded', attempt: 2 } } })
    expect(await mailLedger(to)).toMatchObject([{ accepted: true }])
  })

  test('An email that is deferred until its attempts are used up takes the error output', async () => {
    const { to, id } = await greylisted(600_000)
    const error = { code: 'EENVELOPE', provider_status: 451 }
    expect(await ended(id)).toMatchObject({
      status: 'completed',
      runs: { mail: { status: 'failed', attempt: 3, error }, otherwise: { status: 'succeeded' } },
    })
    expect(await mailLedger(to)).toEqual([])
  })

  test('An execution that waits for the next attempt of an email is cancelled at once', async () => {
    const { to, id } = await greylisted(600_000)
    await database().query('update executions set cancel_requested = true where id = $1', [id])
    // The reconciler may have been first.
    await temporal.workflow
      .getHandle(`execution/${id}`)
      .signal('changed')
      .catch((error) => expect(error).toBeInstanceOf(WorkflowNotFoundError))
    const run = await ended(id)
    expect(run).toMatchObject({
      status: 'cancelled',
      runs: { mail: { status: 'failed', error: { code: 'execution_cancelled' } } },
    })
    expect(run.runs.mail?.attempt).toBeLessThan(3)
    expect(await mailLedger(to)).toEqual([])
  })

  test('A deferred email of a store waits for a slot before it is sent again', async () => {
    const { mailbox_id, template_id } = nodes.mail as { mailbox_id: string; template_id: string }
    const to = newEmail('reader')
    await mailFault({ step: 'rcpt', action: 'greylist', to, delay_ms: 1_000 })
    const orm = await openOrm({ url: lab.stack.env.DATABASE_URL as string, pool: 2 })
    const transaction = <T>(work: (em: EntityManager) => Promise<T>): Promise<T> =>
      unitOf(orm, null).transactional((em) => work(em as EntityManager))
    try {
      const message = {
        kind: 'confirmation',
        tenant_id: tenant,
        not_after: null,
        template_id,
        mailbox_id,
        to,
        variables: {},
      }
      const id = await transaction((em) => queueTemplateMail(em, message, Math.floor(Date.now() / 1000)))
      const row = async () =>
        (await database().query('select status, attempt, error from mails where id = $1', [id])).rows[0]
      await until(async () => (await row()).error?.code === 'EENVELOPE', 30_000)
      const others: string[] = []
      const [{ id: worker }] = (
        await database().query(`select id from task_workers where queue = 'mail' and seen_at > now() - interval '10 s'`)
      ).rows
      for (let one = newId(); ; one = newId()) {
        const place = { tenant_id: tenant, queue: 'mail', kind: 'mail', row_id: one } as const
        if (!(await transaction((em) => takeSlot(em, place, { id: one, worker })))) break
        others.push(one)
      }
      const waits = async () =>
        (await database().query('select granted from task_slots where id = $1', [id])).rows[0]?.granted === false
      await until(waits, 30_000)
      expect(await row()).toMatchObject({ status: 'requested', attempt: 1 })
      expect(await mailLedger(to)).toEqual([])
      for (const one of others) await transaction((em) => freeSlot(em, one))
      await until(async () => (await row()).status === 'succeeded', 30_000)
      expect(await row()).toMatchObject({ attempt: 2 })
      expect((await database().query('select 1 from task_slots where id = $1', [id])).rowCount).toBe(0)
    } finally {
      await orm.close(true)
    }
  })

  /** A system email that its server defers. */
  const queue = async (delay_ms: number, not_after: number, id = newId()) => {
    const to = newEmail('reader')
    await mailFault({ step: 'rcpt', action: 'greylist', to, delay_ms })
    await database().query(
      `with m as (insert into mails (id, created_at, updated_at, kind, not_after, fingerprint, request, attempt, status)
           values ($1, $2, $2, 'sign_in_code', $3, '', $4, 0, 'requested'))
       insert into outbox (id, kind, row_id, not_before, tries, parked) values ($5, 'mail', $1, clock_timestamp(), 0, false)`,
      [
        id,
        Math.floor(Date.now() / 1000),
        not_after,
        encrypt(JSON.stringify({ to, subject: 'Code', text: '123456', html: '123456' })),
        newId(),
      ],
    )
    return { id, to }
  }

  test('A deferred email is not attempted early when the result of its last attempt was lost', async () => {
    const id = newId()
    lab.failAt('after_settle', id, 'throw')
    await queue(600_000, Math.floor(Date.now() / 1000) + 600, id)
    const claimed = async (attempt: number) =>
      (
        await until(
          async () =>
            (
              await database().query('select claimed_at from mails where id = $1 and attempt = $2', [id, attempt])
            ).rows[0],
          30_000,
        )
      ).claimed_at
    const first = await claimed(1)
    expect((await claimed(2)) - first).toBeGreaterThan(1_900)
  })

  test('A deferred sign-in code is sent by a later attempt, but not after it has expired', async () => {
    const now = Math.floor(Date.now() / 1000)
    const [sent, expired] = await Promise.all([queue(1_000, now + 600), queue(600_000, now + 2)])
    const status = async (id: string) =>
      (await database().query('select status, attempt from mails where id = $1', [id])).rows[0]
    await until(async () => !['requested', 'processing'].includes((await status(sent.id)).status))
    await until(async () => !['requested', 'processing'].includes((await status(expired.id)).status))
    expect([await status(sent.id), (await status(expired.id)).status]).toEqual([
      { status: 'succeeded', attempt: 2 },
      'failed',
    ])
    expect([(await mailLedger(sent.to)).length, (await mailLedger(expired.to)).length]).toEqual([1, 0])
  })
})

test('An execution with nested loops fails when it has run too many nodes', async () => {
  const endless = { type: 'loop', items: 'Array.from({ length: 10000 }, (_, at) => at)' }
  const id = await begin(
    tenant,
    await newWorkflow(tenant, {
      nodes: {
        start: { type: 'trigger', delay_ms: 500 },
        outer: endless,
        inner: endless,
        node: plain,
        bad: { type: 'transform', code: 'throw 1' },
      },
      edges: [
        ...[
          edge('start', 'outer', 'default'),
          edge('outer', 'inner', 'each'),
          edge('inner', 'node', 'each'),
          edge('node', 'bad'),
        ],
        ...[edge('bad', 'inner', 'error', true), edge('inner', 'outer', 'done', true)],
      ],
    }),
  )
  await until(async () => (await executionOf(id)).runs.start)
  await database().query('update executions set runs = 99990 where id = $1', [id])
  expect(await ended(id)).toMatchObject({ status: 'failed', error: { code: 'runs_too_many' } })
})

test('A loop of seven hundred items with two nodes continues as new, with a small history', async () => {
  const at = `/${unique()}`
  const run = await ended(
    await begin(
      tenant,
      await newWorkflow(tenant, {
        nodes: {
          start: trigger,
          each: { type: 'loop', items: 'Array.from({ length: 700 }, (_, at) => at)' },
          call: http(at, { body: '{{nodes.each.output.index}}', timeout_ms: 20_000 }),
          back: { type: 'transform', code: 'return nodes.each.output.item * 2' },
        },
        edges: [
          edge('start', 'each', 'default'),
          edge('each', 'call', 'each'),
          edge('call', 'back'),
          edge('back', 'each', 'success', true),
        ],
      }),
    ),
    150_000,
  )
  expect(run.status).toBe('completed')
  expect(run.runs.each?.output).toEqual(Array.from({ length: 700 }, (_, item) => item * 2))
  expect((await receiver.arrivals(at)).map(({ body }) => Number(body))).toEqual(
    Array.from({ length: 700 }, (_, item) => item),
  )
  const { historySize, historyLength, runId, raw } = await temporal.workflow.getHandle(`execution/${run.id}`).describe()
  const isSmall = (historySize ?? Number.POSITIVE_INFINITY) < 2 * 1_048_576
  const isContinued = raw.workflowExecutionInfo?.firstRunId !== runId
  expect({ historyLength, isSmall, isContinued }).toEqual({
    historyLength: expect.any(Number),
    isSmall: true,
    isContinued: true,
  })
})
