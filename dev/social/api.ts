// A request to a network is carried out once and written to the journal before the response, whichever fault the
// response has.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { answerUnder, type Done, note } from '../sim/exchange.ts'
import { type Fault, takeFault, takeReset } from '../sim/faults.ts'
import type { FreeAnswer } from '../sim/free-answer.ts'
import { bytesOf } from '../sim/server.ts'
import { arrived, type Entry, record } from './ledger.ts'
import type { Answer, Call } from './network.ts'
import { networkOf, networks } from './networks/networks.ts'
import { bearerOf, ownerOf } from './oauth.ts'

const patternOf = (at: string) =>
  new RegExp(
    `^/${at.replaceAll('.', '\\.').replaceAll(/:(\w+)/g, (_, name) => (name === 'v' ? 'v\\d+\\.\\d+' : `(?<${name}>[^/]+)`))}$`,
  )
const routes = networks
  .flatMap((network) => network.routes)
  .map(([method, at, handler]) => ({ method, handler, pattern: patternOf(at) }))

/** Of a call with a valid token. */
function limitOf(call: Call) {
  const token = bearerOf(call)
  return (token && call.network.limit?.(call, token.page ?? token.account)) ?? { headers: {} }
}

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

/** The answer as it is sent: a text, or JSON. */
const sentOf = ({ status, headers = {}, body }: Answer): FreeAnswer => ({
  status,
  headers: { 'content-type': typeof body === 'string' ? 'text/plain' : 'application/json', ...headers },
  body: body ?? '',
})

const changeOf = ({ effect, visible }: Answer): Partial<Entry> => ({
  ...(effect ? { effect } : {}),
  ...(visible
    ? {
        visible: true,
        visible_at: Date.now() / 1000,
        visible_id: visible.id,
        text: visible.text,
        parent_id: visible.parent_id,
      }
    : {}),
})

export async function serveNetworks(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const url = new URL(req.url ?? '/', `http://${req.headers.host}`)
  const [, host = '', ...rest] = url.pathname.split('/')
  const network = networkOf(host)
  if (!network) return void res.writeHead(404).end()
  const place = { method: req.method ?? '', host, path: `/${rest.join('/')}` }
  const head = { method: place.method, path: url.pathname, account: network.letter, key: null }
  const reset = takeReset(head)
  if (reset) {
    // Its body would say whose it is.
    const fields = Object.fromEntries(url.searchParams)
    const entry = arrived({ ...place, owner: null, fields, body: Buffer.alloc(0) })
    note({ entry, record }, { fault: reset.fault })
    return void req.socket.resetAndDestroy()
  }
  const body = await bytesOf(req)
  const [, scheme = '', credential = ''] = /^(Bearer|Basic|OAuth) (.+)$/.exec(req.headers.authorization ?? '') ?? []
  const call: Call = {
    ...{ ...place, params: {}, url, network, headers: req.headers, body },
    ...(await contentOf(url, body, req.headers['content-type'] ?? '')),
    bearer: scheme === 'Bearer' || scheme === 'OAuth' ? credential : undefined,
    basic: scheme === 'Basic' ? decodeURIComponent(Buffer.from(credential, 'base64').toString()) : undefined,
  }
  const owner = ownerOf(call)
  const exchange = {
    entry: arrived({ ...call, owner: owner ?? null }),
    record,
    async prepare(): Promise<() => Done<Entry>> {
      const act = await prepared(call)
      return () => {
        const answer = act()
        return { answer: sentOf(answer), change: changeOf(answer) }
      }
    },
    refuse: (fault: Fault): FreeAnswer => ({
      ...sentOf(network.refusals.injected(fault.status, fault)),
      headers: { 'content-type': 'application/json', ...fault.headers },
    }),
  }
  const searched = `${url.search.slice(1)}&${body.subarray(0, searchedMax).toString()}`
  return answerUnder(takeFault({ ...head, owner, body: searched }), exchange, res)
}
