// The page at /: in development what runs and where, from the file that dev/ writes; otherwise it leads to the console.
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type Router from '@koa/router'
import type { Context } from 'koa'
import { z } from 'zod'
import { escaped } from '../../rules/mail/mail-page.ts'
import { ifThere, staticBytes } from './static-files.ts'

const Place = z.object({ name: z.string(), url: z.string(), text: z.string() })
/** `command`: what a reader enters in a terminal. */
const Try = z.object({
  title: z.string(),
  text: z.string(),
  url: z.string().optional(),
  command: z.string().optional(),
})
/** What runs in development. The page shows it to everyone on this machine: it holds no secret. */
const Facts = z.object({
  /** The console, and the operator whom it opens for: their code is read at `mail`. Null where mail leaves. */
  console: Place.extend({ sign_in: z.object({ email: z.string(), mail: z.string() }).nullable() }),
  places: z.array(Place),
  tries: z.array(Try),
  /** Where else to look. */
  more: z.array(z.string()),
})
export type Facts = z.infer<typeof Facts>

const style = `:root {
  color-scheme: light dark; --line: light-dark(#d8d8d4, #3a3a3a); --soft: light-dark(#5c5c58, #a8a8a4);
  --back: light-dark(#fff, #1c1c1c)
}
* { box-sizing: border-box }
body {
  margin: 0; padding: 2.5rem 1rem; font: 1rem/1.5 system-ui, sans-serif; background: light-dark(#f4f4f2, #121212);
  color: light-dark(#1c1c1a, #ececea)
}
main { max-width: 60rem; margin: 0 auto; overflow-wrap: anywhere }
h1 { font-size: 1.75rem; line-height: 1.25; margin: 0 0 .25rem }
h2 { font-size: 1.125rem; margin: 2.5rem 0 .75rem }
p { margin: 0 }
.lead, .place span, li p, footer { color: var(--soft) }
.first {
  display: flex; flex-wrap: wrap; gap: 1rem; align-items: center; justify-content: space-between;
  margin-top: 1.5rem; padding: 1.25rem 1.5rem; background: var(--back); border: 1px solid var(--line);
  border-radius: .5rem
}
.first div { flex: 1 1 16rem }
.first h2 { margin: 0 }
.button {
  padding: .625rem 1.25rem; border-radius: .375rem; background: light-dark(#1d4ed8, #8db4ff);
  color: light-dark(#fff, #0b1526); font-weight: 600; text-decoration: none
}
.places {
  display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 17rem), 1fr)); gap: .75rem; padding: 0;
  margin: 0; list-style: none
}
.place {
  display: block; height: 100%; padding: .875rem 1rem; background: var(--back); border: 1px solid var(--line);
  border-radius: .5rem; color: inherit; text-decoration: none
}
.place:hover, .place:focus-visible { border-color: currentColor }
.place strong, .place span, .place code { display: block }
.place span, footer { font-size: .875rem }
.place code { margin-top: .25rem; font-size: .75rem; color: var(--soft) }
ol { margin: 0; padding-left: 1.25rem }
ol li + li { margin-top: 1rem }
pre {
  margin: .5rem 0 0; padding: .75rem 1rem; white-space: pre-wrap; background: var(--back);
  border: 1px solid var(--line); border-radius: .375rem; font-size: .8125rem
}
a { color: light-dark(#1d4ed8, #8db4ff) }
footer { margin-top: 2.5rem; padding-top: 1rem; border-top: 1px solid var(--line) }
footer p + p { margin-top: .25rem }
`
const styleHash = createHash('sha256').update(style).digest('base64')

/** Signs in as a person would, with the code of the e-mail. If any of it fails, the console asks for the code. */
const script = `const link = document.querySelector('a[data-email]')
const { email, mail } = link.dataset
const post = async (path, body) => {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch('/v1/auth/' + path, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(path)
  return answer.json()
}
const read = async (path) => (await fetch(mail + path + 'to=' + encodeURIComponent(email))).json()
async function signIn() {
  const { length } = await read('/messages?')
  const { challenge_id } = await post('code', { email })
  const [{ text }] = await read('/messages/wait?timeout_ms=20000&after=' + length + '&')
  await post('verify', { challenge_id, code: /\\b\\d{6}\\b/.exec(text)[0], cookie: true })
}
link.addEventListener('click', (event) => {
  event.preventDefault()
  link.textContent = 'Signing in…'
  const go = () => location.assign(link.href)
  signIn().then(go, go)
})
`

const documentOf = (inner: string, head = ''): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Tillwright</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">${head}<style>${style}</style></head>
<body><main>${inner}</main></body></html>
`

const placeOf = ({ name, url, text }: z.infer<typeof Place>) =>
  `<li><a class="place" href="${escaped(url)}"><strong>${escaped(name)}</strong>
<span>${escaped(text)}</span><code>${escaped(url)}</code></a></li>`

const tryOf = ({ title, text, url, command }: z.infer<typeof Try>) => {
  const heading = url === undefined ? escaped(title) : `<a href="${escaped(url)}">${escaped(title)}</a>`
  const block = command === undefined ? '' : `<pre><code>${escaped(command)}</code></pre>`
  return `<li><strong>${heading}</strong><p>${escaped(text)}</p>${block}</li>`
}

function pageOf({ console: first, places, tries, more }: Facts): string {
  const signsIn = first.sign_in
    ? ` data-email="${escaped(first.sign_in.email)}" data-mail="${escaped(first.sign_in.mail)}"`
    : ''
  const as = first.sign_in ? ` as ${escaped(first.sign_in.email)}` : ''
  return documentOf(
    `<h1>Tillwright is running</h1><p class="lead">Everything below runs on this machine.</p>
<section class="first" aria-labelledby="first"><div><h2 id="first">Open this first: ${escaped(first.name)}</h2>
<p class="lead">${escaped(first.text)}</p></div>
<a class="button" href="${escaped(first.url)}"${signsIn}>Open${as}</a></section>
<h2>What runs where</h2><ul class="places">${places.map(placeOf).join('')}</ul>
<h2>Things to try</h2><ol>${tries.map(tryOf).join('')}</ol>
<footer>${more.map((line) => `<p>${escaped(line)}</p>`).join('')}</footer>`,
    first.sign_in ? '<script defer src="/first-page.js"></script>' : '',
  )
}

const waiting = documentOf(
  `<h1>Tillwright is starting</h1>
<p class="lead">The demo data is being made. This page shows what runs in a moment.</p>`,
  '<meta http-equiv="refresh" content="2">',
)

const policyOf = (mail: string | undefined): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'sha256-${styleHash}'`,
    'img-src data:',
    `connect-src 'self'${mail === undefined ? '' : ` ${new URL(mail).origin}`}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

/** Null while the stack starts: the file is written once it is up. */
async function factsIn(file: string): Promise<Facts | null> {
  const text = await ifThere(readFile(file, 'utf8'))
  return text === null ? null : Facts.parse(JSON.parse(text))
}

/** `file`: of the facts; null outside development. `hasConsole`: whether the console is turned on. */
export function firstPage(router: Router, { file, hasConsole }: { file: string | null; hasConsole: boolean }): void {
  if (file === null) {
    if (hasConsole) router.get('/', (ctx) => ctx.redirect('console/'))
    return
  }
  router.get('/', async (ctx: Context) => {
    const facts = await factsIn(file)
    ctx.set('Content-Security-Policy', policyOf(facts?.console.sign_in?.mail))
    // By the referrer, the console knows that there may be a cookie.
    ctx.set('Referrer-Policy', 'same-origin')
    ctx.type = 'text/html'
    ctx.body = facts ? pageOf(facts) : waiting
  })
  router.get(
    '/first-page.js',
    staticBytes(async () => Buffer.from(script), 'text/javascript'),
  )
}
