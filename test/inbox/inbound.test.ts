// What comes back of a campaign: stored and applied once, by IMAP and by POST, and only if it names a message of the
// mailbox.
import fs from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { applyBounces } from '../../entities/inbox/bounces.ts'
import { type Orm, openOrm, unitOf } from '../../entities/kit/database/orm.ts'
import { newId } from '../../entities/kit/ids.ts'
import { newAudience } from '../kit/audiences/audiences.ts'
import { launched, newCampaign, newMailbox, newTemplate } from '../kit/campaigns/campaigns.ts'
import { until } from '../kit/codes.ts'
import type { Made } from '../kit/content/content.ts'
import { api, database, eitherApi, newShop, type Shop, unique } from '../kit/shop.ts'

let shop: Shop
let mailbox: Made
let orm: Orm
beforeAll(async () => {
  ;[shop, orm] = await Promise.all([newShop(), openOrm({ url: process.env.DATABASE_URL as string, pool: 4 })])
  mailbox = await newMailbox(shop)
})
afterAll(async () => {
  await orm.close(true)
  await database().end()
})

const now = () => Math.floor(Date.now() / 1000)
const one = async (statement: string, values: unknown[]) => (await database().query(statement, values)).rows[0]

type Sent = { id: string; campaign: string; enrollment: string; contact: string; address: string; mailbox: Made }
type More = {
  status?: string
  enrollment?: string
  provider?: string
  address?: string
  box?: Made
  stop_on_reply?: boolean
  others?: boolean
  kind?: string
}

/** A running campaign, one of whose messages was sent. `others`: it has another active enrollment. */
async function sent({
  status = 'succeeded',
  enrollment = 'active',
  provider,
  address = `ann-${unique()}@tillwright.test`,
  box = mailbox,
  others,
  kind = 'step',
  ...more
}: More = {}): Promise<Sent> {
  const campaign = await newCampaign(shop, { mailbox_ids: [box.id], ...more })
  const contact =
    (await shop.asOperator('POST', '/contacts', { email: address })).body.id ??
    (
      await one('select contact_id as id from contact_channels where tenant_id = $1 and address = $2', [
        shop.store_id,
        address,
      ])
    ).id
  const [id, mine] = [newId(), newId()]
  await database().query(`update campaigns set status = 'running' where id = $1`, [campaign.id])
  await database().query(
    `insert into enrollments (id, created_at, updated_at, tenant_id, campaign_id, contact_id, address, variables, shuffle, status, step, mailbox_id)
     select v.id::uuid, 1, 1, $1, $2, v.contact::uuid, v.address, '{}', 1, v.status, 1, $3 from (values ($4, $5, $6, $7), ($8, $8, 'other-' || $6, 'active')) v (id, contact, address, status)
     where v.id <> $8 or $9`,
    [shop.store_id, campaign.id, box.id, mine, contact, address, enrollment, newId(), others === true],
  )
  await database().query(
    `insert into campaign_stats (campaign_id, step, mailbox_id, tenant_id, succeeded) values ($1, 0, $2, $3, 1)`,
    [campaign.id, box.id, shop.store_id],
  )
  await database().query(
    `insert into campaign_messages (id, created_at, updated_at, tenant_id, campaign_id, enrollment_id, kind, step, mailbox_id, address, attachments, status, fingerprint, sent_at, provider_message_id)
     values ($1, 1, 1, $2, $3, $4, $5, 0, $6, $7, '[]', $8, '', now(), $9)`,
    [id, shop.store_id, campaign.id, mine, kind, box.id, address, status, provider ?? null],
  )
  return { id, campaign: campaign.id, enrollment: mine, contact, address, mailbox: box }
}

const post = (
  url: string,
  mail: string | Buffer,
  headers: Record<string, string> = { 'content-type': 'message/rfc822' },
) =>
  fetch(url, { method: 'POST', body: mail, headers }).then(async (answer) => ({
    status: answer.status,
    body: await answer.json(),
  }))
const pathOf = ({ inbound_url }: Made) => new URL(String(inbound_url)).pathname
const take = async ({ mailbox: box }: Pick<Sent, 'mailbox'>, mail: string | Buffer, base = eitherApi()) => {
  expect(await post(`${base}${pathOf(box)}`, mail)).toEqual({ status: 200, body: { received: true } })
}

const folder = path.join(import.meta.dirname, 'corpus')
/** A mail of the corpus about this message. */
const about = (
  { id, address, mailbox: box }: Sent,
  name: string,
  change: (mail: string) => string = (mail) => mail,
): Buffer => {
  const mail = fs.readFileSync(path.join(folder, `${name}.eml`)).toString('latin1')
  const named = mail
    .replaceAll('0199a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b', id)
    .replaceAll('ann@customer.example', address)
    .replaceAll('ann+40customer.example', address.replace('@', '+40'))
    .replaceAll('news@shop.example', String(box.email))
  return Buffer.from(change(named), 'latin1')
}

const messageOf = ({ id }: Sent) =>
  one('select status, bounced_at, bounce, complained_at, late_evidence from campaign_messages where id = $1', [id])
const enrollmentOf = async ({ enrollment }: Sent) =>
  (await one('select status from enrollments where id = $1', [enrollment])).status as string
const channelOf = async ({ address }: Sent) =>
  (await one('select status from contact_channels where tenant_id = $1 and address = $2', [shop.store_id, address]))
    .status as string
const statsOf = async ({ campaign }: Sent) =>
  one('select bounced, complained, replied from campaign_stats where campaign_id = $1', [campaign])
const storedOf = async ({ id }: Sent) =>
  (await database().query('select kind from inbound_mails where campaign_message_id = $1 order by id', [id])).rows.map(
    ({ kind }) => kind,
  )
const campaignOf = async ({ campaign }: Sent) =>
  (await one('select status from campaigns where id = $1', [campaign])).status as string

test('A reply that is posted twenty times at once is stored once and stops the sequence', async () => {
  const message = await sent({ others: true })
  await Promise.all(Array.from({ length: 20 }, () => take(message, about(message, 'reply'))))
  expect(await storedOf(message)).toEqual(['reply'])
  expect([await enrollmentOf(message), await statsOf(message), await campaignOf(message)]).toMatchObject([
    'replied',
    { replied: 1 },
    'running',
  ])
  // Another one to the same message is stored, and not counted.
  await take(message, about(message, 'reply-references-only'))
  expect([await storedOf(message), await statsOf(message)]).toMatchObject([['reply', 'reply'], { replied: 1 }])
})

test('The last active enrollment that is replied to completes its campaign', async () => {
  const message = await sent()
  await take(message, about(message, 'reply'))
  expect([await enrollmentOf(message), await campaignOf(message)]).toEqual(['replied', 'completed'])
})

test('A reply stops nothing if the campaign does not stop on replies, nor does an automatic one', async () => {
  const [goesOn, away] = [await sent({ stop_on_reply: false }), await sent()]
  await take(goesOn, about(goesOn, 'reply'))
  await take(away, about(away, 'away-german'))
  expect([await enrollmentOf(goesOn), await storedOf(goesOn), await statsOf(goesOn)]).toMatchObject([
    'active',
    ['reply'],
    { replied: 1 },
  ])
  expect([await enrollmentOf(away), await storedOf(away), await statsOf(away)]).toMatchObject([
    'active',
    ['auto_reply'],
    { replied: 0 },
  ])
})

test('A reply that names the id of the provider stops the sequence', async () => {
  const provider = '0102018f2c3d4e5f-6a7b8c9d-0e1f-4a2b-8c3d-4e5f6a7b8c9d-000000'
  const message = await sent({ provider, box: await newMailbox(shop) })
  await take(message, about(message, 'reply-rewritten-id'))
  expect(await enrollmentOf(message)).toBe('replied')
  // Two messages with the id, which a provider would not say: neither is meant.
  const [first, second] = [
    await sent({ provider, box: message.mailbox }),
    await sent({ provider, box: message.mailbox }),
  ]
  await take(
    first,
    about(first, 'reply-rewritten-id', (mail) => mail.replace('Yes.', 'No.')),
  )
  expect([await storedOf(first), await storedOf(second)]).toEqual([[], []])
})

test('A hard bounce suppresses the address, ends the enrollment, and is counted once', async () => {
  const message = await sent({ enrollment: 'completed' })
  const audience = await newAudience(shop, 'private')
  await shop.asOperator('POST', `/audiences/${audience.id}/members`, { contact_id: message.contact })
  await take(message, about(message, 'postfix-unknown-user'))
  await take(message, about(message, 'gmail-unknown'))
  expect(await messageOf(message)).toMatchObject({
    bounced_at: expect.any(Number),
    bounce: { status: '5.1.1', class: 'hard', diagnostic: expect.stringContaining('no such user') },
  })
  expect([await enrollmentOf(message), await channelOf(message), await statsOf(message)]).toMatchObject([
    'bounced',
    'bounced',
    { bounced: 1 },
  ])
  expect(await storedOf(message)).toEqual(['bounce', 'bounce'])
  expect(await one('select delivery_status from audience_members where audience_id = $1', [audience.id])).toEqual({
    delivery_status: 'bounced',
  })
})

test('Refusals of the sender and delays suppress no address', async () => {
  for (const [name, bounced, kind] of [
    ['postfix-policy', true, 'reputation'],
    ['postfix-sender-refused', true, 'reputation'],
    ['postfix-expired', true, 'transient'],
    ['postfix-delayed', false, 'delayed'],
  ] as const) {
    const message = await sent()
    await take(message, about(message, name))
    const { bounced_at, bounce } = await messageOf(message)
    expect([name, bounced_at !== null, bounce.class, await channelOf(message), await enrollmentOf(message)]).toEqual([
      name,
      bounced,
      kind,
      'active',
      'active',
    ])
  }
})

test('The third soft bounce of an address in 30 days suppresses it, and older ones do not count', async () => {
  const address = `full-${unique()}@tillwright.test`
  const bounce = async () => {
    const message = await sent({ address })
    await take(message, about(message, 'postfix-mailbox-full'))
    return message
  }
  const old = await bounce()
  await database().query('update campaign_messages set bounced_at = $2 where id = $1', [old.id, now() - 31 * 86_400])
  for (let n = 0; n < 2; n++) expect(await enrollmentOf(await bounce())).toBe('active')
  expect(await channelOf(old)).toBe('active')
  const third = await bounce()
  expect([await channelOf(third), await enrollmentOf(third)]).toEqual(['bounced', 'bounced'])
})

test('A complaint suppresses the address as complained, also after a bounce', async () => {
  const message = await sent()
  await take(message, about(message, 'postfix-unknown-user'))
  await take(message, about(message, 'arf-redacted'))
  await take(message, about(message, 'arf-abuse'))
  expect([await channelOf(message), await enrollmentOf(message), await statsOf(message)]).toMatchObject([
    'complained',
    'complained',
    { bounced: 1, complained: 1 },
  ])
})

test('A campaign is paused for its complaints once they exceed 0.3 % of 1,000 messages', async () => {
  const complained = async (succeeded: number, before: number) => {
    const message = await sent({ others: true })
    await database().query('update campaign_stats set succeeded = $2, complained = $3 where campaign_id = $1', [
      message.campaign,
      succeeded,
      before,
    ])
    await take(message, about(message, 'arf-abuse'))
    return message
  }
  expect(await campaignOf(await complained(999, 50))).toBe('running')
  expect(await campaignOf(await complained(1_000, 2))).toBe('running')
  const message = await complained(1_000, 3)
  const read = () => shop.asOperator('GET', `/campaigns/${message.campaign}`)
  expect((await read()).body).toMatchObject({ status: 'paused', paused_reason: { code: 'too_many_complaints' } })
  // What an operator has seen does not pause it again.
  expect((await shop.asOperator('POST', `/campaigns/${message.campaign}/resume`)).status).toBe(200)
  const second = { ...message, id: newId() }
  await database().query(
    `insert into campaign_messages select (jsonb_populate_record(m, jsonb_build_object('id', $2::text, 'step', 1, 'complained_at', null))).* from campaign_messages m where id = $1`,
    [message.id, second.id],
  )
  await take(second, about(second, 'arf-abuse'))
  expect([await messageOf(second), (await read()).body]).toMatchObject([
    { complained_at: expect.anything() },
    { status: 'running', paused_reason: null },
  ])
})

test('Only bounces of addresses that do not exist pause a campaign', async () => {
  for (const [soft, hard, status] of [
    [60, 0, 'running'],
    [0, 60, 'paused'],
  ]) {
    const message = await sent({ others: true })
    await database().query(
      'update campaign_stats set succeeded = 1000, bounced = $2::int + $3::int, hard_bounced = $3::int where campaign_id = $1',
      [message.campaign, soft, hard],
    )
    await take(message, about(message, 'postfix-unknown-user'))
    expect([await campaignOf(message), (await statsOf(message)).bounced]).toEqual([status, 61])
  }
})

test('What comes back of an unknown message is late evidence, and ends its sequence', async () => {
  for (const [name, inbound, ended] of [
    ['reply', 'reply', 'replied'],
    ['away-vacation', 'auto_reply', 'unknown'],
    ['postfix-unknown-user', 'bounce', 'bounced'],
    ['arf-abuse', 'complaint', 'complained'],
  ] as const) {
    const message = await sent({ status: 'unknown', enrollment: 'unknown' })
    await take(message, about(message, name))
    expect(await messageOf(message)).toMatchObject({
      status: 'unknown',
      late_evidence: { status: 'succeeded', inbound },
    })
    expect([name, await enrollmentOf(message)]).toEqual([name, ended])
    // An operator resolves it: a sequence that has ended goes on no more.
    const resolved = await shop.asOperator('POST', `/campaign-messages/${message.id}/resolve`, {
      outcome: 'succeeded',
      note: 'seen in the log',
    })
    expect([resolved.status, await messageOf(message)]).toMatchObject([200, { status: 'succeeded' }])
    if (ended !== 'unknown') expect([name, await enrollmentOf(message)]).toEqual([name, ended])
  }
})

test('A complaint or a bounce counts for an address that the contact has no more', async () => {
  for (const [name, status] of [
    ['arf-abuse', 'complained'],
    ['postfix-unknown-user', 'bounced'],
  ] as const) {
    const message = await sent()
    expect(
      (await shop.asOperator('PUT', `/contacts/${message.contact}`, { email: `new-${unique()}@tillwright.test` }))
        .status,
    ).toBe(200)
    await take(message, about(message, name))
    expect([await channelOf(message), await enrollmentOf(message)]).toEqual([status, status])
  }
})

test('Forged, unrelated and own mail leaves no row and changes nothing', async () => {
  const message = await sent()
  const names = [
    'forged-other-recipient',
    'forged-without-id',
    'forged-guessed-id',
    'forged-plain-address',
    'arf-unknown-message',
    'arf-not-spam',
    'arf-authentication',
  ]
  names.push(
    'own-sent-copy',
    'own-copy-without-mark',
    'own-reply-of-operator',
    'reply-unrelated',
    'mail-without-thread',
    'read-receipt',
    'postfix-delivered',
    'empty-headers',
  )
  const before = await one('select count(*)::int as n from inbound_mails where mailbox_id = $1', [mailbox.id])
  for (const name of names) await take(message, name === 'empty-headers' ? '\r\n' : about(message, name))
  // A copy of our own that was answered in the same thread.
  await take(
    message,
    about(message, 'own-copy-without-mark', (mail) => `In-Reply-To: <${message.id}@shop.example>\n${mail}`),
  )
  expect(await one('select count(*)::int as n from inbound_mails where mailbox_id = $1', [mailbox.id])).toEqual(before)
  expect([await channelOf(message), await enrollmentOf(message), await statsOf(message)]).toEqual([
    'active',
    'active',
    { bounced: 0, complained: 0, replied: 0 },
  ])
})

test('A mail that comes in over a mailbox of another store changes nothing', async () => {
  const message = await sent()
  const other = await newMailbox(await newShop())
  for (const name of ['reply', 'postfix-unknown-user', 'arf-abuse'])
    await take({ mailbox: other }, about(message, name))
  expect([await storedOf(message), await channelOf(message), await enrollmentOf(message)]).toEqual([
    [],
    'active',
    'active',
  ])
})

test("A mail over another mailbox of the store counts for a message's id, not for a provider's", async () => {
  const second = await newMailbox(shop)
  for (const [name, ended] of [
    ['reply', 'replied'],
    ['postfix-unknown-user', 'bounced'],
    ['arf-abuse', 'complained'],
  ] as const) {
    const message = await sent()
    await take({ mailbox: second }, about(message, name))
    expect([name, await enrollmentOf(message)]).toEqual([name, ended])
  }
  const message = await sent({
    provider: '0102018f2c3d4e5f-6a7b8c9d-0e1f-4a2b-8c3d-4e5f6a7b8c9d-000000',
    box: await newMailbox(shop),
  })
  await take({ mailbox: second }, about(message, 'reply-rewritten-id'))
  expect([await storedOf(message), await enrollmentOf(message)]).toEqual([[], 'active'])
})

test('Hard refusals while sending have the effect of bounces, for many messages at once', async () => {
  const messages = await Promise.all([
    sent({ status: 'rejected' }),
    sent({ status: 'rejected', enrollment: 'failed' }),
    sent({ kind: 'test' }),
  ])
  const bounces = messages.map(({ id }) => ({
    id,
    status: '5.1.1',
    diagnostic: '550 5.1.1 unknown',
    class: 'hard' as const,
  }))
  for (let n = 0; n < 2; n++)
    await unitOf(orm, null).transactional((em) => applyBounces(em as never, shop.store_id, bounces, now()))
  const found = await Promise.all(
    messages.map(async (one) => [
      await channelOf(one),
      await enrollmentOf(one),
      (await statsOf(one)).bounced,
      (await messageOf(one)).bounced_at !== null,
    ]),
  )
  // A test message suppresses no address.
  expect(found).toEqual([
    ['bounced', 'bounced', 1, true],
    ['bounced', 'bounced', 1, true],
    ['active', 'active', 0, true],
  ])
})

test('Posted mail is refused with 404, 413, 415 or 422 where it cannot be read', async () => {
  const url = `${api()}${pathOf(mailbox)}`
  const codeOf = ({ status, body }: { status: number; body: unknown }) => [status, (body as { code: string }).code]
  expect(codeOf(await post(`${url.slice(0, -1)}x`, 'From: a@b.example\r\n\r\nx'))).toEqual([404, 'not_found'])
  expect(codeOf(await post(url, '{}', { 'content-type': 'application/json' }))).toEqual([415, 'unsupported_media_type'])
  expect(codeOf(await post(url, Buffer.alloc(10 * 1024 * 1024 + 1, 'a')))).toEqual([413, 'too_large'])
  expect(codeOf(await post(url, ''))).toEqual([422, 'required'])
  expect(codeOf(await post(`${url}?x=1`, 'x'))).toEqual([422, 'invalid_input'])
  const nested = Array.from(
    { length: 1_000 },
    (_, n) => `Content-Type: multipart/mixed; boundary=b${n}\n\n--b${n}\n`,
  ).join('')
  expect((await post(url, nested)).status).toBe(200)
})

const simulator = (method: string, route: string, body?: string | object) =>
  fetch(`${process.env.TEST_MAIL}${route}`, {
    method,
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  }).then((answer) => answer.json() as Promise<{ id: string }[]>)
const imapOf = (box: Made) =>
  one('select imap_uid, imap_uid_validity, imap_checked_at, imap_error from mailboxes where id = $1', [box.id])
const imap = (username: string, password = 'secret password') => ({
  host: '127.0.0.1',
  port: Number(process.env.TEST_IMAP),
  security: 'none',
  username,
  password,
})
/** Signals the process of the inbox, as a change of its settings does. */
const readNow = async (box: Made) => shop.asOperator('PUT', `/mailboxes/${box.id}`, { imap: imap(String(box.email)) })

test('An inbox is read from now on, each mail once, also what came before it was replaced', async () => {
  const email = `inbox-${unique()}@tillwright.test`
  await simulator('POST', `/inbox?to=${email}`, 'Subject: old\r\n\r\nold')
  const box = await newMailbox(shop, { email, imap: imap(email) })
  await until(async () => (await imapOf(box)).imap_uid === 1)
  const message = await sent({ box })
  await simulator('POST', `/inbox?to=${email}`, about(message, 'reply').toString('latin1'))
  await simulator('POST', `/inbox?to=${email}`, 'Subject: unrelated\r\n\r\nx')
  await readNow(box)
  await until(async () => (await imapOf(box)).imap_uid === 3)
  expect([await storedOf(message), await enrollmentOf(message)]).toEqual([['reply'], 'replied'])
  // The folder was recreated: its UIDs begin at 1 again.
  await simulator('DELETE', `/inbox?to=${email}`)
  const old = Math.floor(Date.now() / 1000) - 3 * 86_400
  await simulator('POST', `/inbox?to=${email}&at=${old}`, about(message, 'reply-references-only').toString('latin1'))
  await simulator('POST', `/inbox?to=${email}`, about(message, 'reply-of-colleague').toString('latin1'))
  await readNow(box)
  await until(async () => (await imapOf(box)).imap_uid === 2)
  expect(await storedOf(message)).toEqual(['reply', 'reply'])
  expect(await imapOf(box)).toMatchObject({ imap_error: null, imap_checked_at: expect.any(Number) })
}, 60_000)

test('No mail is lost or taken twice when a provider moves an inbox, after an outage too', async () => {
  const email = `inbox-${unique()}@tillwright.test`
  const box = await newMailbox(shop, { email, imap: imap(email) })
  await until(async () => (await imapOf(box)).imap_uid !== null)
  const [known, during, later] = [await sent({ box }), await sent({ box }), await sent({ box })]
  const put = (message: Sent, name: string, at?: number) =>
    simulator(
      'POST',
      `/inbox?to=${email}${at === undefined ? '' : `&at=${at}`}`,
      about(message, name).toString('latin1'),
    )
  await put(known, 'reply')
  await readNow(box)
  await until(async () => (await storedOf(known)).length === 1)
  // Three days without a read that succeeded, in which a bounce came.
  const ago = Math.floor(Date.now() / 1000) - 3 * 86_400
  await database().query('update mailboxes set imap_read_at = $2 where id = $1', [box.id, ago])
  await put(during, 'postfix-unknown-user', ago + 3_600)
  await simulator('POST', `/inbox/move?to=${email}`)
  await put(later, 'reply')
  await readNow(box)
  await until(async () => (await enrollmentOf(later)) === 'replied')
  expect([await enrollmentOf(known), await enrollmentOf(during), (await storedOf(known)).length]).toEqual([
    'replied',
    'bounced',
    1,
  ])
  await until(async () => (await imapOf(box)).imap_error === null)
}, 60_000)

test('An inbox whose server replaces it with each session is read all the same', async () => {
  const email = `inbox-${unique()}@tillwright.test`
  const box = await newMailbox(shop, { email, imap: imap(email) })
  await until(async () => (await imapOf(box)).imap_uid !== null)
  await simulator('POST', `/inbox/move?to=${email}&restless=true`)
  for (const name of ['reply', 'reply-of-colleague']) {
    const message = await sent({ box })
    await simulator('POST', `/inbox?to=${email}`, about(message, name).toString('latin1'))
    await readNow(box)
    await until(async () => (await enrollmentOf(message)) === 'replied')
    expect(await storedOf(message)).toEqual(['reply'])
  }
}, 60_000)

test('A folder that was replaced is named as the error of the inbox until its mail is read', async () => {
  const email = `inbox-${unique()}@tillwright.test`
  const box = await newMailbox(shop, { email, imap: imap(email) })
  await until(async () => (await imapOf(box)).imap_uid !== null)
  const message = await sent({ box })
  await simulator('POST', `/inbox?to=${email}`, about(message, 'reply').toString('latin1'))
  await simulator('POST', `/inbox/move?to=${email}`)
  const shown = async () => (await shop.asOperator('GET', `/mailboxes/${box.id}`)).body.imap.error
  // What the mail changes waits for this lock.
  const holding = await database().connect()
  await holding.query('begin')
  await holding.query('select 1 from campaigns where id = $1 for no key update', [message.campaign])
  await readNow(box)
  await until(async () => (await shown())?.code === 'imap_uid_validity')
  await holding.query('commit')
  holding.release()
  await until(async () => (await shown()) === null)
  expect(await enrollmentOf(message)).toBe('replied')
}, 60_000)

test('What prevents an inbox from being read is shown without the password', async () => {
  const email = `inbox-${unique()}@tillwright.test`
  const box = await newMailbox(shop, { email, imap: imap(email, 'wrong') })
  await until(async () => (await imapOf(box)).imap_error !== null)
  expect((await imapOf(box)).imap_error).toEqual({
    code: 'imap_sign_in',
    message: expect.not.stringContaining('wrong'),
  })
  await shop.asOperator('PUT', `/mailboxes/${box.id}`, { imap: { ...imap(email), folder: 'Nowhere' } })
  await until(async () => (await imapOf(box)).imap_error?.code === 'imap_folder')
  await readNow(box)
  await until(async () => (await imapOf(box)).imap_error === null && (await imapOf(box)).imap_checked_at !== null)
}, 60_000)

test('A sequence is sent, and stopped by a reply to a renamed message and by a bounce', async () => {
  const email = `inbox-${unique()}@tillwright.test`
  const [box, { id: template_id }] = await Promise.all([
    newMailbox(shop, { email, imap: imap(email) }),
    newTemplate(shop),
  ])
  const [ann, bob] = [`ann-${unique()}@tillwright.test`, `bob-${unique()}@tillwright.test`]
  // It is read from its first read on.
  await until(async () => (await imapOf(box)).imap_uid !== null)
  await simulator('POST', '/faults', { step: 'after_data', action: 'rename', to: ann })
  const campaign = await launched(shop, {
    mailbox_ids: [box.id],
    emails: [ann, bob],
    steps: [{ template_id }, { template_id, delay_s: 86_400 }],
  })
  const caught = async (to: string) => (await simulator('GET', `/messages/wait?to=${to}&timeout_ms=20000`))[0]?.id ?? ''
  await simulator('POST', '/replies', { id: await caught(ann) })
  await simulator('POST', '/bounces', { id: await caught(bob) })
  // A message may be caught before its id is stored.
  await until(
    async () =>
      (
        await database().query(`select 1 from campaign_messages where campaign_id = $1 and status = 'succeeded'`, [
          campaign.id,
        ])
      ).rows.length === 2,
  )
  await readNow(box)
  const ended = async () =>
    (
      await database().query('select address, status from enrollments where campaign_id = $1 order by address', [
        campaign.id,
      ])
    ).rows
  await until(async () => (await ended()).every(({ status }) => status !== 'active'))
  expect(await ended()).toEqual([
    { address: ann, status: 'replied' },
    { address: bob, status: 'bounced' },
  ])
  expect(await campaignOf({ campaign: campaign.id } as Sent)).toBe('completed')
}, 60_000)

test('Of the mails to a message the content of a hundred is kept', async () => {
  const message = await sent({ stop_on_reply: false })
  await database().query(
    `insert into inbound_mails (id, created_at, updated_at, tenant_id, mailbox_id, digest, kind, enrollment_id, campaign_message_id, subject, content, received_at)
     select gen_random_uuid(), 1, 1, $1, $2, gen_random_uuid(), 'auto_reply', $3, $4, '', '', 1 from generate_series(1, 99) n`,
    [shop.store_id, message.mailbox.id, message.enrollment, message.id],
  )
  for (const n of [1, 2])
    await take(
      message,
      about(message, 'reply', (mail) => mail.replace(/^Subject: .*$/m, `Subject: Again ${n}`)),
    )
  const { items } = (await shop.asOperator('GET', `/campaign-enrollments/${message.enrollment}/messages?limit=2`)).body
  expect(items.map(({ subject, text }: { subject: string; text: string | null }) => [subject, text !== null])).toEqual([
    ['Again 1', true],
    ['Again 2', false],
  ])
})
