// Lead research: one run of the model per member and message, insights that quote their sources, and only where it is
// allowed.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { newId } from '../../entities/kit/ids.ts'
import { type Models, startModels } from '../kit/agents/models.ts'
import { newResearch, page, type Researching, read, record } from '../kit/agents/research.ts'
import { newAudience, newConfirmation, newContact } from '../kit/audiences/audiences.ts'
import { until } from '../kit/codes.ts'
import { made } from '../kit/content/content.ts'
import { atOnce } from '../kit/orders/buying.ts'
import { type Answer, database, unique } from '../kit/shop.ts'
import { type Receiver, startReceiver } from '../kit/webhooks/receiver.ts'

jest.setTimeout(120_000)

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'tillwright-research-'))
let models: Models
let receiver: Receiver
let store: Researching
beforeAll(async () => {
  models = await startModels(dir)
  receiver = await startReceiver(dir)
  store = await newResearch(models)
})
afterAll(async () => {
  await models.stop()
  await receiver.stop()
  await database().end()
  fs.rmSync(dir, { recursive: true })
})

const outcome = ({ status, body }: Answer) => [status, body?.code ?? body?.message?.status ?? body?.status]

test.each(['llm_a', 'llm_b'] as const)(
  'A lead is researched with %s: pages are read, and each signal quotes one',
  async (type) => {
    const { lead, begin, ended, insight, sources, ask, messages } = await newResearch(models, type)
    const [word, member] = [unique(), await lead()]
    const about = await page(
      receiver,
      `/${word}/about`,
      `<title>About</title><p>Acme ships tea to <b>40\ncountries</b>.</p><p>Founded in 1998.</p>`,
    )
    const home = await page(
      receiver,
      `/${word}`,
      `<h1>Acme</h1><p>Tea since 1998.</p><a href="${word}/about#top">About us</a>`,
    )
    await models.script({
      match: word,
      answers: [
        { calls: [read(home)] },
        { calls: [read(about)] },
        { calls: [record([{ quote: 'ships  Tea to 40 countries' }, { quote: 'FOUNDED IN 1998' }])] },
        { text: 'All done.' },
      ],
    })
    const run = await begin([member], `Does it export? See ${home}.`)
    expect(run).toMatchObject({
      status: 'queued',
      members: [{ member_id: member, status: 'queued', error: null }],
      error: null,
    })
    const done = await ended(run.id)
    expect(done).toMatchObject({
      status: 'completed',
      members: [{ member_id: member, status: 'completed', signals: 2, signals_dropped: 0 }],
    })
    expect([done.input_tokens > 0, done.output_tokens > 0]).toEqual([true, true])
    const pages = await sources(run.id)
    expect(
      pages.map(({ url, status, title, http_status }: Record<string, unknown>) => [url, status, title, http_status]),
    ).toEqual([
      [home, 'read', null, 200],
      [about, 'read', 'About', 200],
    ])
    const source_id = pages[1].id
    expect(await insight(member)).toEqual({
      ...{ summary: 'Sells tea.', score: 80, run_id: run.id, researched_at: expect.any(Number) },
      signals: [
        { text: 'A signal.', quote: 'ships  Tea to 40 countries', source_id, url: about },
        { text: 'A signal.', quote: 'FOUNDED IN 1998', source_id, url: about },
      ],
    })
    const { body } = await ask('GET', `/${run.id}/sources/${source_id}`)
    expect(body.content).toBe('Acme ships tea to 40 countries.\n\nFounded in 1998.')
    expect(
      (await messages(run.id)).map(({ role, content, member_id }: Record<string, string>) => [
        role,
        content,
        member_id,
      ]),
    ).toEqual([['assistant', 'All done.', member]])
    expect(await models.requests(word)).toHaveLength(4)
    expect(await receiver.count(`/${word}`)).toBe(1)
  },
)

test('A run is created once by its run_id, and another payload is a conflict', async () => {
  const [member, run_id, word] = [await store.lead(), newId(), unique()]
  await models.script({ match: word, answers: [{ text: 'Nothing.' }] })
  const answers = await atOnce(6, () => store.post([member], `Goal ${word}`, { run_id }))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 201])
  for (const { body } of answers) expect(body.id).toBe(run_id)
  expect(outcome(await store.post([member], `Other ${word}`, { run_id }))).toEqual([409, 'idempotency_conflict'])
  await store.ended(run_id)
  expect(await models.requests(word)).toHaveLength(1)
})

test('Members are researched one after the other, and a failure ends only its own', async () => {
  const word = unique()
  const members = [
    await store.lead(`a-${word}@gmail.com`),
    await store.lead(`b-${word}@gmail.com`),
    await store.lead(`c-${word}@gmail.com`),
  ]
  await models.script({ match: `b-${word}`, answers: [{ status: 400, body: { error: { message: 'no such model' } } }] })
  const run = await store.begin(members, `Goal ${word}`)
  const done = await store.ended(run.id)
  expect(
    done.members.map(({ member_id, status, error }: Record<string, string>) => [member_id, status, error]),
  ).toEqual([
    [members[0], 'awaiting_input', null],
    [members[1], 'failed', 'model_rejected'],
    [members[2], 'awaiting_input', null],
  ])
  expect([done.status, done.provider_error]).toEqual(['awaiting_input', '400: no such model'])
  const asked = (await models.requests(word)).map(({ body }) => /([abc])-\w+@gmail/.exec(JSON.stringify(body))?.[1])
  expect(asked).toEqual(['a', 'b', 'c'])
  // Its timeline has each call once, on pages that meet.
  const { rows: calls } = await database().query(
    `select c.id from model_calls c join research_runs r on r.id = c.research_run_id where r.run_id = $1`,
    [run.id],
  )
  const entries: { kind: string; effect: { id: string } | null }[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const path: string = `/timeline?subject=research_run:${run.id}&limit=4&cursor=${cursor}`
    const { status, body } = await store.shop.asOperator('GET', path)
    expect([status, entries.length < 100]).toEqual([200, true])
    entries.push(...body.items)
    cursor = body.cursor ?? null
  }
  const requested = entries.flatMap(({ kind, effect }) => (kind === 'requested' && effect ? [effect.id] : []))
  expect(requested.sort()).toEqual(calls.map(({ id }) => id).sort())
  expect(requested.length).toBeGreaterThanOrEqual(3)
})

test('Twenty equal messages at once are one run of the model with twenty equal answers', async () => {
  const [word, member, message_id] = [unique(), await store.lead(), newId()]
  const run = await store.begin([member], `Goal ${word}`)
  expect(await store.ended(run.id)).toMatchObject({ status: 'awaiting_input', members: [{ status: 'awaiting_input' }] })
  expect(
    (await store.messages(run.id)).map(({ content, is_question }: Record<string, unknown>) => [content, is_question]),
  ).toEqual([['Which page is theirs?', true]])
  await models.script({ match: `Hello ${word}`, answers: [{ text: 'Thank you.', delay_ms: 300 }] })
  const before = (await models.requests(word)).length
  const answers = await atOnce(20, () => store.say(run.id, `Hello ${word}`, message_id))
  for (const { status, body } of answers) expect([status, body]).toEqual([200, answers[0]?.body])
  expect(answers[0]?.body).toMatchObject({
    message: { message_id, role: 'user', content: `Hello ${word}`, status: 'answered', error: null },
    reply: { role: 'assistant', content: 'Thank you.', member_id: null, is_question: false },
  })
  expect((await models.requests(word)).length - before).toBe(1)
  expect(outcome(await store.say(run.id, `Other ${word}`, message_id))).toEqual([409, 'idempotency_conflict'])
  const tokens = (await store.ask('GET', `/${run.id}`)).body
  expect((await store.say(run.id, `Hello ${word}`, message_id)).body).toEqual(answers[0]?.body)
  expect((await models.requests(word)).length - before).toBe(1)
  // The question is answered.
  expect(await store.ended(run.id)).toEqual({
    ...tokens,
    status: 'completed',
    members: [expect.objectContaining({ status: 'completed' })],
  })
  const read = await store.ask('GET', `/${run.id}/messages/${message_id}`)
  expect([read.status, read.body]).toEqual([200, { ...answers[0]?.body, provider_error: null }])
})

test('Messages wait for the members, are answered one by one, and know what was found', async () => {
  const [word, member] = [unique(), await store.lead()]
  const home = await page(receiver, `/${word}`, '<title>Acme</title><p>Acme has 12 shops.</p>')
  await models.script({ match: word, answers: [{ calls: [read(home)], delay_ms: 300 }] })
  const run = await store.begin([member], `Goal ${word} ${home}`)
  const messages = await atOnce(2, (n) => store.say(run.id, `Question ${n}`))
  expect(messages.map(outcome)).toEqual([
    [200, 'answered'],
    [200, 'answered'],
  ])
  const asked = await models.requests(word)
  const turns = asked.map(({ body }) => /Question [01](?!.*Question [01])/s.exec(JSON.stringify(body))?.[0] ?? 'member')
  expect(turns.slice(0, 3)).toEqual(['member', 'member', 'member'])
  expect(turns.slice(3).sort()).toEqual(['Question 0', 'Question 1'])
  // The model gets the state of the run, and the page with its id.
  const last = JSON.stringify(asked.at(-1)?.body)
  expect([
    last.includes('Acme: 1 facts.'),
    last.includes('I have recorded an insight'),
    last.includes('team_addresses'),
  ]).toEqual([true, true, true])
  expect(await store.ended(run.id)).toMatchObject({ status: 'completed', error: null })
})

test('An answer to a message may read addresses in it and replace the insight of a member', async () => {
  const [word, member] = [unique(), await store.lead()]
  const run = await store.begin([member], `Goal ${word}`)
  await store.ended(run.id)
  const home = await page(receiver, `/${word}`, '<p>Acme has 12 shops.</p>')
  const answer = await store.say(run.id, `It is ${home}`)
  expect([outcome(answer), answer.body.reply.content]).toEqual([
    [200, 'answered'],
    'I have recorded an insight with 1 signals.',
  ])
  expect((await store.insight(member)).signals).toEqual([
    expect.objectContaining({ quote: 'Acme has 12 shops.', url: home }),
  ])
  const other = await store.lead()
  await models.script({
    match: `Wrong ${word}`,
    answers: [{ calls: [record([], { member_id: other })] }, { text: 'Done.' }],
  })
  await store.say(run.id, `Wrong ${word}`)
  expect(await store.insight(other)).toBeNull()
})

test('An older run overwrites nothing that a newer one has found', async () => {
  const [word, member] = [unique(), await store.lead()]
  await models.script({
    match: `old ${word}`,
    answers: [{ calls: [record([], { summary: 'Old.' })], delay_ms: 5_000 }, { text: 'Done.' }],
  })
  await models.script({
    match: `new ${word}`,
    answers: [{ calls: [record([], { summary: 'New.' })] }, { text: 'Done.' }],
  })
  const old = await store.begin([member], `old ${word}`)
  const newer = await store.begin([member], `new ${word}`)
  expect([(await store.ended(newer.id)).status, (await store.ended(old.id)).status]).toEqual(['completed', 'completed'])
  expect(await store.insight(member)).toMatchObject({ summary: 'New.', run_id: newer.id })
})

test('Only active private and open audiences are researched, also when that changes later', async () => {
  const { shop } = store
  const add = async (type: string) =>
    (await made(shop.asOperator('POST', '/audiences', { key: unique(), type: { type } }))).id
  const [draft, paid, confirmation, archived] = [
    await add('open'),
    await add('paid'),
    (await newConfirmation(shop)).id,
    (await newAudience(shop)).id,
  ]
  await shop.asOperator('PUT', `/audiences/${archived}`, { status: 'archived' })
  const member = await store.lead()
  for (const audience_id of [draft, paid, confirmation, archived])
    expect(outcome(await store.post([member], 'Goal', { audience_id }))).toEqual([409, 'audience_not_researchable'])
  const later = await newResearch(models)
  const word = unique()
  const members = [await later.lead(`a-${word}@gmail.com`), await later.lead()]
  await models.script({ match: `a-${word}`, answers: [{ text: 'Done.', delay_ms: 4_000 }] })
  const run = await later.begin(members, `Goal ${word}`)
  await until(async () => (await models.requests(word)).length === 1)
  await later.shop.asOperator('PUT', `/audiences/${later.audience}`, { status: 'archived' })
  expect(await later.ended(run.id)).toMatchObject({
    status: 'failed',
    error: 'audience_not_researchable',
    members: [{}, { status: 'failed', error: 'audience_not_researchable' }],
  })
  expect(await models.requests(word)).toHaveLength(1)
  expect(outcome(await later.say(run.id, 'Hello'))).toEqual([409, 'audience_not_researchable'])
})

test('A cancelled run begins no turn, discards the answer on its way and refuses messages', async () => {
  const word = unique()
  const members = [await store.lead(`a-${word}@gmail.com`), await store.lead()]
  await models.script({ match: `a-${word}`, answers: [{ calls: [record([])], delay_ms: 4_000 }] })
  const run = await store.begin(members, `Goal ${word}`)
  await until(async () => (await models.requests(word)).length === 1)
  const waiting = store.say(run.id, 'Hello', newId(), { prefer: 'wait=20' })
  await until(async () => (await store.messages(run.id)).length === 1)
  const cancelled = await store.ask('POST', `/${run.id}/cancel`)
  expect(cancelled.body).toMatchObject({
    status: 'cancelled',
    members: [{ status: 'cancelled' }, { status: 'cancelled' }],
  })
  expect((await waiting).body).toMatchObject({ message: { status: 'cancelled' }, reply: null })
  expect((await store.ask('POST', `/${run.id}/cancel`)).body).toEqual(cancelled.body)
  expect(outcome(await store.say(run.id, 'Hello'))).toEqual([409, 'run_cancelled'])
  await until(
    async () =>
      (
        await database().query(
          `select 1 from model_calls f join model_turns t on t.id = f.turn_id where t.owner_id = (select id from research_runs where run_id = $1) and f.status = 'succeeded'`,
          [run.id],
        )
      ).rows.length === 1,
  )
  expect([await store.insight(members[0] as string), (await models.requests(word)).length]).toEqual([null, 1])
  const { body } = await store.ask('GET', `/${run.id}`)
  expect(body.status).toBe('cancelled')
})

test('A request that prefers not to wait gets 202 and the address of the saved result', async () => {
  const [word, member] = [unique(), await store.lead()]
  const run = await store.begin([member], `Goal ${word}`)
  await store.ended(run.id)
  await models.script({ match: `Later ${word}`, answers: [{ text: 'Now.', delay_ms: 300 }] })
  const sent = await store.say(run.id, `Later ${word}`, newId(), { prefer: 'respond-async' })
  expect([outcome(sent), sent.body.reply]).toEqual([[202, 'waiting'], null])
  const at = (sent.headers.get('location') as string).split('/lead-research/runs')[1] as string
  const body = await until(async () => {
    const { body } = await store.ask('GET', at)
    return body.message.status === 'answered' && body
  })
  expect(body.reply.content).toBe('Now.')
})

test('Used-up tokens refuse runs and messages, and end a run that meets the limit', async () => {
  const { shop, lead, begin, post, ended, say } = await newResearch(models)
  const members = [await lead(), await lead()]
  const word = unique()
  await models.script({ match: word, answers: [{ text: 'Done.' }] })
  const run = await begin([members[0] as string], `Goal ${word}`)
  await ended(run.id)
  await database().query(`update model_usage set input_tokens = 5000000 where tenant_id = $1`, [shop.store_id])
  for (const answer of [await post(members, 'Goal'), await say(run.id, 'Hello')])
    expect([outcome(answer), Number(answer.headers.get('retry-after')) > 0]).toEqual([[429, 'token_limit'], true])
  // Not used up, but less is left than a call may use.
  await database().query(`update model_usage set input_tokens = 4999900 where tenant_id = $1`, [shop.store_id])
  const stopped = await begin(members, 'Goal')
  expect(await ended(stopped.id)).toMatchObject({
    ...{ status: 'failed', error: 'token_limit' },
    members: [
      { status: 'failed', error: 'token_limit' },
      { status: 'failed', error: 'token_limit' },
    ],
  })
})

test('Runs are refused for unknown members and models, and a model in use cannot be deleted', async () => {
  const { shop, lead, post, begin, integration, ended } = await newResearch(models)
  const member = await lead()
  const elsewhere = await newContact(shop)
  const other = (
    await made(
      shop.asOperator('POST', `/audiences/${(await newAudience(shop)).id}/members`, { contact_id: elsewhere.id }),
    )
  ).id
  const refused = await post([member, other, newId()], 'Goal')
  expect([
    refused.status,
    refused.body.errors.map(({ pointer, code }: Record<string, string>) => [pointer, code]),
  ]).toEqual([
    422,
    [
      ['/member_ids/1', 'member_unknown'],
      ['/member_ids/2', 'member_unknown'],
    ],
  ])
  expect(outcome(await post([member], 'Goal', { model_id: 'none' }))).toEqual([422, 'model_unknown'])
  const word = unique()
  await models.script({ match: word, answers: [{ text: 'Done.', delay_ms: 2_000 }] })
  const run = await begin([member], word)
  expect(outcome(await shop.asOperator('DELETE', `/integrations/${integration}`))).toEqual([409, 'integration_in_use'])
  await ended(run.id)
  expect((await shop.asOperator('DELETE', `/integrations/${integration}`)).status).toBe(200)
})

test('Runs are found by audience, member and status, and another store sees none of them', async () => {
  const word = unique()
  const [one, two, elsewhere] = [await store.lead(), await store.lead(), await newResearch(models)]
  await models.script({ match: word, answers: [{ text: 'Done.' }, { text: 'Done.' }] })
  const first = await store.begin([one], word)
  await store.ended(first.id)
  const second = await store.begin([one, two], word)
  await store.ended(second.id)
  const list = async (query: string) =>
    (await store.ask('GET', `?${query}`)).body.items.map(({ id }: { id: string }) => id)
  expect(await list(`member_id=${one}`)).toEqual([second.id, first.id])
  expect(await list(`member_id=${two}&status=completed&audience_id=${store.audience}`)).toEqual([])
  expect(await list(`member_id=${two}&status=awaiting_input&audience_id=${store.audience}`)).toEqual([second.id])
  expect(await list(`audience_id=${newId()}`)).toEqual([])
  expect((await elsewhere.ask('GET', '')).body.items).toEqual([])
  for (const at of ['', '/messages', '/sources'])
    expect((await elsewhere.ask('GET', `/${first.id}${at}`)).status).toBe(404)
  expect((await elsewhere.say(first.id, 'Hello')).status).toBe(404)
  expect((await elsewhere.ask('POST', `/${first.id}/cancel`)).status).toBe(404)
})

test('A merge keeps the newer insight, and discards the turn about the member that goes', async () => {
  const { shop, lead, begin, ended, insight, ask, sources } = await newResearch(models)
  const [one, two] = [await lead(`one-${unique()}@gmail.com`), await lead(`two-${unique()}@gmail.com`)]
  const contactOf = async (member: string) =>
    (await database().query('select contact_id from audience_members where id = $1', [member])).rows[0].contact_id
  const word = unique()
  const home = await page(receiver, `/${word}`, '<p>Acme has 12 shops.</p>')
  const older = await begin([one], `Goal ${home}`)
  const newer = await begin([two], `Goal ${home}`)
  for (const { id } of [older, newer]) await ended(id)
  await models.script({
    match: `Both ${word}`,
    answers: [{ calls: [record([], { summary: 'Of the one that went.' })], delay_ms: 4_000 }, { text: 'Done.' }],
  })
  const both = await begin([two, one], `Both ${word}`)
  await until(async () => (await models.requests(`Both ${word}`)).length === 1)
  const merged = await shop.asOperator('POST', `/contacts/${await contactOf(one)}/merge`, {
    source_contact_id: await contactOf(two),
  })
  expect(merged.status).toBe(200)
  // The older membership stays, the newer insight too.
  expect(await insight(one)).toMatchObject({ run_id: newer.id, signals: [expect.objectContaining({ url: home })] })
  expect((await ask('GET', `/${newer.id}`)).body.members).toEqual([
    expect.objectContaining({ member_id: one, status: 'completed' }),
  ])
  expect((await sources(newer.id))[0].member_id).toBe(one)
  expect((await ended(both.id)).members).toEqual([expect.objectContaining({ member_id: one, status: 'completed' })])
  expect(await insight(one)).toMatchObject({ run_id: newer.id })
})
