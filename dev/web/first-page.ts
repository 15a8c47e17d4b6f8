// What the page at / shows of the development stack: where everything is, and what to try first.
import fs from 'node:fs'
import path from 'node:path'
import type { Facts } from '../../api/platform/first-page.ts'
import { demoEmail, type Seeded } from '../seed/seed.ts'
import type { Stack } from '../stack.ts'
import { firstPageFile } from '../stack-env.ts'
import { shopUrl } from './shop.ts'

type Row = [name: string, url: string | null | undefined, text: string]

/** Rows whose part is not there, or is a server of the environment, are left out. */
const placesOf = (rows: Row[]) => rows.flatMap(([name, url, text]) => (url ? [{ name, url, text }] : []))

function factsOf({ urls, ports, dir }: Stack, { publishable_key }: Seeded): Facts {
  const shop = publishable_key ? shopUrl(ports) : null
  const products = `curl -s -H 'X-Service-Publishable-Key: ${publishable_key}' ${urls.api}/v1/storefront/products`
  const fault = { fault: 'reset_after_read', path: '/v1/refunds', after_effect: true, times: 1 }
  const buy = publishable_key
    ? [
        shop
          ? { title: 'Buy something', text: 'In the shop, by card. The form lists the test cards.', url: shop }
          : { title: 'Read the products of the demo store', text: 'As a storefront does.', command: products },
      ]
    : []
  const breakStripe = urls.stripe
    ? [
        {
          title: 'Break Stripe, and refund a paid order in the console',
          text:
            'The simulator carries out the next refund and does not answer. The refund becomes unknown, is never ' +
            'sent again, and stands under Attention with what to look up.',
          command: `curl -s ${urls.stripe}/_sim/faults -H 'Content-Type: application/json' \\\n  -d '${JSON.stringify(fault)}'`,
        },
      ]
    : []
  return {
    console: {
      name: 'the console',
      url: '/console/',
      text: 'What a person has to do now, what happened to each effect, and every record of the demo store.',
      sign_in: urls.mail ? { email: demoEmail, mail: urls.mail } : null,
    },
    places: placesOf([
      ['Shop', shop, 'A shop for visitors, on the typed client alone.'],
      ['Reference', '/docs', 'Every operation, by who calls it, with a form to send requests.'],
      ['Temporal UI', urls.temporal_ui, 'Workflows: what runs, what it waits for, what failed.'],
      ['Mail', urls.mail, 'Every e-mail that was sent, sign-in codes too. Nothing leaves this machine.'],
      ['Wall of the networks', urls.social, 'What is visible on the simulated social networks.'],
      [
        'Stripe',
        urls.stripe && `${urls.stripe}/_sim/ledger`,
        'The ledger of the simulator, as JSON: what it carried out, and how often.',
      ],
      [
        'Chat service',
        urls.chat_bot && `${urls.chat_bot}/_sim/messages`,
        'What visitors of the demo agent see, as JSON.',
      ],
      ['Models', urls.models && `${urls.models}/_sim/ledger`, 'The calls of the simulated model, as JSON.'],
      [
        'Receiver',
        urls.receiver_control && `${urls.receiver_control}/ledger`,
        'The webhooks and calls of graphs that arrived, as JSON.',
      ],
    ]),
    tries: [
      ...buy,
      ...breakStripe,
      {
        title: 'Play the demo',
        text: 'It buys, refunds, books, joins, chats and sends a campaign, and prints what happens in each step.',
        command: 'npm run demo',
      },
    ],
    more: [
      `Keys, tokens and all addresses, also of PostgreSQL and SMTP: ${path.join(dir, 'stack.json')}`,
      `Logs: ${path.join(dir, 'logs')}`,
    ],
  }
}

const fileIn = (dir: string) => path.join(dir, firstPageFile)

/** The page says that the stack starts until it is written. */
export const forgetFirstPage = (dir: string): void => fs.rmSync(fileIn(dir), { force: true })

/** A reader sees no file or a whole one. */
export function writeFirstPage(stack: Stack, seeded: Seeded): void {
  const next = `${fileIn(stack.dir)}.next`
  fs.writeFileSync(next, `${JSON.stringify(factsOf(stack, seeded), null, 2)}\n`)
  fs.renameSync(next, fileIn(stack.dir))
}
