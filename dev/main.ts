// `npm start`: runs everything on this machine until Ctrl-C. Only the data remains, however it ends.
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Child, stopAll } from './child.ts'
import { emptyFolder, takeFolder } from './folder.ts'
import { demoEmail, type Seeded, seed } from './seed/seed.ts'
import { everyPart, type Stack, startStack } from './stack.ts'
import { envFile, type Ports } from './stack-env.ts'
import { buildConsole } from './web/console.ts'
import { forgetFirstPage, writeFirstPage } from './web/first-page.ts'
import { buildShop, serveShop, shopConfig, shopUrl } from './web/shop.ts'

const since = performance.now()
const root = fileURLToPath(new URL('..', import.meta.url))
const dir = path.resolve(root, process.env.DEV_DIR || '.dev')
const wanted: Ports = {
  api: Number(process.env.PORT || 8080),
  postgres: 5440,
  temporal: 7233,
  ui: 8233,
  stripe: 8420,
  stripe_control: 8421,
  smtp: 1025,
  mail: 8025,
  imap: 1143,
  social: 8440,
  chat_bot: 8450,
  models: 8460,
  receiver: 8430,
  receiver_control: 8431,
  shop: 8088,
}

const portsFile = path.join(dir, 'ports.json')
/** Those of the last start in this folder: webhooks, mailboxes and graphs name them. */
const portsBefore = (): Partial<Ports> => {
  if (!fs.existsSync(portsFile)) return {}
  const { api, ...others }: Ports = JSON.parse(fs.readFileSync(portsFile, 'utf8'))
  return process.env.PORT ? others : { api, ...others }
}

// Writing to a closed terminal must not interrupt the shutdown.
process.stdout.on('error', () => {})
process.stderr.on('error', () => {})
const say = (line: string) => console.log(line)

const reasonOf = (child: Child, how: number | NodeJS.Signals) =>
  `${child.name} ended with ${how}\n${child.tail().trimEnd()}\n`

let seeded: Seeded = {
  store_id: null,
  business_id: null,
  network_id: null,
  agent_id: null,
  api_token: null,
  publishable_key: null,
}
let release = () => {}
let stopping = false
async function stop(why: string, code: number): Promise<void> {
  if (stopping) return
  stopping = true
  say(`\n${why}`)
  await stopAll((line) => say(`  ${line}`))
  release()
  process.exit(code)
}

/** Prints errors of the processes. Everything else is in the logs. */
function sayErrors(name: string, line: string): void {
  if (!line.startsWith('{')) return
  try {
    const { level, msg, err } = JSON.parse(line)
    if (level >= 50)
      say(
        `  ${name}: ${msg}${err?.message && err.message !== msg ? `: ${err.message}` : ''} (${path.join(dir, 'logs', `${name}.log`)})`,
      )
  } catch {}
}

function record(stack: Stack, seeded: Seeded, worker_pid: number): void {
  const { urls, env } = stack
  const where = {
    pid: process.pid,
    worker_pid,
    api: urls.api,
    console: `${urls.api}/console/`,
    docs: `${urls.api}/docs`,
    shop: seeded.publishable_key && shopUrl(stack.ports),
    temporal: env.TEMPORAL_ADDRESS,
    temporal_ui: urls.temporal_ui,
    mail: urls.mail,
    smtp: urls.smtp,
    stripe: urls.stripe,
    social: urls.social,
    chat_bot: urls.chat_bot,
    models: urls.models,
    receiver: urls.receiver,
    receiver_ledger: `${urls.receiver_control}/ledger`,
    database_url: env.DATABASE_URL,
    logs: path.join(dir, 'logs'),
    ports: stack.ports,
    operator_email: demoEmail,
    ...seeded,
    stripe_webhook_secret: env.STRIPE_WEBHOOK_SECRET?.split(',')[0],
  }
  fs.writeFileSync(path.join(dir, 'stack.env'), envFile(env), { mode: 0o600 })
  fs.writeFileSync(portsFile, `${JSON.stringify(stack.ports, null, 2)}\n`)
  writeFirstPage(stack, seeded)
  // A reader sees the old file or the new one.
  const next = path.join(dir, 'stack.json.next')
  fs.writeFileSync(next, `${JSON.stringify(where, null, 2)}\n`, { mode: 0o600 })
  fs.renameSync(next, path.join(dir, 'stack.json'))
}

/** The shop shows that it is being built until it is. */
async function openShop(stack: Stack, { publishable_key }: Seeded, building: Promise<void>): Promise<void> {
  if (!publishable_key) return
  const config = path.join(dir, 'shop.json')
  fs.writeFileSync(config, `${JSON.stringify(shopConfig(stack.urls, publishable_key), null, 2)}\n`)
  await serveShop(config, stack.ports.shop, building)
}

/** Five lines; the rest is on the first page and in stack.json. */
function announce({ urls, ports }: Stack, { publishable_key }: Seeded): void {
  const rows = {
    Console: `${urls.api}/console/  (${demoEmail} signs in${urls.mail ? `; its mail: ${urls.mail}` : ''})`,
    ...(publishable_key ? { Shop: shopUrl(ports) } : {}),
    Reference: `${urls.api}/docs`,
  }
  say(`\nOpen this first: ${urls.api}/  (up after ${((performance.now() - since) / 1000).toFixed(1)} s)`)
  for (const [name, value] of Object.entries(rows)) say(`  ${name.padEnd(10)} ${value}`)
  const fresh = '`npm start -- --fresh` starts with an empty database.'
  say(`Keys and addresses: ${path.join(dir, 'stack.json')}. Ctrl-C keeps the data; ${fresh}`)
}

for (const [signal, code] of Object.entries({ SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }))
  process.on(signal, () => void stop(signal, code))
// npm can be killed without a signal to this process.
const parent = process.ppid
if (process.env.npm_lifecycle_event)
  setInterval(() => process.ppid !== parent && void stop('npm has ended', 1), 500).unref()

try {
  const unknown = process.argv.slice(2).filter((argument) => argument !== '--fresh')
  if (unknown.length > 0) throw new Error(`Unknown argument ${unknown.join(' ')}: the only one is --fresh.`)
  const folder = takeFolder(dir)
  release = folder.release
  if (process.argv.includes('--fresh')) emptyFolder(dir)
  say(
    'Starting PostgreSQL, Temporal, the Stripe simulator, the mail catcher, a chat service, a model and a receiver ...',
  )
  forgetFirstPage(dir)
  // Beside the stack, which does not wait for them: each is served as soon as it is built.
  const sayFailed = (error: Error) => void (stopping || say(`  ${error.message}`))
  buildConsole().catch(sayFailed)
  const building = buildShop()
  building.catch(sayFailed)
  const stack = await startStack({
    dir,
    ports: { ...wanted, ...portsBefore() },
    patienceMs: folder.inherited ? 5000 : 0, // parts of a killed stack are still shutting down
    ui: true,
    parts: [...everyPart, 'chat_bot', 'models', 'receiver'],
    persist: true,
    progress: (line) => say(`  ${line}`),
    log: sayErrors,
    died: (child, how) =>
      void (how === 'SIGKILL' && child.name.startsWith('worker') ? startAgain(child) : stop(reasonOf(child, how), 1)),
  })
  /** A worker that was killed is started again, as a deployment does. */
  function startAgain(child: Child): void {
    say(`  ${child.name} was killed; starting another one`)
    stack.startWorker().then(
      (worker) => {
        record(stack, seeded, worker.pid)
        say('  Another worker is ready')
      },
      (error) => stop(String(error), 1),
    )
  }
  say('  Starting the API and a worker ...')
  const [api, worker] = await Promise.all([stack.startApi(), stack.startWorker()])
  seeded = await seed({
    ...stack.env,
    dir,
    api: api.url,
    mail: stack.urls.mail ?? '',
    stripe: stack.urls.stripe ?? '',
    models: stack.urls.models ?? '',
    chat_bot: stack.urls.chat_bot ?? '',
    social: stack.urls.social ?? '',
    receiver: stack.urls.receiver ?? '',
  })
  if (!stopping) {
    await openShop(stack, seeded, building)
    record(stack, seeded, worker.pid)
    announce(stack, seeded)
  }
} catch (error) {
  await stop(error instanceof Error ? error.message : String(error), 1)
}
