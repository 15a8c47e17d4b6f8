// A text is divided into messages that the bot API takes, without losing a word; an update is a message of a person, or
// nothing.
import { describe, expect, test } from '@jest/globals'
import { isSentAgain, partsOf, updateOf } from '../../../rules/agents/channels.ts'
import {
  botAnswer,
  botPost,
  CHAT_BOT_BASE_URL,
  messageIdOf,
  reasonOf,
  retryAfterOf,
  takesUpdates,
  usernameOf,
} from '../../../rules/agents/chat-bot.ts'

const words = (text: string) => text.split(/\s+/).filter(Boolean)

describe('Parts of a reply', () => {
  test.each([
    ['one sentence', 'Good day.'],
    ['many sentences', 'A sentence of tea. '.repeat(1_000)],
    ['sentences without blanks', '一句关于茶的话。'.repeat(1_500)],
    ['paragraphs', `${'Word '.repeat(500)}\n\n`.repeat(10)],
    ['one long word', 'x'.repeat(10_000)],
    ['characters of two units', '🍵'.repeat(5_000)],
    ['a full message', 'x'.repeat(4_096)],
    ['a message and a blank', `${'x'.repeat(4_096)} y`],
  ])('Every part of %s fits, is well-formed, and no word is lost', (_, text) => {
    const parts = partsOf(text)
    for (const part of parts)
      expect([part.length > 0, part.length <= 4_096, part.isWellFormed(), part === part.trim()]).toEqual([
        true,
        true,
        true,
        true,
      ])
    expect(parts.join('').replaceAll(/\s/g, '')).toBe(text.replaceAll(/\s/g, ''))
    if (text.includes(' ')) expect(words(parts.join(' '))).toEqual(words(text))
  })

  test('Sentences stay whole where they fit', () => {
    for (const part of partsOf('A sentence of tea. '.repeat(1_000))) expect(part.endsWith('tea.')).toBe(true)
    for (const part of partsOf('一句关于茶的话。'.repeat(1_500))) expect(part.endsWith('话。')).toBe(true)
  })

  test('A text of more than 32 messages ends with an ellipsis', () => {
    const parts = partsOf('x'.repeat(200_000))
    expect([parts.length, parts.at(-1)?.length, parts.at(-1)?.endsWith('x…')]).toEqual([32, 4_096, true])
  })
})

describe('Updates', () => {
  const message = {
    chat: { id: 7, type: 'private' },
    from: { id: 7, is_bot: false, first_name: 'Ada', last_name: 'Lovelace', username: 'ada' },
    text: ' Hello ',
  }
  test('A message of a person names the person and holds the text', () => {
    expect(updateOf({ update_id: 1, message })).toEqual({
      update_id: 1,
      user_id: 7,
      name: 'Ada Lovelace',
      text: 'Hello',
    })
    expect(
      updateOf({ update_id: 1, message: { ...message, from: { id: 7, is_bot: false, username: 'ada' } } })?.name,
    ).toBe('@ada')
    expect(updateOf({ update_id: 1, message: { ...message, from: { id: 7, is_bot: false } } })?.name).toBe('User 7')
    expect(updateOf({ update_id: 1, message: { ...message, text: 'a\0b\ud800' } })?.text).toBe('a\ufffdb\ufffd')
  })

  test.each([
    ['of a bot', { ...message, from: { ...message.from, is_bot: true } }],
    ['of a group', { ...message, chat: { id: 7, type: 'group' } }],
    ['of another chat', { ...message, chat: { id: 8, type: 'private' } }],
    ['without a text', { ...message, text: undefined }],
    ['of blanks', { ...message, text: ' \n ' }],
    ['without a sender', { ...message, from: undefined }],
  ])('A message %s is none', (_, strange) => expect(updateOf({ update_id: 1, message: strange })).toBeNull())
})

test('A reason of the bot API is shown without secrets', () => {
  const answer = botAnswer({ ok: false, description: 'Wrong token 1:secret of 1:secret' })
  expect(reasonOf(answer, ['1:secret'])).toBe('Wrong token … of …')
  expect(reasonOf(null, [])).toBe('')
})

test('Only an answer with the id of a message proves that it was sent', () => {
  expect(messageIdOf(botAnswer({ ok: true, result: { message_id: 5 } }))).toBe('5')
  // With another content type than JSON's, the body is text.
  expect(messageIdOf(botAnswer('{"ok":true,"result":{"message_id":5}}'))).toBe('5')
  for (const body of [{ ok: true }, { ok: true, result: {} }, { ok: false, result: { message_id: 5 } }, 'ok', null])
    expect(messageIdOf(botAnswer(body))).toBeNull()
})

test('A token is part of the path alone, whatever it holds', () => {
  const at = { base_url: 'https://bots.example/', bot_token: '1:a/../b?c#d' }
  expect(botPost(at, 'getMe', {}).url).toBe('https://bots.example/bot1:a%2F..%2Fb%3Fc%23d/getMe')
})

test('The usual bot API takes https addresses on its ports alone; another one takes any', () => {
  const takes = (url: string) => takesUpdates(CHAT_BOT_BASE_URL, url)
  expect(
    ['https://a.example', 'https://a.example:8443', 'http://a.example', 'https://a.example:9000'].map(takes),
  ).toEqual([true, true, false, false])
  expect(takesUpdates('http://127.0.0.1:8081', 'http://127.0.0.1:8080')).toBe(true)
})

test('A deferred message is sent again five times at most, and not after more than an hour', () => {
  expect([
    isSentAgain(1, 1),
    isSentAgain(4, 3_600),
    isSentAgain(5, 1),
    isSentAgain(1, 3_601),
    isSentAgain(1, null),
  ]).toEqual([true, true, false, false, false])
})

test('A bot API that asks for an absurd pause asks for a day, and one that names none for none', () => {
  const asked = (retry_after: unknown) => retryAfterOf(botAnswer({ ok: false, parameters: { retry_after } }))
  expect([0, 3_601, 2 ** 31, 1e12, Number.MAX_SAFE_INTEGER].map(asked)).toEqual([0, 3_601, 86_400, 86_400, 86_400])
  expect([-1, 1.5, '3', null, 1e300].map(asked)).toEqual([null, null, null, null, null])
})

test('The name of a bot is one that PostgreSQL can store', () => {
  expect(usernameOf(botAnswer({ ok: true, result: { username: 'a\0b\ud800' } }))).toBe('a\ufffdb\ufffd')
})
