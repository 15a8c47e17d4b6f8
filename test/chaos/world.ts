// The processes of a run: two API processes and two workers, restarted when they end; their servers behind breakable
// links; oracles that no fault kills.
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker'
import pg from 'pg'
import { openSink, type Sink } from '../../bench/kit/mail.ts'
import type { Process } from '../../dev/parts.ts'
import { freePort } from '../../dev/ports.ts'
import { everyPart, type Stack, startStack } from '../../dev/stack.ts'
import { type Front, startFront } from '../kit/stack/front.ts'
import type { LinkName, ProcessName } from './plan.ts'
import { type Link, openLink } from './proxy.ts'
import { newTimeline, type Timeline } from './timeline.ts'

/** Why a process died and when it shall be restarted. */
export type Death = { kind: string; what: string; back_ms: number; at: number }

export type Kept = {
  name: ProcessName
  pid(): number | null
  signal(name: NodeJS.Signals): void
  /** Kills it; resolves when another one has taken its place. */
  kill(death: Omit<Death, 'at'>): Promise<void>
  /** Resolves when it is running. */
  back(): Promise<void>
  /** Kills it and starts no other one until `wake`. */
  rest(): Promise<void>
  wake(): Promise<void>
}

export type World = {
  stack: Stack
  timeline: Timeline
  links: Record<LinkName, Link>
  /** Between the link to the payment provider and its simulator: speaks TLS and offers HTTP/2 first. */
  front: Front
  /** The mail server of campaigns. */
  sink: Sink
  kept: Record<ProcessName, Kept>
  /** Both processes of the API. */
  apis: [string, string]
  failpoints: string
  /** The folder of the processes' logs. */
  logs: string
  /** Straight to the database, around the link. */
  db: pg.Pool
  /** Called when a process has died without a kill of ours: returns the cause, or null if it is unknown. */
  explain: (name: ProcessName) => Death | null
  /** Called at the moment of a SIGKILL with the process id. */
  onKill: (name: ProcessName, pid: number, at: number) => void
  /** Processes that ended by themselves, and how. */
  deaths: string[]
  /** Excludes other faults of this victim meanwhile. */
  alone<T>(victim: string, work: () => Promise<T>): Promise<T>
  /** The server process of PostgreSQL and its children. */
  postgresPids(): Promise<{ postmaster: number; backends: number[] }>
  stop(): Promise<void>
}

/** Retries within half a minute, so that a round ends; all else is as in production. */
const settings = {
  DELIVERY_RETRY_S: '0,1,1,2,2,3,3,5,5,5,5,5,5,5,5,5,10,10,10,10',
  DELIVERY_TIMEOUT_MS: '5000',
  MAIL_RETRY_S: '5,5,5,10,10,10,10',
  CAMPAIGN_RETRY_S: '5,5,5,10,10,10',
  MAIL_LIMIT_MS: '15000',
  MODEL_LIMIT_MS: '10000',
  CHECKOUT_HOLD_MINUTES: '0.3',
}

const childrenOf = (parent: number): number[] =>
  execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .flatMap(([pid, ppid]) => (pid !== undefined && ppid === parent ? [pid] : []))

export async function openWorld(dir: string, say: (line: string) => void): Promise<World> {
  const [stack, { code }] = await Promise.all([
    startStack({
      ...{ dir, fast: true, persist: true, parts: [...everyPart, 'receiver', 'models', 'chat_bot'], progress: say },
      died: ({ name }, how) => name === 'temporal' && void startAgain(how),
    }),
    bundleWorkflowCode({
      workflowsPath: path.resolve(import.meta.dirname, '../../workflows/index.ts'),
      logger: new DefaultLogger('WARN'),
    }),
  ])
  const [bundle, failpoints] = [path.join(dir, 'workflows.js'), path.join(dir, 'failpoints')]
  fs.writeFileSync(bundle, code)
  fs.mkdirSync(failpoints)
  const { ports } = stack
  const timeline = newTimeline()
  // The handshake with the front is no reason for an unknown: before its end nothing is sent.
  const front = await startFront(
    dir,
    ports.stripe,
    (ms) => void setTimeout(timeline.begin('slow_handshake', 'front', `${ms} ms`), ms),
  )
  // Each reply takes a moment, so that faults meet messages on their way.
  const sink = await openSink(20)
  const links: World['links'] = {
    stripe: await openLink(front.port),
    receiver: await openLink(ports.receiver),
    mail: await openLink(ports.smtp),
    postgres: await openLink(ports.postgres),
    temporal: await openLink(ports.temporal),
    social: await openLink(ports.social),
    sink: await openLink(sink.port),
    models: await openLink(ports.models),
    chat_bot: await openLink(ports.chat_bot),
  }
  const env = {
    ...settings,
    FAILPOINTS: failpoints,
    WORKFLOW_BUNDLE: bundle,
    DATABASE_URL: String(stack.env.DATABASE_URL).replace(`:${ports.postgres}/`, `:${links.postgres.port}/`),
    TEMPORAL_ADDRESS: `127.0.0.1:${links.temporal.port}`,
    ...front.env,
    STRIPE_API_BASE: `https://127.0.0.1:${links.stripe.port}`,
    SOCIAL_API_BASE: `http://127.0.0.1:${links.social.port}`,
    SOCIAL_PROOF_S: '0,1,3,10',
    SMTP_URL: `smtp://127.0.0.1:${links.mail.port}`,
  }
  const apiPorts = [ports.api, await freePort()] as const
  const db = new pg.Pool({ connectionString: String(stack.env.DATABASE_URL), max: 4 })
  db.on('error', () => {})
  const queues = new Map<string, Promise<unknown>>()
  let closing = false
  let pids: { postmaster: number; backends: number[] } | undefined

  function keep(name: ProcessName, begin: () => Promise<Process>): Kept {
    let current: Process | null = null
    let planned: Death | null = null
    let resting = false
    let there = Promise.withResolvers<void>()
    async function start(): Promise<void> {
      while (!closing) {
        try {
          current = await begin()
          break
        } catch {
          // A server that it needs is down at this moment.
          await pause(300)
        }
      }
      if (!current) return
      const { child, pid } = current
      void child.ended.then((how) => died(pid, how))
      there.resolve()
    }
    async function died(pid: number, how: number | NodeJS.Signals): Promise<void> {
      current = null
      if (closing || resting) return
      there = Promise.withResolvers<void>()
      const death = planned ?? world.explain(name)
      planned = null
      if (!death) world.deaths.push(`${name} ended with ${how}`)
      const at = death?.at ?? Date.now()
      world.onKill(name, pid, at)
      const isBack = timeline.since(
        death?.kind ?? 'died',
        name,
        `${death?.what ?? how}, back after ${death?.back_ms ?? 0} ms`,
        at,
      )
      await pause(death?.back_ms ?? 0)
      await start()
      isBack()
    }
    void start()
    return {
      name,
      pid: () => current?.pid ?? null,
      signal: (signal) => current?.kill(signal),
      back: () => there.promise,
      async kill(death) {
        if (!current) return
        const { child } = current
        planned = { ...death, at: Date.now() }
        child.kill('SIGKILL')
        await child.ended
        await new Promise((done) => setImmediate(done))
        await there.promise
      },
      async rest() {
        resting = true
        const child = current?.child
        child?.kill('SIGKILL')
        await child?.ended
      },
      async wake() {
        resting = false
        there = Promise.withResolvers<void>()
        await start()
      },
    }
  }

  const world: World = {
    stack,
    timeline,
    links,
    front,
    sink,
    kept: {
      'api-1': keep('api-1', () => stack.startApi({ ...env, PORT: String(apiPorts[0]) })),
      'api-2': keep('api-2', () => stack.startApi({ ...env, PORT: String(apiPorts[1]) })),
      'worker-1': keep('worker-1', () => stack.startWorker(env)),
      'worker-2': keep('worker-2', () => stack.startWorker(env)),
    },
    apis: [`http://127.0.0.1:${apiPorts[0]}`, `http://127.0.0.1:${apiPorts[1]}`],
    failpoints,
    logs: path.join(dir, 'logs'),
    db,
    explain: () => null,
    onKill: () => {},
    deaths: [],
    alone<T>(victim: string, work: () => Promise<T>): Promise<T> {
      const turn = (queues.get(victim) ?? Promise.resolve()).then(work, work)
      queues.set(
        victim,
        turn.catch(() => {}),
      )
      return turn
    },
    async postgresPids() {
      if (!pids) {
        const { rows } = await db.query<{ pid: number }>(
          `select split_part(pg_read_file('postmaster.pid'), chr(10), 1)::int as pid`,
        )
        pids = { postmaster: Number(rows[0]?.pid), backends: [] }
      }
      return { postmaster: pids.postmaster, backends: childrenOf(pids.postmaster) }
    },
    async stop() {
      closing = true
      await db.end().catch(() => {})
      for (const one of Object.values(world.kept)) one.signal('SIGKILL')
      await front.stop()
      await sink.stop()
      await stack.stop()
      await Promise.all(Object.values(links).map((link) => link.stop()))
    },
  }
  /**
   * The server of Temporal ends after it has answered if a part of it did not start within the server's own limit, as
   * on a busy machine. A supervisor starts it again.
   */
  async function startAgain(how: number | NodeJS.Signals): Promise<void> {
    if (closing) return
    const isBack = timeline.begin('died', 'temporal', `ended with ${how}`)
    await world.alone('temporal', async () => {
      for (let tries = 0; !stack.temporal.running() && !closing && tries < 5; tries++)
        await stack.temporal.start().catch(() => {})
    })
    isBack()
  }
  const restarted = stack.postgres.start
  stack.postgres.start = async () => {
    pids = undefined
    await restarted()
  }
  await Promise.all(Object.values(world.kept).map((one) => one.back()))
  return world
}
