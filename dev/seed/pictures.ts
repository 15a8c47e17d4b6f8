// The pictures of the demo store: drawn by a process of its own, and uploaded once.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { script } from '../parts.ts'
import type { Call } from './call.ts'

/** The files of the store by the names of their drawings. Those that the store has are not uploaded again. */
export async function uploadPictures(
  call: Call,
  storeId: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const at = { storeId }
  const { items: known } = await call('GET /v1/stores/{storeId}/media', { path: at, query: { limit: 100 } })
  const missing = names.filter((name) => !known.some((file) => file.name === `${name}.jpg`))
  const files = missing.length > 0 ? [...known, ...(await upload(call, storeId, missing))] : known
  return new Map(files.map(({ name, id }) => [path.parse(name).name, id]))
}

async function upload(call: Call, storeId: string, names: readonly string[]) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tillwright-pictures-'))
  try {
    const child = script('dev/seed/draw.ts', [folder, ...names], { name: 'pictures', onDeath: () => {} })
    if ((await child.ended) !== 0) throw new Error(`The pictures were not drawn:\n${child.tail()}`)
    const form = new FormData()
    for (const name of names)
      form.append(
        'files',
        new Blob([new Uint8Array(fs.readFileSync(path.join(folder, `${name}.jpg`)))], { type: 'image/jpeg' }),
        `${name}.jpg`,
      )
    return (await call('POST /v1/stores/{storeId}/media', { path: { storeId }, form })).items
  } finally {
    fs.rmSync(folder, { recursive: true })
  }
}
