// Every kind of process: its workflow's name is the kind, its workflow's id is kind/row id.
import { type EffectName, effects, type OwnProcess, ownProcesses } from './effects.ts'
import { type HostProcess, hostProcesses, type Process } from './host-processes.ts'

export type ProcessKind = OwnProcess | HostProcess

/** The effects that a process sends. */
export type EffectOf<K extends ProcessKind> = {
  [N in EffectName]: (typeof effects)[N] extends { host: infer H } ? (H extends K ? N : never) : N extends K ? N : never
}[EffectName]

/** The kinds whose workflows are signalled only by a start that asks for it. */
export type SignalledKind =
  | { [K in HostProcess]: (typeof hostProcesses)[K] extends { signalled: 'again' } ? K : never }[HostProcess]
  | { [K in OwnProcess]: (typeof effects)[K] extends { signalled: 'again' } ? K : never }[OwnProcess]

export const processes = {
  ...(Object.fromEntries(
    ownProcesses.map((name): [OwnProcess, Process] => {
      const { queue, ...row } = effects[name]
      return [name, { queue, outcome: true, ...('signalled' in row ? { signalled: row.signalled } : {}) }]
    }),
  ) as Record<OwnProcess, Process>),
  ...(hostProcesses as Record<HostProcess, Process>),
}
export const processKinds = Object.keys(processes) as ProcessKind[]
export const isProcessKind = (text: string): text is ProcessKind => Object.hasOwn(processes, text)

/** The kind of the process that sends an effect. */
export const processOf = (name: EffectName): ProcessKind => {
  const row = effects[name]
  return 'host' in row ? row.host : (name as OwnProcess)
}

export const workflowId = (kind: ProcessKind, rowId: string): string => `${kind}/${rowId}`

/** The id of the Temporal schedule of a workflow. */
export const scheduleId = (rowId: string): string => `schedule/${rowId}`
