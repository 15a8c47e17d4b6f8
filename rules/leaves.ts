// Everything in a JSON value, however large: no copies, and no list of entries for each object.

/**
 * Calls `look` with every text, number, boolean and null of the value and, if wanted, with every name of a field. While it looks, `path` leads to what
 * it looks at.
 */
export function eachLeaf(value: unknown, path: PropertyKey[], look: (leaf: unknown) => void, { names = false } = {}): void {
  const walk = (at: unknown): void => {
    if (at === null || typeof at !== 'object') look(at)
    else if (Array.isArray(at)) {
      for (let index = 0; index < at.length; index++) {
        path.push(index)
        walk(at[index])
        path.pop()
      }
    } else {
      for (const name of Object.keys(at)) {
        path.push(name)
        if (names) look(name)
        walk((at as Record<string, unknown>)[name])
        path.pop()
      }
    }
  }
  walk(value)
}
