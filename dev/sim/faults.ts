// A fault applies to the requests that it describes, `times` times. The ledger records what really happened.
import type { FreeAnswer } from './free-answer.ts'

const kinds = [
  'refuse',
  'reset_before_read',
  'reset_after_read',
  'hang',
  'delay',
  'status',
  'answer',
  'break_body',
] as const

/**
 * `path` is a prefix, or the whole path if it has `*`. `after_effect`: the request is carried out before the fault.
 * `status` answers in the provider's format, `answer` like a gateway: with the given status, headers and body, cut off
 * or slow.
 */
export type Fault = Omit<FreeAnswer, 'status'> & {
  fault: (typeof kinds)[number]
  method?: string
  path?: string
  account?: string
  key?: string
  /** Of a network: the name of the account whose code or token the request has. */
  owner?: string
  /** A name under which a test clears its own faults. */
  label?: string
  body_match?: string
  times: number
  status: number
  /** Of an error in the provider's format: its code, the subcode and `is_transient` of Graph, the reason of Google. */
  code?: string
  subcode?: number
  is_transient?: boolean
  reason?: string
  type?: string
  delay_ms: number
  after_effect: boolean
}

/** A fault that cannot be: the control answers 400. */
export class BadFault extends Error {}

let faults: Fault[] = []
let hanging: (() => void)[] = []

export function addFault(given: Record<string, unknown>): Fault {
  const fault = { times: 1, status: 503, delay_ms: 1000, after_effect: given.fault === 'break_body', ...given } as Fault
  if (!kinds.includes(fault.fault)) throw new BadFault(`fault: must be one of ${kinds.join(', ')}`)
  const blind = fault.fault === 'refuse' || fault.fault === 'reset_before_read'
  if (blind && (fault.after_effect || fault.body_match || fault.owner))
    throw new BadFault(`${fault.fault} happens before a body is read: no body_match, no owner, no after_effect`)
  if (fault.fault === 'refuse' && (fault.method || fault.path || fault.account || fault.key))
    throw new BadFault('refuse happens before anything is read: it cannot know method, path, account or key')
  faults.push(fault)
  return fault
}

/** With an owner or a label, those faults alone; requests that hang go on hanging. */
export function clearFaults(owner: string | null = null, label: string | null = null): void {
  const isMeant = (fault: Fault) =>
    (owner === null || fault.owner === owner) && (label === null || fault.label === label)
  faults = faults.filter((fault) => !isMeant(fault))
  if (owner !== null || label !== null) return
  for (const release of hanging) release()
  hanging = []
}

export const listFaults = (): Fault[] => faults

export function hang(release: () => void): void {
  hanging.push(release)
}

/** Refuses the connection. */
export const takeRefusal = () => take((fault) => fault.fault === 'refuse')

type Head = { method: string; path: string; account: string; key: string | null; owner?: string | undefined }

/** Decided by the head alone. */
export const takeReset = (call: Head) => take((fault) => fault.fault === 'reset_before_read' && fits(fault, call))

export const takeFault = (call: Head & { body: string | null }) =>
  take(
    (fault) =>
      fault.fault !== 'refuse' &&
      fault.fault !== 'reset_before_read' &&
      fits(fault, call) &&
      holds(call.body ?? '', fault.body_match),
  )

function take(test: (fault: Fault) => boolean): Fault | undefined {
  if (faults.length === 0) return undefined
  const found = faults.find(test)
  if (found && --found.times <= 0) faults = faults.filter((fault) => fault !== found)
  return found
}

function fits(fault: Fault, call: Head): boolean {
  return (
    (!fault.method || fault.method.toUpperCase() === call.method) &&
    (!fault.path || pathFits(fault.path, call.path)) &&
    (fault.account === undefined || fault.account === call.account) &&
    (fault.key === undefined || fault.key === call.key) &&
    (fault.owner === undefined || fault.owner === call.owner)
  )
}

function pathFits(pattern: string, path: string): boolean {
  if (!pattern.includes('*')) return path.startsWith(pattern)
  return new RegExp(`^${pattern.split('*').map(literal).join('.*')}$`).test(path)
}

const literal = (text: string) => text.replace(/[.+?^${}()|[\]\\]/g, '\\$&')

export function holds(body: string, text: string | undefined): boolean {
  return (
    !text ||
    body.includes(text) ||
    [...new URLSearchParams(body)]
      .map((pair) => pair.join('='))
      .join('&')
      .includes(text)
  )
}
