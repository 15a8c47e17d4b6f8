// A template becomes a mail or a named error within half a second, whatever it does: it is rendered in a thread that is ended otherwise.
import { Worker } from 'node:worker_threads'
import type { EmailFault, EmailReply, EmailSource, EmailTask, RenderedEmail } from './rendering-worker.ts'

const wallMs = 500
const variablesMax = 262_144
const heapMb = 192
const threadsMax = 2

/** The message names part and line, for whoever wrote the template. */
export class EmailError extends Error {
  readonly code: 'template_failed' | 'template_timeout'
  readonly faults: readonly EmailFault[]
  constructor(code: 'template_failed' | 'template_timeout', faults: readonly EmailFault[]) {
    super(faults.map(({ part, line, message }) => `${part}${line ? `, line ${line}` : ''}: ${message}`).join('; '))
    this.code = code
    this.faults = faults
  }
}

type Job = { task: EmailTask; resolve(reply: EmailReply): void; reject(error: Error): void }
type Thread = { worker: Worker; ready: boolean; job: Job | undefined; timer: NodeJS.Timeout | undefined }

const threads = new Set<Thread>()
/** By tenant; the first in the map is the next, and goes behind the others. */
const waiting = new Map<string, Job[]>()

function next(): Job | undefined {
  for (const [tenant, jobs] of waiting) {
    const job = jobs.shift()
    waiting.delete(tenant)
    if (jobs.length > 0) waiting.set(tenant, jobs)
    return job
  }
  return undefined
}

function start(): void {
  const url = new URL('./rendering-worker.ts', import.meta.url)
  // No variable of ours is there to be found.
  const worker = new Worker(url, { name: 'rendering', env: {}, execArgv: [], resourceLimits: { maxOldGenerationSizeMb: heapMb } })
  const thread: Thread = { worker, ready: false, job: undefined, timer: undefined }
  threads.add(thread)
  worker.on('message', (message: 'ready' | EmailReply) => {
    if (message === 'ready') thread.ready = true
    else end(thread)?.resolve(message)
    work()
  })
  worker.once('error', (error: Error & { code?: string }) =>
    lose(thread, error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooMuch('the template needs too much memory') : error),
  )
}

const tooMuch = (message: string) => new EmailError('template_timeout', [{ part: 'body', line: null, message }])

function end(thread: Thread): Job | undefined {
  const { job } = thread
  clearTimeout(thread.timer)
  thread.job = undefined
  return job
}

function lose(thread: Thread, error: Error): void {
  if (!threads.delete(thread)) return
  end(thread)?.reject(error)
  thread.worker.terminate().catch(() => {})
  if (thread.ready) start()
  // One that never came up would not come up the next time: who waits is told.
  if (threads.size === 0) for (let job = next(); job; job = next()) job.reject(error)
  work()
}

function work(): void {
  for (const thread of threads) {
    if (!thread.ready || thread.job) continue
    const job = next()
    if (!job) break
    thread.job = job
    // Liquid's own limits are asked between two steps only.
    thread.timer = setTimeout(() => lose(thread, tooMuch(`the template takes longer than ${wallMs} ms`)), wallMs)
    thread.worker.postMessage(job.task)
  }
  // The process ends when nobody waits for a mail any more.
  const busy = waiting.size > 0 || [...threads].some(({ job }) => job)
  for (const { worker } of threads) {
    if (busy) worker.ref()
    else worker.unref()
  }
}

function ask(task: EmailTask, tenantId: string): Promise<EmailReply> {
  const { promise, resolve, reject } = Promise.withResolvers<EmailReply>()
  const jobs = waiting.get(tenantId) ?? []
  jobs.push({ task, resolve, reject })
  waiting.set(tenantId, jobs)
  while (threads.size < threadsMax) start()
  work()
  return promise
}

const sourceOf = ({ format, subject, body, text }: EmailSource): EmailSource => ({ format, subject, body, text: text ?? null })

/** What is wrong with a template whatever its variables are; empty if nothing is. Throws EmailError where it takes too long to tell. */
export async function checkEmail(source: EmailSource, tenantId: string): Promise<EmailFault[]> {
  const reply = await ask({ source: sourceOf(source), variables: null }, tenantId)
  return 'faults' in reply ? reply.faults : []
}

/**
 * A mail of a template: html with variables escaped, subject on one line, text made of the page where the template has none. Throws EmailError: a variable
 * that is missing or null, a fault of the template, more than 500 ms, 1 MiB of a part or 500 characters of subject.
 */
export async function renderEmail(source: EmailSource, variables: Record<string, unknown>, tenantId: string): Promise<RenderedEmail> {
  const given = JSON.stringify(variables)
  if (given.length > variablesMax)
    throw new EmailError('template_failed', [{ part: 'body', line: null, message: `the variables are longer than ${variablesMax / 1_024} KiB` }])
  const reply = await ask({ source: sourceOf(source), variables: given }, tenantId)
  if ('rendered' in reply) return reply.rendered
  throw new EmailError('template_failed', reply.faults)
}
