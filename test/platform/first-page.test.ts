// The page at / shows what runs in development, as text and without an inline script; elsewhere it leads to the
// console.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { type Facts, firstPage } from '../../api/platform/first-page.ts'
import { servePages } from '../kit/stack/pages.ts'

const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'tillwright-first-page-')), 'facts.json')
const facts: Facts = {
  console: {
    name: 'the console',
    url: '/console/',
    text: 'Orders & more',
    sign_in: { email: 'demo@shop.example', mail: 'http://127.0.0.1:8025' },
  },
  places: [{ name: '<script>alert(1)</script>', url: 'http://127.0.0.1:8233/?a="b"', text: 'Workflows' }],
  tries: [
    { title: 'Break it', text: 'Once', command: `curl -d '{"a": 1}'` },
    { title: 'Buy', text: 'Twice', url: 'http://127.0.0.1:5000' },
  ],
  more: ['Logs: .dev/logs'],
}
async function get(options: Parameters<typeof firstPage>[1], at = '/') {
  const { url, stop } = await servePages((router) => firstPage(router, options))
  try {
    const answer = await fetch(`${url}${at}`, { redirect: 'manual' })
    return { status: answer.status, headers: answer.headers, text: await answer.text() }
  } finally {
    stop()
  }
}
afterAll(() => fs.rmSync(path.dirname(file), { recursive: true }))

test('Outside development the address leads to the console, or is no path if that is off', async () => {
  const on = await get({ file: null, hasConsole: true })
  expect([on.status, on.headers.get('location')]).toEqual([302, 'console/'])
  const off = await get({ file: null, hasConsole: false })
  expect([off.status, JSON.parse(off.text).code]).toEqual([404, 'no_route'])
  expect((await get({ file: null, hasConsole: true }, '/first-page.js')).status).toBe(404)
})

test('Until the facts are written, the page says that the stack starts, and loads itself again', async () => {
  const { status, text } = await get({ file, hasConsole: true })
  expect(status).toBe(200)
  expect(text).toContain('Tillwright is starting')
  expect(text).toContain('http-equiv="refresh"')
})

test('The facts are shown as text, under a policy that allows the script of the sign-in alone', async () => {
  fs.writeFileSync(file, JSON.stringify(facts))
  const { headers, text } = await get({ file, hasConsole: true })
  expect(text).not.toMatch(/<script>|\son\w+=/)
  for (const shown of [
    '&#60;script&#62;',
    'Orders &#38; more',
    'curl -d &#39;{&#34;a&#34;: 1}&#39;',
    'Logs: .dev/logs',
  ])
    expect(text).toContain(shown)
  expect(text).toContain('href="http://127.0.0.1:8233/?a=&#34;b&#34;"')
  const policy = headers.get('content-security-policy')?.split('; ')
  expect(policy).toEqual([
    "default-src 'none'",
    "script-src 'self'",
    expect.stringMatching(/^style-src 'sha256-[^']+'$/),
    'img-src data:',
    "connect-src 'self' http://127.0.0.1:8025",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ])
  expect(headers.get('cache-control')).toBe('no-store')
  const script = await get({ file, hasConsole: true }, '/first-page.js')
  expect([script.status, script.headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8'])
})

test('Where mail leaves the machine, the console asks for the code itself', async () => {
  fs.writeFileSync(file, JSON.stringify({ ...facts, console: { ...facts.console, sign_in: null } }))
  const { headers, text } = await get({ file, hasConsole: true })
  expect([text.includes('<script'), text.includes('data-email'), text.includes('href="/console/"')]).toEqual([
    false,
    false,
    true,
  ])
  expect(headers.get('content-security-policy')).toContain("connect-src 'self';")
})
