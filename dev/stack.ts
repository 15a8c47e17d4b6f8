// Starts everything that the API and the workers need: for `npm start`, the tests and the benches.
import fs from 'node:fs'
import path from 'node:path'
import type { Child, ChildOptions } from './child.ts'
import { type Process, processOf, script } from './parts.ts'
import { freePort, portNear } from './ports.ts'
import { type Embedded, embedded } from './servers/embedded.ts'
import { forget } from './servers/postgres-home.ts'
import { hasSimulatedNetworks, type Ports, stackEnv } from './stack-env.ts'

export type PartName =
  | 'postgres'
  | 'migrations'
  | 'temporal'
  | 'stripe'
  | 'mail'
  | 'social'
  | 'chat_bot'
  | 'models'
  | 'receiver'
/**
 * What the processes need. A chat service, models and a receiver are optional: integrations, webhooks and graphs name
 * them.
 */
export const everyPart: PartName[] = ['postgres', 'migrations', 'temporal', 'stripe', 'mail', 'social']

export type StackOptions = {
  dir: string
  /** Wanted ports. A free port replaces one that is missing or taken. */
  ports?: Partial<Ports>
  /** Milliseconds to wait for a wanted port. */
  patienceMs?: number
  /** For tests: data need not survive a power cut, and the environment is ignored. */
  fast?: boolean
  /** The folder of a stopped stack. The database starts as a copy of its database. */
  copyOf?: string
  /** Starts the Temporal UI. */
  ui?: boolean
  /** Keeps the data at the end. */
  persist?: boolean
  parts?: PartName[]
  progress?: (line: string) => void
  /** Called with every line of output. The folder's logs have them too. */
  log?: (name: string, line: string) => void
  /** Called when a part or process ends by itself. */
  died?: NonNullable<ChildOptions['onDeath']>
}

export type Api = Process & { url: string }

export type Stack = Omit<Embedded, 'migrate'> & {
  dir: string
  /** The settings of every process. */
  env: Record<string, string>
  ports: Ports
  /** Addresses of pages and controls; null for servers of the environment. */
  urls: {
    api: string
    mail: string | null
    smtp: string | null
    stripe: string | null
    stripe_control: string | null
    social: string | null
    chat_bot: string | null
    models: string | null
    temporal_ui: string | null
    receiver: string | null
    receiver_control: string | null
  }
  /**
   * The first API process gets the stack's own address, which receives the provider's events; after it has ended, the
   * next one gets it.
   */
  startApi(env?: Record<string, string>): Promise<Api>
  startWorker(env?: Record<string, string>, args?: string[]): Promise<Process>
  stop(): Promise<void>
}

// As in the Dockerfile. Without these limits V8 uses 450 MB instead of 200 in a bench, at the same rate.
export const apiHeap = '--max-semi-space-size=8 --max-old-space-size=384'
const workerHeap = '--max-semi-space-size=16 --max-old-space-size=1024'
// Node has ten threads and a worker thirty: the C library would give most of them an arena of its own, and keep what
// large blocks took.
const malloc = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '131072' }
const processEnv = (heap: string) => ({ NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} ${heap}`, ...malloc })

const http = (port: number) => `http://127.0.0.1:${port}`

async function choosePorts(o: StackOptions): Promise<Ports> {
  const near = (name: keyof Ports) => portNear(o.ports?.[name], o.patienceMs)
  return {
    api: await near('api'),
    postgres: await near('postgres'),
    temporal: await near('temporal'),
    ui: await near('ui'),
    stripe: await near('stripe'),
    stripe_control: await near('stripe_control'),
    smtp: await near('smtp'),
    mail: await near('mail'),
    imap: await near('imap'),
    social: await near('social'),
    chat_bot: await near('chat_bot'),
    models: await near('models'),
    receiver: await near('receiver'),
    receiver_control: await near('receiver_control'),
    shop: await near('shop'),
  }
}

export async function startStack(o: StackOptions): Promise<Stack> {
  const dir = path.resolve(o.dir)
  const logs = path.join(dir, 'logs')
  fs.mkdirSync(logs, { recursive: true })
  fs.chmodSync(dir, 0o755) // PostgreSQL may run as another user
  const ports = await choosePorts(o)
  const outside = o.fast ? {} : process.env
  const env = stackEnv(dir, ports, outside)
  const say = o.progress ?? (() => {})
  const ui = o.ui ?? false
  const options = (name: string, more: Record<string, string> = {}): ChildOptions => ({
    name,
    env: { ...process.env, ...env, ...more },
    log: path.join(logs, `${name}.log`),
    onLine: (line) => o.log?.(name, line),
    ...(o.died ? { onDeath: o.died } : {}),
  })
  const { migrate, ...parts } = embedded({
    dir,
    copyOf: o.copyOf,
    ports,
    env,
    outside,
    fast: o.fast ?? false,
    ui,
    say,
    options,
  })

  const wanted = new Set(o.parts ?? everyPart)
  async function bring(name: PartName, what: string, work: () => Promise<void>) {
    if (!wanted.has(name)) return
    const since = performance.now()
    await work()
    say(`${what} (${((performance.now() - since) / 1000).toFixed(1)} s)`)
  }
  const stopParts = () => {
    const { postgres, temporal, stripe, mail, social, chat_bot, models, receiver } = parts
    return Promise.all(
      [postgres, temporal, stripe, mail, social, chat_bot, models, receiver].map((one) => one.stop().catch(() => {})),
    )
  }
  const forgetAll = () => {
    forget(path.join(dir, 'pg'))
    fs.rmSync(dir, { recursive: true, force: true })
  }
  /** The path of the bundle; null where a worker makes its own. It is ready before the database is. */
  async function bundled(): Promise<string | null> {
    const child = script('dev/workflow-bundle.ts', [], { ...options('workflow-bundle'), onDeath: () => {} })
    if ((await child.ended) !== 0) return null
    return child.tail().trimEnd().split('\n').at(-1) ?? null
  }
  // Tests have a bundle of their own (test/kit/stack/stack-up.ts).
  const bundle = o.fast ? Promise.resolve(null) : bundled()
  const bringing = [
    bring('postgres', 'PostgreSQL is ready', parts.postgres.start).then(() =>
      bring('migrations', 'Migrations are applied', migrate),
    ),
    bring('temporal', 'Temporal is ready', parts.temporal.start),
    bring('stripe', 'Stripe simulator is ready', parts.stripe.start),
    bring('mail', 'Mail catcher is ready', parts.mail.start),
    bring('social', 'Social networks simulator is ready', parts.social.start),
    bring('chat_bot', 'Chat service simulator is ready', parts.chat_bot.start),
    bring('models', 'Models simulator is ready', parts.models.start),
    bring('receiver', 'Receiver is ready', parts.receiver.start),
  ]
  await Promise.all(bringing).catch(async (error) => {
    // Parts that have started, and those still starting, are stopped. The error does not wait for the latter.
    void Promise.allSettled(bringing).then(async () => {
      await stopParts()
      if (!o.persist) forgetAll()
    })
    await stopParts()
    throw error
  })

  const ours = new Set<Child>()
  let first: Child | undefined
  let started = 0
  function launch(kind: string, file: string, args: string[], more: Record<string, string>): Child {
    const child = script(file, args, options(`${kind}-${++started}`, more))
    ours.add(child)
    void child.ended.then(() => ours.delete(child))
    return child
  }

  return {
    dir,
    env,
    ports,
    urls: {
      api: http(ports.api),
      mail: outside.SMTP_URL ? null : http(ports.mail),
      smtp: outside.SMTP_URL ? null : `smtp://127.0.0.1:${ports.smtp}`,
      stripe: outside.STRIPE_SECRET_KEY ? null : http(ports.stripe),
      stripe_control: outside.STRIPE_SECRET_KEY ? null : http(ports.stripe_control),
      social: wanted.has('social') && hasSimulatedNetworks(outside) ? http(ports.social) : null,
      chat_bot: wanted.has('chat_bot') ? http(ports.chat_bot) : null,
      models: wanted.has('models') ? http(ports.models) : null,
      receiver: wanted.has('receiver') ? http(ports.receiver) : null,
      receiver_control: wanted.has('receiver') ? http(ports.receiver_control) : null,
      temporal_ui: ui && !outside.TEMPORAL_ADDRESS ? http(ports.ui) : null,
    },
    ...parts,
    async startApi(more = {}) {
      if (!first?.running()) await first?.ended
      const free = first?.running() ? await freePort() : ports.api
      const child = launch('api', 'api/main.ts', [], { ...processEnv(apiHeap), PORT: String(free), ...more })
      if (!first?.running()) first = child
      const line = await child.said(/"msg":"listening"/)
      return { ...processOf(child), url: http(Number(/"port":(\d+)/.exec(line)?.[1] ?? free)) }
    },
    async startWorker(more = {}, args = []) {
      const file = await bundle
      const child = launch('worker', 'workers/main.ts', args, {
        ...processEnv(workerHeap),
        ...(file ? { WORKFLOW_BUNDLE: file } : {}),
        ...more,
      })
      await child.said(/"msg":"ready"/, 60_000)
      return processOf(child)
    },
    async stop() {
      await Promise.all([...ours].map((child) => child.stop(60_000)))
      await stopParts()
      if (!o.persist) forgetAll()
    },
  }
}
