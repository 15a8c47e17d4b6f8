// The demo store and its business on a stack of their own, with the console and the shop as `npm start` serves them.
import fs from 'node:fs'
import type { Server } from 'node:http'
import path from 'node:path'
import { seed } from '../../dev/seed/seed.ts'
import { type Stack, startStack } from '../../dev/stack.ts'
import { buildConsole } from '../../dev/web/console.ts'
import { writeFirstPage } from '../../dev/web/first-page.ts'
import { buildShop, serveShop, shopConfig, shopUrl } from '../../dev/web/shop.ts'
import { database } from '../kit/shop.ts'
import { servePages } from './card-form.ts'

/** The shop on an origin of its own, as `npm start` serves it. */
async function openShop(config: string, { urls, ports }: Stack, publishable_key: string): Promise<Server> {
  fs.writeFileSync(config, JSON.stringify(shopConfig(urls, publishable_key)))
  const building = buildShop()
  const server = await serveShop(config, ports.shop, building)
  await building
  return server
}

/** What the kit of the other tests reads. */
function equipKit({ env, urls }: Stack, api: string): void {
  Object.assign(process.env, env, {
    TEST_API: api,
    TEST_API_2: api,
    TEST_STRIPE: urls.stripe,
    TEST_STRIPE_CONTROL: urls.stripe_control,
    TEST_MAIL: urls.mail,
    TEST_SOCIAL: urls.social,
  })
}

/** Fails where a part of the stack or of the demo data is missing. */
function whole<T extends Record<string, string | null | undefined>>(parts: T): { [Name in keyof T]: string } {
  const missing = Object.keys(parts).filter((name) => !parts[name])
  if (missing.length > 0) throw new Error(`not running, or not there: ${missing.join(', ')}`)
  return parts as { [Name in keyof T]: string }
}

/** `config`: the file that the shop reads. `page_origin`: of the pages with the card form. */
export async function startDemo(dir: string, progress: (line: string) => void) {
  const stack = await startStack({ dir, fast: true, ui: true, progress })
  const built = buildConsole()
  const [api] = await Promise.all([stack.startApi(), stack.startWorker(), built])
  const { stripe, stripe_control, mail, social, temporal_ui: ui } = stack.urls
  const urls = whole({ api: api.url, stripe, stripe_control, mail, social, ui })
  const simulators = { mail: urls.mail, stripe: urls.stripe_control, social: urls.social }
  const seeded = await seed({ ...stack.env, dir, api: api.url, ...simulators })
  writeFirstPage(stack, seeded)
  const { store_id, business_id, api_token, publishable_key } = seeded
  const ids = whole({ store_id, business_id, api_token, publishable_key })
  equipKit(stack, api.url)
  const config = path.join(dir, 'shop.json')
  const shopServer = await openShop(config, stack, ids.publishable_key)
  const { server, page_origin } = await servePages(urls.stripe)
  return {
    ...{ ...urls, ...ids, config, page_origin, shop: shopUrl(stack.ports) },
    async stop() {
      await database().end()
      for (const one of [shopServer, server]) {
        one.close()
        one.closeAllConnections()
      }
      await stack.stop()
    },
  }
}
