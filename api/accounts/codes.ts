// Sign-in codes, for operators and visitors: a code is requested, and proves an address. Every attempt is counted, also a refused one.
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
import { limit, networkOf } from '../kit/rate.ts'
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
    .regex(/^\d{6}$/, 'Expected six digits.')
    .describe('The six digits of the e-mail; white space is ignored. A code is valid for 10 minutes and 5 attempts.'),
})

/** Part of the description of every operation that takes a code. */
export const codeRules =
  'A code is valid for 10 minutes and one sign-in. 422 `code_invalid` with `tries_left` for a wrong code; 422 `code_expired` for a code that was used, has expired, was tried ' +
  'five times or was requested elsewhere. After five wrong attempts for an address, counted over all its codes, a wrong code is answered with 429 and `Retry-After`; the right code still signs in.'

/** Like the kit's `limit`, but the count is committed when the request is refused. */
async function count(em: EntityManager, key: string, most: number, now: number): Promise<void> {
  try {
    await limit(em, key, { most, windowS: config.rate.codesWindowS }, now)
  } catch (error) {
    if (error instanceof Refusal) error.details.commit = true
    throw error
  }
}

/** Windows are keyed by a digest: the table needs no addresses. */
const counted = (email: string): string => createHash('sha256').update(email).digest('base64url')

type CodeRequest = Asker & {
  email: string
  ip: string
  /** Name of what the reader signs in to. */
  to: string
}

/** Counts an e-mail that a visitor or an unknown caller asks for, per network and per address. The count is committed with a refusal. 429 too_many_requests. */
export async function countMail(em: EntityManager, email: string, ip: string, now: number): Promise<void> {
  await count(em, `codes:network:${networkOf(ip)}`, config.rate.codesPerIp, now)
  await count(em, `codes:address:${counted(email)}`, config.rate.codesPerEmail, now)
}

/** Issues one code and queues one e-mail. Requests are counted per network and per address, known or unknown. 429 too_many_requests. */
export async function askCode(em: EntityManager, { email, ip, to, ...asker }: CodeRequest, now: number): Promise<{ challenge_id: string }> {
  await countMail(em, email, ip, now)
  const { challenge_id, code, expires_at } = issueCode(em, asker, email, now)
  const mail = codeMail(code, to, Math.round((expires_at - now) / 60))
  await queueMail(em, { kind: 'sign_in_code', tenant_id: asker.tenant_id, to: email, not_after: expires_at, ...mail }, now)
  return { challenge_id }
}

const invalidCode = (code: ProblemCode<422>, detail: string, members = {}) =>
  new Refusal(422, code, detail, { commit: true, faults: [{ pointer: '/code', code, detail }], members })

/** Attempts on an operator's account are counted together, through whichever store they come. */
const triesKeyOf = ({ audience, tenant_id }: Asker, email: string) => `tries:${audience === 'contact' ? tenant_id : 'account'}:${counted(email)}`

/**
 * After this number, a wrong code is answered with 429. The right code still signs in: otherwise wrong attempts by others would lock out the owner of the
 * address. Guesses are bounded by the challenges: five attempts each (tryCode), and RATE_CODES_PER_EMAIL challenges per address and window.
 */
const triesPerAddress = 5

/** The address that the code proves. 422 code_invalid, 422 code_expired, 429 too_many_requests. */
export async function provenAddress(em: EntityManager, asker: Asker, proof: z.output<typeof Proof>, now: number): Promise<string> {
  const attempt = await tryCode(em, asker, proof.challenge_id, proof.code, now)
  if (!attempt) throw invalidCode('code_expired', 'The code was used, has expired, was tried five times or was requested elsewhere. Request a new code.')
  const { email, right, tries_left } = attempt
  const triesKey = triesKeyOf(asker, email)
  if (!right) {
    await count(em, triesKey, triesPerAddress, now)
    throw invalidCode('code_invalid', 'The code is wrong.', { tries_left })
  }
  await consumeCode(em, proof.challenge_id, triesKey, now)
  return email
}
