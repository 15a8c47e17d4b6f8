// Renders templates of e-mails in processes of their own. One that needs more than half a second of processor time is
// ended.
import type { Owner } from '../rules/fair-queue.ts'
import { newContainedPool } from './contained-process.ts'
import type {
  EmailFault,
  EmailReply,
  EmailResult,
  EmailSource,
  EmailTask,
  RenderedEmail,
} from './mail-renderer-process.ts'

export type { EmailFault, EmailSource } from './mail-renderer-process.ts'

/** Processor time of a template. */
const cpuMs = 500
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
const ofAll = (code: EmailError['code'], message: string) =>
  new EmailError(code, [{ part: 'body', line: null, message }])

const renderers = newContainedPool<EmailTask, EmailReply>('mail-renderer-process.ts', 'the renderer', {
  cpuMs,
  wallMs: 10_000,
  errors: {
    time: () => ofAll('template_timeout', `the template takes longer than ${cpuMs} ms`),
    busy: () => ofAll('template_busy', 'the machine is too busy to make the mail'),
    memory: () => ofAll('template_too_large', 'the template needs too much memory'),
  },
})

async function run(task: EmailTask, owner: Owner, impatient: boolean): Promise<EmailReply> {
  if (impatient && renderers.waiting(owner) >= waitingMax)
    throw ofAll('template_busy', 'other templates of the store are being made')
  return renderers.run(owner, task)
}

const sourceOf = ({ format, subject, body, text }: EmailSource): EmailSource => ({
  format,
  subject,
  body,
  text: text ?? null,
})

/**
 * The faults of a template that it has with any variables. Throws EmailError: template_timeout, template_too_large,
 * template_busy.
 */
export async function checkEmail(source: EmailSource, owner: Owner): Promise<EmailFault[]> {
  const reply = await run({ source: sourceOf(source), variables: null }, owner, true)
  return 'faults' in reply ? reply.faults : []
}

const failed = (faults: readonly EmailFault[]) => new EmailError('template_failed', faults)

/** JSON of the variables. Throws EmailError template_too_large. */
function given(variables: Record<string, unknown>): string {
  const json = JSON.stringify(variables)
  if (json.length > variablesMax)
    throw ofAll('template_too_large', `the variables are longer than ${variablesMax / 1_024} KiB`)
  return json
}

/**
 * Renders an e-mail: html with escaped variables, a subject of one line, and a text made of the html if the template
 * has none. Throws EmailError for a variable that is missing or null, a fault of the template, more than 500 ms of
 * processor time, 256 KiB of variables, 1 MiB of a part or 500 characters of subject; `template_busy` may succeed when
 * it is repeated. `impatient`: template_busy if four others of the tenant wait.
 */
export async function renderEmail(
  source: EmailSource,
  variables: Record<string, unknown>,
  owner: Owner,
  { impatient = false } = {},
): Promise<RenderedEmail> {
  const reply = await run({ source: sourceOf(source), variables: [given(variables)] }, owner, impatient)
  const result = 'results' in reply ? (reply.results[0] as EmailResult) : reply
  if ('rendered' in result) return result.rendered
  throw failed(result.faults)
}

/**
 * Renders many e-mails of one template, in the order of `variables`; one that cannot be rendered is the EmailError that
 * `renderEmail` throws. Tasks that exceed a limit are halved until the e-mail that exceeds it alone has failed. Throws
 * EmailError template_busy, which may succeed when it is repeated.
 */
export async function renderEmails(
  source: EmailSource,
  variables: readonly Record<string, unknown>[],
  owner: Owner,
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
      const reply = await run({ source: plain, variables: batch.map(({ json }) => json) }, owner, false)
      const done: EmailResult[] = 'results' in reply ? reply.results : batch.map(() => reply)
      for (const [n, result] of done.entries())
        results[(batch[n] as { at: number }).at] = 'rendered' in result ? result.rendered : failed(result.faults)
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
