// Businesses are answered in camelCase, stores in the snake_case of the console.

/** `oldestAt` → `oldest_at`, in all objects. Keys that are statuses stay as they are. */
export function snakeKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeKeys)
  if (value === null || typeof value !== 'object') return value
  const named = Object.entries(value).map(([key, one]) => [
    key.replaceAll(/(?<=[a-z\d])[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    snakeKeys(one),
  ])
  return Object.fromEntries(named)
}
