// Channels: a bot is connected while an agent serves it, each update is taken once, and each reply is sent once, in the
// order of its chat.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { type ChatBot, newBot, newToken, startChatBot, update } from '../kit/agents/chat-bot.ts'
import { type Models, newAgent, startModels } from '../kit/agents/models.ts'
import { until } from '../kit/codes.ts'
import { untilAwaited } from '../kit/database/locks.ts'
import { atOnce } from '../kit/orders/buying.ts'
import { database, http, unique } from '../kit/shop.ts'
import { filesIn, historiesOf, search } from '../kit/stack/secrets.ts'

jest.setTimeout(120_000)

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'tillwright-channels-'))
let models: Models
let service: ChatBot
let salon: Awaited<ReturnType<typeof newAgent>>
let bot: Awaited<ReturnType<typeof newBot>>
/** Messages whose outcome shows after the send limit: sent before the tests, looked at by the last ones. */
let silent: { hung: string; broken: string }

let users = 1_000
const newUser = () => ++users
const chatsOf = async (channel: string) =>
  (
    await database().query(
      'select id, status, mode, version, message_count, external_id from chats where channel_id = $1 order by created_at, id',
      [channel],
    )
  ).rows
const chatOf = async (user: number) =>
  until(async () =>
    (await chatsOf(bot.channel)).filter(({ external_id }) => external_id === String(user)).at(-1),
  ) as Promise<{ id: string }>
const messagesOf = async (user: number, channel = bot.channel) =>
  (
    await database().query(
      `select m.id, m.role, m.content, m.status, m.error, m.delivery_status from chat_messages m join chats c on c.id = m.chat_id where c.channel_id = $1 and c.external_id = $2
       order by c.created_at, c.id, m.seq`,
      [channel, String(user)],
    )
  ).rows
const settled = (user: number, role: string, content: string) =>
  until(async () => {
    const found = (await messagesOf(user)).find((one) => one.role === role && one.content === content)
    return (
      found &&
      (role === 'user' ? !['waiting', 'processing'].includes(found.status) : found.delivery_status !== 'pending') &&
      found
    )
  }, 60_000)
const textsSeen = async (user: number) => (await service.seen(bot.bot, user)).map(({ text }) => text)

/** Nothing is left to be done about the channel. */
const rested = (channel: string) =>
  until(
    async () =>
      (await database().query('select 1 from channels where id = $1 and look_at is null', [channel])).rows.length > 0,
  )

beforeAll(async () => {
  ;[models, service] = await Promise.all([startModels(dir), startChatBot(dir)])
  salon = await newAgent(models)
  bot = await newBot(service, salon)
  silent = { hung: unique(), broken: unique() }
  await service.fault({ fault: 'hang', path: '/bot*/sendMessage', body_match: silent.hung, after_effect: true })
  await service.fault({
    fault: 'reset_after_read',
    path: '/bot*/sendMessage',
    body_match: silent.broken,
    after_effect: true,
  })
  await bot.deliver(update(silent.hung, 1))
  await bot.deliver(update(silent.broken, 2))
})
afterAll(async () => {
  await Promise.all([models.stop(), service.stop()])
  await database().end()
  fs.rmSync(dir, { recursive: true })
})

test('The bot of an archived business asks no model, and its messages wait for people', async () => {
  const shut = await newAgent(models, { fallback: 'Later.' })
  const closed = await newBot(service, shut)
  const [word, slow, user, waiting] = [unique(), unique(), newUser(), newUser()]
  await models.script({ match: slow, answers: [{ calls: [{ name: 'own_orders', arguments: {} }], delay_ms: 5_000 }] })
  await closed.deliver(update(slow, waiting))
  await until(async () => (await models.requests(slow)).length === 1)
  await database().query(`update tenants set status = 'ARCHIVED' where id = $1`, [shut.business.id])
  expect((await closed.deliver(update(word, user))).status).toBe(200)
  expect(await messagesOf(user, closed.channel)).toEqual([expect.objectContaining({ content: word, status: 'held' })])
  const left = await until(async () =>
    (await messagesOf(waiting, closed.channel)).find(({ status }) => status === 'failed'),
  )
  expect(left).toMatchObject({ error: 'store_archived' })
  expect([
    (await models.requests(word)).length,
    (await models.requests(slow)).length,
    await service.seen(closed.bot),
  ]).toEqual([0, 1, []])
})

test('A message to a bot is answered there by the agent that serves its channel', async () => {
  const user = newUser()
  const word = unique()
  await models.script({ match: word, answers: [{ text: 'Green tea.' }] })
  const said = await service.say({
    bot: bot.bot,
    from: { id: user, first_name: 'Grace', username: 'grace' },
    text: `Which tea, ${word}?`,
  })
  expect(said.statuses).toEqual([200])
  await until(async () => (await textsSeen(user)).length > 0)
  expect(await textsSeen(user)).toEqual(['Green tea.'])
  const { body } = await salon.business.ask('GET', `/chats?channelId=${bot.channel}&limit=100`)
  const chat = body.items.find(({ externalName }: { externalName: string }) => externalName === 'Grace')
  expect(chat).toMatchObject({
    channelId: bot.channel,
    agentId: salon.agent,
    mode: 'agent',
    status: 'active',
    messageCount: 2,
  })
  await settled(user, 'assistant', 'Green tea.')
  const { items } = (await salon.asOperator('GET', `/${chat.id}/messages?sortDirection=asc`)).body
  expect(items.map((one: Record<string, unknown>) => [one.role, one.status, one.deliveryStatus, one.error])).toEqual([
    ['user', 'answered', null, null],
    ['assistant', null, 'sent', null],
  ])
  // The visitor is a contact whom nothing has verified.
  const { rows } = await database().query(
    'select type, provider, provider_subject, verified_at, owned from contact_channels where contact_id = $1',
    [chat.contactId],
  )
  expect(rows).toEqual([
    {
      type: 'social',
      provider: 'chat_bot',
      provider_subject: `${bot.channel}:${user}`,
      verified_at: null,
      owned: false,
    },
  ])
})

test('An update delivered five times, out of order, to two processes is one message', async () => {
  const user = newUser()
  const updates = Array.from({ length: 12 }, (_, n) => update(`Line ${n}`, user))
  const deliveries = Array.from({ length: 5 }, () => updates)
    .flat()
    .map((one, n) => ({ one, at: (n * 37) % 60 }))
    .sort((a, b) => a.at - b.at)
  const answers = await atOnce(deliveries.length, (n) => bot.deliver(deliveries[n]?.one))
  // A delivery that meets an equal one at the same instant may be asked for once more, as the service does.
  const again = await Promise.all(updates.map((one) => bot.deliver(one)))
  expect([...answers, ...again].filter(({ status }) => status !== 200 && status !== 503)).toEqual([])
  expect(again.map(({ status }) => status)).toEqual(updates.map(() => 200))
  const { rows } = await database().query(
    `select content, count(*)::int as times from chat_messages where channel_id = $1 and content like 'Line %' and update_id = any ($2) group by 1`,
    [bot.channel, updates.map(({ update_id }) => update_id)],
  )
  expect(rows.map(({ content, times }) => [content, times]).sort()).toEqual(
    updates.map((_, n) => [`Line ${n}`, 1]).sort(),
  )
  expect((await chatsOf(bot.channel)).filter(({ external_id }) => external_id === String(user))).toHaveLength(1)
  const { rows: contacts } = await database().query('select 1 from contact_channels where provider_subject = $1', [
    `${bot.channel}:${user}`,
  ])
  expect(contacts).toHaveLength(1)
})

test('An update with a wrong, a missing or another channel’s secret is 401 and writes nothing', async () => {
  const other = await newBot(service, await newAgent(models))
  const user = newUser()
  const one = update('Hello', user)
  for (const secret of [null, '', 'wrong', other.secret, `${bot.secret}x`]) {
    const { status, headers, body } = await bot.deliver(one, { secret })
    expect([secret, status, headers.get('www-authenticate'), body.code]).toEqual([
      secret,
      401,
      'Channel-Secret',
      'unauthorized',
    ])
  }
  // An unknown channel, and the integration of a model.
  for (const to of [crypto.randomUUID(), salon.integration]) expect((await bot.deliver(one, { to })).status).toBe(401)
  expect(await messagesOf(user)).toEqual([])
  const { rows } = await database().query('select 1 from contact_channels where provider_subject like $1', [
    `%:${user}`,
  ])
  expect(rows).toEqual([])
  expect((await bot.deliver(one)).status).toBe(200)
  expect((await messagesOf(user)).filter(({ role }) => role === 'user')).toHaveLength(1)
})

test('A thousand strange signed bodies are 200, and only messages of people are written', async () => {
  const user = newUser()
  const good = update('Hello', user)
  const { message } = good as { message: Record<string, unknown> }
  const before = (
    await database().query('select count(*)::int as n from chat_messages where channel_id = $1', [bot.channel])
  ).rows[0].n
  const strange: unknown[] = [
    ...[
      '',
      '{',
      'null',
      '[]',
      '"text"',
      '5',
      '{"update_id":1}',
      `${'['.repeat(5_000)}`,
      '{"update_id":1e400,"message":{}}',
      '\u0000',
      'x'.repeat(100_000),
    ],
    ...[
      Uint8Array.of(0xff, 0xfe, 0x00),
      { update_id: -1, message },
      { update_id: 'one', message },
      { update_id: 1.5, message },
      { update_id: 2 ** 60, message },
    ],
    ...[
      { update_id: 1, edited_message: message },
      { update_id: 2, channel_post: message },
      { update_id: 3, message: null },
      { update_id: 4, callback_query: {} },
    ],
    { ...update('', user, { from: { id: user, is_bot: true } }) },
    update('', user, { chat: { id: -100, type: 'group' } }),
    update('', user, { chat: { id: user + 1, type: 'private' } }),
    update('', user, { from: { id: 2 ** 55, is_bot: false }, chat: { id: 2 ** 55, type: 'private' } }),
    update('   ', user),
    update('', user, { text: undefined, pinned_message: {} }),
  ]
  const values = [null, true, -1, 2 ** 53, 1e308, '', '\u0000', '\ud800', [], {}, [[[]]], { id: 1 }, 'x'.repeat(5_000)]
  let seed = 7
  const random = (most: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
    return seed % most
  }
  /** One of its members, or one of theirs, becomes another value. */
  const spoiled = (record: Record<string, unknown>): Record<string, unknown> => {
    const names = Object.keys(record)
    const name = names[random(names.length)] as string
    const inner = record[name]
    const deeper =
      inner !== null && typeof inner === 'object' && random(2) === 0
        ? spoiled(inner as Record<string, unknown>)
        : values[random(values.length)]
    return { ...record, [name]: deeper }
  }
  while (strange.length < 1_000) strange.push(spoiled({ ...update('Spoiled', user) }))
  const statuses: number[] = []
  for (let at = 0; at < strange.length; at += 50)
    statuses.push(
      ...(await Promise.all(strange.slice(at, at + 50).map((one) => bot.deliver(one)))).map(({ status }) => status),
    )
  expect(statuses.filter((status) => status !== 200)).toEqual([])
  const { rows } = await database().query(
    `select m.content, c.external_id from chat_messages m join chats c on c.id = m.chat_id where m.channel_id = $1 and m.role = 'user'`,
    [bot.channel],
  )
  expect(rows.length).toBeGreaterThan(before)
  for (const { content } of rows)
    expect([content.length > 0, content.length <= 8_000, content.includes('\u0000')]).toEqual([true, true, false])
})

test('A message without a text is written as its kind, with its caption', async () => {
  const user = newUser()
  await bot.deliver(update('', user, { text: undefined, photo: [], caption: 'My cup' }))
  await bot.deliver(update('', user, { text: undefined, voice: {} }))
  expect((await messagesOf(user)).filter(({ role }) => role === 'user').map(({ content }) => content)).toEqual([
    '[photo] My cup',
    '[voice]',
  ])
})

test('A reply longer than one message arrives whole, in messages cut at sentences', async () => {
  const user = newUser()
  const word = unique()
  const long = Array.from({ length: 200 }, (_, n) => `Sentence number ${n} of the story about green tea.`).join(' ')
  await models.script({ match: word, answers: [{ text: long }] })
  await bot.deliver(update(word, user))
  await settled(user, 'assistant', long)
  const seen = await textsSeen(user)
  expect([seen.length, seen.join(' ')]).toEqual([3, long])
  for (const text of seen) expect([text.length <= 4_096, text.endsWith('.')]).toEqual([true, true])
})

test('A message that the service defers is sent again when it asks for it, and is seen once', async () => {
  const user = newUser()
  const word = unique()
  const body = { ok: false, error_code: 429, description: 'Too Many Requests', parameters: { retry_after: 1 } }
  await service.fault({ fault: 'answer', path: '/bot*/sendMessage', body_match: word, status: 429, body, times: 2 })
  await bot.deliver(update(word, user))
  await settled(user, 'assistant', `You said: ${word}`)
  expect(await textsSeen(user)).toEqual([`You said: ${word}`])
  const { rows } = await database().query(
    `select try, status, extract(epoch from sent_at)::float8 as sent, extract(epoch from due_at)::float8 as due from channel_messages where message_id = $1 order by try`,
    [(await messagesOf(user)).at(-1).id],
  )
  expect(rows.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'succeeded'])
  for (const { sent, due } of rows.slice(1)) expect(sent).toBeGreaterThanOrEqual(due)
})

test('A message that the service defers for an absurd time is refused, and the chat goes on', async () => {
  const user = newUser()
  const word = unique()
  const body = { ok: false, error_code: 429, parameters: { retry_after: 1e12 } }
  await service.fault({ fault: 'answer', path: '/bot*/sendMessage', body_match: word, status: 429, body })
  await bot.deliver(update(word, user))
  expect(await settled(user, 'assistant', `You said: ${word}`)).toMatchObject({
    delivery_status: 'rejected',
    error: 'channel_deferred',
  })
  await bot.deliver(update('Hello', user))
  await settled(user, 'assistant', 'You said: Hello')
  expect(await textsSeen(user)).toEqual(['You said: Hello'])
})

test('A visitor who has blocked the bot gets nothing, and operators see why', async () => {
  const user = newUser()
  await service.control('block', { user_id: user })
  await bot.deliver(update('Hello', user))
  expect(await settled(user, 'assistant', 'You said: Hello')).toMatchObject({
    delivery_status: 'rejected',
    error: 'channel_blocked',
  })
  expect(await textsSeen(user)).toEqual([])
})

test('A person who takes a chat over is seen after the agent, whose later words are not sent', async () => {
  const rounds = 60
  const people = Array.from({ length: rounds }, () => ({ user: newUser(), word: unique() }))
  await atOnce(rounds, async (n) => {
    const { user, word } = people[n] as (typeof people)[number]
    // Some messages of the agent are on the wire when the person writes, some are deferred, some are not written yet.
    const fault = { path: '/bot*/sendMessage', body_match: word }
    if (n % 3 === 0) await service.fault({ ...fault, fault: 'delay', delay_ms: 400 })
    if (n % 3 === 1)
      await service.fault({
        ...fault,
        fault: 'answer',
        status: 429,
        body: { ok: false, parameters: { retry_after: 1 } },
      })
    await bot.deliver(update(word, user))
    const chat = await chatOf(user)
    await new Promise((done) => setTimeout(done, (n * 29) % 400))
    const reply = await salon.asOperator('POST', `/${chat.id}/replies`, { message: `Person ${word}` })
    expect(reply).toMatchObject({ status: 201, body: { deliveryStatus: 'pending' } })
  })
  for (const { user, word } of people) {
    await settled(user, 'operator', `Person ${word}`)
    const seen = await textsSeen(user)
    expect(seen).toEqual([...(seen.length > 1 ? [`You said: ${word}`] : []), `Person ${word}`])
    const answer = (await messagesOf(user)).find(({ role }) => role === 'assistant')
    if (answer)
      expect([answer.delivery_status, answer.error]).toEqual(
        seen.length > 1 ? ['sent', null] : ['failed', 'no_longer_wanted'],
      )
  }
  // No word of the agent was stamped after the commit that raised the version.
  const { rows } = await database().query(
    `select e.id from channel_messages e join chats c on c.id = e.chat_id join chat_messages o on o.chat_id = c.id and o.role = 'operator'
     join channel_messages p on p.message_id = o.id where c.channel_id = $1 and e.version is not null and e.sent_at > p.sent_at`,
    [bot.channel],
  )
  expect(rows).toEqual([])
})

test('Where the model gives no answer, people have the chat, and the fallback is sent once', async () => {
  const own = await newAgent(models, { fallback: 'Please wait for a person.' })
  const theirs = await newBot(service, own)
  const [user, word] = [newUser(), unique()]
  await models.script({ match: word, answers: [{ status: 400 }] })
  await theirs.deliver(update(word, user))
  await until(async () => (await service.seen(theirs.bot)).length > 0)
  await theirs.deliver(update('Hello?', user))
  expect((await service.seen(theirs.bot)).map(({ text }) => text)).toEqual(['Please wait for a person.'])
  expect((await messagesOf(user, theirs.channel)).map(({ role, status }) => [role, status])).toEqual([
    ['user', 'failed'],
    ['assistant', null],
    ['user', 'held'],
  ])
  expect(await chatsOf(theirs.channel)).toMatchObject([{ mode: 'human', status: 'active' }])
})

test('An inbox and a disabled agent hold messages for people, whose replies are sent', async () => {
  const own = await newAgent(models)
  const theirs = await newBot(service, own, { action: 'inbox' })
  const user = newUser()
  await theirs.deliver(update('Is anybody there?', user))
  const [chat] = await chatsOf(theirs.channel)
  expect([chat.mode, (await messagesOf(user, theirs.channel)).map(({ status }) => status)]).toEqual(['human', ['held']])
  await own.asOperator('POST', `/${chat.id}/replies`, { message: 'I am.' })
  await until(async () => (await service.seen(theirs.bot)).length > 0)
  expect((await service.seen(theirs.bot)).map(({ text }) => text)).toEqual(['I am.'])
  await own.business.ask('PUT', `/integrations/${theirs.channel}`, { provider: { action: 'agent' } })
  await own.business.ask('PUT', `/agents/${own.agent}`, { status: 'disabled' })
  const { secret_token } = (await service.webhooks())[theirs.bot] as { secret_token: string }
  const second = newUser()
  await theirs.deliver(update('And now?', second), { secret: secret_token })
  expect((await messagesOf(second, theirs.channel)).map(({ status }) => status)).toEqual(['held'])
  expect((await own.business.ask('GET', '/chats?mode=human')).body.items).toHaveLength(2)
})

test('The timeline of a chat has each call and message once, whose pages meet', async () => {
  const own = await newAgent(models)
  const theirs = await newBot(service, own)
  const user = newUser()
  for (const word of [unique(), unique()]) {
    await theirs.deliver(update(word, user))
    await until(async () => (await service.seen(theirs.bot, user)).some(({ text }) => text === `You said: ${word}`))
  }
  const [chat] = await chatsOf(theirs.channel)
  await own.asOperator('POST', `/${chat.id}/replies`, { message: 'A person.', messageId: crypto.randomUUID() })
  await until(async () => (await service.seen(theirs.bot, user)).some(({ text }) => text === 'A person.'))
  await until(
    async () =>
      (
        await database().query(
          `select 1 from channel_messages where chat_id = $1 and status in ('requested', 'processing')`,
          [chat.id],
        )
      ).rows.length === 0,
  )
  // Timelines are a route of stores.
  await database().query(`update tenants set kind = 'store' where id = $1`, [own.business.id])
  type Entry = { kind: string; at: number; effect: { name: string; id: string } | null; by: { label: string } | null }
  const read = async (subject: string, limit: number): Promise<Entry[]> => {
    const all: Entry[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const path: string = `/v1/stores/${own.business.id}/timeline?subject=${subject}&limit=${limit}&cursor=${cursor}`
      const { status, body } = await http('GET', path, { headers: own.business.op.headers })
      expect([status, all.length < 200]).toEqual([200, true])
      all.push(...body.items)
      cursor = body.cursor ?? null
    }
    return all
  }
  const entries = await read(`chat:${chat.id}`, 100)
  expect(await read(`chat:${chat.id}`, 3)).toEqual(entries)
  const asked = entries.filter(({ effect, kind }) => effect && kind === 'requested')
  const count = (name: string) => asked.filter(({ effect }) => effect?.name === name).length
  expect([count('model_call'), count('channel_message')]).toEqual([2, 3])
  const keys = entries.map(({ kind, at, effect }) => JSON.stringify([kind, at, effect?.id]))
  expect(new Set(keys.filter((key) => !key.endsWith('null]'))).size).toBe(entries.filter(({ effect }) => effect).length)
  const [reply] = asked.filter(({ effect, by }) => effect?.name === 'channel_message' && by?.label)
  expect(reply?.by?.label).toBe(own.business.op.email)
  expect((await read(`channel_message:${reply?.effect?.id}`, 100)).at(-1)?.by?.label).toBe(own.business.op.email)
})

test('A message to an archived chat begins another one', async () => {
  const user = newUser()
  await bot.deliver(update('First', user))
  await settled(user, 'user', 'First')
  const { id } = await chatOf(user)
  await salon.asOperator('PUT', `/${id}`, { status: 'archived' })
  await bot.deliver(update('Second', user))
  await settled(user, 'user', 'Second')
  const chats = (await chatsOf(bot.channel)).filter(({ external_id }) => external_id === String(user))
  expect(chats.map(({ status }) => status)).toEqual(['archived', 'active'])
})

test('A bot is connected while an agent serves it, and disconnected with its integration', async () => {
  const own = await newAgent(models)
  const { business, agent } = own
  const theirs = await newBot(service, own)
  const read = async () => (await business.ask('GET', `/integrations/${theirs.channel}`)).body.channel
  expect(await read()).toEqual({ status: 'connected', error: null, username: `bot_${theirs.bot}` })
  const { [theirs.bot]: webhook } = await service.webhooks()
  expect(webhook).toMatchObject({
    url: expect.stringMatching(new RegExp(`/v1/webhooks/channels/${theirs.channel}$`)),
    allowed_updates: ['message'],
  })
  const remove = () => business.ask('DELETE', `/integrations/${theirs.channel}`)
  expect((await remove()).body.code).toBe('integration_in_use')
  await business.ask('PUT', `/agents/${agent}`, { channelIds: [] })
  await until(async () => !(await service.webhooks())[theirs.bot])
  expect(await read()).toMatchObject({ status: 'pending', error: null })
  await business.ask('PUT', `/agents/${agent}`, { channelIds: [theirs.channel] })
  await until(async () => (await read()).status === 'connected')
  // Another bot: the first one is left, and its updates are refused.
  const next = newToken()
  await business.ask('PUT', `/integrations/${theirs.channel}`, { provider: { botToken: next.token } })
  await until(async () => {
    const all = await service.webhooks()
    return all[next.bot] && !all[theirs.bot]
  })
  expect((await theirs.deliver(update('Hello'))).status).toBe(401)
  expect(await until(async () => (await read()).status === 'connected' && read())).toMatchObject({
    username: `bot_${next.bot}`,
  })
  await business.ask('DELETE', `/agents/${agent}`)
  expect((await remove()).status).toBe(200)
  await until(async () => !(await service.webhooks())[next.bot])
  await until(
    async () => (await database().query('select 1 from channels where id = $1', [theirs.channel])).rows.length === 0,
  )
})

test('A bot that comes back before its webhook was taken away keeps it', async () => {
  const own = await newAgent(models)
  const theirs = await newBot(service, own)
  const next = newToken()
  const put = (botToken: string) =>
    own.business.ask('PUT', `/integrations/${theirs.channel}`, { provider: { botToken } })
  await service.fault({ fault: 'status', path: `/bot${theirs.token}/getWebhookInfo`, status: 502, times: 1 })
  await put(next.token)
  await until(async () => (await service.webhooks())[next.bot])
  await put(theirs.token)
  await rested(theirs.channel)
  const all = await service.webhooks()
  expect([Boolean(all[theirs.bot]), Boolean(all[next.bot])]).toEqual([true, false])
})

test('A bot that another integration has as well keeps the webhook of the one that is served', async () => {
  const own = await newAgent(models)
  const { token, bot: id, channel } = await newBot(service, own)
  const provider = { type: 'chat_bot', botToken: `${id}:another-token`, baseUrl: service.url }
  const { body } = await own.business.ask('POST', '/integrations', { key: 'the-same-bot', provider })
  const serve = async (channelIds: string[]) => {
    await own.business.ask('PUT', `/agents/${own.agent}`, { channelIds })
    await Promise.all([rested(channel), rested(body.id)])
    return (await service.webhooks())[id]?.url.split('/').at(-1)
  }
  // It would be looked at before the other one is set, and taken away afterwards.
  await service.fault({ fault: 'delay', path: `/bot${id}:*/setWebhook`, delay_ms: 250 })
  await service.fault({ fault: 'delay', path: `/bot${id}:*/deleteWebhook`, delay_ms: 600 })
  expect(await serve([body.id])).toBe(body.id)
  await service.release()
  // Served with both, the older one has it, and the other one says so.
  await own.business.ask('PUT', `/agents/${own.agent}`, { channelIds: [body.id, channel] })
  const shown = await until(async () => {
    const { error, status } = (await own.business.ask('GET', `/integrations/${body.id}`)).body.channel
    return error && { code: error.code, status }
  })
  expect(shown).toEqual({ code: 'bot_in_use', status: 'pending' })
  expect((await service.webhooks())[id]?.url.split('/').at(-1)).toBe(channel)
  // One that is refused keeps nothing from the other.
  await service.control('revoke', { token })
  await own.business.ask('PUT', `/integrations/${channel}`, {})
  await until(
    async () => (await own.business.ask('GET', `/integrations/${body.id}`)).body.channel.status === 'connected',
  )
  expect((await own.business.ask('GET', `/integrations/${channel}`)).body.channel.status).toBe('failed')
  expect(await serve([body.id])).toBe(body.id)
  expect(await serve([])).toBeUndefined()
})

test('A bot that is replaced while its webhook is being set is left', async () => {
  const own = await newAgent(models)
  const theirs = await newBot(service, own)
  const { url } = (await service.webhooks())[theirs.bot] as { url: string }
  await own.business.ask('PUT', `/agents/${own.agent}`, { channelIds: [] })
  await rested(theirs.channel)
  // As the worker does: it is written that the webhook may be set, before it is.
  const worker = await database().connect()
  await worker.query('begin')
  await worker.query('update channels set is_set = true where id = $1', [theirs.channel])
  const replaced = own.business.ask('PUT', `/integrations/${theirs.channel}`, {
    provider: { botToken: newToken().token },
  })
  await untilAwaited(worker)
  await fetch(`${service.url}/bot${theirs.token}/setWebhook`, { method: 'POST', body: JSON.stringify({ url }) })
  await worker.query('commit')
  worker.release()
  expect((await replaced).status).toBe(200)
  await until(async () => !(await service.webhooks())[theirs.bot])
})

test('A channel with chats becomes no bot of another service, which has other visitors', async () => {
  const own = await newAgent(models)
  const theirs = await newBot(service, own)
  const elsewhere = 'http://127.0.0.1:2000'
  const put = (botToken: string, baseUrl: string) =>
    own.business.ask('PUT', `/integrations/${theirs.channel}`, { provider: { botToken, baseUrl } })
  const another = newToken().token
  expect((await put(another, elsewhere)).status).toBe(200)
  expect((await put(theirs.token, service.url)).status).toBe(200)
  await until(
    async () => (await own.business.ask('GET', `/integrations/${theirs.channel}`)).body.channel.status === 'connected',
  )
  const { secret_token: secret } = (await service.webhooks())[theirs.bot] as { secret_token: string }
  expect((await theirs.deliver(update('My order is late'), { secret })).status).toBe(200)
  const refused = await put(another, elsewhere)
  expect([refused.status, refused.body.errors]).toEqual([
    422,
    [expect.objectContaining({ pointer: '/provider/baseUrl', code: 'cannot_change' })],
  ])
  // The same bot at another address, and another bot of the same service, have the same visitors.
  expect([
    (await put(theirs.token, elsewhere)).status,
    (await put(theirs.token, service.url)).status,
    (await put(another, service.url)).status,
  ]).toEqual([200, 200, 200])
})

test('A bot whose token is refused is shown as failed, and is connected when it is updated', async () => {
  const { business, agent } = await newAgent(models)
  const { token, bot: id } = newToken()
  await service.control('revoke', { token })
  const provider = { type: 'chat_bot', botToken: token, baseUrl: service.url }
  const { body } = await business.ask('POST', '/integrations', { key: 'bot', provider })
  expect(body.channel).toEqual({ status: 'pending', error: null, username: null })
  const read = async () => (await business.ask('GET', '/integrations?category=channel')).body.items[0].channel
  const failed = await until(async () => (await read()).status === 'failed' && read())
  expect(failed.error).toEqual({
    code: 'channel_refused',
    message: 'The bot API refused the request: Unauthorized',
    providerStatus: 401,
  })
  await business.ask('PUT', `/agents/${agent}`, { channelIds: [body.id] })
  await business.ask('PUT', `/integrations/${body.id}`, { provider: { botToken: `${id}:another-secret` } })
  await until(async () => (await read()).status === 'connected')
  // Without a bot API of its own, updates would be sent to an address that the service does not reach.
  const { body: usual } = await business.ask('POST', '/integrations', {
    key: 'usual',
    provider: { type: 'chat_bot', botToken: newToken().token },
  })
  const shown = await until(async () => {
    const { channel } = (await business.ask('GET', `/integrations/${usual.id}`)).body
    return channel.status === 'failed' && channel
  })
  expect(shown.error).toMatchObject({ code: 'public_url_unsuitable' })
})

test('A bot API that is away is asked until it answers', async () => {
  const own = await newAgent(models)
  const { token } = newToken()
  await service.fault({ fault: 'status', path: `/bot${token}/*`, status: 502, times: 2 })
  const { body } = await own.business.ask('POST', '/integrations', {
    key: 'bot',
    provider: { type: 'chat_bot', botToken: token, baseUrl: service.url },
  })
  await own.business.ask('PUT', `/agents/${own.agent}`, { channelIds: [body.id] })
  const read = async () => (await own.business.ask('GET', `/integrations/${body.id}`)).body.channel
  await until(async () => (await read()).status === 'connected')
})

test('A messaging integration, and a token or an address that makes no path, are refused', async () => {
  const { business, agent } = await newAgent(models)
  const { body } = await business.ask('POST', '/integrations', {
    key: 'm',
    provider: { type: 'messaging_a', apiKey: 'key' },
  })
  const refused = await business.ask('PUT', `/agents/${agent}`, { channelIds: [body.id] })
  expect([refused.status, refused.body.errors]).toEqual([
    422,
    [expect.objectContaining({ pointer: '/channelIds/0', code: 'channel_unsupported' })],
  ])
  for (const [field, value] of [
    ['botToken', '1:a/../b'],
    ['action', 'sing'],
    // Paths are added to its end.
    ['baseUrl', 'https://bots.example/?key=1'],
    ['baseUrl', 'https://bots.example/#top'],
  ]) {
    const { status, body: problem } = await business.ask('POST', '/integrations', {
      key: 'bot',
      provider: { type: 'chat_bot', botToken: '1:good', [field as string]: value },
    })
    expect([field, status, problem.errors[0].pointer]).toEqual([field, 422, `/provider/${field}`])
  }
})

test('A visitor who writes too much gets no answer, and people see the messages', async () => {
  const user = newUser()
  await bot.deliver(update('First', user))
  await settled(user, 'user', 'First')
  await database().query(
    `update rate_windows set count = 1000000 where key = (select 'chat:' || contact_id from contact_channels where provider_subject = $1)`,
    [`${bot.channel}:${user}`],
  )
  expect((await bot.deliver(update('Second', user))).status).toBe(200)
  expect((await messagesOf(user)).filter(({ role }) => role === 'user')).toMatchObject([
    { status: 'answered', error: null },
    { status: 'failed', error: 'too_many_requests' },
  ])
})

test('After its agent is deleted nothing waiting is sent, and updates are taken without a trace', async () => {
  const own = await newAgent(models)
  const theirs = await newBot(service, own)
  const [user, word] = [newUser(), unique()]
  await service.fault({
    fault: 'answer',
    path: '/bot*/sendMessage',
    body_match: word,
    status: 429,
    body: { ok: false, parameters: { retry_after: 5 } },
  })
  await theirs.deliver(update(word, user))
  const statuses = async () =>
    (
      await database().query('select status from channel_messages where channel_id = $1 order by try', [theirs.channel])
    ).rows.map(({ status }) => status)
  await until(async () => (await statuses()).length === 2)
  await own.business.ask('DELETE', `/agents/${own.agent}`)
  const before = await messagesOf(user, theirs.channel)
  expect((await theirs.deliver(update('Hello?', user))).status).toBe(200)
  expect(await messagesOf(user, theirs.channel)).toEqual(before)
  await until(async () => (await statuses())[1] === 'failed')
  expect(await service.seen(theirs.bot)).toEqual([])
})

test('A reply without an answer is unknown and was sent once, and later replies are sent', async () => {
  for (const [user, word] of [
    [1, silent.hung],
    [2, silent.broken],
  ] as const) {
    expect(await settled(user, 'assistant', `You said: ${word}`)).toMatchObject({
      delivery_status: 'unknown',
      error: 'egress_no_answer',
    })
    expect(await textsSeen(user)).toEqual([`You said: ${word}`])
    await bot.deliver(update('And now?', user))
    await settled(user, 'assistant', 'You said: And now?')
    expect(await textsSeen(user)).toEqual([`You said: ${word}`, 'You said: And now?'])
  }
})

test('No token and no secret of a channel is in an answer, a log, a row or a history', async () => {
  const shown = await Promise.all([
    salon.business.ask('GET', `/integrations/${bot.channel}`),
    salon.business.ask('GET', '/integrations?category=channel'),
    salon.business.ask('GET', `/agents/${salon.agent}`),
    salon.business.ask('GET', `/chats?channelId=${bot.channel}`),
  ])
  const tables = [
    'channels',
    'channel_messages',
    'chat_messages',
    'chats',
    'integrations',
    'outbox',
    'contact_channels',
  ]
  const rows = await Promise.all(
    tables.map(async (name) => ({
      name,
      text: JSON.stringify((await database().query(`select * from ${name}`)).rows),
    })),
  )
  const hay = [
    ...shown.map(({ body }, n) => ({ name: `answer ${n}`, text: JSON.stringify(body) })),
    ...rows,
    ...filesIn(process.env.TEST_LOGS as string),
    ...(await historiesOf(process.env.TEMPORAL_ADDRESS as string, 200)),
  ]
  expect(hay.length).toBeGreaterThan(20)
  expect(
    search(hay, {
      'the token of a bot': bot.token,
      'the secret part of it': bot.token.split(':')[1] as string,
      'the secret of a webhook': bot.secret,
    }),
  ).toEqual([])
})
