// Every fault stands here with what it struck and when exactly: what is called unknown must have one of them inside its send.

/**
 * Milliseconds since 1970; `to` is `from` for what struck at one moment. `key`: it struck this row's attempt alone.
 * `back`: when what was killed was there again.
 */
export type Fault = { kind: string; victim: string; what: string; from: number; to: number; key?: string; back?: number }

export type Timeline = {
  /** From now on; what it returns ends it. */
  begin(kind: string, victim: string, what: string, from?: number): () => void
  at(kind: string, victim: string, what: string, when?: number): void
  /** It began then, and is over now; what it returns says that what was struck is there again. */
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

/** One line each, in their order, in seconds since the round began. */
export const told = (faults: readonly Fault[], zero: number): string[] =>
  byTime(faults).map(({ kind, victim, what, from, to, key }) => {
    const when = from === to ? clock(from, zero) : `${clock(from, zero)} to ${clock(to, zero)}`
    return `${when}  ${kind} ${victim}: ${what}${key === undefined ? '' : ` (${key})`}`
  })
