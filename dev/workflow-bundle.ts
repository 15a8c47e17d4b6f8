// Bundles the workflows while other parts start, and keeps the bundle until a workflow, a rule or a package changes.
// Prints the file's path.
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = path.join(root, 'node_modules/.cache/workflows')

const sources = ['workflows', 'rules'].flatMap((name) =>
  fs
    .readdirSync(path.join(root, name), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .sort()
    .map((file) => path.join(name, file)),
)
const hash = createHash('sha256')
for (const file of ['package-lock.json', ...sources])
  hash.update(`${file}\n`).update(fs.readFileSync(path.join(root, file)))
const file = path.join(folder, `${hash.digest('hex').slice(0, 16)}.js`)

if (!fs.existsSync(file)) {
  const { bundleWorkflowCode, DefaultLogger } = await import('@temporalio/worker')
  const { code } = await bundleWorkflowCode({
    workflowsPath: path.join(root, 'workflows/index.ts'),
    logger: new DefaultLogger('WARN'),
  })
  fs.mkdirSync(folder, { recursive: true })
  for (const old of fs.readdirSync(folder)) fs.rmSync(path.join(folder, old), { force: true })
  fs.writeFileSync(`${file}.${process.pid}`, code)
  fs.renameSync(`${file}.${process.pid}`, file)
}
console.log(file)
process.exit()
