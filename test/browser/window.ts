// A real browser that talks to our own servers alone: requests to other hosts are blocked and reported.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { type BrowserContext, chromium, type Page } from 'playwright-core'

/** What a page requested, logged and was refused since it was last read. */
export type Heard = { asked: URL[]; foreign: string[]; errors: { url: string; text: string }[]; violations: string[] }
export type Window = { page: Page; take(): Heard; close(): Promise<void> }
export type Browser = { version: string; open(own: readonly string[]): Promise<Window>; close(): Promise<void> }

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

/** Without ids, origins, and the part of a file's name that changes with its content. */
const plainOf = (text: string): string =>
  text
    .replaceAll(/https?:\/\/[\w.]+(:\d+)?/g, '')
    .replaceAll(uuid, '…')
    .replaceAll(/(?<=\/assets\/[\w-]+-)[\w-]{8}(?=\.)/g, '…')

/** `422 /v1/stores/…/markets`: a request that was refused or failed, as the browser's console reports it. */
function failureOf({ text, url }: Heard['errors'][number]): string {
  const [, status, reason] =
    /^Failed to load resource: (?:the server responded with a status of (\d+)|net::(\w+))/.exec(text) ?? []
  return status || reason
    ? `${status ?? reason} ${plainOf(url.replace(/[?#].*/, ''))}`
    : plainOf(text.split('\n')[0] ?? '')
}

/**
 * Fails for anything that the browser refused, reported or fetched from another host, unless it is one of these, and
 * for each of these that did not happen. `possible`: what may have happened or not. Returns what was requested.
 */
export function quiet(window: Window, expected: readonly string[] = [], possible: readonly string[] = []): URL[] {
  const { asked, foreign, violations, errors } = window.take()
  const failures = [...new Set(errors.map(failureOf))].filter((one) => !possible.includes(one))
  assert.deepEqual(
    { foreign, violations, failures: failures.toSorted() },
    { foreign: [], violations: [], failures: [...expected].toSorted() },
  )
  return asked
}

const names = ['chromium', 'chromium-browser', 'google-chrome']

/**
 * The system's Chromium: CHROMIUM_PATH, or the first one on the PATH; null where there is none. Fails where the named
 * one is not there.
 */
export function findChromium(env: NodeJS.ProcessEnv): string | null {
  if (env.CHROMIUM_PATH) {
    fs.accessSync(env.CHROMIUM_PATH, fs.constants.X_OK)
    return env.CHROMIUM_PATH
  }
  const folders = (env.PATH ?? '').split(path.delimiter)
  return (
    names.flatMap((name) => folders.map((folder) => path.join(folder, name))).find((file) => fs.existsSync(file)) ??
    null
  )
}

// A browser asks its maker for updates, lists and models unless it is configured not to.
const silent = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--disable-default-apps',
  '--no-proxy-server',
]

async function windowOf(context: BrowserContext, own: readonly string[]): Promise<Window> {
  let heard: Heard = { asked: [], foreign: [], errors: [], violations: [] }
  const isOwn = (url: URL) => own.includes(url.origin) || ['data:', 'blob:'].includes(url.protocol)
  await context.route(
    (url) => !isOwn(url),
    (route) => {
      heard.foreign.push(route.request().url())
      return route.abort()
    },
  )
  await context.exposeFunction('tellViolation', (what: string) => void heard.violations.push(what))
  await context.addInitScript(
    "document.addEventListener('securitypolicyviolation', (event) => window.tellViolation(event.effectiveDirective + ' ' + (event.blockedURI || '')))",
  )
  context.on('request', (request) => void heard.asked.push(new URL(request.url())))
  context.on(
    'console',
    (message) => message.type() === 'error' && heard.errors.push({ url: message.location().url, text: message.text() }),
  )
  context.on(
    'weberror',
    (error) => void heard.errors.push({ url: '', text: error.error().stack ?? error.error().message }),
  )
  const page = await context.newPage()
  // Laying out the document of a whole API is much work for a busy machine.
  page.setDefaultTimeout(60_000)
  return {
    page,
    take() {
      const taken = heard
      heard = { asked: [], foreign: [], errors: [], violations: [] }
      return taken
    },
    close: () => context.close(),
  }
}

export async function startBrowser(executablePath: string): Promise<Browser> {
  // Run by root in a container, Chromium cannot create its sandbox.
  const browser = await chromium.launch({
    executablePath,
    args: [...silent, ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
  })
  return {
    version: browser.version(),
    open: async (own) => windowOf(await browser.newContext({ viewport: { width: 1280, height: 900 } }), own),
    close: () => browser.close(),
  }
}
