// The README and the guides are executed: every shell block runs on a stack with the demo store, and its output is what
// the text shows.
import fs from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { seed } from '../../dev/seed/seed.ts'
import { queueNames } from '../../rules/queues.ts'
import { blocksOf, faultsOf } from '../kit/guides.ts'
import { type Lab, startLab } from '../kit/stack/lab.ts'

const root = path.resolve(import.meta.dirname, '../..')
const read = (file: string) => fs.readFileSync(path.join(root, file), 'utf8')
const documents = fs.globSync(['*.md', 'docs/**/*.md', 'client/*.md'], { cwd: root }).sort()
/** The index of the guides, and the guide for operators, who send no requests. */
const withoutRequests = ['docs/guides/README.md', 'docs/guides/console.md']
const executed = documents.filter(
  (file) => file === 'README.md' || (file.startsWith('docs/guides/') && !withoutRequests.includes(file)),
)

/** Blocks that no development stack can run. */
const notRun = [
  'README.md: starts the stack that all other blocks use, and runs all tests',
  'README.md: prints links of this run; the blocks below do the same steps',
]

let lab: Lab
let env: NodeJS.ProcessEnv
beforeAll(async () => {
  // One refund of the guides waits for the deadline of its send.
  const settings = { SEND_LIMIT_MS: '3000', ANSWER_WAIT_MS: '5000' }
  lab = await startLab('docs', settings, {
    parts: ['postgres', 'migrations', 'temporal', 'stripe', 'mail', 'social', 'chat_bot', 'models', 'receiver'],
  })
  const { stack } = lab
  await Promise.all([stack.startApi(settings), lab.startWorker()])
  const { api, mail, smtp, stripe, social, chat_bot, models, receiver, receiver_control } = stack.urls
  const seeded = await seed({
    ...stack.env,
    dir: stack.dir,
    api,
    mail: String(mail),
    stripe: String(stripe),
    models: String(models),
    chat_bot: String(chat_bot),
    receiver: String(receiver),
    social: String(social),
  })
  const where = {
    api,
    mail,
    smtp,
    stripe,
    social,
    chat_bot,
    models,
    receiver,
    receiver_ledger: `${receiver_control}/ledger`,
    ...seeded,
  }
  fs.writeFileSync(path.join(stack.dir, 'stack.json'), JSON.stringify(where))
  env = {
    ...process.env,
    DEV_DIR: stack.dir,
    NODE_OPTIONS: '',
    PATH: `${path.dirname(process.execPath)}:${process.env.PATH}`,
  }
}, 120_000)
afterAll(() => lab.stop())

test.each(executed)(
  'Every shell block of %s runs and prints what the file shows',
  async (file) => {
    expect(await faultsOf(file, read(file), { cwd: root, env })).toEqual([])
  },
  120_000,
)

test('Every guide has blocks that run, and the blocks that do not run are these', () => {
  const all = executed.flatMap((file) => blocksOf(read(file)).map((block) => ({ file, ...block })))
  expect(executed.filter((file) => !all.some((block) => block.file === file && !block.skipped))).toEqual([])
  expect(all.filter(({ skipped }) => skipped).map(({ file, skipped }) => `${file}: ${skipped}`)).toEqual(notRun)
  expect(withoutRequests.flatMap((file) => blocksOf(read(file)))).toEqual([])
})

test('Guides are written on stores: only what businesses alone have uses their paths', () => {
  const older = executed.filter((file) => blocksOf(read(file)).some(({ text }) => text.includes('/v1/businesses')))
  expect(older).toEqual(['docs/guides/agents.md', 'docs/guides/businesses.md'])
})

test('A command of a guide that fails, and a wrong output, are named with file and line', async () => {
  const block = (text: string) => `\`\`\`sh\n${text}\n\`\`\`\n\n`
  const faults = (markdown: string) => faultsOf('guide.md', markdown, { cwd: root, env, timeoutMs: 5000 })
  expect(await faults(block('true\nfalse\necho never'))).toEqual([expect.stringMatching(/^guide\.md:3: exit code 1/)])
  expect(await faults(`${block('echo ok')}\n`)).toEqual([
    expect.stringMatching(/^guide\.md:1: the block prints, and no/),
  ])
  expect(await faults(`${block('echo \'{"a": 1, "b": 2}\'')}\`\`\`json\n{ "a": 2 }\n\`\`\`\n`)).toEqual([
    expect.stringMatching(/^guide\.md:5: printed/),
  ])
  expect(
    await faults(
      `${block('echo \'{"a": 1, "b": 2}\'; echo text 7')}\`\`\`json\n{ "a": 1,\n  "b": "…" }\ntext …\n\`\`\`\n`,
    ),
  ).toEqual([])
  expect(
    await faultsOf('guide.md', block('while true; do sleep 0.1; done'), { cwd: root, env, timeoutMs: 500 }),
  ).toEqual([expect.stringMatching(/^guide\.md:1: the block did not end in time/)])
})

/** As GitHub names the heading of a page. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')

test('Every link between documents leads to a file, and to a heading where it names one', () => {
  const broken: string[] = []
  for (const file of documents) {
    const text = read(file).replaceAll(/```[\s\S]*?```/g, '')
    for (const [, target = ''] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(target)) continue
      const [to = '', anchor] = target.split('#')
      const at = to === '' ? file : path.join(path.dirname(file), to)
      const found = fs.existsSync(path.join(root, at))
      const headings =
        found && anchor !== undefined
          ? [...read(at).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading))
          : []
      if (!found || (anchor !== undefined && !headings.includes(anchor))) broken.push(`${file}: ${target}`)
    }
  }
  expect(broken).toEqual([])
})

test('Every npm script and every setting that a document names exists', () => {
  const scripts = Object.keys(JSON.parse(read('package.json')).scripts)
  const named = documents.flatMap((file) =>
    [...read(file).matchAll(/npm run ([\w:-]+)/g)].map(([, script = '']) => ({ file, script })),
  )
  expect(named.length).toBeGreaterThan(10)
  expect(named.filter(({ file, script }) => file !== 'CHANGELOG.md' && !scripts.includes(script))).toEqual([])
  const settings = read('.env.example')
  const kept = documents.flatMap((file) =>
    [...read(file).matchAll(/`((?:KEEP|RATE|TEMPORAL|S3|MAIL)_[A-Z_]+)[`=]/g)].map(([, setting = '']) => ({
      file,
      setting,
    })),
  )
  expect(kept.filter(({ file, setting }) => file !== 'CHANGELOG.md' && !settings.includes(`${setting}=`))).toEqual([])
})

test('The index of the guides links every guide', () => {
  const index = read('docs/guides/README.md')
  const guides = documents.filter((file) => file.startsWith('docs/guides/') && !file.endsWith('/README.md'))
  expect(guides.filter((file) => !index.includes(`](${path.basename(file)})`))).toEqual([])
})

test('The table of task queues in Operating has one row for every queue of the code', () => {
  const [, table = ''] = /^\| queue \| .*\n\|.*\n((?:\|.*\n)+)/m.exec(read('docs/operating.md')) ?? []
  expect([...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name)).toEqual([...queueNames])
})

test('The README has at most 200 lines, and a decision at most 40', () => {
  const lines = (file: string) => read(file).trimEnd().split('\n').length
  const decisions = documents.filter((file) => file.startsWith('docs/decisions/') && !file.endsWith('README.md'))
  expect(decisions.length).toBeGreaterThan(10)
  expect(lines('README.md')).toBeLessThanOrEqual(200)
  expect(decisions.filter((file) => lines(file) > 40)).toEqual([])
})
