// Content for tests: collections, their entries, and uploaded files.
//   const posts = await collection(shop, [{ key: 'title', type: 'text' }])
//   const post = await entry(shop, posts.id, { blocks: [{ key: 'title', type: 'text', value: 'Hello' }] })
import { newId } from '../../../entities/kit/ids.ts'
import { database, type Shop, unique } from '../shop.ts'

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
  const original = { mime_type: 'image/png', size: 1, width: 1, height: 1, digest: '0'.repeat(64) }
  await database().query(
    `insert into media (id, tenant_id, created_at, updated_at, name, mime_type, family, size, digest, status, variants)
     values ($1, $2, 1, 1, 'a.png', 'image/png', 'image', 1, $3, 'ready', $4)`,
    [id, shop.store_id, original.digest, { original }],
  )
  return id
}
