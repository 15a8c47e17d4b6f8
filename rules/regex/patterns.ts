// Parses patterns that operators wrote. Patterns that one pass over a text cannot decide are refused.
import { type Atom, atomOf, Malformed } from './atoms.ts'

export const PATTERN_MAX = 256
/** Limit of steps of a compiled pattern, with repetitions expanded. */
const STEPS_MAX = 250
/** Limit of visited nodes: empty repetitions have no steps. */
const VISITS_MAX = 4 * STEPS_MAX

type Part = { atom: Atom } | { all: Tree[] } | { any: Tree[] } | { of: Tree; min: number; max: number }
/** Counted without compiling: most patterns are only checked when a schema is written. */
type Tree = Part & { steps: number; visits: number }

/** One character, a branch, or the end. */
export type Step = { atom: Atom } | { to: number[] } | 'end'
export type Pattern = Tree

const sum = (parts: readonly Tree[], of: (part: Tree) => number) => parts.reduce((total, part) => total + of(part), 0)
const single = (atom: Atom): Tree => ({ atom, steps: 1, visits: 1 })
const sequence = (all: Tree[]): Tree => ({
  all,
  steps: sum(all, ({ steps }) => steps),
  visits: 1 + sum(all, ({ visits }) => visits),
})
const choice = (any: Tree[]): Tree => ({
  any,
  steps: 1 + sum(any, ({ steps }) => steps + 1),
  visits: 1 + sum(any, ({ visits }) => visits),
})
const repetition = (of: Tree, min: number, max: number): Tree => {
  const isOpen = max === Number.POSITIVE_INFINITY
  const steps = min * of.steps + (isOpen ? of.steps + 2 : (max - min) * (of.steps + 1))
  return { of, min, max, steps, visits: 1 + (isOpen ? min + 1 : max) * of.visits }
}

// Constructs that depend on more than one character (back references, lookaround, word boundaries) are not tokens.
const tokens =
  /\\[dDwWsSpP](?:\{[A-Za-z_=]+\})?|\\[trnfv]|\\[^A-Za-z0-9]|\[(?:\\.|[^\]\\])*\]|[*+?]|\{\d{1,3}(?:,\d{0,3})?\}|\(\?:|[().|]/suy
const special = new Set('\\[]{}()*+?|^$.')
const isRepetition = (token: string | undefined) => token !== undefined && '*+?{'.includes(token.charAt(0))

const tokensOf = (source: string): string[] => {
  const found: string[] = []
  for (let at = 0; at < source.length; ) {
    let token = String.fromCodePoint(source.codePointAt(at) as number)
    if (special.has(token)) {
      tokens.lastIndex = at
      if (!tokens.test(source)) throw new Malformed()
      token = source.slice(at, tokens.lastIndex)
    }
    found.push(token)
    at += token.length
  }
  return found
}

const boundsOf = (token: string): [number, number] => {
  if (token === '*') return [0, Number.POSITIVE_INFINITY]
  if (token === '+') return [1, Number.POSITIVE_INFINITY]
  if (token === '?') return [0, 1]
  const [min = '', max] = token.slice(1, -1).split(',')
  return [Number(min), max === undefined ? Number(min) : max === '' ? Number.POSITIVE_INFINITY : Number(max)]
}

const parse = (source: string): Tree => {
  const rest = tokensOf(source).reverse()
  const atoms = new Map<string, Atom>()
  const one = (): Tree => {
    const token = rest.pop()
    if (token === undefined || token === ')' || isRepetition(token)) throw new Malformed()
    if (token === '(' || token === '(?:') {
      const inner = branches()
      if (rest.pop() !== ')') throw new Malformed()
      return inner
    }
    const atom = atoms.get(token) ?? atomOf(token)
    atoms.set(token, atom)
    return single(atom)
  }
  const repeated = (): Tree => {
    const of = one()
    if (!isRepetition(rest.at(-1))) return of
    const [min, max] = boundsOf(rest.pop() ?? '')
    // A lazy quantifier makes no difference, as the whole text must match.
    if (rest.at(-1) === '?') rest.pop()
    if (min > max) throw new Malformed()
    return repetition(of, min, max)
  }
  const branch = (): Tree => {
    const all: Tree[] = []
    while (rest.length > 0 && rest.at(-1) !== '|' && rest.at(-1) !== ')') all.push(repeated())
    return sequence(all)
  }
  const branches = (): Tree => {
    const any = [branch()]
    while (rest.at(-1) === '|') {
      rest.pop()
      any.push(branch())
    }
    return any.length === 1 && any[0] ? any[0] : choice(any)
  }
  const whole = branches()
  if (rest.length > 0) throw new Malformed()
  return whole
}

/** The steps of a pattern; the last one is the end. */
export const stepsOf = (pattern: Pattern): Step[] => {
  const steps: Step[] = []
  const split = (...to: number[]) => {
    const step = { to }
    steps.push(step)
    return step
  }
  const emit = (node: Tree): void => {
    if ('atom' in node) steps.push({ atom: node.atom })
    else if ('all' in node) node.all.forEach(emit)
    else if ('any' in node) {
      const fork = split()
      const ends = node.any.map((branch) => {
        fork.to.push(steps.length)
        emit(branch)
        return split()
      })
      for (const end of ends) end.to.push(steps.length)
    } else {
      for (let count = 0; count < node.min; count++) emit(node.of)
      if (node.max === Number.POSITIVE_INFINITY) {
        const start = steps.length
        const fork = split(start + 1)
        emit(node.of)
        split(start)
        fork.to.push(steps.length)
      } else {
        const forks = Array.from({ length: node.max - node.min }, () => {
          const fork = split(steps.length + 1)
          emit(node.of)
          return fork
        })
        for (const fork of forks) fork.to.push(steps.length)
      }
    }
  }
  emit(pattern)
  return [...steps, 'end']
}

/**
 * Parses the subset of regular expressions that can be matched in one pass (Thompson): literals, `.`, classes, `\d \w
 * \s \p{…}`, groups, `|`, `* + ? {m,n}`. The whole text must match, as in HTML's `pattern` attribute; `^` at the start
 * and `$` at the end are redundant. Null for a pattern that is malformed, longer than 256 characters, has more than 250
 * steps, or requires backtracking (back references, lookaround).
 */
export const patternOf = (source: string): Pattern | null => {
  if (source.length > PATTERN_MAX) return null
  try {
    const pattern = parse(source.replace(/^\^/, '').replace(/(?<!\\)((?:\\\\)*)\$$/, '$1'))
    return pattern.steps > STEPS_MAX || pattern.visits > VISITS_MAX ? null : pattern
  } catch (error) {
    // JavaScript throws SyntaxError for an unknown class or property.
    if (error instanceof Malformed || error instanceof SyntaxError) return null
    throw error
  }
}
