// Whatever others answer or send, an execution ends, and says what they said: a text that no table can keep changes no verdict.
import net, { type AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { workflow } from '../kit/automations.ts'
import { edge, ended, execute } from '../kit/graphs.ts'
import { database, newEmail, newShop, type Shop, unique } from '../kit/shop.ts'

let shop: Shop
const servers: net.Server[] = []
beforeAll(async () => {
  shop = await newShop()
})
afterAll(async () => {
  for (const server of servers) server.close()
  await database().end()
})

/** Says `answer` to every mail that it was given; its port. */
async function mailServer(answer: string): Promise<number> {
  const server = net.createServer((socket) => {
    let heard = ''
    let message = false
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      heard += chunk
      for (let end = heard.indexOf(message ? '\r\n.\r\n' : '\r\n'); end >= 0; end = heard.indexOf(message ? '\r\n.\r\n' : '\r\n')) {
        const said = heard.slice(0, end)
        heard = heard.slice(end + (message ? 5 : 2))
        if (message) socket.write(`${answer}\r\n`)
        else if (said.startsWith('QUIT')) socket.end('221 bye\r\n')
        else socket.write(said.startsWith('DATA') ? '354 go on\r\n' : '250 ok\r\n')
        message = !message && said.startsWith('DATA')
      }
    })
    socket.write('220 here\r\n')
  })
  servers.push(server)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return (server.address() as AddressInfo).port
}

async function mailed(answer: string) {
  const smtp = { host: '127.0.0.1', port: await mailServer(answer), security: 'none' }
  const { body: mailbox } = await shop.asOperator('POST', '/mailboxes', { key: unique(), email: 'shop@example.com', smtp })
  const { body: template } = await shop.asOperator('POST', '/email-templates', { key: unique(), format: 'html', subject: 'Hello', body: '<p>Hello</p>' })
  const mail = { type: 'send_email', mailbox_id: mailbox.id, template_id: template.id, to: newEmail(), variables: {} }
  const { status, runs } = await execute(shop.store_id, { nodes: { start: { type: 'trigger' }, mail }, edges: [edge('start', 'mail', 'default')] })
  return [status, runs.mail?.status, runs.mail?.attempt]
}

describe('a mail server that answers with', () => {
  // One of the two is cut in the middle of a character, wherever that is.
  const odd = [['NUL', 'so \0 so'], ...[150, 151].map((length) => [`${length} letters and many faces`, `${'x'.repeat(length)}${'😀'.repeat(100)}`])] as const
  test.each(odd)('%s took the mail, or refused it', async (_, words) => {
    expect(await mailed(`250 ${words}`)).toEqual(['completed', 'succeeded', 1])
    expect(await mailed(`550 ${words}`)).toEqual(['failed', 'rejected', 1])
  })
})

test('what starts an execution and prints longer than an output may be fails its trigger, now or after its delay', async () => {
  // Five bytes that are printed as 22.
  const input = `{"numbers":[${Array.from({ length: 52_000 }, () => '1e20').join(',')}]}`
  for (const delay_ms of [0, 50]) {
    const nodes = { start: { type: 'trigger', delay_ms }, after: { type: 'transform', code: 'return 1' } }
    const { webhook_url } = await workflow(shop, { nodes, edges: [edge('start', 'after', 'default')] })
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`${process.env.TEST_API}${new URL(webhook_url).pathname}`, { method: 'POST', headers, body: input })
    expect(answer.status).toBe(201)
    const { id } = (await answer.json()) as { id: string }
    expect(await ended(id)).toMatchObject({ status: 'failed', runs: { start: { status: 'failed', error: { code: 'output_too_large' } } } })
  }
})
