// The bytes of a campaign message are read by another library's parser, and its lines are what SMTP allows.
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import PostalMime from 'postal-mime'
import {
  composeMessage,
  composeWithFiles,
  linked,
  type Message,
  withUnsubscribeUrl,
} from '../../activities/sending/mime.ts'
import { headersOf, messageIdOf } from '../../rules/sending/headers.ts'
import { UNSUBSCRIBE_MARK } from '../../rules/sending/variables.ts'

const id = '01976d3c-0000-7000-8000-000000000001'
const facts = {
  ...{
    id,
    kind: 'step' as const,
    campaign_id: '01976d3c-0000-7000-8000-0000000000c1',
    audience_id: '01976d3c-0000-7000-8000-0000000000a1',
    step: 1,
  },
  ...{
    mailbox_id: '01976d3c-0000-7000-8000-0000000000b1',
    sender: 'ada@shop.example',
    unsubscribe_url: 'https://api.example/unsubscribe?token=till_ml_1',
  },
  thread: ['<one@shop.example>', '<two@shop.example>'],
}
const message = (given: Partial<Message> = {}): Message => ({
  ...{
    id,
    from: { address: 'ada@shop.example', name: 'Ada' },
    to: 'grace@example.com',
    reply_to: null,
    subject: 'Spring',
    html: '<p>Hi</p>',
    text: 'Hi',
  },
  headers: headersOf(facts),
  ...given,
})
/** Without the final dot of SMTP. */
const wire = (bytes: Buffer) => {
  const text = bytes.toString('latin1')
  expect(text.endsWith('\r\n.\r\n')).toBe(true)
  return text.slice(0, -3)
}
const read = (bytes: Buffer) => PostalMime.parse(Buffer.from(wire(bytes), 'latin1'))
const headerOf = (mail: Awaited<ReturnType<typeof read>>, name: string) =>
  mail.headers.find(({ key }) => key === name)?.value

test('A message carries the headers of its list, of its thread and of its row', async () => {
  const mail = await read(composeMessage(message({ reply_to: 'sales@shop.example' })))
  expect(mail).toMatchObject({
    ...{
      from: { name: 'Ada', address: 'ada@shop.example' },
      to: [{ address: 'grace@example.com' }],
      replyTo: [{ address: 'sales@shop.example' }],
    },
    ...{
      messageId: messageIdOf(id, 'ada@shop.example'),
      inReplyTo: '<two@shop.example>',
      references: '<one@shop.example> <two@shop.example>',
    },
  })
  expect(Math.abs(Date.parse(String(mail.date)) - Date.now())).toBeLessThan(60_000)
  expect(headerOf(mail, 'list-unsubscribe')).toBe('<https://api.example/unsubscribe?token=till_ml_1>')
  expect(headerOf(mail, 'list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click')
  expect(headerOf(mail, 'list-id')).toBe(`<${facts.audience_id}.shop.example>`)
  expect(headerOf(mail, 'feedback-id')).toBe(`${facts.campaign_id}:1:step:${facts.mailbox_id}`)
  expect(headerOf(mail, 'x-campaign-message')).toBe(id)
})

test('A message that unsubscribes nothing has no header of a list', () => {
  const names = headersOf({ ...facts, kind: 'reply', step: null, unsubscribe_url: null, thread: [] }).map(
    ([name]) => name,
  )
  expect(names).toEqual(['Message-ID', 'Feedback-ID', 'X-Campaign-Message'])
})

test('A long thread keeps its first message and its latest ones in References', () => {
  const thread = Array.from({ length: 50 }, (_, n) => `<${n}@shop.example>`)
  const references = headersOf({ ...facts, thread }).find(([name]) => name === 'References')?.[1] as string
  expect(references.split('\r\n ')).toEqual([thread[0], ...thread.slice(-19)])
})

const anyText = fc.string({ unit: 'grapheme', maxLength: 400 }).map((text) => text.toWellFormed())
/** As the renderer makes subjects, and as names of senders are accepted. */
const oneLine = (text: string) => text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()

test('Any subject, sender and body is read as it was written, on lines that SMTP allows', async () => {
  await fc.assert(
    fc.asyncProperty(anyText, anyText, anyText, anyText, async (subject, name, html, text) => {
      const given = message({
        subject: oneLine(subject) || 'x',
        html,
        text,
        from: { address: 'ada@shop.example', name: oneLine(name).slice(0, 255).toWellFormed() },
      })
      const bytes = composeMessage(given)
      const lines = wire(bytes).split('\r\n')
      for (const line of lines) expect(line).toMatch(/^(?!\.)[\x20-\x7e]{0,200}$/)
      const mail = await read(bytes)
      expect(mail.headers.map(({ key }) => key)).not.toContain('')
      expect(mail).toMatchObject({
        subject: given.subject,
        from: { name: given.from.name, address: 'ada@shop.example' },
      })
      // Parsers end a part with one line break, and read CRLF as one.
      const normal = (part: string | undefined) => (part ?? '').replaceAll('\r\n', '\n').replace(/\n$/, '')
      expect([normal(mail.html), normal(mail.text)]).toEqual([normal(html), normal(text)])
    }),
    {
      numRuns: 300,
      examples: [
        ['=?utf-8?B?QmNj?=', '"quoted", name', '.\r\n..', ''],
        ['x '.repeat(250), 'Löwe', '', '.'],
      ],
    },
  )
})

test('A message with files keeps its headers, and its files are read as they are', async () => {
  const file = {
    name: 'Übersicht "1".pdf',
    mime_type: 'application/pdf',
    bytes: Buffer.from([0, 255, 13, 10, 46, 13, 10]),
  }
  const bytes = await composeWithFiles(message({ subject: 'Re: Grüße', html: '<p>.</p>' }), [file])
  const mail = await read(bytes)
  expect(mail).toMatchObject({
    subject: 'Re: Grüße',
    messageId: messageIdOf(id, 'ada@shop.example'),
    inReplyTo: '<two@shop.example>',
  })
  expect(mail.references?.split(' ')).toEqual(facts.thread)
  expect(headerOf(mail, 'x-campaign-message')).toBe(id)
  expect(mail.attachments).toMatchObject([
    { filename: file.name, mimeType: 'application/pdf', disposition: 'attachment' },
  ])
  expect(Buffer.from(mail.attachments[0]?.content as ArrayBuffer)).toEqual(file.bytes)
  expect(
    wire(bytes)
      .split('\r\n')
      .every((line) => line.length <= 998),
  ).toBe(true)
})

test('The link that unsubscribes takes the place of its mark', () => {
  const content = { html: `<a href="${UNSUBSCRIBE_MARK}">${UNSUBSCRIBE_MARK}</a>`, text: `Stop: ${UNSUBSCRIBE_MARK}` }
  expect(withUnsubscribeUrl(content, 'https://x.test/?token=1')).toEqual({
    html: '<a href="https://x.test/?token=1">https://x.test/?token=1</a>',
    text: 'Stop: https://x.test/?token=1',
  })
})

test('The link stands in place of each mark of a part in UTF-8, as in a text', () => {
  const url = 'https://x.test/?token=1'
  const pieces = fc.array(
    fc.oneof(
      fc.constant(UNSUBSCRIBE_MARK),
      fc.constant(UNSUBSCRIBE_MARK.slice(0, -1)),
      fc.string({ unit: 'grapheme', maxLength: 20 }),
    ),
  )
  fc.assert(
    fc.property(pieces, (texts) => {
      const text = texts.join('').toWellFormed()
      expect(linked(Buffer.from(text), Buffer.from(url)).toString()).toBe(
        withUnsubscribeUrl({ html: text, text: '' }, url).html,
      )
    }),
  )
})
