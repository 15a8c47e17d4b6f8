// Two drives in a process of their own that verify every signature and record every request in a ledger.
//   const drives = await startDrives(dir)
//   await shop.asOperator('POST', '/workflow-connections', { key, ...drives.s3 })
import fs from 'node:fs'
import path from 'node:path'
import { script } from '../../../dev/parts.ts'
import { freePort } from '../../../dev/ports.ts'

type Written = { method: string; path: string; digest: string; status: number }

/** The body of a connection without its key. */
export const s3At = (endpoint: string, more: Record<string, unknown> = {}) => ({
  type: 's3',
  settings: { endpoint, region: 'eu-central-1', bucket: 'uploads', ...more },
  credentials: { access_key_id: 'AKIDTILLWRIGHT', secret_access_key: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' },
})
export const webdavAt = (url: string) => ({
  type: 'webdav',
  settings: { url },
  credentials: { username: 'ada.byron', password: 'pass:wörd' },
})

export type Drives = {
  s3: ReturnType<typeof s3At>
  webdav: ReturnType<typeof webdavAt>
  ledger(): Written[]
  /** The stored bytes, undefined if there are none. */
  object(key: string): { bytes: Buffer; type: string } | undefined
  /** The keys of stored objects. */
  keys(): string[]
  file(name: string): Buffer | undefined
  stop(): Promise<void>
}

/** Everything is stored in the folder. The bucket `uploads` exists. */
export async function startDrives(dir: string): Promise<Drives> {
  const port = await freePort()
  const s3 = s3At(`http://127.0.0.1:${port}`)
  const webdav = webdavAt(`http://127.0.0.1:${port}/dav/home`)
  const [{ access_key_id, secret_access_key }, { username, password }] = [s3.credentials, webdav.credentials]
  fs.mkdirSync(path.join(dir, 's3', 'uploads'), { recursive: true })
  fs.mkdirSync(path.join(dir, 'dav', 'home'), { recursive: true })
  const child = script('dev/drives.ts', [], {
    name: 'drives',
    env: {
      ...process.env,
      DRIVES_PORT: String(port),
      DRIVES_DIR: dir,
      DRIVES_S3: `${access_key_id}:${secret_access_key}`,
      DRIVES_DAV: `${username}:${password}`,
    },
    log: path.join(dir, 'drives.log'),
  })
  await child.said(/listening/)
  const read = (file: string) => (fs.existsSync(file) ? fs.readFileSync(file) : undefined)
  return {
    s3,
    webdav,
    ledger: () =>
      (read(path.join(dir, 'drives.jsonl'))?.toString() ?? '')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Written),
    object(key) {
      const file = path.join(dir, 's3', 'uploads', encodeURIComponent(key))
      const bytes = read(file)
      return bytes && { bytes, type: String(read(`${file}.type`)) }
    },
    keys: () =>
      fs
        .readdirSync(path.join(dir, 's3', 'uploads'))
        .filter((name) => !name.endsWith('.type'))
        .map(decodeURIComponent)
        .sort(),
    file: (name) => read(path.join(dir, 'dav', 'home', ...name.split('/').map(encodeURIComponent))),
    stop: () => child.stop(),
  }
}
