// The campaign of `npm run demo`: two e-mails to three members, a worker that is killed between them, a reply, a bounce
// and one click.

import { springName } from '../seed/campaigns.ts'
import { type Callers, say, until } from './steps.ts'

type Where = { mail: string; temporal_ui: string | null; worker: () => number }
type Mail = { id: string; subject: string; headers: Record<string, string> }

/** `worker`: reads the process id of the stack's worker. */
export async function showCampaign({ path, operator }: Callers, { mail, temporal_ui, worker }: Where): Promise<void> {
  const { items } = await operator('GET /v1/stores/{storeId}/campaigns', { path, query: { query: springName } })
  const spring = items.at(-1)
  if (!spring) return
  const run = crypto.randomUUID().slice(0, 8)
  const names = ['ada', 'grace', 'linus'] as const
  const addressOf = (name: string) => `${name}-${run}@tillwright.test`
  const arrived = async (name: string) =>
    (await (await fetch(`${mail}/messages?to=${encodeURIComponent(addressOf(name))}`)).json()) as Mail[]

  const audience = await operator('POST /v1/stores/{storeId}/audiences', {
    path,
    body: { key: `spring-${run}`, name: 'Spring', type: { type: 'open' } },
  })
  await operator('PUT /v1/stores/{storeId}/audiences/{id}', {
    path: { ...path, id: audience.id },
    body: { status: 'active' },
  })
  for (const name of names) {
    const contact = await operator('POST /v1/stores/{storeId}/contacts', { path, body: { email: addressOf(name) } })
    await operator('POST /v1/stores/{storeId}/audiences/{audienceId}/members', {
      path: { ...path, audienceId: audience.id },
      body: { contact_id: contact.id },
    })
  }
  const copy = await operator('POST /v1/stores/{storeId}/campaigns/{id}/duplicate', {
    path: { ...path, id: spring.id },
    body: { name: `${springName} ${run}` },
  })
  const of = { ...path, id: copy.id }
  const body = { audience_ids: [audience.id], emails: [addressOf('ada').toUpperCase()] }
  const imported = await operator('POST /v1/stores/{storeId}/campaigns/{id}/enrollments/import', { path: of, body })
  say(
    'A campaign of two e-mails: an audience of three members is enrolled, and one of them by address too',
    `${imported.enrolled} enrolled`,
  )

  await operator('POST /v1/stores/{storeId}/campaigns/{id}/launch', { path: of, body: {} })
  await until('the first e-mails', async () =>
    (await Promise.all(names.map(arrived))).every(({ length }) => length === 1) ? true : undefined,
  )
  const mailbox = await operator('GET /v1/stores/{storeId}/mailboxes/{id}', {
    path: { ...path, id: copy.mailbox_ids[0] ?? '' },
  })
  const [first] = await arrived('ada')
  const reply = [
    `From: ${addressOf('ada')}`,
    `In-Reply-To: ${first?.headers['message-id']}`,
    `Message-ID: <${run}@tillwright.test>`,
    'Subject: Re: Spring',
    '',
    'Two, please.',
    '',
  ]
  await fetch(mailbox.inbound_url ?? '', {
    method: 'POST',
    headers: { 'content-type': 'message/rfc822' },
    body: reply.join('\r\n'),
  })
  const enrollmentOf = async (name: string) => {
    const found = await operator('GET /v1/stores/{storeId}/campaigns/{id}/enrollments', {
      path: of,
      query: { query: addressOf(name) },
    })
    return found.items[0]?.status
  }
  say(
    'A member replies, and the mail provider posts the reply: the member’s sequence stops',
    `enrollment ${await enrollmentOf('ada')}`,
  )

  const killed = worker()
  process.kill(killed, 'SIGKILL')
  say('The worker is killed halfway', `process ${killed}; the stack starts another one`)
  await until('the other worker', async () => (worker() !== killed ? true : undefined))
  const ended = await until('the end of the campaign', async () => {
    const now = await operator('GET /v1/stores/{storeId}/campaigns/{id}', { path: of })
    return now.status === 'completed' ? now : undefined
  })
  const copies = await Promise.all(names.map(async (name) => `${name} ${(await arrived(name)).length}`))
  say(
    'The other worker goes on: each e-mail arrived once',
    `${copies.join(', ')}; ${ended.stats.messages.sent} sent, ${ended.stats.messages.unknown} unknown`,
  )

  const { items: messages } = await operator('GET /v1/stores/{storeId}/campaigns/{id}/messages', {
    path: of,
    query: {},
  })
  const bounced = messages.find(({ address, step }) => address === addressOf('grace') && step === 1)
  const report = [
    ...[
      'From: MAILER-DAEMON@mx.tillwright.test',
      `Message-ID: <b${run}@mx.tillwright.test>`,
      'Subject: Undelivered Mail',
      'Auto-Submitted: auto-replied',
      'MIME-Version: 1.0',
    ],
    ...[
      'Content-Type: multipart/report; report-type=delivery-status; boundary=b',
      '',
      '--b',
      'Content-Type: text/plain',
      '',
      'No such user.',
    ],
    ...[
      '--b',
      'Content-Type: message/delivery-status',
      '',
      'Reporting-MTA: dns; mx.tillwright.test',
      `Original-Envelope-Id: ${bounced?.id}`,
      '',
    ],
    ...[`Final-Recipient: rfc822; ${addressOf('grace')}`, 'Action: failed', 'Status: 5.1.1', '', '--b--', ''],
  ]
  await fetch(mailbox.inbound_url ?? '', {
    method: 'POST',
    headers: { 'content-type': 'message/rfc822' },
    body: report.join('\r\n'),
  })
  const [last] = await arrived('linus')
  const click = last?.headers['list-unsubscribe']?.slice(1, -1) ?? ''
  await fetch(click, { method: 'POST', body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }) })
  const { items: members } = await operator('GET /v1/stores/{storeId}/audiences/{audienceId}/members', {
    path: { ...path, audienceId: audience.id },
    query: {},
  })
  const states = members.map(({ contact, delivery_status }) => `${contact.email?.split('-')[0]} ${delivery_status}`)
  say(
    'A bounce names an address that does not exist, and one click unsubscribes another member',
    states.toReversed().join(', '),
  )
  if (temporal_ui)
    say('The drain of the mailbox', `${temporal_ui}/namespaces/default/workflows/dispatch%2F${mailbox.id}`)
}
