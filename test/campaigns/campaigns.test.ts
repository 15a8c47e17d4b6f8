// Campaigns as records: drafts change freely, a launch freezes them once, and their states are changed by one row.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import {
  campaignRows,
  closedWindow,
  enroll,
  launch,
  newCampaign,
  newMailbox,
  newTemplate,
  setCampaign,
} from '../kit/campaigns/campaigns.ts'
import { until } from '../kit/codes.ts'
import type { Made } from '../kit/content/content.ts'
import { untilAwaited } from '../kit/database/locks.ts'
import { api, database, eitherApi, newShop, type Shop, secondApi } from '../kit/shop.ts'

let shop: Shop
let theirs: Record<string, string>
let mailbox_id: string
const missing = '0199aaaa-0000-7000-8000-0000000000aa'
let template_id = missing
beforeAll(async () => {
  let other: Shop
  ;[shop, other] = await Promise.all([newShop(), newShop()])
  ;[mailbox_id, template_id, theirs] = await Promise.all([
    newMailbox(shop).then(({ id }) => id),
    newTemplate(shop).then(({ id }) => id),
    campaignRows(other),
  ])
})
afterAll(async () => database().end())

/** Nothing is sent by campaigns of this file, so that they stay in their states. */
const draft = (more = {}) =>
  newCampaign(shop, { mailbox_ids: [mailbox_id], steps: [{ template_id }], send_window: closedWindow(), ...more })
const ready = async (more = {}) => {
  const { id } = await draft(more)
  await enroll(shop, id)
  return id
}
const run = async (more = {}) => {
  const id = await ready(more)
  expect((await launch(shop, id)).body.status).toBe('running')
  return id
}
const put = (id: string, body: object, base?: string) => shop.asOperator('PUT', `/campaigns/${id}`, body, base)
const act = (id: string, action: string, base?: string) =>
  shop.asOperator('POST', `/campaigns/${id}/${action}`, action === 'launch' ? {} : undefined, base)
const read = async (id: string) => (await shop.asOperator('GET', `/campaigns/${id}`)).body
const errorsOf = ({
  status,
  body,
}: {
  status: number
  body: { code: string; errors?: { pointer: string; code: string }[] }
}) => [status, body.code, ...(body.errors ?? []).map(({ pointer, code }) => `${pointer} ${code}`)]
const inAnHour = () => Math.floor(Date.now() / 1000) + 3600
const dispatches = async (id = mailbox_id): Promise<number> =>
  (await database().query(`select count(*)::int as count from outbox where kind = 'dispatch' and row_id = $1`, [id]))
    .rows[0].count
const frozen = async (id: string) =>
  (
    await database().query(
      'select position, template_id, delay_s, in_thread, subject, body, format from campaign_steps where campaign_id = $1 order by position',
      [id],
    )
  ).rows
const counters = async (id: string): Promise<number> =>
  (await database().query('select 1 from campaign_stats where campaign_id = $1', [id])).rows.length

describe('Records', () => {
  test('A campaign is created with its defaults, read, changed, listed and deleted', async () => {
    const { body: made } = await shop.asOperator('POST', '/campaigns', { name: '  Spring ', mailbox_ids: [mailbox_id] })
    const defaults = {
      status: 'draft',
      steps: [],
      variables: {},
      reply_to: null,
      stop_on_reply: true,
      send_window: null,
      scheduled_at: null,
    }
    expect(made).toMatchObject({
      name: 'Spring',
      mailbox_ids: [mailbox_id],
      ...defaults,
      launched_at: null,
      ended_at: null,
      paused_reason: null,
    })
    const steps = [
      { template_id, delay_s: 0, variables: { a: 1 }, in_thread: false },
      { template_id, delay_s: 7_776_000, variables: {}, in_thread: true },
    ]
    const send_window = { days: [1, 5], from: '09:00', to: '24:00' }
    const changes = {
      steps,
      variables: { b: { c: [1] } },
      reply_to: 'a@tillwright.test',
      stop_on_reply: false,
      send_window,
      scheduled_at: 1,
    }
    expect((await put(made.id, changes)).body).toMatchObject(changes)
    expect((await put(made.id, { send_window: null, reply_to: null })).body).toMatchObject({
      steps,
      send_window: null,
      reply_to: null,
    })
    const found = await shop.asOperator('GET', `/campaigns?ids=${made.id}`)
    expect(found.body.items).toEqual([await read(made.id).then(({ stats, ...row }) => row)])
    await enroll(shop, made.id)
    expect((await shop.asOperator('DELETE', `/campaigns/${made.id}`)).body).toEqual({ success: true })
    expect((await shop.asOperator('GET', `/campaigns/${made.id}`)).status).toBe(404)
  })

  test.each<[string, object, string]>([
    ['no mailbox', { mailbox_ids: [] }, '/mailbox_ids too_small'],
    ['a mailbox twice', { mailbox_ids: [missing, missing.toUpperCase()] }, '/mailbox_ids invalid_value'],
    [
      '21 mailboxes',
      { mailbox_ids: Array.from({ length: 21 }, (_, n) => `0199aaaa-0000-7000-8000-0000000000${n + 10}`) },
      '/mailbox_ids too_big',
    ],
    [
      'a delay over 90 days',
      { steps: [{ template_id }, { template_id, delay_s: 7_776_001 }] },
      '/steps/1/delay_s too_big',
    ],
    ['a delay before its first step', { steps: [{ template_id, delay_s: 1 }] }, '/steps/0/delay_s invalid_value'],
    [
      'a window that ends before it begins',
      { send_window: { days: [1], from: '10:00', to: '09:59' } },
      '/send_window/to invalid_value',
    ],
    [
      'a window with an eighth day',
      { send_window: { days: [7], from: '10:00', to: '11:00' } },
      '/send_window/days/0 too_big',
    ],
    [
      'a window with a day twice',
      { send_window: { days: [1, 1], from: '10:00', to: '11:00' } },
      '/send_window/days invalid_value',
    ],
    ['variables of more than 64 KiB', { variables: { a: 'x'.repeat(65_537) } }, '/variables too_big'],
    ['a name of two lines', { name: 'a\nb' }, '/name invalid_format'],
  ])('A campaign with %s is 422 at its place', async (_, more, expected) => {
    expect(
      errorsOf(await shop.asOperator('POST', '/campaigns', { name: 'x', mailbox_ids: [mailbox_id], ...more })),
    ).toEqual([422, 'invalid_input', expected])
  })

  test('Mailboxes and templates of another store or of none are 422 at their places', async () => {
    const body = {
      name: 'x',
      mailbox_ids: [mailbox_id, theirs['campaign-mailboxes'], missing],
      steps: [{ template_id: missing }, { template_id }, { template_id: theirs['campaign-templates'] }],
    }
    const places = [
      '/mailbox_ids/1 mailbox_unknown',
      '/mailbox_ids/2 mailbox_unknown',
      '/steps/0/template_id template_unknown',
      '/steps/2/template_id template_unknown',
    ]
    expect(errorsOf(await shop.asOperator('POST', '/campaigns', body))).toEqual([422, 'invalid_input', ...places])
    const { id } = await draft()
    expect(errorsOf(await put(id, body))).toEqual([422, 'invalid_input', ...places])
  })

  test('The list filters by status, by words of the name in any case, and by ids', async () => {
    const other = await newShop()
    const of = (name: string) => newCampaign(other, { name })
    const [a, b, c] = [await of('Spring tea 100%'), await of('SPRING coffee'), await of('Autumn_tea')]
    await setCampaign(c.id, { status: 'cancelled' })
    const list = async (query: string) =>
      (await other.asOperator('GET', `/campaigns?sort_direction=asc&${query}`)).body.items.map(
        ({ id }: { id: string }) => id,
      )
    expect(await list('query=spring')).toEqual([a.id, b.id])
    expect(await list('query=TEA%20spring')).toEqual([a.id])
    expect([await list('query=0%25'), await list('query=n_t'), await list('query=%25g')]).toEqual([[a.id], [c.id], []])
    expect([await list('status=DRAFT'), await list('status=cancelled')]).toEqual([[a.id, b.id], [c.id]])
    expect(await list(`ids=${c.id},${b.id},${theirs.campaigns}`)).toEqual([b.id, c.id])
  })
})

describe('Duplicating', () => {
  const duplicate = (id: string, body: object) => shop.asOperator('POST', `/campaigns/${id}/duplicate`, body)

  test('A duplicate of a campaign in any state is a draft with its setup, without its times', async () => {
    const setup = {
      variables: { a: 1 },
      reply_to: 'a@tillwright.test',
      stop_on_reply: false,
      send_window: closedWindow(),
    }
    const id = await ready({
      ...setup,
      scheduled_at: inAnHour(),
      steps: [{ template_id }, { template_id, delay_s: 9, in_thread: true, variables: { b: 2 } }],
    })
    await launch(shop, id)
    for (const status of ['scheduled', 'running', 'completed', 'cancelled']) {
      await setCampaign(id, { status })
      const { status: code, body } = await duplicate(id, { name: 'Again' })
      const { steps, mailbox_ids } = await read(id)
      expect([code, body]).toMatchObject([
        201,
        { ...setup, name: 'Again', status: 'draft', steps, mailbox_ids, scheduled_at: null, launched_at: null },
      ])
      expect((await read(body.id)).stats.enrolled).toBe(0)
    }
    expect(errorsOf(await duplicate(id, { copy_enrollments: true }))).toEqual([422, 'invalid_input', '/name required'])
    expect((await duplicate(missing, { name: 'x' })).status).toBe(404)
  })

  test('A duplicate may enroll the contacts again, except those who are not to get mail', async () => {
    const id = await run()
    for (const status of ['completed', 'replied', 'failed', 'unsubscribed', 'bounced', 'complained', 'cancelled'])
      await enroll(shop, id, 1, { status })
    await database().query(
      `insert into contact_channels (id, created_at, updated_at, tenant_id, contact_id, type, address, owned)
       select gen_random_uuid(), 1, 1, tenant_id, contact_id, 'email', address, true from enrollments where campaign_id = $1`,
      [id],
    )
    const { body } = await duplicate(id, { name: 'Again', copy_enrollments: true })
    const imported = await until(async () => {
      const { items } = (await shop.asOperator('GET', `/campaigns/${body.id}/imports`)).body
      return items[0]?.status === 'completed' && items[0]
    })
    expect(imported).toMatchObject({
      enrolled: 4,
      skipped: { unsubscribed: 1, bounced: 1, complained: 1, cancelled: 1 },
    })
    expect((await read(body.id)).stats).toMatchObject({ enrolled: 4, enrollments: { active: 4 } })
    expect((await launch(shop, body.id)).status).toBe(200)
  })
})

describe('Launching', () => {
  test('A launch freezes the steps; later edits and deletions of their templates change nothing', async () => {
    const own = await newTemplate(shop, { subject: 'Before' })
    const second = await newMailbox(shop)
    const before = [await dispatches(), await dispatches(second.id)]
    const steps = [
      { template_id: own.id, delay_s: 0 },
      { template_id, delay_s: 60, in_thread: true },
    ]
    const id = await ready({ mailbox_ids: [mailbox_id, second.id], steps })
    const { status, body } = await launch(shop, id)
    expect([status, body]).toMatchObject([
      200,
      { status: 'running', launched_at: expect.any(Number), scheduled_at: null, ended_at: null },
    ])
    const bare = await newTemplate(shop, { body: '<p>Hello</p>' })
    const warned = (await launch(shop, await ready({ steps: [...steps, { template_id: bare.id, delay_s: 60 }] }))).body
      .warnings
    expect([body.warnings, warned]).toMatchObject([
      [],
      [{ pointer: '/steps/2/template_id', code: 'no_unsubscribe_url' }],
    ])
    await shop.asOperator('PUT', `/email-templates/${own.id}`, { subject: 'After' })
    expect((await shop.asOperator('DELETE', `/email-templates/${own.id}`)).status).toBe(200)
    expect(await frozen(id)).toMatchObject([
      { position: 0, template_id: own.id, delay_s: 0, in_thread: false, subject: 'Before', format: 'html' },
      { position: 1, template_id, delay_s: 60, in_thread: true, subject: 'News' },
    ])
    expect([
      await counters(id),
      await launch(shop, id).then((again) => [again.status, again.body.launched_at]),
    ]).toEqual([4, [200, body.launched_at]])
    expect(before).toEqual([expect.any(Number), 0])
  })

  test('A launch lists every reason why the campaign is not ready, each at its place', async () => {
    const [gone, archived, mailbox] = [await newTemplate(shop), await newTemplate(shop), await newMailbox(shop)]
    const [other, lost] = [await newTemplate(shop, { type: 'transactional' }), await newMailbox(shop)]
    const steps = [gone, archived, other].map(({ id }) => ({ template_id: id }))
    const { id } = await draft({ mailbox_ids: [mailbox_id, mailbox.id, lost.id], steps })
    await shop.asOperator('DELETE', `/email-templates/${gone.id}`)
    await shop.asOperator('PUT', `/email-templates/${archived.id}`, { status: 'archived' })
    await shop.asOperator('PUT', `/mailboxes/${mailbox.id}`, { status: 'archived' })
    await shop.asOperator('DELETE', `/mailboxes/${lost.id}`)
    expect(errorsOf(await launch(shop, id))).toEqual([
      422,
      'campaign_not_ready',
      '/steps/0/template_id template_missing',
      '/steps/1/template_id template_not_active',
      '/steps/2/template_id template_type',
      '/mailbox_ids/1 mailbox_archived',
      '/mailbox_ids/2 mailbox_missing',
      '/enrollments no_enrollments',
    ])
    // Records that are gone do not prevent another change.
    expect((await put(id, { name: 'Still a draft', steps })).status).toBe(200)
    const empty = await draft({ steps: [] })
    await database().query(
      `insert into campaign_imports (id, created_at, updated_at, tenant_id, campaign_id, sources, position, skipped, failed, status)
       values (gen_random_uuid(), 1, 1, $1, $2, '', '{}', '{}', '[]', 'running')`,
      [shop.store_id, empty.id],
    )
    expect(errorsOf(await launch(shop, empty.id))).toEqual([
      422,
      'campaign_not_ready',
      '/steps no_steps',
      '/enrollments import_running',
    ])
    expect([await frozen(id), await counters(id)]).toEqual([[], 0])
    await database().query(`update campaign_imports set status = 'completed' where campaign_id = $1`, [empty.id])
  })

  test('Twenty launches at once through two API processes are one launch', async () => {
    const id = await ready()
    const answers = await Promise.all(Array.from({ length: 20 }, () => launch(shop, id, {}, eitherApi())))
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.status} ${body.launched_at}`)).size).toBe(1)
    expect([answers[0]?.status, (await frozen(id)).length, await counters(id)]).toEqual([200, 1, 1])
  })

  test('A campaign is scheduled by its own start or that of the launch, and moved until it starts', async () => {
    const at = inAnHour()
    const [stored, given] = [await ready({ scheduled_at: at }), await ready({ scheduled_at: 1 })]
    expect((await launch(shop, stored)).body).toMatchObject({ status: 'scheduled', scheduled_at: at })
    expect(errorsOf(await launch(shop, given))).toEqual([422, 'in_the_past', '/scheduled_at in_the_past'])
    expect((await launch(shop, given, { scheduled_at: at })).body).toMatchObject({
      status: 'scheduled',
      scheduled_at: at,
    })
    expect((await put(stored, { name: 'Later', scheduled_at: at + 60 })).body).toMatchObject({
      status: 'scheduled',
      name: 'Later',
      scheduled_at: at + 60,
    })
    expect(errorsOf(await put(stored, { scheduled_at: 5 }))).toEqual([422, 'in_the_past', '/scheduled_at in_the_past'])
    expect(errorsOf(await put(stored, { variables: { a: 1 } }))).toEqual([409, 'campaign_launched'])
    // What was read can be sent back.
    expect((await put(stored, { ...(await read(stored)), name: 'Again' })).body).toMatchObject({
      status: 'scheduled',
      name: 'Again',
    })
    expect((await put(stored, { scheduled_at: null })).body).toMatchObject({ status: 'running', scheduled_at: null })
    expect(errorsOf(await put(stored, { name: 'Too late' }))).toEqual([409, 'campaign_launched'])
    expect((await put(stored, await read(stored))).status).toBe(200)
    expect(errorsOf(await shop.asOperator('DELETE', `/campaigns/${given}`))).toEqual([409, 'campaign_launched'])
    expect((await launch(shop, await ready({ scheduled_at: 1 }), { scheduled_at: null })).body.status).toBe('running')
  })

  test('An update and a launch at once leave the steps that the campaign shows', async () => {
    const other = await newTemplate(shop)
    const outcomes = await Promise.all(
      Array.from({ length: 12 }, async () => {
        const id = await ready()
        const [updated, started] = await Promise.all([
          put(id, { steps: [{ template_id: other.id }, { template_id }] }, api()),
          launch(shop, id, {}, secondApi()),
        ])
        expect([200, 409]).toContain(updated.status)
        expect(started.status).toBe(200)
        const shown = (await read(id)).steps.map((step: { template_id: string }) => step.template_id)
        expect((await frozen(id)).map((step) => step.template_id)).toEqual(shown)
        expect(shown).toHaveLength(updated.status === 200 ? 2 : 1)
        return updated.status
      }),
    )
    expect(outcomes).toHaveLength(12)
  })
})

describe('States', () => {
  const actions = ['launch', 'pause', 'resume', 'cancel'] as const
  /** From each state: the state that each action leads to, or the code of its 409. */
  const table: Record<string, [string, string, string, string]> = {
    draft: ['running', 'campaign_not_running', 'campaign_not_paused', 'campaign_not_running'],
    scheduled: ['scheduled', 'paused', 'scheduled', 'cancelled'],
    running: ['running', 'paused', 'running', 'cancelled'],
    paused: ['paused', 'paused', 'running', 'cancelled'],
    completed: ['completed', 'campaign_not_running', 'campaign_not_paused', 'campaign_not_running'],
    cancelled: ['cancelled', 'campaign_not_running', 'campaign_not_paused', 'cancelled'],
  }
  test.each(Object.entries(table))(
    'A campaign that is %s changes as the table of states says',
    async (state, expected) => {
      for (const [n, action] of actions.entries()) {
        const id = await ready()
        await setCampaign(id, { status: state })
        const { status, body } = await act(id, action)
        const leads = expected[n] as string
        expect([action, status === 409 ? [body.code, body.campaign_status] : [body.status]]).toEqual([
          action,
          leads.startsWith('campaign_') ? [leads, state] : [leads],
        ])
        expect((await read(id)).status).toBe(leads.startsWith('campaign_') ? state : leads)
        if (status === 200) expect((await act(id, action)).body.status).toBe(leads)
      }
    },
  )

  test('Pausing says who paused it, resuming forgets that, and cancelling ends it', async () => {
    const id = await run()
    const paused = { code: 'operator', message: expect.any(String) }
    expect((await act(id, 'pause')).body).toMatchObject({ status: 'paused', paused_reason: paused, ended_at: null })
    await setCampaign(id, { paused_reason: { code: 'complaints', message: 'Too many.' } })
    expect((await act(id, 'pause')).body.paused_reason).toEqual({ code: 'complaints', message: 'Too many.' })
    await database().query(
      `update mailboxes set sending_failures = 3, sending_failed_since = 1, sending_error = '{"code":"x","message":"x"}' where id = $1`,
      [mailbox_id],
    )
    expect((await act(id, 'resume')).body).toMatchObject({ status: 'running', paused_reason: null })
    const { rows } = await database().query(
      'select sending_failures, sending_failed_since, sending_error from mailboxes where id = $1',
      [mailbox_id],
    )
    expect(rows).toEqual([{ sending_failures: 0, sending_failed_since: null, sending_error: null }])
    expect((await act(id, 'cancel')).body).toMatchObject({ status: 'cancelled', ended_at: expect.any(Number) })
  })

  test('A campaign that is paused before its start can be moved, and is scheduled again', async () => {
    const at = inAnHour()
    const id = await ready({ scheduled_at: at })
    await launch(shop, id)
    await act(id, 'pause')
    expect((await put(id, { scheduled_at: at + 60 })).body).toMatchObject({ status: 'paused', scheduled_at: at + 60 })
    expect((await act(id, 'resume')).body).toMatchObject({ status: 'scheduled', scheduled_at: at + 60 })
    await setCampaign(id, {
      status: 'paused',
      scheduled_at: 1,
      paused_reason: { code: 'missed_start', message: 'Missed.' },
    })
    expect((await put(id, { scheduled_at: at })).status).toBe(200)
    await setCampaign(id, { scheduled_at: 1, begun_at: 1, paused_reason: { code: 'operator', message: '' } })
    expect(errorsOf(await put(id, { scheduled_at: at }))).toEqual([409, 'campaign_launched'])
  })

  test('A pause waits for a transaction that stamps messages, and no later one stamps any', async () => {
    const id = await run()
    const stamping = await database().connect()
    await stamping.query('begin')
    await stamping.query('select 1 from campaigns where id = $1 for share', [id])
    const pausing = act(id, 'pause')
    const first = await Promise.race([pausing.then(() => 'paused'), untilAwaited(stamping).then(() => 'waits')])
    await stamping.query('commit')
    stamping.release()
    expect([first, (await pausing).body.status]).toEqual(['waits', 'paused'])
    expect(
      (await database().query(`select 1 from campaigns where id = $1 and status = 'running' for share`, [id])).rows,
    ).toEqual([])
  })
})

test('Archiving a store pauses its campaigns, which cannot be launched or resumed meanwhile', async () => {
  const other = await newShop()
  const [draft, running, scheduled] = (await Promise.all(
    [1, 2, 3].map(() => newCampaign(other, { send_window: closedWindow() })),
  )) as [Made, Made, Made]
  for (const { id } of [draft, running, scheduled]) await enroll(other, id)
  await launch(other, running.id)
  await launch(other, scheduled.id, { scheduled_at: inAnHour() })
  await other.asOperator('PUT', '', { status: 'ARCHIVED' })
  const statusOf = async ({ id }: { id: string }) => (await other.asOperator('GET', `/campaigns/${id}`)).body
  expect(await statusOf(running)).toMatchObject({ status: 'paused', paused_reason: { code: 'store_archived' } })
  expect(await statusOf(scheduled)).toMatchObject({ status: 'paused', paused_reason: { code: 'store_archived' } })
  expect(errorsOf(await launch(other, draft.id))).toEqual([422, 'campaign_not_ready', ' store_archived'])
  const resume = ({ id }: { id: string }) => other.asOperator('POST', `/campaigns/${id}/resume`)
  expect(errorsOf(await resume(running))).toEqual([422, 'campaign_not_ready', ' store_archived'])
  await other.asOperator('PUT', '', { status: 'ACTIVE' })
  expect([(await resume(running)).body.status, (await resume(scheduled)).body.status]).toEqual(['running', 'scheduled'])
})
