// A request is carried out once and written to the journal before the response, whichever fault the response has.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { hang, takeFault, takeReset } from '../sim/faults.ts'
import { answerFreely } from '../sim/free-answer.ts'
import { commit } from '../sim/journal.ts'
import { bytesOf } from '../sim/server.ts'
import type { Answer, Call, Route } from './calls.ts'
import { commentRoutes } from './comments.ts'
import { commentRoutesOfC } from './comments-c.ts'
import { injected } from './errors.ts'
import { insightRoutes } from './insights.ts'
import { arrived, type Entry, record } from './ledger.ts'
import { limitOf } from './limits.ts'
import { routesOfA } from './network-a.ts'
import { routesOfB } from './network-b.ts'
import { routesOfC } from './network-c.ts'
import { routesOfD } from './network-d.ts'
import { routesOfE } from './network-e.ts'
import { networkOf, oauthRoutes, ownerOf } from './oauth.ts'

const patternOf = (at: string) =>
  new RegExp(
    `^/${at.replaceAll('.', '\\.').replaceAll(/:(\w+)/g, (_, name) => (name === 'v' ? 'v\\d+\\.\\d+' : `(?<${name}>[^/]+)`))}$`,
  )
const all: Route[] = [
  ...[...oauthRoutes, ...routesOfA, ...routesOfB, ...routesOfC, ...routesOfD, ...routesOfE],
  ...[...commentRoutes, ...commentRoutesOfC, ...insightRoutes],
]
const routes = all.map(([method, at, handler]) => ({
  method,
  handler,
  pattern: patternOf(at),
}))

/** Waits for the files that the call names. What is returned carries it out at once. */
async function prepared(call: Call): Promise<() => Answer> {
  const place = `/${call.host}${call.path}`
  for (const { method, handler, pattern } of routes) {
    const found = method === call.method ? pattern.exec(place) : null
    if (!found) continue
    call.params = { ...found.groups }
    const { refusal, headers } = limitOf(call)
    const answer = refusal ?? handler(call)
    const act = answer instanceof Promise ? await answer : () => answer
    return () => {
      const done = act()
      return { ...done, headers: { ...headers, ...done.headers } }
    }
  }
  return () => ({ status: 404, body: { error: { message: `no such place: ${call.method} ${place}` } } })
}

const flat = (given: object): Record<string, string> =>
  Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  )

async function contentOf(url: URL, body: Buffer, type: string): Promise<Pick<Call, 'fields' | 'json' | 'files'>> {
  const query = Object.fromEntries(url.searchParams)
  const none = { fields: query, json: {}, files: {} }
  if (body.length === 0) return none
  if (type.startsWith('application/x-www-form-urlencoded'))
    return { ...none, fields: { ...query, ...Object.fromEntries(new URLSearchParams(body.toString())) } }
  if (type.startsWith('application/json')) {
    const given: unknown = JSON.parse(body.toString())
    const json =
      given !== null && typeof given === 'object' && !Array.isArray(given) ? (given as Record<string, unknown>) : {}
    return { ...none, fields: { ...query, ...flat(json) }, json }
  }
  if (!type.startsWith('multipart/form-data')) return none
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData()
  const [fields, files]: [Record<string, string>, Record<string, Buffer>] = [query, {}]
  for (const [name, value] of form) {
    if (typeof value === 'string') fields[name] = value
    else files[name] = Buffer.from(await value.arrayBuffer())
  }
  return { fields, json: {}, files }
}

/** In a fault's text of the body; a file is not searched. */
const searchedMax = 65_536

export async function serveNetworks(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const url = new URL(req.url ?? '/', `http://${req.headers.host}`)
  const [, host = '', ...rest] = url.pathname.split('/')
  const network = networkOf(host)
  if (!network) return void res.writeHead(404).end()
  const head = { method: req.method ?? '', path: url.pathname, account: network, key: null }
  if (takeReset(head)) {
    // Its body would say whose it is.
    const fields = Object.fromEntries(url.searchParams)
    const entry = arrived({
      method: head.method,
      host,
      path: `/${rest.join('/')}`,
      owner: null,
      fields,
      body: Buffer.alloc(0),
    })
    record(Object.assign(entry, { fault: 'reset_before_read' }))
    commit()
    return void req.socket.resetAndDestroy()
  }
  const body = await bytesOf(req)
  const [, scheme = '', credential = ''] = /^(Bearer|Basic|OAuth) (.+)$/.exec(req.headers.authorization ?? '') ?? []
  const call: Call = {
    ...{ method: head.method, host, path: `/${rest.join('/')}`, params: {}, url, network, headers: req.headers, body },
    ...(await contentOf(url, body, req.headers['content-type'] ?? '')),
    bearer: scheme === 'Bearer' || scheme === 'OAuth' ? credential : undefined,
    basic: scheme === 'Basic' ? decodeURIComponent(Buffer.from(credential, 'base64').toString()) : undefined,
  }
  const owner = ownerOf(call)
  const entry = arrived({ ...call, owner: owner ?? null })
  const note = (change: Partial<Entry>) => {
    record(Object.assign(entry, change))
    commit()
  }
  const write = ({ status, headers = {}, body: sent }: Answer) => {
    const text = sent === undefined ? '' : typeof sent === 'string' ? sent : JSON.stringify(sent)
    res
      .writeHead(status, {
        'content-type': typeof sent === 'string' ? 'text/plain' : 'application/json',
        'content-length': Buffer.byteLength(text),
        ...headers,
      })
      .end(text)
  }
  const fault = takeFault({
    ...head,
    owner,
    body: `${url.search.slice(1)}&${body.subarray(0, searchedMax).toString()}`,
  })
  /** Its effect and the entry of the ledger are one line of the journal. */
  const carryOut = async (change: (answer: Answer) => Partial<Entry>): Promise<Answer> => {
    const act = await prepared(call)
    const answer = act()
    const { visible } = answer
    note({
      ...(answer.effect ? { effect: true } : {}),
      ...(visible
        ? {
            visible: true,
            visible_at: Date.now() / 1000,
            visible_id: visible.id,
            text: visible.text,
            parent_id: visible.parent_id,
          }
        : {}),
      ...change(answer),
    })
    return answer
  }
  if (!fault) return write(await carryOut(({ status }) => ({ status })))
  const answer = fault.after_effect ? await carryOut(() => ({ fault: fault.fault })) : undefined
  note({ fault: fault.fault })
  switch (fault.fault) {
    case 'reset_after_read':
      return void req.socket.resetAndDestroy()
    case 'hang':
      return hang(() => req.socket.destroy())
    case 'delay': {
      await wait(fault.delay_ms)
      const late = answer ?? (await carryOut(({ status }) => ({ status })))
      note({ status: late.status })
      return write(late)
    }
    case 'status': {
      note({ status: fault.status })
      const { headers: _, ...refused } = injected(network, fault.status, fault)
      return write({ ...refused, headers: fault.headers ?? {} })
    }
    case 'answer':
      note({ status: fault.status })
      return answerFreely(res, fault)
    default: {
      const { status, body: whole } = answer ?? (await carryOut((done) => ({ status: done.status })))
      const text = JSON.stringify(whole) ?? ''
      note({ status })
      res.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
      res.write(text.slice(0, text.length >> 1), () => req.socket.destroy())
    }
  }
}
