// Matches single characters as JavaScript's regular expressions do, without compiling one per pattern.

/** `tests`: number of ranges and properties, which is the cost of a match. */
export type Atom = { is(point: number): boolean; tests: number }

export class Malformed extends Error {}

/** Compiled once per class or property; JavaScript has some two thousand. */
const properties = new Map<string, Atom>()

/** Throws SyntaxError for an unknown property. */
const propertyOf = (token: string): Atom => {
  const cached = properties.get(token)
  if (cached) return cached
  const expression = new RegExp(`^${token}$`, 'u')
  const made = { is: (point: number) => expression.test(String.fromCodePoint(point)), tests: 1 }
  properties.set(token, made)
  return made
}

const literalOf = (literal: string): Atom => {
  const wanted = literal.codePointAt(0)
  return { is: (point) => point === wanted, tests: 1 }
}

// Members of a class in Unicode mode. The groups capture a character by number, control letter, escape name, or itself.
const members =
  /\\(?:[dDwWsS]|[pP]\{[^}]*\})|\\u\{([\dA-Fa-f]+)\}|\\u([dD][89abAB][\dA-Fa-f]{2})\\u([dD][c-fC-F][\dA-Fa-f]{2})|\\u([\dA-Fa-f]{4})|\\x([\dA-Fa-f]{2})|\\c([A-Za-z])|\\(0(?!\d)|[bfnrtv])|\\([\^$\\.*+?()[\]{}|/-])|([^\\\]])/suy
const controls: Record<string, number> = { 0: 0, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 }

const pointOf = ([, braced, high, low, four, two, letter, control, escaped, self]: RegExpExecArray): number | null => {
  const hex = braced ?? four ?? two
  if (hex !== undefined) return Number.parseInt(hex, 16)
  if (high !== undefined && low !== undefined)
    return (Number.parseInt(high, 16) - 0xd800) * 0x400 + Number.parseInt(low, 16) - 0xdc00 + 0x10000
  if (letter !== undefined) return letter.charCodeAt(0) % 32
  if (control !== undefined) return controls[control] ?? null
  return (escaped ?? self)?.codePointAt(0) ?? null
}

const classOf = (token: string): Atom => {
  const isNegated = token[1] === '^'
  const end = token.length - 1
  members.lastIndex = isNegated ? 2 : 1
  const next = (): Atom | number => {
    const found = members.exec(token)
    const point = found && pointOf(found)
    if (!found || (point !== null && point > 0x10ffff)) throw new Malformed()
    return point ?? propertyOf(found[0])
  }
  const ranges: number[] = []
  const sets: Atom[] = []
  while (members.lastIndex < end) {
    const low = next()
    const isRange = token[members.lastIndex] === '-' && members.lastIndex + 1 < end
    if (isRange) members.lastIndex++
    const high = isRange ? next() : low
    if (typeof low === 'number' && typeof high === 'number' && low <= high) ranges.push(low, high)
    else if (typeof low !== 'number' && !isRange) sets.push(low)
    else throw new Malformed()
  }
  const holds = (point: number) => {
    for (let at = 0; at < ranges.length; at += 2)
      if (point >= (ranges[at] as number) && point <= (ranges[at + 1] as number)) return true
    for (const set of sets) if (set.is(point)) return true
    return false
  }
  return { is: isNegated ? (point) => !holds(point) : holds, tests: 1 + sets.length + ranges.length / 16 }
}

/**
 * The atom of a token for one character: a literal, an escape, `.`, `\d` and the like, or a class. Throws Malformed or
 * SyntaxError.
 */
export const atomOf = (token: string): Atom => {
  if (token[0] === '[') return classOf(token)
  if (token === '.' || /^\\[A-Za-z]/.test(token)) return propertyOf(token)
  return literalOf(token[0] === '\\' ? token.slice(1) : token)
}
