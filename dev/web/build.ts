// Builds a web application of this clone with Vite, unless the last build is of the same sources.
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { start } from '../child.ts'
import { isGone } from '../folder.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Builds, also those under way (`dist-` and a process), and packages: no sources. */
const isMade = (file: string) => /\/(dist(-\d+)*|node_modules)(\/|$)/.test(file)

/** Of all files of the folders and files, and of the versions of all packages. */
export function digestOf(sources: readonly string[]): string {
  const hash = createHash('sha256')
  const read = (file: string) => hash.update(`${file}\n`).update(fs.readFileSync(path.join(root, file)))
  for (const source of sources) {
    if (fs.statSync(path.join(root, source)).isFile()) {
      read(source)
      continue
    }
    const files = fs.readdirSync(path.join(root, source), { recursive: true, withFileTypes: true })
    for (const file of files.map((one) => path.relative(root, path.join(one.parentPath, one.name))).sort())
      if (!isMade(file) && fs.statSync(path.join(root, file)).isFile()) read(file)
  }
  read('package-lock.json')
  return hash.digest('hex')
}

/** Whether `dist` is a whole build of these sources. */
function isOf(dist: string, digest: string): boolean {
  try {
    return fs.readFileSync(path.join(dist, '.sources'), 'utf8') === digest
  } catch {
    return false
  }
}

/** Builds of killed processes. */
function removeLeftovers(dist: string): void {
  for (const name of fs.readdirSync(path.dirname(dist))) {
    const pid = /^dist-(\d+)/.exec(name)?.[1]
    if (pid && isGone(Number(pid))) fs.rmSync(path.join(path.dirname(dist), name), { recursive: true, force: true })
  }
}

/**
 * Puts the build `made` in the place of `dist`. A folder cannot be replaced in one step: another process may have put
 * its own there in between, which is as good if it is of the same sources.
 */
export function replaceBuild(made: string, dist: string, digest: string): void {
  const aside = `${made}-0`
  for (let tries = 0; !isOf(dist, digest); tries++) {
    try {
      if (fs.existsSync(dist)) fs.renameSync(dist, aside)
      fs.renameSync(made, dist)
      break
    } catch (error) {
      if (tries === 100) throw error
    } finally {
      fs.rmSync(aside, { recursive: true, force: true })
    }
  }
  fs.rmSync(made, { recursive: true, force: true })
}

/**
 * Builds `folder` into its `dist`. `others`: what it is built of beside the folder. Concurrent builds do not disturb
 * each other: each is made in a folder of its own, which then replaces the last one.
 */
export async function build(folder: string, others: readonly string[]): Promise<void> {
  const digest = digestOf([folder, ...others])
  const dist = path.join(root, folder, 'dist')
  removeLeftovers(dist)
  if (isOf(dist, digest)) return
  const made = `${dist}-${process.pid}`
  const vite = path.join(root, 'node_modules/vite/bin/vite.js')
  const child = start(process.execPath, [vite, 'build', '--outDir', made, '--emptyOutDir', '--logLevel', 'warn'], {
    name: folder,
    cwd: path.join(root, folder),
    env: { ...process.env, NODE_ENV: 'production' },
    onDeath: () => {},
  })
  // What is started at the same time goes first.
  os.setPriority(child.pid, os.constants.priority.PRIORITY_LOW)
  const how = await child.ended
  if (how !== 0) {
    fs.rmSync(made, { recursive: true, force: true })
    throw new Error(`${folder} was not built (${how}):\n${child.tail().trimEnd()}`)
  }
  fs.writeFileSync(path.join(made, '.sources'), digest)
  replaceBuild(made, dist, digest)
}
