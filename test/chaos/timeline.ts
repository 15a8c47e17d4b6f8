// Every fault with its victim and exact time: each unknown outcome must have a fault during its send.

/**
 * Milliseconds since 1970; `to` is `from` for a fault at one moment. `key`: it affects this row's attempt alone.
 * `back`: when a killed process was running again.
 */
export type Fault = {
  kind: string
  victim: string
  what: string
  from: number
  to: number
  key?: string
  back?: number
}

export type Timeline = {
  /** Begins a fault now; the returned function ends it. */
  begin(kind: string, victim: string, what: string, from?: number): () => void
  at(kind: string, victim: string, what: string, when?: number): void
  /** A fault that began then and is over now; the returned function records that its victim is running again. */
  since(kind: string, victim: string, what: string, from: number): () => void
  all(): Fault[]
  clear(): void
}

const byTime = (faults: readonly Fault[]): Fault[] => faults.toSorted((a, b) => a.from - b.from)

export function newTimeline(): Timeline {
  let faults: Fault[] = []
  const add = (fault: Fault): Fault => {
    faults.push(fault)
    return fault
  }
  return {
    begin(kind, victim, what, from = Date.now()) {
      const fault = add({ kind, victim, what, from, to: Number.POSITIVE_INFINITY })
      return () => {
        fault.to = Date.now()
      }
    },
    at: (kind, victim, what, when = Date.now()) => void add({ kind, victim, what, from: when, to: when }),
    since(kind, victim, what, from) {
      const fault = add({ kind, victim, what, from, to: Date.now() })
      return () => {
        fault.back = Date.now()
      }
    },
    all: () => byTime(faults.map((fault) => ({ ...fault }))),
    clear() {
      faults = []
    },
  }
}

const clock = (at: number, zero: number) => (Number.isFinite(at) ? `+${((at - zero) / 1000).toFixed(3)} s` : 'the end')

/** One line each in order of time, in seconds since the round began. */
export const told = (faults: readonly Fault[], zero: number): string[] =>
  byTime(faults).map(({ kind, victim, what, from, to, key }) => {
    const when = from === to ? clock(from, zero) : `${clock(from, zero)} to ${clock(to, zero)}`
    return `${when}  ${kind} ${victim}: ${what}${key === undefined ? '' : ` (${key})`}`
  })
