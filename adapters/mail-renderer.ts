// A template becomes a mail or a named error within half a second of computing: it is rendered in a process that is ended otherwise.
import { type ChildProcess, fork } from 'node:child_process'
import fs from 'node:fs'
import { fileURLToPath } from 'node:url'
import { newTurns } from '../rules/fair-queue.ts'
import type { EmailFault, EmailReply, EmailSource, EmailTask, RenderedEmail } from './mail-renderer-process.ts'

export type { EmailFault, EmailSource } from './mail-renderer-process.ts'

/** What a template may compute. The process's own time counts, where the system tells it: a busy machine is not the template's fault. */
const cpuMs = 500
const wallMs = 10_000
const startMs = 30_000
const idleMs = 60_000
const variablesMax = 262_144
const processesMax = 2
/** Of one tenant, where somebody waits with a connection in his hand. */
const waitingMax = 4

/** The message names part and line, for whoever wrote the template. */
export class EmailError extends Error {
  readonly code: 'template_failed' | 'template_timeout' | 'template_too_large' | 'template_busy'
  readonly faults: readonly EmailFault[]
  constructor(code: EmailError['code'], faults: readonly EmailFault[]) {
    super(faults.map(({ part, line, message }) => `${part}${line ? `, line ${line}` : ''}: ${message}`).join('; '))
    this.code = code
    this.faults = faults
  }
}
const ofAll = (code: EmailError['code'], message: string) => new EmailError(code, [{ part: 'body', line: null, message }])

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))
/** Its own code, and no other file: it writes none either, and starts no process. Where packages are a link to elsewhere, that is what is read. */
const readable = ['mail-renderer-process.ts', '../package.json', '../node_modules/'].flatMap((path) => {
  const real = fs.realpathSync(here(path))
  return [here(path), path.endsWith('/') ? `${real}/` : real]
})

type Job = { task: EmailTask; resolve(reply: EmailReply): void; reject(error: Error): void }
type Renderer = { child: ChildProcess; ready: boolean; job: Job | undefined; timer: NodeJS.Timeout | undefined; why: Error | undefined }

const renderers = new Set<Renderer>()
const turns = newTurns<Job>()

/**
 * A process and no thread: where a thread's heap is full within one allocation (a join, a replacement), V8 ends the whole process, whatever limits the thread
 * was given. No variable of ours is there to be found, and what V8 prints when it dies may hold somebody's data.
 */
function start(): void {
  const child = fork(here('mail-renderer-process.ts'), {
    env: {},
    execArgv: ['--max-old-space-size=192', '--disable-warning=ExperimentalWarning', '--permission', ...readable.map((path) => `--allow-fs-read=${path}`)],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const renderer: Renderer = { child, ready: false, job: undefined, timer: undefined, why: undefined }
  renderers.add(renderer)
  limit(renderer, startMs, new Error('the renderer did not start'))
  child.on('message', (message: 'ready' | EmailReply) => {
    const { job } = renderer
    renderer.ready = true
    renderer.job = undefined
    limit(renderer, idleMs, undefined)
    if (message !== 'ready') job?.resolve(message)
    work()
  })
  child.once('error', (error) => gone(renderer, error))
  child.once('exit', () =>
    gone(renderer, renderer.ready ? ofAll('template_too_large', 'the template needs too much memory') : new Error('the renderer did not start')),
  )
}

function limit(renderer: Renderer, ms: number, why: Error | undefined): void {
  clearTimeout(renderer.timer)
  renderer.timer = setTimeout(() => {
    renderer.why = why
    renderer.child.kill('SIGKILL')
  }, ms).unref()
}

/** Milliseconds that the process has computed; null where the system does not tell (Linux does, in hundredths of a second: proc(5)). */
function cpuOf({ pid }: ChildProcess): number | null {
  try {
    const [, rest] = /\) (.*)/.exec(fs.readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
    const [user, system] = rest?.split(' ').slice(11) ?? []
    return (Number(user) + Number(system)) * 10
  } catch {
    return null
  }
}

/** Ends the process when its template has computed too long; Liquid's own limits are asked between two steps only. */
function watch(renderer: Renderer, job: Job): void {
  const before = cpuOf(renderer.child)
  const since = performance.now()
  const look = () => {
    if (renderer.job !== job) return
    const now = cpuOf(renderer.child)
    const left = before === null || now === null ? 0 : before + cpuMs - now
    const over = performance.now() - since >= wallMs
    if (left > 0 && !over) return at(left)
    renderer.why =
      left > 0 ? ofAll('template_busy', 'the machine is too busy to make the mail') : ofAll('template_timeout', `the template takes longer than ${cpuMs} ms`)
    renderer.child.kill('SIGKILL')
  }
  const at = (ms: number) => {
    clearTimeout(renderer.timer)
    renderer.timer = setTimeout(look, Math.max(20, ms)).unref()
  }
  at(cpuMs)
}

function gone(renderer: Renderer, error: Error): void {
  if (!renderers.delete(renderer)) return
  clearTimeout(renderer.timer)
  renderer.job?.reject(renderer.why ?? error)
  // One that never came up would not come up the next time: who waits is told.
  if (!renderer.ready && ![...renderers].some(({ ready }) => ready)) for (let job = turns.next(); job; job = turns.next()) job.reject(error)
  work()
}

function work(): void {
  for (const renderer of renderers) {
    if (!renderer.ready || renderer.job || !renderer.child.connected) continue
    const job = turns.next()
    if (!job) break
    renderer.job = job
    watch(renderer, job)
    renderer.child.send(job.task)
  }
  const asked = turns.waiting()
  const coming = [...renderers].filter(({ ready }) => !ready).length
  for (let more = Math.min(asked - coming, processesMax - renderers.size); more > 0; more--) start()
  // Our own process ends when nobody waits for a mail any more, and theirs with it.
  const busy = asked > 0 || [...renderers].some(({ job }) => job)
  for (const { child } of renderers) {
    const how = busy ? 'ref' : 'unref'
    child[how]()
    child.channel?.[how]()
  }
}

async function ask(task: EmailTask, tenantId: string, impatient: boolean): Promise<EmailReply> {
  const { promise, resolve, reject } = Promise.withResolvers<EmailReply>()
  if (impatient && turns.waiting(tenantId) >= waitingMax) throw ofAll('template_busy', 'other templates of the store are being made')
  turns.add(tenantId, { task, resolve, reject })
  work()
  return promise
}

const sourceOf = ({ format, subject, body, text }: EmailSource): EmailSource => ({ format, subject, body, text: text ?? null })

/** What is wrong with a template whatever its variables are; empty if nothing is. Throws EmailError: too long to tell, template_busy. */
export async function checkEmail(source: EmailSource, tenantId: string): Promise<EmailFault[]> {
  const reply = await ask({ source: sourceOf(source), variables: null }, tenantId, true)
  return 'faults' in reply ? reply.faults : []
}

/**
 * A mail of a template: html with variables escaped, subject on one line, text made of the page where the template has none. Throws EmailError: a variable
 * that is missing or null, a fault of the template, more than 500 ms of computing, 256 KiB of variables, 1 MiB of a part or 500 characters of subject.
 * template_busy: nothing is wrong with the template, and another attempt may fare better. Who is impatient gets it behind four others of the tenant.
 */
export async function renderEmail(
  source: EmailSource,
  variables: Record<string, unknown>,
  tenantId: string,
  { impatient = false } = {},
): Promise<RenderedEmail> {
  const given = JSON.stringify(variables)
  if (given.length > variablesMax) throw ofAll('template_too_large', `the variables are longer than ${variablesMax / 1_024} KiB`)
  const reply = await ask({ source: sourceOf(source), variables: given }, tenantId, impatient)
  if ('rendered' in reply) return reply.rendered
  throw new EmailError('template_failed', reply.faults)
}
