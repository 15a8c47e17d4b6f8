// The browser script that draws the reference (Scalar). Of the packages that have it, this one has it in one file, and
// a twentieth of the dependencies.
import scalar from '@scalar/fastify-api-reference'

type Reply = { header(): Reply; send(body: string): string }
type RouteOfPlugin = { url: string; handler(request: null, reply: Reply): unknown }
/** What the plugin calls of Fastify. */
type Host = {
  route(route: RouteOfPlugin): void
  hasPlugin(): boolean
  initialConfig: object
}
type Plugin = (host: Host, options: { configuration: { url: string } }, done: () => void) => void

/** The plugin registers the script as a route of its own. */
export function referenceScript(): Buffer {
  const routes: RouteOfPlugin[] = []
  const host: Host = { route: (route) => routes.push(route), hasPlugin: () => false, initialConfig: {} }
  ;(scalar as unknown as Plugin)(host, { configuration: { url: '/openapi.json' } }, () => {})
  const reply: Reply = { header: () => reply, send: (body) => body }
  const script = routes.find(({ url }) => url.endsWith('.js'))?.handler(null, reply)
  if (typeof script !== 'string') throw new Error('@scalar/fastify-api-reference has no browser script.')
  return Buffer.from(script)
}
