// Traverses large JSON values without copies and without a list of entries per object.

/** Whether objects and arrays are nested deeper than `depth`. */
export function isDeeper(value: unknown, depth: number): boolean {
  if (value === null || typeof value !== 'object') return false
  if (depth === 0) return true
  if (Array.isArray(value)) return value.some((inner) => isDeeper(inner, depth - 1))
  for (const name of Object.keys(value)) if (isDeeper((value as Record<string, unknown>)[name], depth - 1)) return true
  return false
}

/**
 * Calls `look` with every string, number, boolean and null of the value and, with `names`, with every field name.
 * During the call, `path` is the path of the leaf.
 */
export function eachLeaf(
  value: unknown,
  path: PropertyKey[],
  look: (leaf: unknown) => void,
  { names = false } = {},
): void {
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
