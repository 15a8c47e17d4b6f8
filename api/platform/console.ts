// The operators' web application at /console/: the files of its build, and its page for every other path below.
import { readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import type Router from '@koa/router'
import type { Context } from 'koa'
import { type Handler, ifThere, immutable, staticFile } from './static-files.ts'

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Names below the folder; none of them leads out of it, or to a hidden file. */
const isName = (name: string): boolean => /^\w[\w.-]*(\/\w[\w.-]*)*$/.test(name)
/** Their names change with their content. */
const isAsset = (name: string): boolean => name.startsWith('assets/')

/** A build may replace the files of an earlier one while this process runs. */
function filesOf(folder: string): (name: string) => Promise<Handler | null> {
  const known = new Map<string, { version: string; handler: Handler }>()
  return async (name) => {
    const file = path.join(folder, name)
    const found = isName(name) ? await ifThere(stat(file)) : null
    if (!found?.isFile()) return null
    const version = `${found.mtimeMs} ${found.size}`
    const same = known.get(name)
    if (same?.version === version) return same.handler
    const handler = staticFile(file, path.extname(name), isAsset(name) ? immutable : undefined)
    known.set(name, { version, handler })
    return handler
  }
}

/**
 * `folder`: of the build; null if the console is turned off. `publicUrl`: where browsers reach the API. The pages name
 * their files and routes from the root of it, so below a path they would load those of another application.
 */
export function consolePages(router: Router, folder: string | null, publicUrl: string): void {
  if (folder === null) return
  const isBelow = new URL(publicUrl).pathname !== '/'
  const fileOf = filesOf(folder)
  const answerPage = async (ctx: Context): Promise<void> => {
    const page = await ifThere(readFile(path.join(folder, 'index.html')))
    ctx.set('Cache-Control', 'no-store')
    ctx.set('Content-Security-Policy', policy)
    ctx.status = page ? 200 : 404
    ctx.type = page ? 'text/html' : 'text/plain'
    ctx.body = page ?? 'The console is not built. `npm run console:build` builds it.\n'
  }
  const answer = async (ctx: Context): Promise<void> => {
    if (isBelow) {
      ctx.status = 404
      ctx.type = 'text/plain'
      ctx.body = 'The console needs a PUBLIC_URL without a path.\n'
      return
    }
    // With another policy, the browser would send `Origin: null` with forms of the page.
    ctx.set('Referrer-Policy', 'same-origin')
    if (ctx.path === '/console') return ctx.redirect('console/')
    const name = ctx.path.slice('/console/'.length)
    const file = name === '' || name === 'index.html' ? null : await fileOf(name)
    if (file) return file(ctx)
    // Any other path is a page of the application, which reads it.
    if (!isAsset(name)) await answerPage(ctx)
  }
  router.get('/console', answer)
  router.get('/console/*rest', answer)
}
