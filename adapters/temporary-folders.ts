// Temporary folders. Each is removed by the process that made it, or after an hour by any process on the machine.
import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'

const prefix = 'tillwright-'
/** Longer than any request or image takes. */
const abandonedMs = 3_600_000

/** `holds`: its purpose, a part of its name. The caller removes it. */
export const newTemporaryFolder = (holds: 'upload' | 'image'): Promise<string> =>
  fs.mkdtemp(path.join(os.tmpdir(), `${prefix}${holds}-`))

/** Removes the folders of processes that were killed. */
export async function removeAbandonedFolders(): Promise<void> {
  for (const name of await fs.readdir(os.tmpdir())) {
    if (!name.startsWith(`${prefix}upload-`) && !name.startsWith(`${prefix}image-`)) continue
    const folder = path.join(os.tmpdir(), name)
    const { mtimeMs } = await fs.stat(folder).catch(() => ({ mtimeMs: Date.now() }))
    if (mtimeMs < Date.now() - abandonedMs) await fs.rm(folder, { recursive: true, force: true }).catch(() => {})
  }
}
