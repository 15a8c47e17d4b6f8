// Clients generated from the document by independent generators compile and buy by card.
import fs from 'node:fs'
import path from 'node:path'
import { connected, product } from '../kit/orders/buying.ts'
import { newShop, type Shop } from '../kit/shop.ts'
import { documentFile, printed } from './document.ts'
import type { Case } from './outcome.ts'
import { npm, python, versions } from './tools.ts'
import { clientPackages, type World } from './world.ts'

const here = path.join(import.meta.dirname, 'clients')

/** A store to buy from, as a client sees it. */
async function store({ api, stack }: World): Promise<{ shop: Shop; env: NodeJS.ProcessEnv }> {
  const shop = await newShop()
  await connected(shop)
  const tea = await product(shop, { stock: 10, requires_shipping: false })
  const mails = (await (
    await fetch(`${stack.urls.mail}/messages?to=${encodeURIComponent(shop.op.email)}`)
  ).json()) as unknown[]
  const env = {
    PATH: process.env.PATH,
    ...{
      BASE: api,
      MAIL: String(stack.urls.mail),
      SIMULATOR: String(stack.urls.stripe_control),
      EMAIL: shop.op.email,
      MAILS: String(mails.length),
    },
    ...{
      STORE_ID: shop.store_id,
      PUBLISHABLE_KEY: shop.publishable_key,
      PRODUCT_ID: tea.id,
      VARIANT_ID: tea.variant_id,
    },
  }
  return { shop, env }
}

/** Verified in the store, not in the client's output: its order is paid and has two units. */
async function bought(shop: Shop, out: string): Promise<string[]> {
  const { order_id } = JSON.parse(last(out).split('\n').at(-1) ?? '') as { order_id: string }
  const { body: order } = await shop.asOperator('GET', `/orders/${order_id}`)
  const { body: payment } = await shop.asOperator('GET', `/orders/${order_id}/payment`)
  const { body: all } = await shop.asOperator('GET', '/orders')
  const found = [all.items?.length, order.status, payment.status, payment.captured_amount === order.money?.total]
  return JSON.stringify(found) === JSON.stringify([1, 'confirmed', 'paid', true])
    ? []
    : [`the store's orders, this one, its payment, all captured: ${found}`]
}

const last = (text: string) => text.trim().split('\n').slice(-12).join('\n').slice(-1500)

const typescript: Case = {
  name: 'TypeScript client',
  with: `openapi-typescript ${versions['openapi-typescript']}, openapi-fetch ${versions['openapi-fetch']}, TypeScript ${versions.typescript}`,
  async run(world, say) {
    const tools = await npm('typescript', ['openapi-typescript', 'openapi-fetch', 'typescript', '@types/node'], say)
    const bin = (name: string) => path.join(tools, 'node_modules', name)
    const dir = path.join(world.dir, 'client-typescript')
    fs.mkdirSync(dir)
    fs.symlinkSync(path.join(tools, 'node_modules'), path.join(dir, 'node_modules'))
    fs.copyFileSync(path.join(here, 'buy.ts.txt'), path.join(dir, 'buy.ts'))
    fs.writeFileSync(path.join(dir, 'package.json'), '{"type": "module"}')
    const document = await documentFile(world)
    const steps: [string, string[]][] = [
      ['generating', [bin('openapi-typescript/bin/cli.js'), document, '-o', 'api.d.ts']],
      [
        'compiling',
        [
          bin('typescript/bin/tsc'),
          '--strict',
          '--noEmit',
          '--module',
          'nodenext',
          '--target',
          'es2024',
          '--allowImportingTsExtensions',
          'buy.ts',
        ],
      ],
      ['buying', ['buy.ts']],
    ]
    const { shop, env } = await store(world)
    let said = ''
    for (const [what, args] of steps) {
      const { code, text, out } = await printed(process.execPath, args, { cwd: dir, env })
      if (code !== 0) return { shown: '', faults: [`${what}: ${last(text)}`] }
      said = out
    }
    return { shown: 'generated, compiled strictly, bought by card', faults: await bought(shop, said) }
  },
}

const pythonClient: Case = {
  name: 'Python client',
  with: `openapi-python-client ${versions['openapi-python-client']}`,
  async run(world, say) {
    const interpreter = await python('clients', clientPackages, say)
    const dir = path.join(world.dir, 'client-python')
    fs.mkdirSync(dir)
    const config = path.join(dir, 'config.yaml')
    fs.writeFileSync(
      config,
      'package_name_override: tillwright_client\nproject_name_override: client\npost_hooks: []\n',
    )
    const document = await documentFile(world)
    const generate = [
      '-m',
      'openapi_python_client',
      'generate',
      '--path',
      document,
      '--config',
      config,
      '--output-path',
      path.join(dir, 'client'),
    ]
    const made = await printed(interpreter, [...generate, '--overwrite'], { cwd: dir })
    if (made.code !== 0) return { shown: '', faults: [`generating: ${last(made.text)}`] }
    const dropped = [...made.text.matchAll(/WARNING[^\n]*\n+([^\n]*)/g)].map(([, what]) => what?.trim())
    const { shop, env } = await store(world)
    const { code, text, out } = await printed(interpreter, [path.join(here, 'buy.py'), path.join(dir, 'client')], {
      cwd: dir,
      env,
    })
    if (code !== 0) return { shown: '', faults: [`buying: ${last(text)}`] }
    const { modules } = JSON.parse(out.trim().split('\n').at(-1) ?? '') as { modules: number }
    return {
      shown: `${modules} operations imported, ${dropped.length} generator warnings, bought by card`,
      faults: await bought(shop, out),
    }
  },
}

export const clients = [typescript, pythonClient]
