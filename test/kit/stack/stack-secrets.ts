// After all tests: searches logs, rows and histories of the run for secrets. Bounded, so that it takes a few seconds.
import path from 'node:path'
import pg from 'pg'
import type { Stack } from '../../../dev/stack.ts'
import { filesIn, type Hay, historiesOf, search, tablesOf, tokenShapes } from './secrets.ts'

const historiesMax = 500
const logBytesMax = 64 * 1024 * 1024
/** Of one table. */
const rowsMax = 50_000

const apps = ['A', 'B', 'C', 'D', 'E'].map((letter) => `SOCIAL_${letter}_CLIENT_SECRET`)
const settings = ['SECRETS_KEY', 'STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET', ...apps]

/**
 * The rows that contain a token or a setting's value; the database filters them, so that not all of it is transferred.
 */
async function rowsWith(database: pg.Pool, pattern: string): Promise<{ hay: Hay[]; rows: number }> {
  let rows = 0
  const hay: Hay[] = []
  for (const name of await tablesOf(database)) {
    const { rows: found } = await database.query<{ row: string | null; looked: number }>(
      `with t as materialized (select x::text as row from "${name}" x limit ${rowsMax})
       select null as row, count(*)::int as looked from t union all (select left(row, 20000), 0 from t where row ~ $1 limit 5)`,
      [pattern],
    )
    rows += found[0]?.looked ?? 0
    for (const { row } of found) if (row !== null) hay.push({ name: `the table ${name}`, text: row })
  }
  return { hay, rows }
}

const escaped = (text: string) => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')

/** A line that says what was searched; throws where a secret was found. */
export async function searchStack({ dir, env }: Stack): Promise<string> {
  const since = performance.now()
  // Some settings are lists: each item is a secret.
  const secrets = Object.fromEntries(
    settings.flatMap((name) =>
      String(env[name])
        .split(',')
        .map((secret, i) => [`${name} ${i + 1}`, secret]),
    ),
  )
  const logs = filesIn(path.join(dir, 'logs')).map(({ name, text }) => ({ name, text: text.slice(-logBytesMax) }))
  const histories = await historiesOf(env.TEMPORAL_ADDRESS as string, historiesMax)
  const database = new pg.Pool({ connectionString: env.DATABASE_URL, max: 1 })
  const { hay: rows, rows: looked } = await rowsWith(
    database,
    `${tokenShapes}|${Object.values(secrets).map(escaped).join('|')}`,
  ).finally(() => database.end())
  const hay = [...logs, ...histories, ...rows]
  const tokens = hay.flatMap(({ name, text }) =>
    [...text.matchAll(new RegExp(tokenShapes, 'g'))].map(({ 0: token }) => `${token.slice(0, 8)}… in ${name}`),
  )
  const found = [...search(hay, secrets), ...tokens]
  if (found.length > 0) throw new Error(`secrets found in clear text:\n${found.slice(0, 20).join('\n')}`)
  const bytes = logs.reduce((sum, { text }) => sum + text.length, 0)
  const took = ((performance.now() - since) / 1000).toFixed(1)
  return `No secret in ${logs.length} logs (${Math.round(bytes / 1024)} KB), ${looked} rows and ${histories.length} histories (${took} s)`
}
