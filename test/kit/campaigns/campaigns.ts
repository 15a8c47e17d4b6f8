// Campaigns for tests: their mailboxes, templates and enrollments, made over HTTP as an operator does.
//   const campaign = await launched(shop, { emails: ['ada@tillwright.test'] })
import { newId } from '../../../entities/kit/ids.ts'
import { type Made, made } from '../content/content.ts'
import { database, type Shop, unique } from '../shop.ts'

type Body = Record<string, unknown>

/** A mailbox of the mail simulator, unless `smtp` says otherwise. */
export const newMailbox = (shop: Shop, more: Body = {}): Promise<Made> => {
  const { hostname, port } = new URL(process.env.SMTP_URL as string)
  const smtp = { host: hostname, port: Number(port), security: 'none' }
  return made(
    shop.asOperator('POST', '/mailboxes', {
      key: unique(),
      email: `news@${unique()}.tillwright.test`,
      name: 'News',
      smtp,
      ...more,
    }),
  )
}

export const newTemplate = (shop: Shop, more: Body = {}): Promise<Made> => {
  const body = '<p>Hello</p><a href="{{ unsubscribe_url }}">Unsubscribe</a>'
  return made(
    shop.asOperator('POST', '/email-templates', {
      key: unique(),
      type: 'campaign',
      format: 'html',
      subject: 'News',
      body,
      ...more,
    }),
  )
}

/** A window that does not open during a test: nothing is sent, and a campaign stays `running`. */
export const closedWindow = () => ({ days: [(new Date().getUTCDay() + 3) % 7], from: '00:00', to: '24:00' })

/** A draft with one step. A mailbox and a template are made unless `more` names them. */
export async function newCampaign(shop: Shop, more: Body = {}): Promise<Made> {
  const mailbox_ids = more.mailbox_ids ?? [(await newMailbox(shop)).id]
  const steps = more.steps ?? [{ template_id: (await newTemplate(shop)).id }]
  return made(shop.asOperator('POST', '/campaigns', { name: `Campaign ${unique()}`, ...more, mailbox_ids, steps }))
}

/** Enrolls by the route of imports. */
export const importInto = (shop: Shop, campaignId: string, sources: Body): Promise<Made> =>
  made(shop.asOperator('POST', `/campaigns/${campaignId}/enrollments/import`, sources))

export const launch = (shop: Shop, campaignId: string, body: Body = {}, base?: string) =>
  shop.asOperator('POST', `/campaigns/${campaignId}/launch`, body, base)

/** A launched campaign. `emails`: whom it is sent to. */
export async function launched(shop: Shop, { emails, ...more }: Body & { emails: (string | Body)[] }): Promise<Made> {
  const { id } = await newCampaign(shop, more)
  await importInto(shop, id, { emails })
  return made(launch(shop, id))
}

/**
 * Writes enrollments in one statement, for tests of what follows the import: of new contacts, or, if there are over a
 * thousand, of none.
 */
export async function enroll(
  shop: Pick<Shop, 'store_id'>,
  campaignId: string,
  count = 1,
  more: { status?: string; step?: number } = {},
): Promise<void> {
  const { status = 'active', step = 0 } = more
  const contacts =
    "insert into contacts (id, created_at, updated_at, tenant_id, taxonomies) select gen_random_uuid(), 1, 1, $1, '[]' from generate_series(1, $3) returning id"
  const client = await database().connect()
  await client.query("begin; set local session_replication_role = 'replica'")
  await client.query(
    `with c as (${count > 1000 ? 'select gen_random_uuid() as id from generate_series(1, $3)' : contacts})
     insert into enrollments (id, created_at, updated_at, tenant_id, campaign_id, contact_id, address, variables, shuffle, status, step, due_at)
     select gen_random_uuid(), 1 + row_number() over (), 1, $1, $2, id, 'm-' || id || '@tillwright.test', '{}', (random() * 1e9)::int, $4, $5,
       case when $4 = 'active' then now() end from c`,
    [shop.store_id, campaignId, count, status, step],
  )
  await client.query('commit')
  client.release()
}

/** Sets columns of a campaign: what only a worker could do. */
export async function setCampaign(id: string, values: Body): Promise<void> {
  const names = Object.keys(values)
  await database().query(
    `update campaigns set ${names.map((name, n) => `${name} = $${n + 2}`).join(', ')} where id = $1`,
    [id, ...names.map((name) => values[name])],
  )
}

/** Writes a message of an enrollment, or a test, and returns its id. */
export async function addMessage(shop: Shop, campaignId: string, more: Body = {}): Promise<string> {
  const row = {
    id: newId(),
    created_at: 1,
    updated_at: 1,
    tenant_id: shop.store_id,
    campaign_id: campaignId,
    kind: 'step',
    step: 0,
    mailbox_id: newId(),
    fingerprint: '',
  }
  const values: Body = {
    ...row,
    address: 'ada@tillwright.test',
    subject: 'News',
    attachments: '[]',
    status: 'succeeded',
    ...more,
  }
  const names = Object.keys(values)
  await database().query(
    `insert into campaign_messages (${names.join(', ')}) values (${names.map((_, n) => `$${n + 1}`).join(', ')})`,
    names.map((name) => values[name]),
  )
  return values.id as string
}

export const enrollmentsOf = async (
  campaignId: string,
): Promise<{ id: string; contact_id: string; address: string; status: string }[]> =>
  (
    await database().query(
      'select id, contact_id, address, status from enrollments where campaign_id = $1 order by created_at, id',
      [campaignId],
    )
  ).rows

/** A running campaign that no drain sends, with one message of its step that was written ahead. */
export async function writtenMessage(shop: Shop) {
  const campaign = await newCampaign(shop)
  await enroll(shop, campaign.id)
  const mailbox = { id: campaign.mailbox_ids[0] as string, tenant_id: shop.store_id }
  const enrollment_id = (await enrollmentsOf(campaign.id))[0]?.id as string
  await database().query('update enrollments set mailbox_id = $2, due_at = null where id = $1', [
    enrollment_id,
    mailbox.id,
  ])
  const message = await addMessage(shop, campaign.id, {
    enrollment_id,
    mailbox_id: mailbox.id,
    status: 'requested',
    due_at: new Date(Date.now() - 1_000),
  })
  await database().query(
    `insert into campaign_stats (tenant_id, campaign_id, step, mailbox_id, requested) values ($1, $2, 0, $3, 1)`,
    [shop.store_id, campaign.id, mailbox.id],
  )
  await setCampaign(campaign.id, { status: 'running', launched_at: 1 })
  return { id: campaign.id as string, mailbox, enrollment_id, message }
}

/** Ids of a campaign that has an enrollment, a message and an import, for tests of other stores' rows. */
export async function campaignRows(shop: Shop): Promise<Record<string, string>> {
  const campaign = await newCampaign(shop)
  await enroll(shop, campaign.id)
  const enrollment = (await enrollmentsOf(campaign.id))[0]?.id as string
  const imported = await importInto(shop, campaign.id, { emails: ['grace@tillwright.test'] })
  return {
    campaigns: campaign.id,
    'campaign-mailboxes': campaign.mailbox_ids[0],
    'campaign-templates': campaign.steps[0].template_id,
    'campaign-enrollments': enrollment,
    'campaign-messages': await addMessage(shop, campaign.id, { enrollment_id: enrollment }),
    imports: imported.id,
  }
}
