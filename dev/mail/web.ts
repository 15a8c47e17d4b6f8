// The page and the HTTP routes of the mail catcher.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { all, forgetAll, ledger, type Message, sentTo, waitFor } from './caught.ts'
import { addFault, type Fault, forgetFaults } from './faults.ts'
import { type About, bounce, complaint, forgetBox, moveBox, put, reply } from './inboxes.ts'

const plain = (text: string) => text.replace(/[&<>"]/g, (one) => `&#${one.charCodeAt(0)};`)

function page(shown: Message | undefined): string {
  const item = ({ id, to, subject, time }: Message) =>
    `<li><a href="/?id=${id}">${plain(subject) || '(no subject)'}</a> to ${plain(to.join(', '))} <time>${new Date(time * 1000).toLocaleTimeString()}</time></li>`
  const body = shown?.html || (shown && `<pre>${plain(shown.text)}</pre>`)
  const view =
    body === undefined ? '' : `<h2>${plain(shown?.subject ?? '')}</h2><iframe sandbox srcdoc="${plain(body)}"></iframe>`
  const style =
    'body{font:15px system-ui;margin:2rem;max-width:60rem}iframe{width:100%;height:30rem;border:1px solid #ccc}time{color:#777}'
  return `<!doctype html><meta charset="utf-8"><title>Mail</title><style>${style}</style><h1>Mail</h1>${view}<ul>${all().map(item).join('')}</ul>`
}

/** The first page of the API, which signs in with a code that it reads here, is of another origin. */
function readableBy({ headers: { origin } }: IncomingMessage): Record<string, string> {
  const api = new URL(process.env.PUBLIC_URL ?? 'http://127.0.0.1')
  const isOurs = ['127.0.0.1', 'localhost'].some((name) => origin === `http://${name}:${api.port}`)
  return isOurs && origin ? { 'access-control-allow-origin': origin, vary: 'Origin' } : {}
}

/** The HTTP server: what was caught, the faults, and mail that is put into inboxes. */
export async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(req.url ?? '/', 'http://mail')
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk as Buffer)
  const body = () => JSON.parse(Buffer.concat(chunks).toString() || '{}') as Partial<Fault> & About
  const json = (answer: unknown, status = 200) =>
    res.writeHead(status, { 'content-type': 'application/json', ...readableBy(req) }).end(JSON.stringify(answer))
  switch (`${req.method} ${pathname}`) {
    case 'GET /': {
      const shown = all().find(({ id }) => id === searchParams.get('id')) ?? all()[0]
      return void res.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page(shown))
    }
    case 'GET /messages':
      return void json(sentTo(searchParams.get('to')))
    case 'GET /messages/wait': {
      const found = await waitFor(searchParams)
      return void json(found ?? { error: { message: 'nothing came' } }, found ? 200 : 408)
    }
    case 'DELETE /messages':
      forgetAll()
      return void json({ ok: true })
    case 'GET /ledger':
      return void json(ledger)
    case 'POST /faults':
      return void json(addFault(body()))
    case 'DELETE /faults':
      forgetFaults()
      return void json({ ok: true })
    case 'POST /bounces':
      return void json(bounce(body()))
    case 'POST /replies':
      return void json(reply(body()))
    case 'POST /complaints':
      return void json(complaint(body()))
    case 'POST /inbox':
      return void json(
        put(
          searchParams.get('to') ?? '',
          Buffer.concat(chunks),
          searchParams.has('at') ? Number(searchParams.get('at')) : undefined,
        ),
      )
    case 'POST /inbox/move':
      moveBox(searchParams.get('to') ?? '', searchParams.get('restless') === 'true')
      return void json({ ok: true })
    case 'DELETE /inbox':
      forgetBox(searchParams.get('to') ?? '')
      return void json({ ok: true })
    default:
      return void json({ error: { message: 'no such route' } }, 404)
  }
}
