// The session of a browser in a real one: its cookie works under each name of this machine, and pages of other origins
// (another port, which is the same site to a browser, and another name) achieve nothing with it.
import assert from 'node:assert/strict'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import type { Browser, Window } from './window.ts'

export type Sessions = { api: string; mail: string; browser: Browser; window: Window }
type Check = [guarantee: string, prove: (on: Sessions) => Promise<string>]
type Answer = { status: number; body: { id?: string; access_token?: string; refresh_token?: string | null } }
type SignedIn = Window & { value: string; id: string }

const names = ['127.0.0.1', 'localhost'] as const
const under = (name: string, address: string) => address.replace('127.0.0.1', name)

/** As a script of the page does. */
const post = (page: Page, path: string, body?: object) =>
  page.evaluate(`fetch('/v1/auth/${path}', {
    method: 'POST',
    ${body ? `headers: { 'content-type': 'application/json' }, body: ${JSON.stringify(JSON.stringify(body))}` : ''}
  }).then(async (answer) => ({ status: answer.status, body: await answer.json() }))`) as Promise<Answer>

let people = 0
/** A code that was mailed to a new address, and its challenge. */
async function newCode({ api, mail }: Sessions): Promise<{ challenge_id: string; code: string }> {
  const email = `browser-${process.pid}-${++people}@tillwright.test`
  const asked = await fetch(`${api}/v1/auth/code`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email }),
  })
  const { challenge_id } = (await asked.json()) as { challenge_id: string }
  const caught = await fetch(`${mail}/messages/wait?to=${encodeURIComponent(email)}&timeout_ms=60000`)
  const [{ text } = { text: '' }] = (await caught.json()) as { text: string }[]
  return { challenge_id, code: /\b\d{6}\b/.exec(text)?.[0] ?? '' }
}

const cookiesOf = (page: Page, base: string) => page.context().cookies(`${base}/v1/auth/refresh`)

/** A browser of its own that has signed in on a page of the API at `base`. It may open pages of `others`. */
async function signedIn(on: Sessions, base: string, others: string[] = []): Promise<SignedIn> {
  const window = await on.browser.open([base, ...others])
  const { page } = window
  await page.goto(`${base}/health`)
  const { status, body } = await post(page, 'verify', { ...(await newCode(on)), cookie: true })
  assert.deepEqual([status, body.refresh_token], [200, null])
  const [cookie] = await cookiesOf(page, base)
  assert.ok(cookie)
  const { name, value, path, httpOnly, sameSite, secure } = cookie
  assert.deepEqual([name, path, httpOnly, sameSite, secure], ['till_refresh', '/v1/auth', true, 'Strict', false])
  assert.equal(await page.evaluate('document.cookie'), '')
  return { ...window, value, id: body.id ?? '' }
}

/** A script that sends what a page can send without being asked, and returns what it could read of the answers. */
const attack = (base: string, proof: object) => `(async () => {
  const at = (path) => '${base}/v1/auth/' + path
  const proof = ${JSON.stringify(JSON.stringify(proof))}
  const read = []
  const send = (path, init) =>
    fetch(at(path), { method: 'POST', credentials: 'include', ...init }).then(
      async (answer) => answer.type === 'opaque' || read.push([path, answer.status, await answer.text()]),
      () => {},
    )
  for (const [path, body] of [['refresh', '{}'], ['logout', '{}'], ['verify', proof]]) {
    await send(path, {})
    await send(path, { headers: { 'content-type': 'application/json' }, body })
    await send(path, { mode: 'no-cors' })
    await send(path, { mode: 'no-cors', body: new Blob([body]) })
    navigator.sendBeacon(at(path), new Blob([body]))
  }
  const ended = (element, start) =>
    new Promise((done) => {
      for (const event of ['load', 'error']) element.addEventListener(event, done)
      setTimeout(done, 5_000)
      start()
    })
  for (const [path, body] of [['refresh', '{}'], ['logout', '{}'], ['verify', proof]])
    for (const enctype of ['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain'])
      for (const isEmpty of [true, false]) {
        const frame = Object.assign(document.createElement('iframe'), { name: path + enctype + isEmpty })
        const form = Object.assign(document.createElement('form'), { method: 'post', action: at(path), enctype, target: frame.name })
        // As plain text: {…,"x":"="}
        const name = body.replace(/,?}$/, (end) => (body === '{}' ? '' : ',') + '"x":"')
        if (!isEmpty) form.append(Object.assign(document.createElement('input'), { name, value: '"}' }))
        document.body.append(frame, form)
        await ended(frame, () => form.submit())
      }
  for (const path of ['refresh', 'logout', 'verify'])
    for (const [tag, name] of [['img', 'src'], ['script', 'src'], ['iframe', 'src'], ['object', 'data']]) {
      const element = Object.assign(document.createElement(tag), { [name]: at(path) })
      await ended(element, () => document.body.append(element))
    }
  return read
})()`

const framed = (base: string) => `(async () => {
  for (const path of ['/', '/docs', '/console/', '/v1/auth/refresh']) {
    const frame = Object.assign(document.createElement('iframe'), { src: '${base}' + path })
    await new Promise((done) => {
      frame.onload = done
      document.body.append(frame)
    })
  }
})()`

/** Attacks the session at `base` from a page at `from`. Returns the statuses of the answers. */
async function tryFrom(on: Sessions, window: SignedIn, base: string, from: string): Promise<Set<number>> {
  const page = await window.page.context().newPage()
  const statuses = new Set<number>()
  page.on('response', (response) => response.url().startsWith(`${base}/v1/auth/`) && statuses.add(response.status()))
  await page.goto(from)
  const proof = { ...(await newCode(on)), cookie: true }
  assert.deepEqual(await page.evaluate(attack(base, proof)), [], `${from} read an answer`)
  await page.evaluate(framed(base))
  const shown = page.frames().map((frame) => frame.url())
  assert.deepEqual(
    shown.filter((url) => url.startsWith(base) && !url.startsWith(`${base}/v1/auth/`)),
    from.startsWith(base) ? [from] : [],
    `${from} frames a page`,
  )
  // With the address bar, as a link or a form does that a person presses.
  for (const path of ['refresh', 'logout']) {
    await page.goto(from)
    const gone = page.waitForURL(`${base}/v1/auth/${path}`)
    await page.evaluate(
      `(() => { const form = Object.assign(document.createElement('form'), { method: 'post', action: '${base}/v1/auth/${path}' }); document.body.append(form); form.submit() })()`,
    )
    await gone
  }
  await page.close()
  assert.deepEqual(
    [...statuses].filter((status) => status < 400),
    [],
    `${from} was answered`,
  )
  assert.ok(statuses.has(403))
  const [cookie] = await cookiesOf(window.page, base)
  assert.equal(cookie?.value, window.value, `${from} changed the cookie`)
  return statuses
}

export const sessionChecks: Check[] = [
  ...names.map(
    (name): Check => [
      `a session in a cookie begins, goes on in two tabs at once, and ends, under http://${name}`,
      async (on) => {
        const base = under(name, on.api)
        const { page, id, close } = await signedIn(on, base)
        const other = await page.context().newPage()
        await other.goto(`${base}/health`)
        const renewed = await Promise.all([page, other].map((tab) => post(tab, 'refresh')))
        assert.deepEqual(
          renewed.map(({ status, body }) => [status, body.id]),
          [
            [200, id],
            [200, id],
          ],
        )
        assert.equal(new Set(renewed.map(({ body }) => body.access_token)).size, 1)
        // As after a reload: only the cookie is left.
        await page.reload()
        assert.equal((await post(page, 'refresh')).status, 200)
        assert.equal((await post(other, 'logout')).status, 200)
        assert.deepEqual(await cookiesOf(page, base), [])
        assert.equal((await post(page, 'refresh')).status, 401)
        await close()
        return id
      },
    ],
  ),
  [
    'a foreign page achieves nothing by fetch, beacons, forms, images, scripts and frames',
    async (on) => {
      const server = http.createServer((_, answer) =>
        answer.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Foreign</title><body>'),
      )
      await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
      const foreign = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      const met = new Set<number>()
      for (const name of names) {
        const base = under(name, on.api)
        const others = names.flatMap((one) => [under(one, foreign), under(one, on.api)])
        const window = await signedIn(on, base, others)
        // Another port is the same site under one name, another site under the other; so is the API's other name.
        const pages = [...names.map((one) => `${under(one, foreign)}/`)]
        const twin = names.find((one) => one !== name) as string
        for (const from of [...pages, `${under(twin, on.api)}/health`])
          for (const status of await tryFrom(on, window, base, from)) met.add(status)
        const after = await post(window.page, 'refresh')
        assert.deepEqual([after.status, after.body.id], [200, window.id])
        await window.close()
      }
      server.close()
      return `answered with ${[...met].toSorted((a, b) => a - b).join(', ')}`
    },
  ],
]
