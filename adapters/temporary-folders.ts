// Folders for files that a process works on: each is removed by its process, or an hour later by any other one of this machine.
import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'

const prefix = 'tillwright-'
/** No request and no image takes an hour. */
const abandonedMs = 3_600_000

/** `holds`: what it is for, a part of its name. The caller removes it. */
export const newTemporaryFolder = (holds: 'upload' | 'image'): Promise<string> => fs.mkdtemp(path.join(os.tmpdir(), `${prefix}${holds}-`))

/** Removes the folders of processes that were killed. */
export async function removeAbandonedFolders(): Promise<void> {
  for (const name of await fs.readdir(os.tmpdir())) {
    if (!name.startsWith(`${prefix}upload-`) && !name.startsWith(`${prefix}image-`)) continue
    const folder = path.join(os.tmpdir(), name)
    const { mtimeMs } = await fs.stat(folder).catch(() => ({ mtimeMs: Date.now() }))
    if (mtimeMs < Date.now() - abandonedMs) await fs.rm(folder, { recursive: true, force: true }).catch(() => {})
  }
}
