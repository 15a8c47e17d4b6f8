// Imports of enrollments: who is enrolled, once for each contact and each address, and why the others are not.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { addImport, continueImport } from '../../entities/campaigns/imports.ts'
import { type Orm, openOrm, unitOf } from '../../entities/kit/database/orm.ts'
import { newId } from '../../entities/kit/ids.ts'
import { newAudience, newContact, setMember } from '../kit/audiences/audiences.ts'
import {
  closedWindow,
  enroll,
  importInto,
  launch,
  newCampaign,
  newMailbox,
  newTemplate,
  setCampaign,
} from '../kit/campaigns/campaigns.ts'
import { until } from '../kit/codes.ts'
import { api, database, newEmail, newShop, type Shop, secondApi, unique } from '../kit/shop.ts'

let shop: Shop
let orm: Orm
let mailbox_id: string
let template_id: string
beforeAll(async () => {
  ;[shop, orm] = await Promise.all([newShop(), openOrm({ url: process.env.DATABASE_URL as string, pool: 2 })])
  ;[mailbox_id, template_id] = await Promise.all([
    newMailbox(shop).then(({ id }) => id),
    newTemplate(shop).then(({ id }) => id),
  ])
})
afterAll(async () => {
  await orm.close(true)
  await database().end()
})

const draft = async (): Promise<string> =>
  (await newCampaign(shop, { mailbox_ids: [mailbox_id], steps: [{ template_id }], send_window: closedWindow() })).id
const ask = (id: string, body: object, base?: string) =>
  shop.asOperator('POST', `/campaigns/${id}/enrollments/import`, body, base)
const read = async (id: string, importId: string) =>
  (await shop.asOperator('GET', `/campaigns/${id}/imports/${importId}`)).body
const ended = (id: string, importId: string) =>
  until(async () => {
    const row = await read(id, importId)
    return row.status !== 'running' && row
  })
type Row = {
  contact_id: string
  address: string
  member_id: string | null
  audience_id: string | null
  variables: object
  due_at: Date
  shuffle: number
  created_at: string
}
const enrolled = async (id: string): Promise<Row[]> =>
  (await database().query('select * from enrollments where campaign_id = $1 order by address', [id])).rows
const addresses = async (id: string) => (await enrolled(id)).map(({ address }) => address)
const channel = (contactId: string, set: string) =>
  database().query(`update contact_channels set ${set} where contact_id = $1`, [contactId])
const errorsOf = ({
  status,
  body,
}: {
  status: number
  body: { code: string; errors?: { pointer: string; code: string }[] }
}) => [status, body.code, ...(body.errors ?? []).map(({ pointer, code }) => `${pointer} ${code}`)]

/** A member of the audience, with an address of its own. */
async function joined(
  audienceId: string,
  values: Record<string, unknown> = {},
): Promise<{ id: string; contact_id: string; email: string }> {
  const contact = await newContact(shop)
  const { body } = await shop.asOperator('POST', `/audiences/${audienceId}/members`, { contact_id: contact.id })
  if (Object.keys(values).length > 0) await setMember(body.id, values)
  return { id: body.id, contact_id: contact.id, email: contact.email }
}

describe('Who is enrolled', () => {
  test('Subscribed members with access are enrolled; the others are counted by their reasons', async () => {
    const audience = await newAudience(shop, 'private')
    const [good, paid] = [
      await joined(audience.id),
      await joined(audience.id, { paid_through_at: 1, access_until: 9_999_999_999 }),
    ]
    for (const delivery_status of ['unsubscribed', 'bounced', 'complained', 'bounced'])
      await joined(audience.id, { delivery_status })
    await joined(audience.id, { paid_through_at: 1, access_until: 2 })
    await joined(audience.id, { status: 'removed', ended_at: 1 })
    await database().query('delete from contact_channels where contact_id = $1', [
      (await joined(audience.id)).contact_id,
    ])
    await channel((await joined(audience.id)).contact_id, "status = 'bounced'")
    const id = await draft()
    const { status, body } = await ask(id, { audience_ids: [audience.id] })
    expect([status, body]).toMatchObject([
      201,
      { campaign_id: id, status: 'completed', enrolled: 2, already_enrolled: 0, failed: [], error: null },
    ])
    expect(body.skipped).toEqual({
      unsubscribed: 1,
      bounced: 2,
      complained: 1,
      no_access: 2,
      no_address: 1,
      suppressed: 1,
    })
    const rows = await enrolled(id)
    expect(
      rows
        .map(({ contact_id, member_id, audience_id, address }) => [contact_id, member_id, audience_id, address])
        .sort(),
    ).toEqual([good, paid].map((member) => [member.contact_id, member.id, audience.id, member.email]).sort())
    for (const { due_at, created_at, shuffle } of rows)
      expect([Math.abs(due_at.getTime() / 1000 - Number(created_at)) < 5, shuffle >= 0]).toEqual([true, true])
  })

  test('Contacts and addresses are enrolled; suppressed ones and those without an address are not', async () => {
    const [known, bare, withdrawn, complained] = [
      await newContact(shop),
      await newContact(shop),
      await newContact(shop),
      await newContact(shop),
    ]
    await database().query('delete from contact_channels where contact_id = $1', [bare.id])
    await channel(withdrawn.id, "consent_status = 'withdrawn', consent_at = 1")
    await channel(complained.id, "status = 'complained'")
    const id = await draft()
    const added = await importInto(shop, id, {
      contact_ids: [known.id, bare.id, withdrawn.id],
      emails: [complained.email],
    })
    expect(added).toMatchObject({ status: 'completed', enrolled: 1, skipped: { no_address: 1, suppressed: 2 } })
    expect(await enrolled(id)).toMatchObject([
      { contact_id: known.id, address: known.email, member_id: null, audience_id: null, variables: {} },
    ])
  })

  test('An address that no contact owns becomes a contact, as members do by their import', async () => {
    const [id, email, visited] = [await draft(), newEmail('new'), newEmail('visitor')]
    const visitor = await shop.visitor(visited)
    const added = await importInto(shop, id, {
      emails: [{ email: ` ${email.toUpperCase()} `, variables: { first_name: 'Ada' } }, visited],
    })
    expect(added).toMatchObject({ enrolled: 2, skipped: {}, failed: [] })
    const [one, other] = await enrolled(id)
    expect([one, other?.contact_id === visitor.contact_id]).toMatchObject([
      { address: email, variables: { first_name: 'Ada' } },
      false,
    ])
    const found = (await shop.asOperator('GET', `/contacts/${one?.contact_id}`)).body
    expect(found).toMatchObject({ email, verified: false })
    const { rows } = await database().query('select owned, is_primary from contact_channels where contact_id = $1', [
      one?.contact_id,
    ])
    expect(rows).toEqual([{ owned: true, is_primary: true }])
  })

  test('What is no address is told with its code, a hundred at most; the others are enrolled', async () => {
    const id = await draft()
    const wrong = Array.from({ length: 101 }, (_, n) => `nobody-${n}`)
    const added = await importInto(shop, id, { emails: [...wrong, newEmail()] })
    expect(added).toMatchObject({ status: 'completed', enrolled: 1 })
    expect([added.failed.length, added.failed[0]]).toEqual([100, { value: 'nobody-0', code: 'invalid_email' }])
  })
})

describe('One copy', () => {
  test('A contact in five audiences, named by id and by address in another case, is enrolled once', async () => {
    const audiences = await Promise.all(Array.from({ length: 5 }, () => newAudience(shop)))
    const contact = await newContact(shop)
    for (const { id } of audiences)
      await shop.asOperator('POST', `/audiences/${id}/members`, { contact_id: contact.id })
    const id = await draft()
    const audience_ids = audiences.map((audience) => audience.id)
    const emails = [contact.email.toUpperCase(), ` ${contact.email}`]
    const added = await importInto(shop, id, {
      audience_ids: [...audience_ids, audience_ids[0]],
      contact_ids: [contact.id, contact.id],
      emails,
    })
    expect(added).toMatchObject({ enrolled: 1, already_enrolled: 7, skipped: {} })
    expect(await importInto(shop, id, { audience_ids, emails })).toMatchObject({ enrolled: 0, already_enrolled: 7 })
    expect(await enrolled(id)).toMatchObject([{ contact_id: contact.id, audience_id: audience_ids[0] }])
  })

  test('Two contacts with one address are enrolled once', async () => {
    const [one, other] = [await newContact(shop), await newContact(shop)]
    await channel(other.id, `address = '${one.email}', owned = false`)
    const id = await draft()
    expect(await importInto(shop, id, { contact_ids: [one.id, other.id] })).toMatchObject({
      enrolled: 1,
      already_enrolled: 1,
    })
  })

  test('Imports at once on two API processes enroll each address and each contact once', async () => {
    const audience = await newAudience(shop)
    const emails = Array.from({ length: 300 }, (_, n) => `c${n}-${unique()}@tillwright.test`)
    await shop.asOperator('POST', `/audiences/${audience.id}/members/import`, {
      rows: emails.slice(0, 200).map((email) => ({ email })),
    })
    const id = await draft()
    const bodies = [
      { audience_ids: [audience.id] },
      { emails },
      { emails: emails.toReversed() },
      { audience_ids: [audience.id], emails: emails.slice(100) },
    ]
    const asked = await Promise.all(bodies.map((body, at) => ask(id, body, at % 2 === 0 ? api() : secondApi())))
    expect(asked.map(({ status }) => status)).toEqual([201, 201, 201, 201])
    const rows = await Promise.all(asked.map(({ body }) => ended(id, body.id)))
    const sum = (name: string) => rows.reduce((total, row) => total + row[name], 0)
    expect([sum('enrolled'), sum('already_enrolled'), await addresses(id)]).toEqual([300, 900, emails.toSorted()])
    const { rows: owned } = await database().query(
      'select count(*)::int as n from contact_channels where tenant_id = $1 and address = any ($2)',
      [shop.store_id, emails],
    )
    expect(owned[0].n).toBe(300)
  })

  test('Many parts follow each other, and none is read twice', async () => {
    const audience = await newAudience(shop)
    await database().query(
      `with c as (insert into contacts (id, created_at, updated_at, tenant_id, taxonomies, anonymous) select gen_random_uuid(), 1, 1, $1, '[]', false from generate_series(1, 10001) returning id),
       h as (insert into contact_channels (id, created_at, updated_at, tenant_id, contact_id, type, address, owned) select gen_random_uuid(), 1, 1, $1, id, 'email', id || '@tillwright.test', true from c)
       insert into audience_members (id, created_at, updated_at, tenant_id, audience_id, contact_id, status, source, joined_at, fields)
       select gen_random_uuid(), 1 + (row_number() over ()) / 4000, 1, $1, $2, id, 'active', 'import', 1, '{}' from c`,
      [shop.store_id, audience.id],
    )
    // As autovacuum does within a minute: a plan for a store without rows may search all channels of the store for each
    // member.
    await database().query('analyze contacts, contact_channels, audience_members')
    const id = await draft()
    const { body } = await ask(id, { audience_ids: [audience.id], emails: [newEmail()] })
    expect(await ended(id, body.id)).toMatchObject({
      status: 'completed',
      enrolled: 10_002,
      already_enrolled: 0,
      skipped: {},
    })
    const copy = await draft()
    expect(await importInto(shop, copy, { audience_ids: [audience.id] })).toMatchObject({ already_enrolled: 0 })
  }, 30_000)
})

describe('Copies', () => {
  const copyOf = async (source: string): Promise<[campaign: string, row: Record<string, unknown>]> => {
    const id = await draft()
    const row = await unitOf(orm, shop.store_id).transactional((em) =>
      addImport(em, { id, tenant_id: shop.store_id }, { campaign_id: source }, Math.floor(Date.now() / 1000)),
    )
    return [id, await ended(id, row.id)]
  }

  test('A copy enrolls those of another campaign, except those that left it or may get no mail now', async () => {
    const audience = await newAudience(shop)
    const [stays, leaves] = [await joined(audience.id), await joined(audience.id)]
    const source = await draft()
    const statuses = ['completed', 'replied', 'failed', 'unknown', 'unsubscribed', 'bounced', 'complained', 'cancelled']
    const emails = statuses.map((status) => ({ email: newEmail(status), variables: { status } }))
    await importInto(shop, source, { audience_ids: [audience.id], emails })
    await database().query(
      "update enrollments set status = variables ->> 'status', step = 1, due_at = null, mailbox_id = id where campaign_id = $1 and variables <> '{}'",
      [source],
    )
    await setMember(leaves.id, { delivery_status: 'unsubscribed', opted_out: true })
    const [id, row] = await copyOf(source)
    expect(row).toMatchObject({
      status: 'completed',
      enrolled: 5,
      skipped: { unsubscribed: 2, bounced: 1, complained: 1, cancelled: 1 },
      failed: [],
    })
    const copied = await enrolled(id)
    expect(copied.map(({ address }) => address)).toEqual(
      [...emails.slice(0, 4).map(({ email }) => email), stays.email].sort(),
    )
    expect(copied.find(({ address }) => address === stays.email)).toMatchObject({
      member_id: stays.id,
      audience_id: audience.id,
      status: 'active',
      step: 0,
      mailbox_id: null,
    })
    expect(copied.find(({ address }) => address === emails[1]?.email)).toMatchObject({
      variables: { status: 'replied' },
      status: 'active',
      step: 0,
      mailbox_id: null,
    })
  })

  test('Active enrollments of a cancelled campaign are copied, those of deleted contacts are not', async () => {
    const [target, other] = [await newContact(shop), await newContact(shop)]
    const source = await draft()
    await importInto(shop, source, { contact_ids: [target.id, other.id] })
    await shop.asOperator('POST', `/contacts/${target.id}/merge`, { source_contact_id: other.id })
    await database().query(
      "update enrollments set status = 'completed' where campaign_id = $1 and status = 'cancelled'",
      [source],
    )
    await setCampaign(source, { status: 'cancelled', ended_at: 1 })
    const [id, row] = await copyOf(source)
    expect([row, await addresses(id)]).toMatchObject([{ enrolled: 1, skipped: { no_contact: 1 } }, [target.email]])
  })

  test('A draft that is deleted during its import ends the import', async () => {
    const id = await draft()
    const importId = newId()
    await database().query(
      `insert into campaign_imports (id, created_at, updated_at, tenant_id, campaign_id, sources, position, skipped, failed) values ($3, 9999999999, 9999999999, $1, $2, '', '{}', '{}', '[]')`,
      [shop.store_id, id, importId],
    )
    expect((await shop.asOperator('DELETE', `/campaigns/${id}`)).status).toBe(200)
    expect(await unitOf(orm, null).transactional((em) => continueImport(em, importId, 1))).toBe(true)
  })
})

describe('Refusals', () => {
  test('Audiences and contacts of another store or of none are 422 at their places', async () => {
    const other = await newShop()
    const [theirs, own] = [await newAudience(other), await newAudience(shop)]
    const [contact, stranger] = [await newContact(shop), await newContact(other)]
    const body = {
      audience_ids: [theirs.id, own.id, own.id.replace(/^./, '1')],
      contact_ids: [contact.id, stranger.id],
    }
    const places = [
      '/audience_ids/0 audience_unknown',
      '/audience_ids/2 audience_unknown',
      '/contact_ids/1 contact_unknown',
    ]
    expect(errorsOf(await ask(await draft(), body))).toEqual([422, 'invalid_input', ...places])
  })

  test('An import of nothing, of too many and of malformed values is 422', async () => {
    const id = await draft()
    expect(errorsOf(await ask(id, {}))).toEqual([422, 'invalid_input', ' too_small'])
    expect(errorsOf(await ask(id, { emails: Array.from({ length: 10_001 }, (_, n) => `a${n}@b.test`) }))).toEqual([
      422,
      'invalid_input',
      '/emails too_big',
    ])
    expect(errorsOf(await ask(id, { audience_ids: ['x'] })).slice(0, 2)).toEqual([422, 'invalid_input'])
    expect((await ask(id, { emails: [{ email: 'a@b.test', name: 'A' }] })).status).toBe(422)
  })

  test('A campaign that was launched takes no further import, and none is launched during one', async () => {
    const id = await draft()
    await enroll(shop, id)
    await database().query(
      `insert into campaign_imports (id, created_at, updated_at, tenant_id, campaign_id, sources, position, skipped, failed) values (gen_random_uuid(), 9999999999, 9999999999, $1, $2, '', '{}', '{}', '[]')`,
      [shop.store_id, id],
    )
    expect(errorsOf(await launch(shop, id))).toEqual([422, 'campaign_not_ready', '/enrollments import_running'])
    await database().query("update campaign_imports set status = 'failed' where campaign_id = $1", [id])
    expect((await launch(shop, id)).status).toBe(200)
    expect(await ask(id, { emails: [newEmail()] })).toMatchObject({
      status: 409,
      body: { code: 'campaign_not_draft', campaign_status: 'running' },
    })
    await setCampaign(id, { status: 'cancelled' })
  })

  test('Imports are listed by campaign and status; those of another store are not found', async () => {
    const [id, other] = [await draft(), await newShop()]
    const one = await importInto(shop, id, { emails: [newEmail()] })
    const list = async (query = '') => (await shop.asOperator('GET', `/campaigns/${id}/imports${query}`)).body.items
    expect([await list(), await list('?status=running'), await read(id, one.id)]).toEqual([[one], [], one])
    expect((await other.asOperator('GET', `/campaigns/${id}/imports`)).status).toBe(404)
    expect((await shop.asOperator('GET', `/campaigns/${await draft()}/imports/${one.id}`)).status).toBe(404)
  })
})
