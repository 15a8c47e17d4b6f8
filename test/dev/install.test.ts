// The packages of the lock file are installed when one of them is missing, also in the folder of a workspace.
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from '@jest/globals'

const root = path.resolve(import.meta.dirname, '../..')
const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'tillwright-install-'))
afterAll(() => fs.rmSync(dir, { recursive: true }))

/** In place of npm: makes what the lock file names, and notes that it was called. */
const npm = path.join(dir, 'npm.js')
fs.writeFileSync(
  npm,
  `const fs = require('node:fs')
  for (const place of Object.keys(JSON.parse(fs.readFileSync('package-lock.json', 'utf8')).packages))
    if (place) fs.mkdirSync(place, { recursive: true })
  fs.appendFileSync('calls', process.argv[2] + '\\n')`,
)
const calls = () => fs.readFileSync(path.join(dir, 'calls'), 'utf8').trim().split('\n')
const install = () =>
  execFileSync('sh', ['dev/install.sh'], {
    ...{ cwd: dir, stdio: 'pipe' },
    env: { PATH: process.env.PATH, npm_execpath: npm, npm_node_execpath: process.execPath },
  })

test('A package that is missing in the folder of a workspace is installed, and none twice', () => {
  fs.mkdirSync(path.join(dir, 'dev'))
  fs.copyFileSync(path.join(root, 'dev/install.sh'), path.join(dir, 'dev/install.sh'))
  const places = ['', 'console', 'console/node_modules/@vendor/tool', 'node_modules/a', 'node_modules/a/node_modules/b']
  const packages = Object.fromEntries(places.map((place) => [place, { version: '1.0.0' }]))
  fs.writeFileSync(path.join(dir, 'package-lock.json'), JSON.stringify({ packages }, null, 2))
  install()
  install()
  expect(calls()).toEqual(['ci'])
  fs.rmSync(path.join(dir, 'console/node_modules'), { recursive: true })
  install()
  install()
  expect(calls()).toEqual(['ci', 'ci'])
})

test('No package in the folder of a workspace is optional: each start would install it again', () => {
  const lock: { packages: Record<string, { optional?: true }> } = JSON.parse(
    fs.readFileSync(path.join(root, 'package-lock.json'), 'utf8'),
  )
  const own = Object.entries(lock.packages).filter(([place]) => /^(?!node_modules\/).+\/node_modules\//.test(place))
  expect(own.length).toBeGreaterThan(0)
  expect(own.filter(([, { optional }]) => optional)).toEqual([])
})
