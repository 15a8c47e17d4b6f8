// Walks through JSON values, however large: no copies, and no list of entries for each object.

/** Whether more than so many objects and arrays stand in one another. */
export function isDeeper(value: unknown, depth: number): boolean {
  if (value === null || typeof value !== 'object') return false
  if (depth === 0) return true
  if (Array.isArray(value)) return value.some((inner) => isDeeper(inner, depth - 1))
  for (const name of Object.keys(value)) if (isDeeper((value as Record<string, unknown>)[name], depth - 1)) return true
  return false
}

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
