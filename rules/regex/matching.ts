// Matches texts against patterns that operators wrote. The work is counted, and a record that takes too much is
// refused.
import type { Atom } from './atoms.ts'
import { type Pattern, patternOf, stepsOf } from './patterns.ts'

/** Length of a text that is matched; longer ones are refused. */
export const MATCHED_MAX = 1000
/** Limit of the work for one record, in units of about a nanosecond, estimated conservatively. */
const WORK_MAX = 50_000_000
/** Limit of cached states and characters of all patterns, 20 MiB at most. The cache is cleared when it is full. */
const REMEMBERED_MAX = 5_000

// Costs by measurement, rounded up.
const price = { character: 10, test: 150, known: 500, step: 1_500, word: 5, source: 200, made: 500, entry: 20 }

type Work = { left: number; remembered: number }

/** A DFA state: a set of steps. `next` by character class, computed at the first use. */
type State = { set: Uint32Array; next: (State | undefined)[]; isDead: boolean; isEnd: boolean }

const machineOf = (pattern: Pattern, work: Work) => {
  const steps = stepsOf(pattern)
  const words = (steps.length + 31) >>> 5
  work.left -= price.made * steps.length
  const add = (set: Uint32Array, at: number) => {
    set[at >>> 5] = (set[at >>> 5] as number) | (1 << (at & 31))
  }

  /** The steps that can be reached without consuming a character. */
  const reached = (from: number): Uint32Array => {
    const set = new Uint32Array(words)
    const seen = new Uint8Array(steps.length)
    const open = [from]
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (seen[at]) continue
      seen[at] = 1
      const step = steps[at]
      if (step && step !== 'end' && 'to' in step) {
        open.push(...step.to)
        work.left -= price.entry * step.to.length
      } else add(set, at)
      work.left -= price.entry
    }
    return set
  }
  const after: (Uint32Array | undefined)[] = []

  const places = new Map<Atom, Uint32Array>()
  for (const [at, step] of steps.entries()) {
    if (step === 'end' || 'to' in step) continue
    const set = places.get(step.atom) ?? new Uint32Array(words)
    places.set(step.atom, set)
    add(set, at)
  }
  const tests = [...places.keys()].reduce((total, atom) => total + atom.tests, 0)

  /** Class of each character: characters that the same steps accept have the same class. */
  const classes = new Map<number, number>()
  const classByName = new Map<string, number>()
  const taken: Uint32Array[] = []
  const classify = (point: number): number => {
    const set = new Uint32Array(words)
    for (const [atom, where] of places)
      if (atom.is(point))
        for (let word = 0; word < words; word++) set[word] = (set[word] as number) | (where[word] as number)
    const name = set.join()
    const found = classByName.get(name) ?? taken.push(set) - 1
    classByName.set(name, found)
    classes.set(point, found)
    work.left -= price.known + price.test * tests + price.word * words * places.size
    work.remembered++
    return found
  }

  const states = new Map<string, State>()
  const stateOf = (set: Uint32Array): State => {
    const name = set.join()
    const found = states.get(name)
    if (found) return found
    const end = steps.length - 1
    const state = {
      set: set.slice(),
      next: [],
      isDead: set.every((word) => word === 0),
      isEnd: (((set[end >>> 5] as number) >>> (end & 31)) & 1) === 1,
    }
    states.set(name, state)
    work.remembered++
    return state
  }
  const scratch = new Uint32Array(words)
  const go = (from: State, by: number): State => {
    const takes = taken[by] as Uint32Array
    scratch.fill(0)
    let count = 0
    for (let word = 0; word < words; word++) {
      for (let bits = (from.set[word] as number) & (takes[word] as number); bits !== 0; bits &= bits - 1) {
        const at = word * 32 + 31 - Math.clz32(bits & -bits)
        after[at] ??= reached(at + 1)
        const set = after[at]
        for (let each = 0; each < words; each++) scratch[each] = (scratch[each] as number) | (set[each] as number)
        count++
      }
    }
    work.left -= price.step + price.word * words * count
    const state = stateOf(scratch)
    from.next[by] = state
    return state
  }

  const first = stateOf(reached(0))
  /** The result is meaningless if the work limit was reached. */
  return (text: string): boolean => {
    let state = first
    work.left -= price.character * text.length
    for (let at = 0; at < text.length; at++) {
      const point = text.codePointAt(at) as number
      if (point > 0xffff) at++
      const by = classes.get(point) ?? classify(point)
      state = state.next[by] ?? go(state, by)
      if (state.isDead) return false
      if (work.left < 0) return false
    }
    return state.isEnd
  }
}

type Machine = ReturnType<typeof machineOf>
type Verdict = 'too_big' | 'invalid_format' | 'too_much_to_match' | null

export type Matching = ReturnType<typeof matching>

/**
 * Matches texts against sources of patterns with a lazy DFA (over Thompson's NFA), in one pass over the text. The work
 * is counted: the text at which a record exceeds `WORK_MAX`, less than a tenth of a second, is `too_much_to_match`, and
 * later texts are not checked. An invalid pattern accepts every text. `renew` starts another record and keeps the
 * machines.
 */
export const matching = () => {
  const work: Work = { left: WORK_MAX, remembered: 0 }
  const machines = new Map<string, Machine | null>()
  const machineFor = (source: string): Machine | null => {
    const cached = machines.get(source)
    if (cached !== undefined) return cached
    const pattern = patternOf(source)
    const machine = pattern && machineOf(pattern, work)
    machines.set(source, machine)
    work.left -= price.source * source.length + price.known
    work.remembered++
    return machine
  }
  const judged = (source: string, text: string): Verdict => {
    const machine = machineFor(source)
    if (!machine) return null
    if (text.length > MATCHED_MAX) return 'too_big'
    return machine(text) ? null : 'invalid_format'
  }
  return {
    verdict(source: string, text: string): Verdict {
      if (work.left < 0) return null
      if (work.remembered > REMEMBERED_MAX) {
        machines.clear()
        work.remembered = 0
      }
      const verdict = judged(source, text)
      return work.left < 0 ? 'too_much_to_match' : verdict
    },
    renew() {
      work.left = WORK_MAX
    },
  }
}
