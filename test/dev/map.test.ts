// docs/map.md names every file, and what documents say of files is there.
import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from '@jest/globals'
import { map, mapFile } from '../../dev/map.ts'

const root = path.resolve(import.meta.dirname, '../..')

test('The map is what npm run map writes, and every file begins with a sentence', () => {
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
