// What the catcher was asked to do wrong, at which step of a session.
import type { Socket } from 'node:net'
import type { SMTPServerSession } from 'smtp-server'

export type Step = 'connect' | 'auth' | 'mail' | 'rcpt' | 'data' | 'after_data'
/**
 * `reject` sends `code` and `message`; `cut` sends the first half of that and closes the connection. `delay` goes on
 * after `delay_ms`; `stray_reply` sends `250` and `message` before its own reply. `greylist`: at `rcpt`, each pair of
 * sender and recipient is refused until `delay_ms` after its first attempt; `times` is ignored. `rename`: at
 * `after_data`, the server writes a Message-ID of its own, and says it in its reply.
 */
export type Fault = {
  step: Step
  action: (typeof actions)[number]
  code: number
  message: string
  times: number
  delay_ms: number
  to?: string
}
export type Done = (error?: Error | null) => void

const actions = ['reject', 'hang', 'reset', 'cut', 'delay', 'stray_reply', 'greylist', 'rename'] as const
const steps: Step[] = ['connect', 'auth', 'mail', 'rcpt', 'data', 'after_data']
/** The step that alone has this action. */
const stepOf: Partial<Record<Fault['action'], Step>> = { greylist: 'rcpt', rename: 'after_data' }

let faults: Fault[] = []
/** Time of the first attempt of each pair of sender and recipient. */
const seenAt = new Map<string, number>()
/** Open connections by the port of the client. */
export const sockets = new Map<number, Socket>()

export const forgetFaults = (): void => {
  faults = []
}

export function takeFault(step: Step, to: string[]): Fault | undefined {
  const found = faults.find((fault) => fault.step === step && (!fault.to || to.includes(fault.to.toLowerCase())))
  if (found?.action !== 'greylist' && found && --found.times <= 0) faults = faults.filter((fault) => fault !== found)
  return found
}

/** Hang: the callback is never called, so the client gets no response. */
export function strike(fault: Fault, { remotePort }: SMTPServerSession, done: Done): void {
  const socket = sockets.get(remotePort)
  if (fault.action === 'reset') socket?.resetAndDestroy()
  if (fault.action === 'cut') socket?.end(halfOf(fault))
  if (fault.action === 'reject') done(rejection(fault))
  if (fault.action === 'delay') setTimeout(done, fault.delay_ms)
  if (fault.action === 'stray_reply') {
    socket?.write(`250 ${fault.message}\r\n`)
    done()
  }
}

/** Whether the server goes on after the fault, with the reply that it would have sent. */
export const goesOn = ({ action }: Fault): boolean =>
  action === 'delay' || action === 'stray_reply' || action === 'rename'

export function greylist(fault: Fault, { envelope: { mailFrom } }: SMTPServerSession, to: string, done: Done): void {
  const pair = `${mailFrom ? mailFrom.address : ''} ${to}`
  const now = Date.now()
  if (!seenAt.has(pair)) seenAt.set(pair, now)
  done(now - (seenAt.get(pair) ?? now) < fault.delay_ms ? rejection(fault) : null)
}

const rejection = ({ code, message }: Fault) => Object.assign(new Error(message), { responseCode: code })
const halfOf = ({ code, message }: Fault) => `${code} ${message}`.slice(0, (4 + message.length) >> 1)

/** smtp-server has no hook that can refuse before 354, so the socket writes the refusal, or nothing. */
export function refuseData(fault: Fault, session: SMTPServerSession): void {
  const socket = sockets.get(session.remotePort)
  if (fault.action === 'reset') socket?.resetAndDestroy()
  if (fault.action === 'reject') socket?.end(`${fault.code} ${fault.message}\r\n`)
  if (fault.action === 'cut') socket?.end(halfOf(fault))
  socket?.cork()
}

export function addFault(given: Partial<Fault>): Fault {
  const code = given.action === 'greylist' ? 451 : 550
  const fault = {
    action: 'reject',
    code,
    message: 'A fault was asked for',
    times: 1,
    delay_ms: given.action === 'delay' ? 1_000 : 300_000,
    ...given,
  } as Fault
  if (!steps.includes(fault.step)) throw new SyntaxError(`step: must be one of ${steps.join(', ')}`)
  if (!actions.includes(fault.action)) throw new SyntaxError(`action: must be one of ${actions.join(', ')}`)
  const only = stepOf[fault.action]
  if (only && fault.step !== only) throw new SyntaxError(`${fault.action} is an action of the step ${only}`)
  if (['connect', 'auth', 'mail'].includes(fault.step) && fault.to)
    throw new SyntaxError(`to is not known at the step ${fault.step}`)
  faults.push(fault)
  return fault
}
