// Members that operators add, change, remove and import, and the access that members have, to the second.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { accessSql, membersOf } from '../../entities/audiences/access.ts'
import { endMemberships, endOverdue } from '../../entities/audiences/sweep.ts'
import { type Orm, openOrm, unitOf } from '../../entities/kit/database/orm.ts'
import { sql } from '../../entities/kit/database/sql.ts'
import { newId } from '../../entities/kit/ids.ts'
import { hasAccess, MemberStatus } from '../../rules/audiences/memberships.ts'
import { rowsRun } from '../../workers/reconciler.ts'
import { memberOf, newAudience, newConfirmation, newContact, setMember } from '../kit/audiences/audiences.ts'
import { made } from '../kit/content/content.ts'
import { recordStatements } from '../kit/database/statements.ts'
import { type Answer, database, eitherApi, newEmail, newShop, type Shop, unique } from '../kit/shop.ts'

let shop: Shop
let other: Shop
let orm: Orm
const now = () => Math.floor(Date.now() / 1000)
beforeAll(async () => {
  ;[shop, other, orm] = await Promise.all([
    newShop(),
    newShop(),
    openOrm({ url: process.env.DATABASE_URL as string, pool: 2 }),
  ])
})
afterAll(() => orm.close(true))

const add = (audience: string, contact_id: string, base?: string) =>
  shop.asOperator('POST', `/audiences/${audience}/members`, { contact_id }, base)
const importRows = (audience: string, rows: unknown[], base?: string) =>
  shop.asOperator('POST', `/audiences/${audience}/members/import`, { rows }, base)
const codeOf = ({ status, body }: Answer) => [status, body.code]
const countOf = async (audience: string) =>
  (await database().query('select count(*)::int as n from audience_members where audience_id = $1', [audience])).rows[0]
    .n as number

test('A contact is added once by twenty equal requests, and is a member with its address', async () => {
  const { id, key } = await newAudience(shop, 'private')
  const contact = await newContact(shop)
  const answers = await Promise.all(Array.from({ length: 20 }, () => add(id, contact.id, eitherApi())))
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(19).fill(200), 201])
  expect(answers[0]?.body).toMatchObject({
    ...{
      audience_id: id,
      contact_id: contact.id,
      audience: { id, key },
      contact: { id: contact.id, email: contact.email },
    },
    ...{
      status: 'active',
      delivery_status: 'subscribed',
      source: 'operator',
      tier_id: null,
      price_id: null,
      paid_through_at: null,
      access_until: null,
    },
    ...{ in_grace: false, cancel_at: null, billing_status: null, lead_description: null, fields: {}, ended_at: null },
  })
  expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1)
  expect(await countOf(id)).toBe(1)
})

test('Notes and fields are kept of a contact that is added with them', async () => {
  const { id } = await newAudience(shop, 'private')
  const { id: contact_id } = await newContact(shop)
  const notes = { lead_description: 'Likes tea', fields: { company: 'Tea Ltd' } }
  expect((await shop.asOperator('POST', `/audiences/${id}/members`, { contact_id, ...notes })).body).toMatchObject(
    notes,
  )
  expect((await add(id, contact_id)).body).toMatchObject(notes)
})

test('Members are added, and imported, in active private and open audiences only', async () => {
  const [draft, confirmation, contact] = [
    await made(shop.asOperator('POST', '/audiences', { key: unique(), type: { type: 'open' } })),
    await newConfirmation(shop),
    await newContact(shop),
  ]
  for (const { id } of [draft, confirmation]) {
    expect(codeOf(await add(id, contact.id))).toEqual([409, 'enrollment_not_direct'])
    expect(codeOf(await importRows(id, [{ email: contact.email }]))).toEqual([409, 'enrollment_not_direct'])
  }
  expect(codeOf(await add((await newAudience(shop)).id, newId()))).toEqual([422, 'contact_unknown'])
  expect(codeOf(await add((await newAudience(shop)).id, (await newContact(other)).id))).toEqual([
    422,
    'contact_unknown',
  ])
})

test('A removed member stays in the list, joins again by adding, and keeps the opt-out of e-mail', async () => {
  const { id } = await newAudience(shop)
  const contact = await newContact(shop)
  const member = (await add(id, contact.id)).body
  await setMember(member.id, { opted_out: true, delivery_status: 'unsubscribed' })
  const path = `/audiences/${id}/members/${member.id}`
  expect((await shop.asOperator('DELETE', path)).body).toEqual({ type: 'removed' })
  expect((await shop.asOperator('DELETE', path)).body).toEqual({ type: 'already_removed' })
  expect(await memberOf(shop, id, contact.id)).toMatchObject({ status: 'removed', ended_at: expect.any(Number) })
  expect((await add(id, contact.id)).body).toMatchObject({
    id: member.id,
    status: 'active',
    delivery_status: 'unsubscribed',
    ended_at: null,
  })
  expect((await importRows(id, [{ email: contact.email }])).body).toMatchObject({
    members_added: 0,
    members_updated: 1,
  })
  expect((await memberOf(shop, id, contact.id)).delivery_status).toBe('unsubscribed')
})

test('An update changes notes and fields, a status only where members are added directly', async () => {
  const [open, confirmation] = [await newAudience(shop), await newConfirmation(shop)]
  const contact = await newContact(shop)
  const { id } = (await add(open.id, contact.id)).body
  const put = (body: object, audience = open.id) => shop.asOperator('PUT', `/audiences/${audience}/members/${id}`, body)
  const noted = await put({ lead_description: 'Likes tea', fields: { company: 'Tea Ltd' } })
  expect(noted.body).toMatchObject({ lead_description: 'Likes tea', fields: { company: 'Tea Ltd' }, status: 'active' })
  expect((await put(noted.body)).body).toEqual({ ...noted.body, updated_at: expect.any(Number) })
  expect((await put({ status: 'removed', lead_description: null })).body).toMatchObject({
    status: 'removed',
    lead_description: null,
    fields: { company: 'Tea Ltd' },
  })
  expect((await put({ status: 'Active' })).body.status).toBe('active')
  expect((await put({ status: 'pending' })).status).toBe(422)
  expect(
    (await put({ fields: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [n, 1])) })).body.errors,
  ).toMatchObject([{ pointer: '/fields' }])
  expect((await put({}, confirmation.id)).status).toBe(404)
  await database().query('update audience_members set audience_id = $1 where id = $2', [confirmation.id, id])
  expect(codeOf(await put({ status: 'removed' }, confirmation.id))).toEqual([409, 'enrollment_not_direct'])
  expect((await put({ lead_description: 'Still here' }, confirmation.id)).body.lead_description).toBe('Still here')
})

test('The list of members is filtered by address, ids and states', async () => {
  const { id } = await newAudience(shop)
  const [ada, bob] = [await newContact(shop, `zoe-${unique()}@tea.test`), await newContact(shop, newEmail('bob'))]
  const [one, two] = [(await add(id, ada.id)).body, (await add(id, bob.id)).body]
  await setMember(two.id, { delivery_status: 'bounced' })
  await shop.asOperator('DELETE', `/audiences/${id}/members/${one.id}`)
  const found = async (search: string) => {
    const answer = await shop.asOperator('GET', `/audiences/${id}/members?${search}`)
    return answer.body.items.map((member: { id: string }) => member.id)
  }
  expect(await found('sort_direction=asc')).toEqual([one.id, two.id])
  expect(await found('query=ZOE-')).toEqual([one.id])
  expect(await found(`query=${bob.id}`)).toEqual([two.id])
  expect(await found(`contact_id=${ada.id}`)).toEqual([one.id])
  expect(await found('status=active')).toEqual([two.id])
  expect(await found('delivery_status=bounced')).toEqual([two.id])
  expect(await found(`tier_id=${newId()}`)).toEqual([])
  expect(await found(`price_id=${newId()}`)).toEqual([])
})

test('Lead insights are read in one batch, and those of another store are left out', async () => {
  const { id } = await newAudience(shop)
  const [one, two] = [
    (await add(id, (await newContact(shop)).id)).body,
    (await add(id, (await newContact(shop)).id)).body,
  ]
  const insight = { summary: 'Sells tea.', score: 7, signals: [] }
  await database().query(
    'insert into lead_insights (id, created_at, updated_at, tenant_id, member_id, insight) values ($1, 1, 1, $2, $3, $4)',
    [...[newId(), shop.store_id, two.id, insight]],
  )
  const path = `/audiences/leads?member_ids=${two.id},${one.id}`
  expect((await shop.asOperator('GET', path)).body.items).toEqual([
    { member_id: two.id, insight: { ...insight, run_id: null, researched_at: null } },
    { member_id: one.id, insight: null },
  ])
  expect((await other.asOperator('GET', path)).body.items).toEqual([])
})

test('An import reports each row that fails and imports the others by their owned address', async () => {
  const { id } = await newAudience(shop)
  const [known, claimed] = [await newContact(shop), newEmail('claimed')]
  const visitor = await shop.visitor(claimed)
  const many = Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`f${n}`, n]))
  const rows = [
    { email: known.email.toUpperCase(), fields: { company: 'Tea' } },
    { email: 'nobody' },
    { email: known.email },
    { email: newEmail('many'), fields: many },
    { email: newEmail('large'), fields: { text: 'x'.repeat(17_000) } },
    { email: claimed },
    {},
    { email: null },
  ]
  expect((await importRows(id, rows)).body).toEqual({
    ...{ members_added: 2, members_updated: 0, rows_failed: 6 },
    failures: [
      { row: 1, code: 'invalid_email' },
      { row: 2, code: 'duplicate' },
      { row: 3, code: 'too_many_fields' },
      { row: 4, code: 'fields_too_large' },
      { row: 6, code: 'invalid_email' },
      { row: 7, code: 'invalid_email' },
    ],
  })
  expect(await memberOf(shop, id, known.id)).toMatchObject({
    source: 'import',
    fields: { company: 'Tea' },
    status: 'active',
  })
  // A claimed address is no match.
  expect(await memberOf(shop, id, visitor.contact_id)).toBeUndefined()
  expect((await importRows(id, [{ email: known.email, fields: { size: 2 } }])).body).toMatchObject({
    members_added: 0,
    members_updated: 1,
  })
  expect((await memberOf(shop, id, known.id)).fields).toEqual({ company: 'Tea', size: 2 })
  const half = (from: number) => Object.fromEntries(Array.from({ length: 26 }, (_, n) => [`f${from + n}`, n]))
  expect((await importRows(id, [{ email: known.email, fields: half(0) }])).status).toBe(200)
  // 54 fields, and 17 KiB in UTF-8 of fewer UTF-16 units, with those that the member has already.
  for (const fields of [half(26), { text: 'é'.repeat(8_150) }])
    expect((await importRows(id, [{ email: known.email, fields }])).status).toBe(422)
  expect(Object.keys((await memberOf(shop, id, known.id)).fields)).toHaveLength(28)
  for (const wrong of [[], Array(1001).fill({ email: 'a@b.test' })])
    expect((await importRows(id, wrong)).status).toBe(422)
})

test('An import of 1,000 rows takes at most 15 statements and adds each member once', async () => {
  const own = await recordStatements()
  try {
    const { id } = await newAudience(shop)
    const rows = Array.from({ length: 1_000 }, () => ({ email: newEmail('row'), fields: { plan: 'basic' } }))
    const statements = await own.statementsOf(shop, 'POST', `/audiences/${id}/members/import`, { rows })
    expect(statements.length).toBeLessThanOrEqual(15)
    expect(await countOf(id)).toBe(1_000)
    expect((await importRows(id, rows)).body).toMatchObject({ members_added: 0, members_updated: 1_000 })
    expect(await countOf(id)).toBe(1_000)
    const { rows: tokens } = await database().query(
      'select count(*)::int as n from member_tokens t join audience_members m on m.id = t.member_id where m.audience_id = $1',
      [id],
    )
    expect(tokens[0].n).toBe(1_000)
  } finally {
    await own.close()
  }
})

test('An import that fails in the middle leaves no contact and no member', async () => {
  const { id } = await newAudience(shop)
  const emails = Array.from({ length: 20 }, () => newEmail('half'))
  // The last row cannot be stored, which only the table finds out.
  await database().query(
    `alter table audience_members add constraint half check (audience_id <> '${id}' or fields->>'n' is distinct from '19')`,
  )
  try {
    expect(
      (
        await importRows(
          id,
          emails.map((email, n) => ({ email, fields: { n: String(n) } })),
        )
      ).status,
    ).toBe(500)
  } finally {
    await database().query('alter table audience_members drop constraint half')
  }
  const { rows } = await database().query(
    'select count(*)::int as n from contact_channels where tenant_id = $1 and address = any ($2)',
    [shop.store_id, emails],
  )
  expect([rows[0].n, await countOf(id)]).toEqual([0, 0])
})

test('Concurrent imports of the same addresses make one contact and one member each', async () => {
  const { id } = await newAudience(shop)
  const rows = Array.from({ length: 60 }, () => ({ email: newEmail('race') }))
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, n) => importRows(id, n % 2 === 0 ? rows : [...rows].reverse(), eitherApi())),
  )
  expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200))
  expect(answers.reduce((sum, { body }) => sum + body.members_added, 0)).toBe(60)
  const { rows: found } = await database().query(
    `select count(distinct h.contact_id)::int as contacts, count(*)::int as owners, (select count(*)::int from contacts c where c.tenant_id = $1 and not exists
       (select 1 from contact_channels x where x.contact_id = c.id) and not exists (select 1 from contact_sessions s where s.contact_id = c.id)) as idle
     from contact_channels h where h.tenant_id = $1 and h.address = any ($2)`,
    [shop.store_id, rows.map(({ email }) => email)],
  )
  expect([found[0], await countOf(id)]).toEqual([{ contacts: 60, owners: 60, idle: 0 }, 60])
})

test('Access is the same by the rule, in SQL and in filters, at every second', async () => {
  const { id } = await newAudience(shop)
  const contact = await newContact(shop)
  const member = (await add(id, contact.id)).body
  // In the future: a sweep of the running stack ends nothing.
  const at = now() + 100_000
  const em = unitOf(orm, shop.store_id)
  const states = fc.record({
    status: fc.constantFrom(...MemberStatus.options),
    access_until: fc.option(fc.integer({ min: at - 3, max: at + 3 })),
  })
  await fc.assert(
    fc.asyncProperty(states, async ({ status, access_until }) => {
      const open = status === 'active' || status === 'pending'
      await setMember(member.id, {
        ...{ status, access_until, paid_through_at: access_until, joined_at: 1 },
        ...{ ended_at: open ? null : 1, pending_since: status === 'pending' ? 1 : null },
      })
      const rows: unknown[] = await em.execute(sql`
        select 1
        from audience_members m
        where m.tenant_id = ${shop.store_id} and m.id = ${member.id} and ${accessSql('m', at)}
      `)
      expect(rows.length === 1).toBe(hasAccess({ status, access_until: access_until ?? null }, at))
    }),
    { numRuns: 60 },
  )
  const { Contact } = await import('../../entities/crm/contact.ts')
  const inFilter = async () => (await em.find(Contact, membersOf(id, 'id') as never)).length
  for (const [access_until, expected] of [
    [now() + 60, 1],
    [now() - 60, 0],
  ] as const) {
    await setMember(member.id, {
      status: 'active',
      access_until,
      paid_through_at: access_until,
      ended_at: null,
      pending_since: null,
    })
    expect(await inFilter()).toBe(expected)
  }
})

test('The sweep ends overdue members at the end of their access and leaves all others', async () => {
  const { id } = await newAudience(shop)
  const [over, grace, free] = await Promise.all(
    Array.from({ length: 3 }, async () => (await add(id, (await newContact(shop)).id)).body),
  )
  const at = now()
  await setMember(over.id, { paid_through_at: at - 100, access_until: at - 10 })
  await setMember(grace.id, { paid_through_at: at - 100, access_until: at + 1000 })
  await Promise.all([endMemberships(rowsRun(orm, at)), endMemberships(rowsRun(orm, at))])
  const statusOf = async ({ contact_id }: { contact_id: string }) => {
    const { status, ended_at, in_grace } = await memberOf(shop, id, contact_id)
    return { status, ended_at, in_grace }
  }
  expect(await statusOf(over)).toEqual({ status: 'expired', ended_at: at - 10, in_grace: false })
  expect(await statusOf(grace)).toEqual({ status: 'active', ended_at: null, in_grace: true })
  expect(await statusOf(free)).toEqual({ status: 'active', ended_at: null, in_grace: false })
})

test('Members that end at once are an event each, and one start of the deliveries of a webhook', async () => {
  const own = await newShop()
  const { id } = await newAudience(own)
  const at = now()
  for (let n = 0; n < 3; n++) {
    await own.asOperator('POST', `/audiences/${id}/members`, { contact_id: (await newContact(own)).id })
  }
  const events = [{ event: 'audience.member_access_cancelled' }]
  await own.asOperator('POST', '/webhooks', {
    key: 'ended',
    url: 'https://shop.example/hook',
    events,
    headers: {},
    enabled: true,
  })
  await unitOf(orm, null).transactional(async (em) => {
    await em.execute(sql`
      update audience_members
      set paid_through_at = ${at - 10}, access_until = ${at - 10}
      where tenant_id = ${own.store_id} and audience_id = ${id}
    `)
    await endOverdue(em, 500, null, at)
    const rows: unknown[] = await em.execute(sql`
      select (select count(*) from events where tenant_id = ${own.store_id}) as events,
        (select count(*) from outbox where tenant_id = ${own.store_id}) as starts
    `)
    expect(rows).toEqual([{ events: 3, starts: 1 }])
  })
})
