// docs/map.md names every file of its rooms, and what documents say of files and domains is there.
import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from '@jest/globals'
import { domains, map, mapFile } from '../../dev/map.ts'

const root = path.resolve(import.meta.dirname, '../..')
/** Written by tools, and not in the repository. */
const ignored = new Set(['node_modules', 'coverage', 'tmp'])

test('The map is what npm run map writes, and every file says what it holds', () => {
  const { text, silent } = map()
  expect(silent).toEqual([])
  expect(fs.readFileSync(mapFile, 'utf8') === text || 'npm run map').toBe(true)
})

test('Every file that a page of the documentation names exists', () => {
  const rooms = ['rules', 'entities', 'api', 'activities', 'workflows', 'workers', 'adapters', 'dev', 'test', 'bench']
  const named = new RegExp(`\`((?:${rooms.join('|')})/[\\w./-]*)\``, 'g')
  const pages = fs.globSync(['*.md', 'docs/*.md', 'docs/subsystems/*.md'], { cwd: root })
  const missing = pages.flatMap((page) =>
    [...fs.readFileSync(path.join(root, page), 'utf8').matchAll(named)]
      .map(([, file = '']) => file)
      .filter((file) => page !== 'CHANGELOG.md' && !fs.existsSync(path.join(root, file)))
      .map((file) => `${page}: ${file}`),
  )
  expect(pages.length).toBeGreaterThan(10)
  expect(missing).toEqual([])
})

test('The architecture names every domain of the map and every folder of the repository', () => {
  const page = fs.readFileSync(path.join(root, 'docs/architecture.md'), 'utf8')
  const listed: readonly string[] =
    /A domain has the same name .*?:\n([\s\S]*?)\n`models`/.exec(page)?.[1]?.match(/[a-z]+/g) ?? []
  expect(domains().filter((name) => !listed.includes(name))).toEqual([])
  const folders = fs
    .readdirSync(root, { withFileTypes: true })
    .filter((one) => one.isDirectory() && !one.name.startsWith('.') && !ignored.has(one.name))
  expect(folders.map(({ name }) => name).filter((name) => !page.includes(`\n| \`${name}/`))).toEqual([])
})
