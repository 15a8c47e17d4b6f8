// Searches texts for known secrets: as they are, and as base64, hexadecimal or part of a URL.
//   const found = search([{ name: 'database', text }], { 'a password': 'canary-…' })
//   → ['a password as base64 in database: …']
import fs from 'node:fs'
import path from 'node:path'
import { Client, Connection } from '@temporalio/client'
import type pg from 'pg'
import { historyOf } from './histories.ts'

export type Hay = { name: string; text: string }

/** Base64 has three forms, as it may begin at any of three bytes; without the characters that its neighbours decide. */
function base64sOf(secret: string): string[] {
  const bytes = Buffer.from(secret)
  return [0, 1, 2].map((shift) => {
    const whole = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64')
    return whole.slice(Math.ceil((shift * 4) / 3), Math.floor(((shift + bytes.length) * 4) / 3))
  })
}

/** Every form that reveals it. At least 12 characters: shorter ones are found by chance. */
export function formsOf(secret: string): Map<string, string> {
  const bytes = Buffer.from(secret)
  const forms: [string, string][] = [
    [secret, 'as it is'],
    [encodeURIComponent(secret), 'in an address'],
    [JSON.stringify(secret).slice(1, -1), 'as JSON'],
    [JSON.stringify(JSON.stringify(secret).slice(1, -1)).slice(1, -1), 'as JSON in JSON'],
    [bytes.toString('hex'), 'as hexadecimal'],
    [bytes.toString('hex').toUpperCase(), 'as hexadecimal'],
    ...base64sOf(secret).flatMap((text): [string, string][] => [
      [text, 'as base64'],
      [text.replaceAll('+', '-').replaceAll('/', '_'), 'as base64url'],
    ]),
  ]
  // The first name of a form that has several counts.
  return new Map(forms.filter(([form]) => form.length >= 12).reverse())
}

/** Each finding with a little of its context; the secret itself is not repeated. */
export function search(hay: readonly Hay[], secrets: Record<string, string>): string[] {
  return Object.entries(secrets).flatMap(([what, secret]) => {
    if (secret.length < 12) throw new Error(`${what} is too short to search for`)
    return [...formsOf(secret)].flatMap(([form, how]) =>
      hay.flatMap(({ name, text }) => {
        const at = text.indexOf(form)
        return at < 0 ? [] : [`${what} ${how} in ${name}: ${text.slice(Math.max(0, at - 200), at)}[…]`]
      }),
    )
  })
}

/** Shapes of complete tokens; a publishable key is no secret. */
export const tokenShapes = 'till_((at|rt|sk|vt|wh|ml|in|ss)_[A-Za-z0-9_-]{43}|sim_(at|rt|code)_[A-Za-z0-9_-]{32})'

/** The files of a folder and its subfolders, each whole. */
export function filesIn(dir: string): Hay[] {
  const entries = fs.readdirSync(dir, { recursive: true, withFileTypes: true }) as fs.Dirent[]
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => ({ name: entry.name, text: fs.readFileSync(path.join(entry.parentPath, entry.name), 'utf8') }))
}

export async function tablesOf(database: pg.Pool): Promise<string[]> {
  const { rows } = await database.query<{ name: string }>(
    "select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE' order by 1",
  )
  return rows.map(({ name }) => name)
}

/** Every row of every table as PostgreSQL writes it: JSON as text, bytes as hexadecimal. */
export async function dumpOf(database: pg.Pool): Promise<Hay[]> {
  const tables = await tablesOf(database)
  return Promise.all(
    tables.map(async (name) => {
      const { rows } = await database.query<{ row: string }>(`select t::text as row from "${name}" t`)
      return { name: `the table ${name}`, text: rows.map(({ row }) => row).join('\n') }
    }),
  )
}

/** The text of an event, a description or a failure, payloads decoded. */
const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, inner) => {
    if (inner?.type === 'Buffer' && Array.isArray(inner.data)) return Buffer.from(inner.data).toString('utf8')
    if (inner instanceof Uint8Array) return Buffer.from(inner).toString('utf8')
    return typeof inner === 'bigint' ? String(inner) : inner
  }) ?? ''

/** The histories of the newest workflows, with their memos and search attributes. */
export async function historiesOf(address: string, most = 1_000): Promise<Hay[]> {
  const connection = await Connection.connect({ address })
  try {
    const client = new Client({ connection })
    const hay: Hay[] = []
    for await (const { workflowId, runId, raw } of client.workflow.list({ pageSize: Math.min(most, 1_000) })) {
      if (hay.length === most) break
      hay.push({ name: `the workflow ${workflowId} (${runId})`, text: textOf(raw) })
    }
    let next = 0
    await Promise.all(
      Array.from({ length: 16 }, async () => {
        for (let one = hay[next++]; one; one = hay[next++]) {
          const [, workflowId, runId] = /^the workflow (.+) \((.+)\)$/.exec(one.name) as unknown as [
            string,
            string,
            string,
          ]
          one.text += textOf(await historyOf(client, workflowId, runId))
        }
      }),
    )
    return hay
  } finally {
    await connection.close()
  }
}
