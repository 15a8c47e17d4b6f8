// Renders templates of e-mails in processes of their own. One that needs more than half a second of processor time is ended.
import { type ChildProcess, fork } from 'node:child_process'
import fs from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Member, newJobPool, type Reports } from './job-pool.ts'
import type { EmailFault, EmailReply, EmailResult, EmailSource, EmailTask, RenderedEmail } from './mail-renderer-process.ts'

export type { EmailFault, EmailSource } from './mail-renderer-process.ts'

/** Processor time of a template: a busy machine causes no timeout. */
const cpuMs = 500
const wallMs = 10_000
const variablesMax = 262_144
/** E-mails of one task. */
const batchMax = 50
/** Waiting jobs of one tenant behind which a request with an open connection is refused. */
const waitingMax = 4

/** The message is for the author of the template and names part and line. */
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
/** The process reads its own code and packages only, writes no files, and starts no processes. Symbolic links are resolved, as Node checks real paths. */
const readable = ['mail-renderer-process.ts', '../package.json', '../node_modules/'].flatMap((path) => {
  const real = fs.realpathSync(here(path))
  return [here(path), path.endsWith('/') ? `${real}/` : real]
})

type Renderer = Member<EmailTask> & { child: ChildProcess }

/**
 * A process, since a thread whose heap fills within one allocation (a join, a replacement) ends the whole process, in spite of its limits. It has none of our
 * environment variables, and its output, which may hold data of users when V8 fails, is discarded.
 */
function startRenderer({ ready, reply, gone }: Reports<EmailReply>): Renderer {
  const child = fork(here('mail-renderer-process.ts'), {
    env: {},
    // Half the processor time of JSON, which pages of many e-mails would otherwise cost on both sides.
    serialization: 'advanced',
    execArgv: ['--max-old-space-size=192', '--disable-warning=ExperimentalWarning', '--permission', ...readable.map((path) => `--allow-fs-read=${path}`)],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  let started = false
  child.on('message', (message: 'ready' | EmailReply) => {
    started = true
    if (message === 'ready') ready()
    else reply(message, message.spent)
  })
  child.once('error', gone)
  // The channel of a killed process closes before its end is reported.
  for (const event of ['disconnect', 'exit'])
    child.once(event, () => gone(started ? ofAll('template_too_large', 'the template needs too much memory') : new Error('the renderer did not start')))
  return {
    child,
    send: (task) => child.send(task),
    end: () => child.kill('SIGKILL'),
    hold(on) {
      const change = on ? 'ref' : 'unref'
      child[change]()
      child.channel?.[change]()
    },
  }
}

/** Milliseconds of processor time of the process; null where the system does not provide them (Linux does, in hundredths of a second: proc(5)). */
function cpuOf({ pid }: ChildProcess): number | null {
  try {
    const [, rest] = /\) (.*)/.exec(fs.readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
    const [user, system] = rest?.split(' ').slice(11) ?? []
    return (Number(user) + Number(system)) * 10
  } catch {
    return null
  }
}

/** Limits the processor time of a template from outside: Liquid checks its own limits only between two steps. */
function watchRenderer({ child }: Renderer, exceeded: (error: Error) => void): () => void {
  const before = cpuOf(child)
  const begun = performance.now()
  let timer: NodeJS.Timeout
  const checkIn = (ms: number) => {
    timer = setTimeout(check, Math.max(20, ms)).unref()
  }
  function check(): void {
    const now = cpuOf(child)
    const left = before === null || now === null ? 0 : before + cpuMs - now
    if (left <= 0) exceeded(ofAll('template_timeout', `the template takes longer than ${cpuMs} ms`))
    else if (performance.now() - begun >= wallMs) exceeded(ofAll('template_busy', 'the machine is too busy to make the mail'))
    else checkIn(left)
  }
  checkIn(cpuMs)
  return () => clearTimeout(timer)
}

const renderers = newJobPool<EmailTask, EmailReply, Renderer>({ size: 2, start: startRenderer, watch: watchRenderer, startMs: 30_000, idleMs: 60_000 })

async function run(task: EmailTask, tenantId: string, impatient: boolean): Promise<EmailReply> {
  if (impatient && renderers.waiting(tenantId) >= waitingMax) throw ofAll('template_busy', 'other templates of the store are being made')
  return renderers.run(tenantId, task)
}

const sourceOf = ({ format, subject, body, text }: EmailSource): EmailSource => ({ format, subject, body, text: text ?? null })

/** The faults of a template that it has with any variables. Throws EmailError: template_timeout, template_too_large, template_busy. */
export async function checkEmail(source: EmailSource, tenantId: string): Promise<EmailFault[]> {
  const reply = await run({ source: sourceOf(source), variables: null }, tenantId, true)
  return 'faults' in reply ? reply.faults : []
}

const failed = (faults: readonly EmailFault[]) => new EmailError('template_failed', faults)

/** JSON of the variables. Throws EmailError template_too_large. */
function given(variables: Record<string, unknown>): string {
  const json = JSON.stringify(variables)
  if (json.length > variablesMax) throw ofAll('template_too_large', `the variables are longer than ${variablesMax / 1_024} KiB`)
  return json
}

/**
 * Renders an e-mail: html with escaped variables, a subject of one line, and a text made of the html if the template has none. Throws EmailError for a variable
 * that is missing or null, a fault of the template, more than 500 ms of processor time, 256 KiB of variables, 1 MiB of a part or 500 characters of subject;
 * `template_busy` may succeed when it is repeated. `impatient`: template_busy if four others of the tenant wait.
 */
export async function renderEmail(
  source: EmailSource,
  variables: Record<string, unknown>,
  tenantId: string,
  { impatient = false } = {},
): Promise<RenderedEmail> {
  const reply = await run({ source: sourceOf(source), variables: [given(variables)] }, tenantId, impatient)
  const result = 'results' in reply ? (reply.results[0] as EmailResult) : reply
  if ('rendered' in result) return result.rendered
  throw failed(result.faults)
}

/**
 * Renders many e-mails of one template, in the order of `variables`; one that cannot be rendered is the EmailError that `renderEmail` throws. Tasks that exceed a limit are halved
 * until the e-mail that exceeds it alone has failed. Throws EmailError template_busy, which may succeed when it is repeated.
 */
export async function renderEmails(
  source: EmailSource,
  variables: readonly Record<string, unknown>[],
  tenantId: string,
): Promise<(RenderedEmail | EmailError)[]> {
  const results: (RenderedEmail | EmailError)[] = Array(variables.length)
  const waiting: { at: number; json: string }[] = []
  for (const [at, one] of variables.entries()) {
    try {
      waiting.push({ at, json: given(one) })
    } catch (error) {
      results[at] = error as EmailError
    }
  }
  const plain = sourceOf(source)
  let most = batchMax
  while (waiting.length > 0) {
    const batch = waiting.slice(0, most)
    try {
      const reply = await run({ source: plain, variables: batch.map(({ json }) => json) }, tenantId, false)
      const done: EmailResult[] = 'results' in reply ? reply.results : batch.map(() => reply)
      for (const [n, result] of done.entries()) results[(batch[n] as { at: number }).at] = 'rendered' in result ? result.rendered : failed(result.faults)
      waiting.splice(0, done.length)
      most = Math.min(batchMax, 2 * most)
    } catch (error) {
      if (!(error instanceof EmailError) || error.code === 'template_busy') throw error
      if (batch.length === 1) results[(waiting.shift() as { at: number }).at] = error
      else most = Math.ceil(batch.length / 2)
    }
  }
  return results
}
