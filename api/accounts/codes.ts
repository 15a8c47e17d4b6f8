// Sign-in codes, for operators and visitors: a code is requested, and proves an address. Every attempt is counted, also
// a refused one.
import type { EntityManager } from '@mikro-orm/postgresql'
import { z } from 'zod'
import { config } from '../../config.ts'
import { type Asker, consumeCode, issueCode, tryCode } from '../../entities/accounts/challenges.ts'
import { knowsNetwork, rememberNetwork } from '../../entities/accounts/rate-windows.ts'
import { countMail, type DirectedMail, digestOfAddress } from '../../entities/mail/mail-limits.ts'
import { queueMail } from '../../entities/mail/mails.ts'
import { subjectOf } from '../../rules/accounts/challenges.ts'
import { EmailAddress } from '../../rules/input/email-addresses.ts'
import type { ProblemCode } from '../../rules/problems.ts'
import { Refusal } from '../../rules/refusal.ts'
import { Id } from '../../rules/shapes.ts'
import { networkOf } from '../limits/networks.ts'
import { limit, tooMany } from '../limits/rate.ts'
import { codeMail } from '../mail/code-mail.ts'

export const CodeAsked = z.object({ email: EmailAddress.describe('Address that the sign-in code is mailed to.') })
export const CodeSent = z
  .object({
    challenge_id: z
      .string()
      .describe(
        'Identifier of the challenge, to be sent back with the code. It is returned for unknown addresses as well.',
      ),
  })
  .meta({
    id: 'Challenge',
    description: 'A sign-in code was requested. The answer is the same for known and unknown addresses.',
  })
export const Proof = z.object({
  challenge_id: Id.describe('The `challenge_id` that was returned when the code was requested.'),
  code: z
    .string()
    .overwrite((text) => text.replaceAll(/\s/g, ''))
    .max(6, 'Expected six digits.')
    .regex(/^\d{6}$/, 'Expected six digits.')
    .describe('The six digits of the e-mail; white space is ignored. A code is valid for 10 minutes and 5 attempts.'),
})

/** Part of the description of every operation that takes a code. */
export const codeRules =
  'A code is valid for 10 minutes and one sign-in. 422 `code_invalid` with `tries_left` for a wrong code; 422 `code_expired` for a code that was used, has expired, was tried ' +
  'five times or was requested elsewhere. After five wrong attempts for an address, counted over all its codes, a wrong code is answered with 429 and `Retry-After`; the right code still signs in.'

/** The count is committed with the refusal. */
const counted = (refusal: Refusal): Refusal => {
  refusal.details.commit = true
  return refusal
}

/**
 * Counts an e-mail that the caller directs (entities/mail/mail-limits.ts). The count is committed with a refusal. 429
 * too_many_requests.
 */
export async function admitMail(em: EntityManager, mail: DirectedMail, now: number): Promise<void> {
  const ends_at = await countMail(em, mail, now)
  if (ends_at !== null) throw counted(tooMany(ends_at - now))
}

type CodeRequest = Asker & {
  email: string
  ip: string
  /** What the reader signs in to, as mails name it. */
  to: string
}

const subjectAt = ({ audience, tenant_id }: Asker, email: string) =>
  subjectOf(audience, tenant_id, digestOfAddress(email))
/** Under which a sign-in from a network is remembered. */
const knownKey = (asker: Asker, email: string, ip: string) =>
  `known:${digestOfAddress(`${subjectAt(asker, email)}:${networkOf(ip)}`)}`

/**
 * Issues one code and queues one e-mail. Requests are counted per network and per address, known or unknown; codes of
 * operators apart from those of visitors, and from a network that the address has signed in from before with an
 * allowance of its own. 429 too_many_requests.
 */
export async function askCode(
  em: EntityManager,
  { email, ip, to, ...asker }: CodeRequest,
  now: number,
): Promise<{ challenge_id: string }> {
  const known = await knowsNetwork(em, knownKey(asker, email, ip), now)
  const directed = {
    kind: 'code' as const,
    to: email,
    network: networkOf(ip),
    tenant_id: asker.tenant_id,
    subject: subjectAt(asker, email),
    known,
  }
  await admitMail(em, directed, now)
  const { challenge_id, code, expires_at } = issueCode(em, asker, email, now)
  const mail = codeMail(code, to, Math.round((expires_at - now) / 60))
  await queueMail(
    em,
    { kind: 'sign_in_code', tenant_id: asker.tenant_id, to: email, not_after: expires_at, ...mail },
    now,
  )
  return { challenge_id }
}

const invalidCode = (code: ProblemCode<422>, detail: string, members = {}) =>
  new Refusal(422, code, detail, { commit: true, faults: [{ pointer: '/code', code, detail }], members })

export const codeExpired = () =>
  invalidCode(
    'code_expired',
    'The code was used, has expired, was tried five times or was requested elsewhere. Request a new code.',
  )

/** Attempts on an operator's account are counted together, through whichever store they come. */
const triesKeyOf = ({ audience, tenant_id }: Asker, email: string) =>
  `tries:${audience === 'contact' ? tenant_id : 'account'}:${digestOfAddress(email)}`

/**
 * After this number, a wrong code is answered with 429. The right code still signs in: otherwise wrong attempts by
 * others would lock out the owner of the address. Guesses are bounded by the challenges: five attempts each (tryCode),
 * and RATE_CODES_PER_EMAIL challenges per address and window, with as many for each network that the address has signed
 * in from.
 */
const triesPerAddress = 5

/**
 * The address that the code proves, which is known to the network of `ip` from then on. 422 code_invalid, 422
 * code_expired, 429 too_many_requests.
 */
export async function provenAddress(
  em: EntityManager,
  asker: Asker,
  { ip, ...proof }: z.output<typeof Proof> & { ip: string },
  now: number,
): Promise<string> {
  const attempt = await tryCode(em, asker, proof.challenge_id, proof.code, now)
  if (!attempt) throw codeExpired()
  const { email, right, tries_left } = attempt
  const triesKey = triesKeyOf(asker, email)
  if (!right) {
    await limit(em, triesKey, { most: triesPerAddress, windowS: config.rate.codesWindowS }, now).catch((error) => {
      throw error instanceof Refusal ? counted(error) : error
    })
    throw invalidCode('code_invalid', 'The code is wrong.', { tries_left })
  }
  await consumeCode(em, proof.challenge_id, triesKey, now)
  await rememberNetwork(em, knownKey(asker, email, ip), now)
  return email
}
