// Content to test with: collections, their entries, and files that were uploaded.
//   const posts = await collection(shop, [{ key: 'title', type: 'text' }])
//   const post = await entry(shop, posts.id, { blocks: [{ key: 'title', type: 'text', value: 'Hello' }] })
import { newId } from '../../entities/ids.ts'
import { database, type Shop, unique } from './shop.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
export type Made = { id: string; key: string; blocks: any[] } & Record<string, any>

/** The answer's body; fails on a refusal. */
export async function made(answer: Promise<{ status: number; body: unknown }>): Promise<Made> {
  const { status, body } = await answer
  if (status > 201) throw new Error(`${status} ${JSON.stringify(body)}`)
  return body as Made
}

export const collection = (shop: Shop, schema: unknown[] = [], more: object = {}): Promise<Made> =>
  made(shop.asOperator('POST', '/collections', { key: unique(), schema, ...more }))

export const entry = (shop: Shop, collection_id: string, more: object = {}): Promise<Made> =>
  made(shop.asOperator('POST', '/entries', { collection_id, key: unique(), ...more }))

/** A row as an upload leaves it, without a file. */
export async function mediaRow(shop: Shop): Promise<string> {
  const id = newId()
  await database().query(
    `insert into media (id, tenant_id, created_at, updated_at, name, mime_type, size, digest, status, variants)
     values ($1, $2, 1, 1, 'a.png', 'image/png', 1, repeat('0', 64), 'ready', '{}')`,
    [id, shop.store_id],
  )
  return id
}
