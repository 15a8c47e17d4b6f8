// Replies, tests and resolutions of campaign messages: each is sent once, also when its request is repeated.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId } from '../../entities/kit/ids.ts'
import { launch, newCampaign, newMailbox, newTemplate } from '../kit/campaigns/campaigns.ts'
import { mailTo, until } from '../kit/codes.ts'
import { mailFault, mailLedger } from '../kit/effects/provider.ts'
import { atOnce } from '../kit/orders/buying.ts'
import { api, database, eitherApi, newEmail, newShop, type Shop } from '../kit/shop.ts'

let shop: Shop
let campaign: { id: string; mailbox_ids: string[] }
let mailbox: { id: string; email: string }
beforeAll(async () => {
  shop = await newShop()
  mailbox = (await newMailbox(shop)) as never
  const template = {
    subject: 'Hello {{ contact.email }}',
    body: '<p>{{ greeting }} from {{ store.key }}</p><a href="{{ unsubscribe_url }}">Stop</a>',
  }
  const { id: template_id } = await newTemplate(shop, template)
  const steps = [
    { template_id, variables: { greeting: 'Good day' } },
    { template_id, delay_s: 86_400, variables: { greeting: 'Again' }, in_thread: true },
  ]
  campaign = (await newCampaign(shop, { mailbox_ids: [mailbox.id], steps })) as never
})
afterAll(async () => database().end())

type Given = { status?: string; step?: number; campaign_id?: string; address?: string }
async function enrolled({
  status = 'active',
  step = 0,
  campaign_id = campaign.id,
  address = newEmail('reader'),
}: Given = {}) {
  const [id, contact_id] = [newId(), newId()]
  await database().query(
    `insert into contacts (id, created_at, updated_at, tenant_id, taxonomies) values ($1, 1, 1, $2, '[]')`,
    [contact_id, shop.store_id],
  )
  await database().query(
    `insert into enrollments (id, created_at, updated_at, tenant_id, campaign_id, contact_id, address, variables, shuffle, status, step, mailbox_id)
     values ($1, 1, 1, $2, $3, $4, $5, '{}', 1, $6, $7, $8)`,
    [id, shop.store_id, campaign_id, contact_id, address, status, step, mailbox.id],
  )
  return { id, address }
}
const reply = (enrollment: string, body: object, base = eitherApi()) =>
  shop.asOperator(
    'POST',
    `/campaign-enrollments/${enrollment}/reply`,
    { message_id: randomUUID(), body: 'Thank you', ...body },
    base,
  )
const statusOf = async (id: string) =>
  (await database().query('select status from enrollments where id = $1', [id])).rows[0].status

/** A message of a step, as a drain leaves it. */
async function stepMessage(
  enrollment_id: string,
  more: { status?: string; step?: number; campaign_id?: string } = {},
): Promise<string> {
  const { status = 'succeeded', step = 0, campaign_id = campaign.id } = more
  const { rows } = await database().query(
    `insert into campaign_messages (id, created_at, updated_at, tenant_id, campaign_id, enrollment_id, kind, step, mailbox_id, address, subject, attachments, status, fingerprint, attempt, sent_at)
     select $1, 1, 1, $2, $3, $4, 'step', $5, $6, n.address, 'Spring', '[]', $7, '', 1, now() from enrollments n where n.id = $4 returning id`,
    [newId(), shop.store_id, campaign_id, enrollment_id, step, mailbox.id, status],
  )
  return rows[0].id
}

test('Twenty equal replies are one mail in the thread and twenty equal answers', async () => {
  const { id, address } = await enrolled()
  const first = await stepMessage(id)
  const message_id = randomUUID()
  const answers = await atOnce(20, () => reply(id, { message_id, body: 'Thank you,\n<Ada>' }))
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(19).fill(200), 201])
  expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1)
  const message = answers[0]?.body
  expect(message).toMatchObject({
    status: 'succeeded',
    kind: 'reply',
    step: null,
    enrollment_id: id,
    subject: 'Re: Spring',
    address,
    mailbox_id: mailbox.id,
  })
  expect(await mailLedger(address)).toHaveLength(1)
  const domain = mailbox.email.split('@')[1]
  const mail = await mailTo(address)
  expect(mail).toMatchObject({ subject: 'Re: Spring', text: 'Thank you,\n<Ada>' })
  expect(mail.html).toContain('Thank you,\n&lt;Ada&gt;')
  expect(mail.headers).toMatchObject({
    ...{
      'message-id': `<${message.id}@${domain}>`,
      'in-reply-to': `<${first}@${domain}>`,
      references: `<${first}@${domain}>`,
    },
    'x-campaign-message': message.id,
  })
  expect(Object.keys(mail.headers).filter((name) => name.startsWith('list-'))).toEqual([])
  expect(await statusOf(id)).toBe('replied')
})

test('A reply with another content, or with the id of another reply, is refused and not sent', async () => {
  const [one, other] = [await enrolled(), await enrolled()]
  const message_id = randomUUID()
  expect((await reply(one.id, { message_id })).status).toBe(201)
  const refused = [
    reply(one.id, { message_id, body: 'Another' }),
    reply(other.id, { message_id }),
    reply(one.id, { message_id, subject: 'Another' }),
  ]
  for (const { status, body } of await Promise.all(refused))
    expect([status, body.code]).toEqual([409, 'idempotency_conflict'])
  expect([(await mailLedger(one.address)).length, (await mailLedger(other.address)).length]).toEqual([1, 0])
  expect(await statusOf(other.id)).toBe('active')
  const stranger = await newShop()
  expect(
    (await stranger.asOperator('POST', `/campaign-enrollments/${one.id}/reply`, { message_id, body: 'x' })).status,
  ).toBe(404)
})

test('Two replies with one id to two contacts at once are one mail', async () => {
  const [one, other] = [await enrolled(), await enrolled()]
  const message_id = randomUUID()
  const answers = await Promise.all([one, other].map(({ id }) => reply(id, { message_id })))
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409])
  expect((await mailLedger(one.address)).length + (await mailLedger(other.address)).length).toBe(1)
})

async function upload(name: string, text: string): Promise<string> {
  const form = new FormData()
  form.append('files', new File([text], name, { type: 'text/plain' }))
  const { authorization } = shop.op.headers as { authorization: string }
  const answer = await fetch(`${api()}/v1/stores/${shop.store_id}/media`, {
    method: 'POST',
    body: form,
    headers: { authorization },
  })
  const { items } = (await answer.json()) as { items: { id: string }[] }
  return items[0]?.id as string
}

test('The files of a reply are sent as they were, and one that was deleted in between fails it', async () => {
  const [{ id, address }, other] = [await enrolled(), await enrolled()]
  const media_id = await upload('note.txt', 'Hello file')
  const sent = await reply(id, { attachments: [{ media_id }] })
  expect(sent.body).toMatchObject({
    status: 'succeeded',
    attachments: [{ media_id, name: 'note.txt', mime_type: 'text/plain', size: 10 }],
  })
  expect((await mailTo(address)).text).toContain('Thank you')

  await mailFault({ step: 'rcpt', action: 'reject', code: 451, to: other.address })
  const message_id = randomUUID()
  const answering = reply(other.id, { message_id, attachments: [{ media_id }] })
  const row = () =>
    database().query('select id, status, due_at, error from campaign_messages where message_id = $1', [message_id])
  await until(async () => (await row()).rows[0]?.due_at != null)
  await shop.asOperator('DELETE', `/media/${media_id}`)
  // The minute that the server asked for is over.
  await database().query(
    `with due as (update campaign_messages set due_at = now() where message_id = $1 returning id, tenant_id)
     insert into outbox (id, tenant_id, kind, row_id, not_before, tries, parked, again) select gen_random_uuid(), tenant_id, 'campaign_message', id, now(), 0, false, true from due`,
    [message_id],
  )
  await until(async () => (await row()).rows[0]?.status === 'failed')
  expect((await row()).rows[0].error.code).toBe('attachment_missing')
  expect((await answering).body.id).toBe((await row()).rows[0].id)
  expect(await mailLedger(other.address)).toEqual([])
})

test('A reply that is deferred after its body was handed over is rejected, and not sent again', async () => {
  const { id, address } = await enrolled()
  await mailFault({ step: 'after_data', action: 'reject', code: 451, to: address })
  const { body } = await reply(id, {})
  const row = () => database().query('select status, error, attempt from campaign_messages where id = $1', [body.id])
  await until(async () => !['requested', 'processing'].includes((await row()).rows[0].status))
  expect((await row()).rows).toEqual([
    { status: 'rejected', error: expect.objectContaining({ provider_status: 451 }), attempt: 1 },
  ])
})

test('A reply names files that are missing or too many, and is not written', async () => {
  const { id } = await enrolled()
  const { status, body } = await reply(id, { attachments: [{ media_id: newId() }] })
  expect([status, body.errors]).toEqual([
    422,
    [expect.objectContaining({ pointer: '/attachments/0/media_id', code: 'file_unknown' })],
  ])
  const media_id = await upload('a.txt', 'a')
  expect((await reply(id, { attachments: Array(11).fill({ media_id }) })).status).toBe(422)
  await database().query('update media set size = 10485761 where id = $1', [media_id])
  expect((await reply(id, { attachments: [{ media_id }] })).body.errors).toEqual([
    expect.objectContaining({ pointer: '/attachments', code: 'too_big' }),
  ])
  for (const bad of [{ message_id: 'x' }, { subject: 'two\r\nlines' }, { body: '' }])
    expect((await reply(id, bad)).status).toBe(422)
  expect(await statusOf(id)).toBe('active')
})

test('A reply to an address that bounced fails, and one to a contact that unsubscribed is sent', async () => {
  const [bounced, gone] = [await enrolled(), await enrolled({ status: 'unsubscribed' })]
  for (const [address, status, consent] of [
    [bounced.address, 'bounced', 'unknown'],
    [gone.address, 'active', 'withdrawn'],
  ] as const)
    await database().query(
      `insert into contact_channels (id, created_at, updated_at, tenant_id, contact_id, type, address, status, consent_status)
       select $1, 1, 1, $2, contact_id, 'email', address, $4, $5 from enrollments where address = $3`,
      [newId(), shop.store_id, address, status, consent],
    )
  expect((await reply(bounced.id, {})).body).toMatchObject({ status: 'failed', error: { code: 'no_longer_wanted' } })
  expect((await reply(gone.id, {})).body.status).toBe('succeeded')
  expect(await statusOf(gone.id)).toBe('unsubscribed')
})

test('A preview shows the step as a recipient gets it, with its headers and warnings', async () => {
  const { id, address } = await enrolled()
  const preview = (body: object) => shop.asOperator('POST', `/campaigns/${campaign.id}/preview`, body)
  const { body } = await preview({ step: 0, enrollment_id: id })
  expect(body).toMatchObject({ subject: `Hello ${address}`, warnings: [] })
  expect(body.html).toContain(`<p>Good day from ${shop.store.key}</p>`)
  expect(body.html).toMatch(/href="http[^"]*\/customer\/audiences\/manage\?token=preview"/)
  expect(body.headers).toContainEqual({ name: 'List-Unsubscribe-Post', value: 'List-Unsubscribe=One-Click' })
  expect((await preview({ step: 7 })).body.errors).toEqual([
    expect.objectContaining({ pointer: '/step', code: 'step_unknown' }),
  ])
  const missing = await newTemplate(shop, { body: `<p>{{ missing }}</p>${'x'.repeat(110_000)}` })
  const { id: other } = await newCampaign(shop, { mailbox_ids: [mailbox.id], steps: [{ template_id: missing.id }] })
  expect((await shop.asOperator('POST', `/campaigns/${other}/preview`, { step: 0 })).body.code).toBe('template_failed')
  await database().query(`update mailboxes set email = 'ada@gmail.com' where id = $1`, [mailbox.id])
  const warned = await shop.asOperator('POST', `/campaigns/${other}/preview`, {
    step: 0,
    variables: { missing: 'here' },
  })
  await database().query('update mailboxes set email = $2 where id = $1', [mailbox.id, mailbox.email])
  expect(warned.body.warnings.map(({ code }: { code: string }) => code)).toEqual([
    'too_long',
    'no_unsubscribe_url',
    'freemail_sender',
  ])
})

test('A test message is marked and sent once, and its link has no effect', async () => {
  const to = newEmail('tester')
  const message_id = randomUUID()
  const send = (more = {}) =>
    shop.asOperator('POST', `/campaigns/${campaign.id}/test`, { message_id, step: 0, to, ...more }, eitherApi())
  const answers = await atOnce(5, () => send())
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 201])
  expect(answers[0]?.body).toMatchObject({
    kind: 'test',
    status: 'succeeded',
    enrollment_id: null,
    step: 0,
    address: to,
  })
  const mail = await mailTo(to)
  expect(mail.subject).toBe(`[Test] Hello ${to}`)
  expect(mail.headers['list-unsubscribe']).toBeUndefined()
  const token = /manage\?token=(\w+)/.exec(mail.html)?.[1]
  expect((await fetch(`${api()}/v1/customer/audiences/unsubscribe?token=${token}`, { method: 'POST' })).status).toBe(
    401,
  )
  expect((await send({ step: 1 })).body.code).toBe('idempotency_conflict')
  expect(await mailLedger(to)).toHaveLength(1)
})

test('An owner resolves an unknown message, and its sequence and its counters follow', async () => {
  const steps = [
    { template_id: (await newTemplate(shop)).id },
    { template_id: (await newTemplate(shop)).id, delay_s: 86_400 },
  ]
  const { id: campaign_id } = await newCampaign(shop, { mailbox_ids: [mailbox.id], steps })
  const gone = await enrolled({ campaign_id })
  // The drain finds no one to send to.
  await database().query('update enrollments set due_at = null where id = $1', [gone.id])
  expect((await launch(shop, campaign_id)).status).toBe(200)
  await database().query(`update enrollments set status = 'unknown' where id = $1`, [gone.id])
  const rejected = await enrolled({ campaign_id, status: 'unknown' })
  const [first, second] = [
    await stepMessage(gone.id, { status: 'unknown', campaign_id }),
    await stepMessage(rejected.id, { status: 'unknown', campaign_id }),
  ]
  await database().query('update campaign_stats set unknown = 2 where campaign_id = $1 and step = 0', [campaign_id])
  await database().query(`update campaigns set status = 'completed', ended_at = 1 where id = $1`, [campaign_id])
  const resolve = (id: string, outcome: string, replaces?: string) =>
    shop.asOperator('POST', `/campaign-messages/${id}/resolve`, { outcome, note: 'seen in the log', replaces })
  expect((await resolve(second, 'rejected')).body).toMatchObject({
    status: 'rejected',
    resolution: { outcome: 'rejected', note: 'seen in the log' },
  })
  const answers = await atOnce(3, () => resolve(first, 'succeeded'))
  expect(answers.map(({ status, body }) => [status, body.status])).toEqual(Array(3).fill([200, 'succeeded']))
  // A correction, and back: what was counted and what follows are as if it had been recorded at once.
  expect((await resolve(first, 'rejected', 'succeeded')).body).toMatchObject({
    status: 'rejected',
    resolution: { before: { outcome: 'succeeded' } },
  })
  expect((await database().query('select status, step from enrollments where id = $1', [gone.id])).rows).toEqual([
    { status: 'failed', step: 0 },
  ])
  expect((await resolve(first, 'succeeded', 'rejected')).body.status).toBe('succeeded')
  const { rows } = await database().query(
    'select status, step, due_at > now() as later from enrollments where id = any ($1) order by id',
    [[gone.id, rejected.id]],
  )
  expect(rows).toEqual([
    { status: 'active', step: 1, later: true },
    { status: 'failed', step: 0, later: null },
  ])
  const stats = await database().query(
    'select succeeded, rejected, unknown, requested from campaign_stats where campaign_id = $1 and step = 0',
    [campaign_id],
  )
  expect(stats.rows).toEqual([{ succeeded: 1, rejected: 1, unknown: 0, requested: 0 }])
  const { body } = await shop.asOperator('GET', `/campaigns/${campaign_id}`)
  expect([body.status, body.ended_at]).toEqual(['running', null])
})

test('A completed campaign whose mailbox was deleted is paused when its message is resolved', async () => {
  const steps = [
    { template_id: (await newTemplate(shop)).id },
    { template_id: (await newTemplate(shop)).id, delay_s: 86_400 },
  ]
  const own = await newMailbox(shop)
  const { id: campaign_id } = await newCampaign(shop, { mailbox_ids: [own.id], steps })
  const one = await enrolled({ campaign_id })
  await database().query('update enrollments set due_at = null where id = $1', [one.id])
  expect((await launch(shop, campaign_id)).status).toBe(200)
  await database().query(`update enrollments set status = 'unknown' where id = $1`, [one.id])
  const message = await stepMessage(one.id, { status: 'unknown', campaign_id })
  await database().query(`update campaigns set status = 'completed', ended_at = 1 where id = $1`, [campaign_id])
  expect((await shop.asOperator('DELETE', `/mailboxes/${own.id}`)).status).toBeLessThan(300)
  expect(
    (
      await shop.asOperator('POST', `/campaign-messages/${message}/resolve`, {
        outcome: 'succeeded',
        note: 'seen in the log',
      })
    ).status,
  ).toBe(200)
  const { body } = await shop.asOperator('GET', `/campaigns/${campaign_id}`)
  expect([body.status, body.paused_reason?.code, body.ended_at]).toEqual(['paused', 'mailbox_missing', null])
})
