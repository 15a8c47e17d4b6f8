// Builds the console while other parts start, if its sources have changed since the last build.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const dist = path.join(root, 'console/dist')
const mark = path.join(root, 'node_modules/.cache/console/built')

const filesIn = (folder: string): string[] =>
  fs
    .readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8', withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
    .sort()

const sources = [
  'package-lock.json',
  'client/client.ts',
  'client/api.ts',
  'console/index.html',
  'console/package.json',
  'console/vite.config.ts',
  ...filesIn('console/public'),
  ...filesIn('console/src'),
]
const hash = createHash('sha256')
for (const file of sources) hash.update(`${file}\n`).update(fs.readFileSync(path.join(root, file)))
const wanted = hash.digest('hex')
const isBuilt =
  fs.existsSync(path.join(dist, 'index.html')) && fs.existsSync(mark) && fs.readFileSync(mark, 'utf8') === wanted

if (!isBuilt) {
  // The page in use stays whole until the new one is.
  const next = `${dist}.${process.pid}`
  const vite = path.join(root, 'node_modules/vite/bin/vite.js')
  const options = ['--outDir', next, '--emptyOutDir', '--logLevel', 'warn']
  execFileSync(process.execPath, [vite, 'build', path.join(root, 'console'), ...options], { stdio: 'inherit' })
  fs.rmSync(dist, { recursive: true, force: true })
  fs.renameSync(next, dist)
  fs.mkdirSync(path.dirname(mark), { recursive: true })
  fs.writeFileSync(mark, wanted)
}
