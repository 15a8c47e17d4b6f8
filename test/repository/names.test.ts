// A failure list is readable alone: the title of a test is a sentence of at most 90 characters that begins with its
// subject, and its file has the name of the source whose promise it proves.
import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from '@jest/globals'
import { titlesIn } from '../kit/titles.ts'

const folder = path.resolve(import.meta.dirname, '..')
const titles = fs
  .readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .flatMap((file) => titlesIn(path.join(folder, file)).map((title) => ({ file, title })))

test('Every title has at most 90 characters', () => {
  expect(titles.length).toBeGreaterThan(1_000)
  expect(titles.filter(({ title }) => title.length > 90)).toEqual([])
})

test('No title begins in lower case', () => {
  expect(titles.filter(({ title }) => /^\p{Ll}/u.test(title))).toEqual([])
})

test('No source and no document cites a page that is not in the repository', () => {
  const root = path.resolve(folder, '..')
  const rooms = 'activities|adapters|api|bench|client|dev|docs|entities|rules|test|workers|workflows'
  const files = fs.globSync([`{${rooms.replaceAll('|', ',')}}/**/*.{ts,md,tsv}`, '*.{ts,md}'], { cwd: root })
  expect(files.length).toBeGreaterThan(1_000)
  // Words of a comment may be on two lines.
  const cited =
    /\b(?:API document|design(?: page)?:)[\s*/]+(?:[123]\b|(?:api|agents|automation|business|campaigns|commerce|content|effects|people|social),)/i
  const found = files.flatMap((file) => cited.exec(fs.readFileSync(path.join(root, file), 'utf8'))?.[0] ?? [])
  expect(found).toEqual([])
})

test('No source and no document names a test that is not there', () => {
  const root = path.resolve(folder, '..')
  const files = fs.globSync(
    ['*.{md,mjs,ts}', '{api,bench,client,console,dev,docs,entities,rules,test,workers}/**/*.{md,ts,tsx}'],
    {
      cwd: root,
      exclude: (name) => name.includes('node_modules') || name.includes('/dist/'),
    },
  )
  const named = files.flatMap((file) =>
    [...fs.readFileSync(path.join(root, file), 'utf8').matchAll(/(?<![\w/.-])test\/[\w/.-]+[.]ts\b/g)].map(
      ([at]) => [file, at] as const,
    ),
  )
  expect(named.length).toBeGreaterThan(50)
  expect(named.filter(([, at]) => !fs.existsSync(path.join(root, at)))).toEqual([])
})

/** Tests of the whole house: the name says what is proved. All others have the name of a source. */
const ofTheHouse = new Set([
  ...['attacks', 'attacks.business', 'crash-points', 'outages', 'quarantine', 'replay', 'retention'],
  ...['attention', 'cost', 'effect', 'history', 'kind', 'route', 'timer'].map((name) => `every-${name}`),
  ...[
    ...['architecture', 'dependencies', 'docs', 'effect-declarations', 'examples', 'names', 'statements'],
    'written-numbers',
  ].map((name) => `repository/${name}`),
  ...['api/api-texts', 'fuzz/fuzz', 'upgrade/undo', 'upgrade/upgrade'],
  ...['corpus', 'credentials', 'foreign-ids', 'secrets', 'wire'].map((name) => `security/${name}`),
])
const rooms = ['activities', 'adapters', 'api', 'bench', 'client', 'dev', 'entities', 'workers']

/**
 * Where the source of a test can be: `refunds/refunds.faults` is about a file refunds.ts of the domain of refunds, in
 * any room.
 */
function sourcesOf(test: string): string[] {
  const [base] = test.split('.')
  const [first, name] = [path.dirname(test), path.basename(base as string)]
  if (first === '.' || first.split('/')[0] === 'rules') return [`${base}.ts`]
  if (first === 'console') return [`console/src/**/${name}.ts`]
  // What all domains share is in folders of a room. The tools of tests are beside them.
  if (rooms.includes(first))
    return [`${first}/{,kit/**/,limits/,providers/,object-storage/,web/,servers/}${name}.{ts,sh}`]
  return [`{activities,api,entities,rules,workflows}/${first}/**/${name}.ts`, `test/${base}.ts`]
}

test('A test file has the name of a source of its domain, or proves a promise of the whole house', () => {
  const tests = fs.globSync('**/*.test.ts', { cwd: folder }).map((file) => file.slice(0, -'.test.ts'.length))
  const named = tests.filter((file) => fs.globSync(sourcesOf(file), { cwd: path.resolve(folder, '..') }).length > 0)
  expect(tests.filter((file) => !named.includes(file) && !ofTheHouse.has(file))).toEqual([])
  expect([...ofTheHouse].filter((file) => !tests.includes(file) || named.includes(file))).toEqual([])
  expect(named.length).toBeGreaterThan(250)
})

/** Folders of more files, and why. */
const large: Record<string, string> = {
  'docs/decisions': 'one page for each decision, in the order in which they were made',
  'entities/migrations': 'one file for each migration, in their order',
  'test/histories': 'a recorded history of each workflow',
  'test/inbox/corpus': 'recorded mails',
}

test('No folder has more than 25 files, but for the listed ones', () => {
  const root = path.resolve(folder, '..')
  const files = fs.globSync(`{${rooms.join(',')},console,docs,examples,rules,test,workflows}/**/*`, {
    cwd: root,
    withFileTypes: true,
    exclude: ({ name }) => name === 'node_modules' || name.startsWith('dist'),
  })
  const folders = Map.groupBy(
    files.filter((one) => one.isFile()),
    ({ parentPath }) => path.relative(root, parentPath),
  )
  expect(folders.size).toBeGreaterThan(100)
  const over = [...folders].filter(([, own]) => own.length > 25)
  expect(over.map(([name]) => name).sort()).toEqual(Object.keys(large))
})
