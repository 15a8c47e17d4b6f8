// Enrollments and messages as operators see them: lists, single reads, the conversation, and the end of one enrollment.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { encrypt } from '../../entities/kit/encrypted.ts'
import { newId } from '../../entities/kit/ids.ts'
import { bytesOf, packContent } from '../../entities/sending/content.ts'
import { memberOf, newAudience, newContact } from '../kit/audiences/audiences.ts'
import {
  addMessage,
  enroll,
  enrollmentsOf,
  importInto,
  launch,
  newCampaign,
  newMailbox,
  newTemplate,
  setCampaign,
} from '../kit/campaigns/campaigns.ts'
import { api, database, eitherApi, newEmail, newShop, type Shop, secondApi } from '../kit/shop.ts'

let shop: Shop
let mailbox_id: string
let template_id: string
beforeAll(async () => {
  shop = await newShop()
  // Never sends: its campaigns are scheduled, or its server refuses.
  ;[mailbox_id, template_id] = await Promise.all([
    newMailbox(shop).then(({ id }) => id),
    newTemplate(shop).then(({ id }) => id),
  ])
})
afterAll(async () => database().end())

const draft = async (): Promise<string> =>
  (await newCampaign(shop, { mailbox_ids: [mailbox_id], steps: [{ template_id }] })).id
/** Launched, and starts in a day: nothing is sent. */
const scheduled = async (count = 1): Promise<string> => {
  const id = await draft()
  await enroll(shop, id, count)
  expect((await launch(shop, id, { scheduled_at: Math.floor(Date.now() / 1000) + 86_400 })).status).toBe(200)
  return id
}
const list = async (id: string, query = '', of = 'enrollments') =>
  (await shop.asOperator('GET', `/campaigns/${id}/${of}?sort_direction=asc&${query}`)).body.items
const idsOf = async (...asked: Parameters<typeof list>): Promise<string[]> =>
  (await list(...asked)).map(({ id }: { id: string }) => id)
const cancel = (id: string, base?: string) =>
  shop.asOperator('POST', `/campaign-enrollments/${id}/cancel`, undefined, base)
const setEnrollment = (id: string, set: string) => database().query(`update enrollments set ${set} where id = $1`, [id])

describe('Enrollments', () => {
  test('The list filters by status, step, contact and the beginning of the address in any case', async () => {
    const id = await draft()
    const [ada, grace, under] = [newEmail('ada'), newEmail('grace'), newEmail('a_a')]
    await importInto(shop, id, { emails: [{ email: ada, variables: { name: 'Ada' } }, grace, under] })
    const rows = await enrollmentsOf(id)
    const [one, two, three] = [ada, grace, under].map((address) => rows.find((row) => row.address === address))
    await setEnrollment(two?.id as string, "status = 'replied', step = 1, due_at = null")
    const first = (await list(id, `contact_id=${one?.contact_id}`))[0]
    expect(first).toMatchObject({
      id: one?.id,
      campaign_id: id,
      address: ada,
      variables: { name: 'Ada' },
      status: 'active',
      step: 0,
      mailbox_id: null,
      member_id: null,
    })
    expect(Math.abs(first.due_at - Date.now() / 1000)).toBeLessThan(60)
    expect((await shop.asOperator('GET', `/campaign-enrollments/${one?.id}`)).body).toEqual(first)
    expect([await idsOf(id, 'status=ACTIVE'), await idsOf(id, 'status=replied'), await idsOf(id, 'step=1')]).toEqual([
      [one?.id, three?.id].sort(),
      [two?.id],
      [two?.id],
    ])
    expect([
      await idsOf(id, `contact_id=${one?.contact_id}`),
      await idsOf(id, 'query=ADA'),
      await idsOf(id, 'query=a_'),
    ]).toEqual([[one?.id], [one?.id], [three?.id]])
    expect((await list(id, 'status=replied'))[0]).toMatchObject({ due_at: null })
  })

  test('Active enrollments of a cancelled campaign are shown, filtered and cancelled as cancelled', async () => {
    const id = await draft()
    await enroll(shop, id, 2)
    const [one, two] = await enrollmentsOf(id)
    await setEnrollment(two?.id as string, "status = 'completed', due_at = null")
    await setCampaign(id, { status: 'cancelled', ended_at: 1 })
    expect((await list(id)).map(({ status, due_at }: { status: string; due_at: number }) => [status, due_at])).toEqual([
      ['cancelled', null],
      ['completed', null],
    ])
    expect([
      await idsOf(id, 'status=cancelled'),
      await idsOf(id, 'status=active'),
      await idsOf(id, 'status=completed'),
    ]).toEqual([[one?.id], [], [two?.id]])
    expect(await cancel(one?.id as string)).toMatchObject({ status: 200, body: { status: 'cancelled', due_at: null } })
    expect((await shop.asOperator('GET', `/campaign-enrollments/${one?.id}`)).body.status).toBe('cancelled')
  })

  test('An enrollment is cancelled once, on either API process; one that ended otherwise is 409', async () => {
    const id = await scheduled(2)
    const [one, two] = await enrollmentsOf(id)
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, n) => cancel(one?.id as string, n % 2 === 0 ? api() : secondApi())),
    )
    expect(answers.map(({ status, body }) => [status, body.status, body.due_at])).toEqual(
      Array(6).fill([200, 'cancelled', null]),
    )
    await setEnrollment(two?.id as string, "status = 'bounced', due_at = null")
    expect(await cancel(two?.id as string)).toMatchObject({
      status: 409,
      body: { code: 'enrollment_not_active', enrollment_status: 'bounced' },
    })
    expect((await cancel(newId())).status).toBe(404)
    await setCampaign(id, { status: 'cancelled' })
  })

  test('A running campaign whose last enrollment is cancelled is completed', async () => {
    const id = await scheduled()
    await setCampaign(id, { status: 'running', mailbox_ids: '[]' })
    await cancel((await enrollmentsOf(id))[0]?.id as string)
    expect((await shop.asOperator('GET', `/campaigns/${id}`)).body).toMatchObject({
      status: 'completed',
      ended_at: expect.any(Number),
    })
  })
})

describe('Messages', () => {
  test('The list filters by status, kind, step and bounce, and leaves the content out', async () => {
    const id = await scheduled()
    const enrollment_id = (await enrollmentsOf(id))[0]?.id as string
    const of = (created_at: number, more: object) => addMessage(shop, id, { enrollment_id, created_at, ...more })
    const sent = await of(1, {
      bounced_at: 5,
      bounce: JSON.stringify({ status: '5.1.1', diagnostic: 'no such user', class: 'hard' }),
    })
    const unknown = await of(2, { step: 1, status: 'unknown' })
    const reply = await of(3, { kind: 'reply', step: null, status: 'rejected' })
    const trial = await of(4, { kind: 'test', enrollment_id: null, status: 'failed' })
    const messages = (query: string) => idsOf(id, query, 'messages')
    expect([await messages(''), await messages('status=unknown,rejected')]).toEqual([
      [sent, unknown, reply, trial],
      [unknown, reply],
    ])
    expect([await messages('kind=reply'), await messages('step=0'), await messages('step=1')]).toEqual([
      [reply],
      [sent, trial],
      [unknown],
    ])
    expect([await messages('bounced=true'), await messages('bounced=false')]).toEqual([[sent], [unknown, reply, trial]])
    const [shown] = await list(id, '', 'messages')
    expect(shown).toMatchObject({
      id: sent,
      kind: 'step',
      step: 0,
      try: 1,
      status: 'succeeded',
      subject: 'News',
      bounced_at: 5,
      bounce: { status: '5.1.1' },
    })
    expect(
      Object.keys(shown).filter((name) => ['html', 'text', 'content', 'variables', 'request'].includes(name)),
    ).toEqual([])
  })

  test('A single read unpacks HTML and text with the dictionary of the step', async () => {
    const id = await scheduled()
    const enrollment_id = (await enrollmentsOf(id))[0]?.id as string
    const content = { html: `<p>Hello Ada, ${'tea '.repeat(500)}</p>`, text: 'Hello Ada' }
    const dictionary = bytesOf({ html: `<p>Hello Grace, ${'tea '.repeat(500)}</p>`, text: 'Hello Grace' })
    await database().query('update campaign_steps set dictionary = $2 where campaign_id = $1', [id, dictionary])
    const packed = {
      content: packContent(content, dictionary),
      variables: encrypt(JSON.stringify({ name: 'Ada' })),
      evidence: JSON.stringify({ code: 250 }),
    }
    const message = await addMessage(shop, id, { enrollment_id, ...packed })
    const reply = await addMessage(shop, id, {
      enrollment_id,
      kind: 'reply',
      step: null,
      content: packContent(content, null),
    })
    const read = async (one: string) =>
      (await shop.asOperator('GET', `/campaign-messages/${one}`, undefined, eitherApi())).body
    expect(await read(message)).toMatchObject({
      ...content,
      variables: { name: 'Ada' },
      evidence: { code: 250 },
      late_evidence: null,
      attachments: [],
    })
    expect(await read(reply)).toMatchObject({ ...content, kind: 'reply', variables: {} })
    expect(
      await read(await addMessage(shop, id, { enrollment_id, step: 1, subject: null, status: 'failed' })),
    ).toMatchObject({
      html: null,
      text: null,
      subject: null,
    })
  })

  test('The conversation has both directions in order of time, without tests', async () => {
    const id = await scheduled()
    const enrollment_id = (await enrollmentsOf(id))[0]?.id as string
    const content = packContent({ html: '<p>Hi</p>', text: 'Hi' }, null)
    const first = await addMessage(shop, id, { enrollment_id, created_at: 100, sent_at: new Date(500_000), content })
    const attachments = JSON.stringify([
      { media_id: newId(), name: 'a.pdf', mime_type: 'application/pdf', size: 3, digest: 'x' },
    ])
    const answer = await addMessage(shop, id, {
      enrollment_id,
      kind: 'reply',
      step: null,
      created_at: 700,
      content,
      attachments,
    })
    await addMessage(shop, id, { enrollment_id, kind: 'test' })
    const mail = newId()
    const received = { text: 'Thanks', html: null, attachments: [{ name: null, mime_type: 'image/png', size: 9 }] }
    await database().query(
      `insert into inbound_mails (id, created_at, updated_at, tenant_id, mailbox_id, digest, kind, enrollment_id, campaign_message_id, "from", subject, content, received_at)
       values ($1, 600, 600, $2, $3, $1::uuid, 'reply', $4, $5, 'ada@tillwright.test', 'Re: News', $6, 600)`,
      [mail, shop.store_id, mailbox_id, enrollment_id, first, encrypt(JSON.stringify(received))],
    )
    const { items } = (await shop.asOperator('GET', `/campaign-enrollments/${enrollment_id}/messages`)).body
    expect(items).toMatchObject([
      {
        id: first,
        direction: 'sent',
        kind: 'step',
        step: 0,
        status: 'succeeded',
        text: 'Hi',
        html: '<p>Hi</p>',
        at: 500,
      },
      {
        id: mail,
        direction: 'received',
        kind: 'reply',
        status: null,
        address: 'ada@tillwright.test',
        subject: 'Re: News',
        ...received,
        attachments: [{ media_id: null, size: 9 }],
        at: 600,
      },
      { id: answer, direction: 'sent', kind: 'reply', step: null, attachments: [{ name: 'a.pdf' }], at: 700 },
    ])
    const newest = await shop.asOperator('GET', `/campaign-enrollments/${enrollment_id}/messages?limit=2`)
    expect(newest.body.items.map((item: { id: string }) => item.id)).toEqual([mail, answer])
  })

  test('Of a long conversation the newest messages that fit into 4 MiB are returned', async () => {
    const id = await scheduled()
    const enrollment_id = (await enrollmentsOf(id))[0]?.id as string
    const text = encrypt(JSON.stringify({ text: 'x'.repeat(1_000_000), html: null, attachments: [] }))
    await database().query(
      `insert into inbound_mails (id, created_at, updated_at, tenant_id, mailbox_id, digest, kind, enrollment_id, "from", subject, content, received_at)
       select gen_random_uuid(), n, n, $1, $2, gen_random_uuid(), 'reply', $3, 'ada@tillwright.test', 'Re: ' || n, $4, n from generate_series(1, 8) n`,
      [shop.store_id, mailbox_id, enrollment_id, text],
    )
    const { items } = (await shop.asOperator('GET', `/campaign-enrollments/${enrollment_id}/messages`)).body
    expect(items.map(({ subject }: { subject: string }) => subject)).toEqual(['Re: 5', 'Re: 6', 'Re: 7', 'Re: 8'])
    // Packed content counts as it is returned.
    const page = 'x'.repeat(1_500_000)
    const content = packContent({ html: page, text: '' }, null)
    for (const n of [100, 101, 102])
      await addMessage(shop, id, {
        enrollment_id,
        kind: 'reply',
        step: null,
        created_at: n,
        content,
        subject: `Page ${n}`,
      })
    const again = (await shop.asOperator('GET', `/campaign-enrollments/${enrollment_id}/messages`)).body.items
    expect(again.map(({ subject }: { subject: string }) => subject)).toEqual(['Page 101', 'Page 102'])
  })

  test('Rows of another store are not found', async () => {
    const [id, other] = [await scheduled(), await newShop()]
    const enrollment = (await enrollmentsOf(id))[0]?.id as string
    const message = await addMessage(shop, id, { enrollment_id: enrollment })
    const paths = [
      `campaigns/${id}/enrollments`,
      `campaigns/${id}/messages`,
      `campaign-enrollments/${enrollment}`,
      `campaign-enrollments/${enrollment}/messages`,
    ]
    for (const path of [...paths, `campaign-messages/${message}`])
      expect((await other.asOperator('GET', `/${path}`)).status).toBe(404)
    expect((await other.asOperator('POST', `/campaign-enrollments/${enrollment}/cancel`)).status).toBe(404)
  })
})

describe('Merged contacts', () => {
  const merge = (target: string, source: string, base?: string) =>
    shop.asOperator('POST', `/contacts/${target}/merge`, { source_contact_id: source }, base)

  test('Enrollments follow the contact; where both are enrolled, that of the source ends', async () => {
    const [target, source] = [await newContact(shop), await newContact(shop)]
    const [both, alone] = [await draft(), await draft()]
    await importInto(shop, both, { contact_ids: [target.id, source.id] })
    await importInto(shop, alone, { contact_ids: [source.id] })
    const ofSource = (await enrollmentsOf(both)).find(({ contact_id }) => contact_id === source.id)?.id as string
    const message = await addMessage(shop, both, { enrollment_id: ofSource })
    expect((await merge(target.id, source.id)).status).toBe(200)
    expect(
      (await enrollmentsOf(both)).map(({ contact_id, status }) => [contact_id === target.id, status]).sort(),
    ).toEqual([
      [false, 'cancelled'],
      [true, 'active'],
    ])
    expect(await enrollmentsOf(alone)).toMatchObject([
      { contact_id: target.id, address: source.email, status: 'active' },
    ])
    expect((await shop.asOperator('GET', `/campaign-messages/${message}`)).body.enrollment_id).toBe(ofSource)
    expect(await importInto(shop, both, { emails: [source.email] })).toMatchObject({ enrolled: 0, already_enrolled: 1 })
  })

  test('Enrollments follow the membership that stays of two in one audience', async () => {
    const audience = await newAudience(shop)
    const [target, source] = [await newContact(shop), await newContact(shop)]
    for (const { id } of [target, source])
      await shop.asOperator('POST', `/audiences/${audience.id}/members`, { contact_id: id })
    const id = await draft()
    await importInto(shop, id, { audience_ids: [audience.id] })
    await merge(target.id, source.id)
    const kept = await memberOf(shop, audience.id, target.id)
    const { rows } = await database().query(
      'select status, member_id from enrollments where campaign_id = $1 order by status',
      [id],
    )
    expect(rows).toEqual(['active', 'cancelled'].map((status) => ({ status, member_id: kept.id })))
  })

  test('An import at the same time as a merge enrolls only contacts that exist, each once', async () => {
    const pairs = await Promise.all(
      Array.from({ length: 6 }, async () => [await newContact(shop), await newContact(shop)] as const),
    )
    const id = await draft()
    // By address: the id of a contact that was merged before the request is 422.
    const [imported] = await Promise.all([
      importInto(shop, id, { emails: pairs.flat().map(({ email }) => email) }),
      ...pairs.map(([target, source], n) => merge(target.id, source.id, n % 2 === 0 ? api() : secondApi())),
    ])
    expect(imported.status).toBe('completed')
    const { rows } = await database().query(
      "select 1 from enrollments e where campaign_id = $1 and status = 'active' and not exists (select 1 from contacts c where c.id = e.contact_id)",
      [id],
    )
    const active = (await enrollmentsOf(id)).filter(({ status }) => status === 'active')
    expect([rows, active.map(({ contact_id }) => contact_id).sort()]).toEqual([
      [],
      pairs.map(([target]) => target.id).sort(),
    ])
  })
})
