// Mail from outside: what each mail of the corpus is and which message it names, and hostile mail that is given up in
// time.
import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { MailUnreadable, parseMail } from '../../adapters/mail-parser.ts'
import { failureFor, inboundOf, providerIdsOf, rowIdIn } from '../../rules/inbox/inbound.ts'
import { ownOwner } from '../kit/owners.ts'
import { childrenMs } from '../kit/stack/processor-time.ts'

const folder = path.join(import.meta.dirname, 'corpus')
const row = '0199a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b'
const provider = '0102018f2c3d4e5f-6a7b8c9d-0e1f-4a2b-8c3d-4e5f6a7b8c9d-000000'
const own = ['news@shop.example']
const read = (bytes: Buffer) => parseMail(bytes, ownOwner('a tenant'))
const parsersMs = () => childrenMs('mail-parser-process')

type Verdict = { kind: string; class: string; named_by: string }

/** As the mailbox judges it, whose message to Ann has the row id and the provider's id. */
async function judged(bytes: Buffer): Promise<Verdict> {
  const inbound = inboundOf(await read(bytes), own)
  if (!inbound) return { kind: 'none', class: '', named_by: '' }
  const failure = inbound.kind === 'bounce' ? failureFor(inbound.failures, 'ann@customer.example') : null
  if (failure === undefined) return { kind: 'none', class: '', named_by: '' }
  const first = inbound.ids
    .map((id) => (rowIdIn(id) === row ? 'row' : id.split('@')[0] === provider ? 'provider' : null))
    .find((one) => one !== null)
  return { kind: inbound.kind, class: failure?.class ?? '', named_by: first ?? 'other' }
}

const verdicts = fs
  .readFileSync(path.join(folder, 'verdicts.tsv'), 'utf8')
  .split('\n')
  .slice(1, -1)
  .map((line) => line.split('\t') as [string, string, string, string])

test('Every mail of the corpus has a verdict', () => {
  const files = fs.readdirSync(folder).filter((name) => name.endsWith('.eml'))
  expect(verdicts.map(([name]) => `${name}.eml`).sort()).toEqual(files.sort())
  expect(verdicts.length).toBeGreaterThan(40)
})

test.each(verdicts)('The mail %s is a %s', async (name, kind, failure, named_by) => {
  const bytes = fs.readFileSync(path.join(folder, `${name}.eml`))
  const expected = { kind, class: failure, named_by }
  expect(await judged(bytes)).toEqual(expected)
  // With the line ends of the wire.
  expect(await judged(Buffer.from(bytes.toString('latin1').replaceAll('\n', '\r\n'), 'latin1'))).toEqual(expected)
})

const top = `From: ann@customer.example\nIn-Reply-To: <${row}@shop.example>\n`
const nested = (levels: number) =>
  Array.from({ length: levels }, (_, n) => `Content-Type: multipart/mixed; boundary=b${n}\n\n--b${n}\n`).join('')
const bombs: [string, () => string][] = [
  ['a thousand nested multiparts', () => top + nested(1_000)],
  ['nested multiparts with 10 MiB of lines like boundaries', () => `${top + nested(45)}\n${'--b\n'.repeat(2_600_000)}`],
  ['10 MiB of headers', () => `${top}X-Long: ${'a'.repeat(10_000_000)}\n\nx`],
  ['300,000 headers', () => `${top}${'X: y\n'.repeat(300_000)}\nx`],
  [
    '400,000 parts',
    () => `${top}Content-Type: multipart/mixed; boundary=b\n\n${'--b\nContent-Type: a/b\n\nx\n'.repeat(400_000)}`,
  ],
  ['a message within a message 10,000 times', () => top + 'Content-Type: message/rfc822\n\n'.repeat(10_000)],
  ['10 MiB of references', () => `${top}References: ${'<a@b> '.repeat(80_000)}\n${'<c@d>\n '.repeat(100_000)}\n\nx`],
  [
    '10 MiB of entities and addresses',
    () => `${top}To: ${'"<(('.repeat(100_000)}\nContent-Type: text/html\n\n${'&amp;<'.repeat(1_700_000)}`,
  ],
]
test.each(bombs)('A mail with %s is read or given up within two seconds of processor time', async (_, make) => {
  const bytes = Buffer.from(make())
  await read(Buffer.from(top))
  const took: number[] = []
  // A busy processor counts more time for the same work: a parser without a limit takes it each time.
  while (took.length < 3 && !took.some((ms) => ms < 2_000)) {
    const before = parsersMs()
    const ended = await read(bytes).then(
      () => 'read',
      (error) => (error instanceof MailUnreadable ? 'given up' : error),
    )
    expect(['read', 'given up']).toContain(ended)
    took.push(parsersMs() - before)
  }
  // 600 ms, and a little until they are noticed. One that waits for ten seconds of the clock is an error of another
  // kind.
  expect(Math.min(...took)).toBeLessThan(2_000)
  // The next mail is read.
  expect((await read(Buffer.from(top))).from).toBe('ann@customer.example')
})

test('Any cut of a report names the message and its recipient, or nothing', async () => {
  const bytes = fs.readFileSync(path.join(folder, 'postfix-unknown-user.eml'))
  await fc.assert(
    fc.asyncProperty(fc.nat(bytes.length), async (end) => {
      const { kind, class: failure } = await judged(bytes.subarray(0, end))
      expect(kind === 'none' || (kind === 'bounce' && ['hard', 'soft'].includes(failure))).toBe(true)
    }),
    { numRuns: 40 },
  )
})

test('A message is named by the id of a provider, not by a queue id that can be guessed', () => {
  expect(providerIdsOf(`${provider}@eu-west-1.amazonses.com`)).toEqual([
    `${provider}@eu-west-1.amazonses.com`,
    provider,
  ])
  expect(providerIdsOf('4XyZ1q2w3e@mx.example')).toEqual([])
})
