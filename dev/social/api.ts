// A request is carried out once and written to the journal before the response, whichever fault the response has.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { answerFreely } from '../free-answer.ts'
import { hang, takeFault, takeReset } from '../sim/faults.ts'
import { commit } from '../sim/journal.ts'
import { bytesOf } from '../sim/server.ts'
import type { Answer, Call } from './calls.ts'
import { arrived, type Entry, record } from './ledger.ts'
import { networkOf, oauthRoutes } from './oauth.ts'

const routes = oauthRoutes.map(([method, at, handler]) => ({
  method,
  handler,
  pattern: new RegExp(`^/${at.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')}$`),
}))

function carryOut(call: Call, entry: Entry | undefined): Answer {
  const route = routes.find(({ method, pattern }) => method === call.method && pattern.test(`/${call.host}${call.path}`))
  const answer = route ? route.handler(call) : { status: 404, body: { error: { message: `no such place: ${call.method} /${call.host}${call.path}` } } }
  if (entry && answer.effect) entry.effect = true
  return answer
}

function fieldsOf(url: URL, body: Buffer, type: string): Record<string, string> {
  const query = Object.fromEntries(url.searchParams)
  if (body.length === 0) return query
  if (type.startsWith('application/x-www-form-urlencoded')) return { ...query, ...Object.fromEntries(new URLSearchParams(body.toString())) }
  if (!type.startsWith('application/json')) return query
  const given = JSON.parse(body.toString()) as Record<string, unknown>
  return { ...query, ...Object.fromEntries(Object.entries(given).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)])) }
}

export async function serveNetworks(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const url = new URL(req.url ?? '/', `http://${req.headers.host}`)
  const [, host = '', ...rest] = url.pathname.split('/')
  const network = networkOf(host)
  if (!network) return void res.writeHead(404).end()
  const head = { method: req.method ?? '', path: url.pathname, account: network, key: null }
  if (takeReset(head)) return void req.socket.resetAndDestroy()
  const body = await bytesOf(req)
  const fields = fieldsOf(url, body, req.headers['content-type'] ?? '')
  const [, scheme = '', credential = ''] = /^(Bearer|Basic) (.+)$/.exec(req.headers.authorization ?? '') ?? []
  const call: Call = {
    ...{ method: head.method, host, path: `/${rest.join('/')}`, url, network, fields, body },
    bearer: scheme === 'Bearer' ? credential : undefined,
    basic: scheme === 'Basic' ? decodeURIComponent(Buffer.from(credential, 'base64').toString()) : undefined,
  }
  const entry = arrived(call)
  const note = (change: Partial<Entry>) => {
    record(Object.assign(entry, change))
    commit()
  }
  const write = ({ status, headers = {}, body: sent }: Answer) => {
    const text = typeof sent === 'string' ? sent : JSON.stringify(sent)
    res
      .writeHead(status, {
        'content-type': typeof sent === 'string' ? 'text/plain' : 'application/json',
        'content-length': Buffer.byteLength(text),
        ...headers,
      })
      .end(text)
  }
  const fault = takeFault({ ...head, body: `${url.search.slice(1)}&${body.toString()}` })
  const answer = !fault || fault.after_effect ? carryOut(call, entry) : undefined
  note({ fault: fault?.fault ?? null, status: fault ? null : (answer?.status ?? null) })
  if (!fault) return write(answer as Answer)
  switch (fault.fault) {
    case 'reset_after_read':
      return void req.socket.resetAndDestroy()
    case 'hang':
      return hang(() => req.socket.destroy())
    case 'delay': {
      await wait(fault.delay_ms)
      const late = answer ?? carryOut(call, entry)
      note({ status: late.status })
      return write(late)
    }
    case 'status':
      note({ status: fault.status })
      return write({ status: fault.status, body: { error: { message: 'Injected fault.', code: fault.code ?? 2, is_transient: fault.status >= 500 } } })
    case 'answer':
      note({ status: fault.status })
      return answerFreely(res, fault)
    default: {
      const { status, body: whole } = answer ?? carryOut(call, entry)
      const text = JSON.stringify(whole)
      note({ status })
      res.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
      res.write(text.slice(0, text.length >> 1), () => req.socket.destroy())
    }
  }
}
