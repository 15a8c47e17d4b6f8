// A pattern that a customer wrote costs at most its steps times the characters it is held against, whatever the two are.

export const PATTERN_MAX = 256
/** Of a text that is held against a pattern; a longer one is refused before. */
export const MATCHED_MAX = 1000
/** Of a compiled pattern: a repetition counts as often as it repeats. */
const STEPS_MAX = 250

type Atom = (char: string) => boolean
type Tree = { atom: Atom } | { all: Tree[] } | { any: Tree[] } | { of: Tree; min: number; max: number }
type Step = { atom: Atom } | { to: number[] } | 'end'

/** Whether a whole text is as the pattern says. */
export type Pattern = (text: string) => boolean

class Malformed extends Error {}

// What could make a match depend on anything but one character (back references, looking around, word bounds) is no token.
const tokens =
  /\\[dDwWsSpP](?:\{[A-Za-z_=]+\})?|\\[trnfv]|\\[^A-Za-z0-9]|\[(?:\\.|[^\]\\])*\]|[*+?]|\{\d{1,3}(?:,\d{0,3})?\}|\(\?:|[().|]|[^\\[\]{}()*+?|^$.]/suy
const isRepetition = (token: string | undefined) => token !== undefined && /^([*+?]|\{\d.*)$/.test(token)

const tokensOf = (source: string): string[] => {
  const found: string[] = []
  tokens.lastIndex = 0
  for (let at = 0; at < source.length; at = tokens.lastIndex) {
    const token = tokens.exec(source)?.[0]
    if (token === undefined) throw new Malformed()
    found.push(token)
  }
  return found
}

/** One character is all the engine of the language is asked about, and each only once. */
const atomOf = (token: string): Atom => {
  if (/^(\\[^A-Za-z0-9]|[^\\[.])$/su.test(token)) {
    const literal = token.replace(/^\\/, '')
    return (char) => char === literal
  }
  const expression = new RegExp(`^${token}$`, 'u')
  const known = new Map<string, boolean>()
  return (char) => {
    const answer = known.get(char) ?? expression.test(char)
    known.set(char, answer)
    return answer
  }
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
  const single = (): Tree => {
    const token = rest.pop()
    if (token === undefined || token === ')' || isRepetition(token)) throw new Malformed()
    if (token === '(' || token === '(?:') {
      const inner = branches()
      if (rest.pop() !== ')') throw new Malformed()
      return inner
    }
    const atom = atoms.get(token) ?? atomOf(token)
    atoms.set(token, atom)
    return { atom }
  }
  const repeated = (): Tree => {
    const of = single()
    if (!isRepetition(rest.at(-1))) return of
    const [min, max] = boundsOf(rest.pop() ?? '')
    // Lazy or not, a whole text is matched or is not.
    if (rest.at(-1) === '?') rest.pop()
    if (min > max) throw new Malformed()
    return { of, min, max }
  }
  const sequence = (): Tree => {
    const all: Tree[] = []
    while (rest.length > 0 && rest.at(-1) !== '|' && rest.at(-1) !== ')') all.push(repeated())
    return { all }
  }
  const branches = (): Tree => {
    const any = [sequence()]
    while (rest.at(-1) === '|') {
      rest.pop()
      any.push(sequence())
    }
    return any.length === 1 && any[0] ? any[0] : { any }
  }
  const whole = branches()
  if (rest.length > 0) throw new Malformed()
  return whole
}

const stepsOf = (tree: Tree): Step[] => {
  const steps: Step[] = []
  // Counted by visit, not by step: what is empty repeats for free otherwise.
  let left = STEPS_MAX * 4
  const split = (...to: number[]) => {
    const step = { to }
    steps.push(step)
    return step
  }
  const emit = (node: Tree): void => {
    left--
    if (left < 0 || steps.length > STEPS_MAX) throw new Malformed()
    if ('atom' in node) steps.push(node)
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
  emit(tree)
  if (steps.length > STEPS_MAX) throw new Malformed()
  return [...steps, 'end']
}

const enter = (steps: readonly Step[], states: Set<number>, at: number): void => {
  if (states.has(at)) return
  states.add(at)
  const step = steps[at]
  if (step && step !== 'end' && 'to' in step) for (const to of step.to) enter(steps, states, to)
}

/**
 * Compiles the subset of regular expressions that one pass over the text decides (Thompson): literals, `.`, classes, `\d \w \s \p{…}`, groups,
 * `|`, `* + ? {m,n}`. The whole text has to match, as in HTML's `pattern` attribute; `^` at the start and `$` at the end say so again.
 * Null: malformed, longer than 256 characters, more than 250 steps, or in need of backtracking (back references, looking around).
 */
export const patternOf = (source: string): Pattern | null => {
  if (source.length > PATTERN_MAX) return null
  try {
    const steps = stepsOf(parse(source.replace(/^\^/, '').replace(/(?<!\\)((?:\\\\)*)\$$/, '$1')))
    return (text) => {
      let states = new Set<number>()
      enter(steps, states, 0)
      for (const char of text) {
        const next = new Set<number>()
        for (const at of states) {
          const step = steps[at]
          if (step && step !== 'end' && 'atom' in step && step.atom(char)) enter(steps, next, at + 1)
        }
        if (next.size === 0) return false
        states = next
      }
      return states.has(steps.length - 1)
    }
  } catch (error) {
    // A class or a property that the language does not know is its SyntaxError.
    if (error instanceof Malformed || error instanceof SyntaxError) return null
    throw error
  }
}
