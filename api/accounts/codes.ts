// Asking for a code and proving an address with it, for operators and for visitors alike. Every attempt is counted, refused or not.
import { createHash } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import { z } from 'zod'
import { config } from '../../config.ts'
import { type Asker, consumeCode, issueCode, tryCode } from '../../entities/accounts/challenges.ts'
import { queueMail } from '../../entities/mail/mails.ts'
import { Email } from '../../rules/input/identities.ts'
import type { ProblemCode } from '../../rules/problems.ts'
import { Refusal } from '../../rules/refusal.ts'
import { Id } from '../../rules/shapes.ts'
import { limit } from '../kit/rate.ts'
import { codeMail } from '../mail/code-mail.ts'

export const CodeAsked = z.object({ email: Email.describe('Address that the sign-in code is mailed to.') })
export const CodeSent = z
  .object({ challenge_id: z.string().describe('Identifier of the challenge, to be sent back with the code. It is returned for unknown addresses as well.') })
  .meta({ id: 'Challenge', description: 'A sign-in code was requested. The answer is the same for known and unknown addresses.' })
export const Proof = z.object({
  challenge_id: Id.describe('The `challenge_id` that was returned when the code was requested.'),
  code: z
    .string()
    .overwrite((text) => text.replaceAll(/\s/g, ''))
    .regex(/^\d{6}$/, 'a code has six digits')
    .describe('The six digits of the mail; white space is ignored. A code is valid for 10 minutes and 5 attempts.'),
})

/** Said in the description of every route that takes a code. */
export const codeRules =
  'A code is good for 10 minutes and one sign-in. A wrong one is 422 `code_invalid` with `tries_left`; one that is used, too old, tried five times or from elsewhere is 422 `code_expired`. ' +
  'After five wrong tries for an address, with however many codes, a wrong code is 429 until `Retry-After`; a right one still signs in.'

/** Like the kit's limit, but the count stays when the request is refused. */
async function count(em: EntityManager, key: string, most: number, now: number): Promise<void> {
  try {
    await limit(em, key, { most, windowS: config.rate.codesWindowS }, now)
  } catch (error) {
    if (error instanceof Refusal) error.details.kept = true
    throw error
  }
}

/** Whoever has one IPv6 address has 2^64 of them: the network is what is counted. */
export function networkOf(ip: string): string {
  const mapped = /^::ffff:(\d+(?:\.\d+){3})$/i.exec(ip)?.[1]
  if (mapped) return mapped
  if (!ip.includes(':')) return ip
  const [head = '', tail] = ip.split('::')
  const groups = head.split(':').filter((group) => group !== '')
  const after = tail === undefined ? [] : tail.split(':').filter((group) => group !== '')
  while (tail !== undefined && groups.length + after.length < 8) groups.push('0')
  return [...groups, ...after]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}

/** An address may be as long as a window's key, and has no business in that table. */
const counted = (email: string): string => createHash('sha256').update(email).digest('base64url')

type Ask = Asker & { email: string; ip: string /** What the reader signs in to. */; to: string }

/** Counted per network and per address, known or not; then one code and one mail. 429 too_many_requests. */
export async function askCode(em: EntityManager, { email, ip, to, ...asker }: Ask, now: number): Promise<{ challenge_id: string }> {
  await count(em, `codes:network:${networkOf(ip)}`, config.rate.codesPerIp, now)
  await count(em, `codes:address:${counted(email)}`, config.rate.codesPerEmail, now)
  const { challenge_id, code, expires_at } = issueCode(em, asker, email, now)
  const mail = codeMail(code, to, Math.round((expires_at - now) / 60))
  await queueMail(em, { kind: 'sign_in_code', tenant_id: asker.tenant_id, to: email, not_after: expires_at, ...mail }, now)
  return { challenge_id }
}

const invalidCode = (code: ProblemCode<422>, detail: string, members = {}) =>
  new Refusal(422, code, detail, { kept: true, faults: [{ pointer: '/code', code, detail }], members })

/** Guesses at an operator's account count together, whichever store's page they come through. */
const triesKeyOf = ({ audience, tenant_id }: Asker, email: string) => `tries:${audience === 'contact' ? tenant_id : 'account'}:${counted(email)}`

/**
 * Past this, a wrong code is answered with 429. A right one still signs in: otherwise anybody could keep the owner of an address out by guessing. What bounds
 * the guesses are the challenges: each is tried five times in all (tryCode), and an address gets RATE_CODES_PER_EMAIL of them in a window.
 */
const triesPerAddress = 5

/** The address that the code proves. 422 code_invalid, 422 code_expired, 429 too_many_requests. */
export async function provenAddress(em: EntityManager, asker: Asker, proof: z.output<typeof Proof>, now: number): Promise<string> {
  const attempt = await tryCode(em, asker, proof.challenge_id, proof.code, now)
  if (!attempt) throw invalidCode('code_expired', 'The code was used, has expired, was tried five times or was requested elsewhere. Request a new one.')
  const { email, right, tries_left } = attempt
  const triesKey = triesKeyOf(asker, email)
  if (!right) {
    await count(em, triesKey, triesPerAddress, now)
    throw invalidCode('code_invalid', 'The code is wrong.', { tries_left })
  }
  await consumeCode(em, proof.challenge_id, triesKey, now)
  return email
}
