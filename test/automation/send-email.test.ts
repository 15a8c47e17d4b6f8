// The email of a graph's node is rendered and checked before its claim; an email that could never be sent fails with a
// named reason.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { prepareEmail } from '../../activities/automation/send-email.ts'
import { closeDatabase, statement } from '../../activities/kit/database.ts'
import { NeverSent } from '../../activities/kit/once.ts'
import { sendStoreEmail } from '../../activities/providers/mail.ts'
import { newId } from '../../entities/kit/ids.ts'
import { mailLedger } from '../kit/effects/provider.ts'
import { database, newEmail, newShop, type Shop, unique } from '../kit/shop.ts'

let shop: Shop
let others: Shop
let mailbox: string
let template: string
const password = 'correct horse battery staple'
const catcher = () => Number(new URL(process.env.SMTP_URL as string).port)
const smtp = (given: Record<string, unknown> = {}) => ({
  host: '127.0.0.1',
  port: catcher(),
  security: 'none',
  username: 'shop',
  password,
  ...given,
})
const addMailbox = async (given: Record<string, unknown> = {}, of = shop) =>
  (
    await of.asOperator('POST', '/mailboxes', {
      key: unique(),
      email: 'shop@example.com',
      name: 'The Shop',
      smtp: smtp(),
      ...given,
    })
  ).body.id as string
const addTemplate = async (given: Record<string, unknown> = {}, of = shop) => {
  const body = {
    key: unique(),
    format: 'html',
    subject: 'Order of {{ name }}',
    body: '<p>Thank you, {{ name }}</p>',
    ...given,
  }
  return (await of.asOperator('POST', '/email-templates', body)).body.id as string
}

beforeAll(async () => {
  ;[shop, others] = await Promise.all([newShop(), newShop()])
  ;[mailbox, template] = await Promise.all([addMailbox(), addTemplate()])
})
afterAll(async () => {
  await closeDatabase()
  await database().end()
})

const prepare = (given: Partial<Parameters<typeof prepareEmail>[2]> = {}) =>
  statement((em) =>
    prepareEmail(em, shop.store_id, {
      mailbox_id: mailbox,
      template_id: template,
      to: 'ada@example.com',
      variables: { name: 'Ada' },
      ...given,
    }),
  )
const refusal = async (given: Parameters<typeof prepare>[0]) => {
  const error = await prepare(given).catch((error) => error)
  if (!(error instanceof NeverSent)) throw error
  return error.reason
}

test('An email of a graph arrives as its template says, from its mailbox', async () => {
  const to = newEmail('ada')
  const request = await prepare({ to, variables: { name: '<Ada>' } })
  // As it is stored in its row.
  const frozen = JSON.parse(JSON.stringify(request)) as typeof request
  expect(frozen).toEqual(request)
  const { verdict, output } = await sendStoreEmail(frozen, {
    id: newId(),
    firstByteBy: performance.now() + 5_000,
    endBy: performance.now() + 10_000,
  })
  expect([verdict.kind, output]).toEqual([
    'succeeded',
    { message_id: expect.any(String), accepted: [to], response: expect.any(String) },
  ])
  expect(await mailLedger(to)).toMatchObject([
    { message_id: output?.message_id, to: [to], subject: 'Order of <Ada>', accepted: true, answered: true },
  ])
  expect(JSON.stringify([verdict, output])).not.toContain(password)
})

test.each<[string, () => Promise<Parameters<typeof prepare>[0]>]>([
  ['mailbox_missing', async () => ({ mailbox_id: newId() })],
  ['mailbox_missing', async () => ({ mailbox_id: await addMailbox({}, others) })],
  ['mailbox_archived', async () => ({ mailbox_id: await addMailbox({ status: 'archived' }) })],
  ['template_missing', async () => ({ template_id: newId() })],
  ['template_missing', async () => ({ template_id: await addTemplate({}, others) })],
  ['template_not_active', async () => ({ template_id: await addTemplate({ status: 'draft' }) })],
  ['template_not_active', async () => ({ template_id: await addTemplate({ status: 'archived' }) })],
  ['template_failed', async () => ({ variables: {} })],
  ['recipient_invalid', async () => ({ to: 'nobody' })],
  ['recipient_invalid', async () => ({ to: ['a@example.com'] })],
  ['recipient_invalid', async () => ({ to: 'a@example.com, b@example.com' })],
  ['recipient_invalid', async () => ({ to: 'Ada <a@example.com>' })],
  ['recipient_invalid', async () => ({ to: 'a@example.com\r\nBcc: b@example.com' })],
  [
    'egress_refused',
    async () => ({ mailbox_id: await addMailbox({ smtp: smtp({ host: '10.0.0.7', security: 'tls' }) }) }),
  ],
  [
    'egress_refused',
    async () => ({ mailbox_id: await addMailbox({ smtp: smtp({ host: '169.254.169.254', security: 'starttls' }) }) }),
  ],
])('An email of a graph is refused with %s before its claim', async (code, given) => {
  const reason = await refusal(await given())
  expect(reason).toEqual({ code, message: expect.any(String) })
  expect(JSON.stringify(reason)).not.toContain(password)
})

test('An email whose template fails names the part and the line', async () => {
  expect((await refusal({ variables: {} })).message).toBe('subject, line 1: undefined variable: name')
})
