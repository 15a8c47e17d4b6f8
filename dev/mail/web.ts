// The page and the HTTP routes of the mail catcher.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { all, forgetAll, ledger, type Message, sentTo, waitFor } from './caught.ts'
import { addFault, type Fault, forgetFaults } from './faults.ts'
import { type About, bounce, complaint, forgetBox, moveBox, put, reply } from './inboxes.ts'

const plain = (text: string) => text.replace(/[&<>"]/g, (one) => `&#${one.charCodeAt(0)};`)

/** Mail is made for a white page. */
const style = `
:root { color-scheme: light dark; --line: light-dark(#d8d8d4, #3a3a3a); --soft: light-dark(#5c5c58, #a8a8a4) }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; overflow-wrap: anywhere }
a { color: light-dark(#1d4ed8, #8db4ff) }
iframe { width: 100%; height: 30rem; border: 1px solid var(--line); background: #fff; color-scheme: light }
time, .none { color: var(--soft) }
li + li { margin-top: .25rem }
input { font: inherit; padding: .25rem .5rem; min-width: min(20rem, 100%) }
`

/** Date and time in the zone of this machine. */
const dateOf = (time: number) =>
  new Date(time * 1000).toLocaleString('sv-SE', { dateStyle: 'short', timeStyle: 'medium' })

/** `words`: what a message contains, each in its subject, addresses or text. */
function found(words: string): readonly Message[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean)
  const textOf = ({ subject, from, to, text, html }: Message) =>
    [subject, from, ...to, text || html].join('\n').toLowerCase()
  return all().filter((message) => {
    const text = textOf(message)
    return wanted.every((word) => text.includes(word))
  })
}

function page(id: string | null, words: string): string {
  const messages = found(words)
  const shown = all().find((message) => message.id === id) ?? messages[0]
  const search = words === '' ? '' : `&amp;q=${plain(encodeURIComponent(words))}`
  const item = ({ id: own, to, subject, time }: Message) =>
    `<li><a href="/?id=${own}${search}">${plain(subject) || '(no subject)'}</a> to ${plain(to.join(', '))} <time datetime="${new Date(time * 1000).toISOString()}">${dateOf(time)}</time></li>`
  const body = shown?.html || (shown && `<pre>${plain(shown.text)}</pre>`)
  const view =
    shown === undefined || body === undefined
      ? ''
      : `<h2>${plain(shown.subject)}</h2><p>From ${plain(shown.from)} to ${plain(shown.to.join(', '))}, <time>${dateOf(shown.time)}</time></p><iframe sandbox srcdoc="${plain(body)}" title="The message"></iframe>`
  const form = `<form role="search"><input type="search" name="q" value="${plain(words)}" aria-label="Search" placeholder="Search subjects, addresses and texts"> <button>Search</button></form>`
  const list = messages.length === 0 ? '<p class="none">No message.</p>' : `<ul>${messages.map(item).join('')}</ul>`
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Mail</title><style>${style}</style><h1>Mail</h1>${form}${view}${list}</html>`
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
    case 'GET /':
      return void res
        .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
        .end(page(searchParams.get('id'), searchParams.get('q') ?? ''))
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
