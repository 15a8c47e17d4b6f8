// Sign-in of operators with a code sent by e-mail. Each sign-in creates a session; its tokens rotate and are returned
// once.
import { LockMode } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { z } from 'zod'
import { config } from '../../config.ts'
import { AccountSession } from '../../entities/accounts/account-session.ts'
import { accountOf } from '../../entities/accounts/accounts.ts'
import type { Asker } from '../../entities/accounts/challenges.ts'
import { newRefreshToken, readRefreshToken } from '../../entities/accounts/refresh-tokens.ts'
import { anyTenant } from '../../entities/kit/database/orm.ts'
import { findRecord } from '../../entities/kit/find.ts'
import { newId } from '../../entities/kit/ids.ts'
import { Tenant } from '../../entities/stores/tenant.ts'
import type { ProblemCode } from '../../rules/problems.ts'
import { Refusal } from '../../rules/refusal.ts'
import { CreatedAt } from '../../rules/shapes.ts'
import { storeNameInMail } from '../../rules/stores/store-name.ts'
import { Reply } from '../kit/answer/replies.ts'
import { Success, success } from '../kit/answer/shapes.ts'
import { digest, type Headers, newToken } from '../kit/caller.ts'
import { route } from '../kit/route.ts'
import { askCode, CodeAsked, CodeSent, codeRules, Proof, provenAddress } from './codes.ts'
import { clearedCookie, requireOwnOrigin, storedInCookie, tokensInCookies } from './refresh-cookie.ts'

const accessS = 3600
const refreshS = 7 * 24 * 3600
/** Two browser tabs that refresh at the same time get the same pair. */
const reuseS = 10

export const Session = z
  .object({
    id: z.string().describe('Identifier of the session, a UUIDv7 made by the server.'),
    access_token: z
      .string()
      .describe('Bearer token for the calls that follow. It is accepted until `access_expires_at`.'),
    refresh_token: z
      .string()
      .nullable()
      .describe(
        'Token that `POST /v1/auth/refresh` exchanges for a new pair. It is accepted until `refresh_expires_at`. Null if it is in the cookie.',
      ),
    access_expires_at: z
      .int()
      .describe('Time from which the access token is refused, in Unix seconds; one hour after it was issued.'),
    refresh_expires_at: z
      .int()
      .describe(
        'Time from which the refresh token is refused, in Unix seconds; seven days after it was issued, or at the end of the session.',
      ),
    created_at: CreatedAt,
    is_verified: z
      .boolean()
      .describe('Whether the address of the account is verified; always true after a sign-in by code.'),
  })
  .meta({
    id: 'Session',
    description: 'A session with its tokens, which no other call returns. Times are in Unix seconds.',
  })
type Session = z.infer<typeof Session>

/**
 * The pair that a session gets at `now`. Neither token outlives the session, which ends SESSION_MAX_DAYS after the
 * sign-in.
 */
function newPair(
  { id, generation, created_at }: Pick<AccountSession, 'id' | 'generation' | 'created_at'>,
  now: number,
) {
  const access_token = newToken('till_at')
  const refresh_token = newRefreshToken(id, generation)
  const ends_at = created_at + config.sessions.maxS
  return {
    tokens: { access_token, refresh_token },
    stored: {
      generation,
      access_digest: digest(access_token),
      refresh_digest: digest(refresh_token),
      access_expires_at: Math.min(now + accessS, ends_at),
      refresh_expires_at: Math.min(now + refreshS, ends_at),
      updated_at: now,
    },
  }
}

type Opened = Session & { refresh_token: string }

const opened = (session: AccountSession, tokens: { access_token: string; refresh_token: string }): Opened => {
  const { id, access_expires_at, refresh_expires_at, created_at } = session
  return { id, ...tokens, access_expires_at, refresh_expires_at, created_at, is_verified: true }
}

/** The refresh token goes to the browser as a cookie, and is not in the answer, which scripts read. */
const answerWithCookie = ({ refresh_token, ...session }: Opened, now: number): Reply<Session> =>
  new Reply<Session>(
    { ...session, refresh_token: null },
    { headers: storedInCookie(refresh_token, session.refresh_expires_at, now) },
  )

/**
 * Creates an account for a verified address without one. A session opened through a store is limited to that store,
 * also after a refresh.
 */
async function signIn(
  em: EntityManager,
  asker: Asker,
  proof: z.output<typeof Proof> & { ip: string },
  now: number,
): Promise<Opened> {
  const email = await provenAddress(em, asker, proof, now)
  const account_id = await accountOf(em, email, now, true)
  const id = newId()
  const { tokens, stored } = newPair({ id, generation: 0, created_at: now }, now)
  return opened(
    em.create(AccountSession, { id, account_id, tenant_id: asker.tenant_id, created_at: now, ...stored }),
    tokens,
  )
}

const badRefresh = (code: ProblemCode<401>, detail: string, commit = false) =>
  new Refusal(401, code, detail, { commit, headers: { 'WWW-Authenticate': 'Bearer' } })

/**
 * `isShared`: the token is one of a browser, whose tabs send the same one. The pair of the last seconds stays, as a new
 * one would end that of the tab that was faster.
 */
async function refresh(em: EntityManager, token: string, now: number, isShared = false): Promise<Opened> {
  const read = readRefreshToken(token)
  const session = read
    ? await em.findOne(AccountSession, { id: read.session_id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
    : null
  const invalid = () => badRefresh('unauthorized', 'The refresh token is invalid, expired or revoked. Sign in again.')
  if (
    !read ||
    !session ||
    session.revoked_at ||
    session.refresh_expires_at <= now ||
    session.created_at + config.sessions.maxS <= now
  )
    throw invalid()
  const given = digest(token)
  const agoS = now - Math.floor((session.rotated_at?.getTime() ?? 0) / 1000)
  const pair = agoS <= reuseS ? session.rotated_pair : null
  if (pair && isShared && given === session.refresh_digest) return opened(session, JSON.parse(pair))
  if (given === session.refresh_digest) {
    const { tokens, stored } = newPair({ ...session, generation: session.generation + 1 }, now)
    em.assign(session, {
      ...stored,
      rotated_digest: given,
      rotated_at: new Date(now * 1000),
      rotated_pair: JSON.stringify(tokens),
    })
    return opened(session, tokens)
  }
  const isLast = given === session.rotated_digest
  if (isLast && pair) return opened(session, JSON.parse(pair))
  // Of another token, nothing proves that it was ever issued: the session goes on.
  if (!isLast && (read.generation === null || read.generation > session.generation)) throw invalid()
  em.assign(session, { revoked_at: now, updated_at: now, rotated_pair: null })
  throw badRefresh(
    'refresh_reused',
    'This refresh token was used before, so its session is revoked. Sign in again.',
    true,
  )
}

/** Refreshes by the cookie. One that is refused is deleted: the browser would send it again. */
async function refreshByCookie(em: EntityManager, headers: Headers, now: number): Promise<Reply<Session>> {
  requireOwnOrigin(headers)
  const [token, ...others] = tokensInCookies(headers)
  if (token === undefined) throw badRefresh('unauthorized', 'There is no cookie of a session. Sign in.')
  if (others.length > 0) throw badRefresh('unauthorized', 'There are several cookies of a session. Sign in.')
  const session = await refresh(em, token, now, true).catch((error) => {
    if (error instanceof Refusal && error.status === 401)
      Object.assign(error.details, { headers: { ...error.details.headers, ...clearedCookie() } })
    throw error
  })
  return answerWithCookie(session, now)
}

/** Revokes the session that issued the token, however long ago. A token that nothing proves changes nothing. */
async function endSession(em: EntityManager, token: string, now: number): Promise<void> {
  const read = readRefreshToken(token)
  const session = read
    ? await em.findOne(AccountSession, { id: read.session_id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
    : null
  if (!read || !session || session.revoked_at) return
  const isLatest = [session.refresh_digest, session.rotated_digest].includes(digest(token))
  if (isLatest || (read.generation !== null && read.generation <= session.generation))
    em.assign(session, { revoked_at: now, updated_at: now, rotated_pair: null })
}

const bySession = (a: string, b: string) =>
  (readRefreshToken(a)?.session_id ?? '').localeCompare(readRefreshToken(b)?.session_id ?? '')

/** A text of the description of routes that take the cookie. */
const ownOriginOnly =
  '403 `foreign_origin` if the `Origin` of the request, or its `Sec-Fetch-Site`, is not that of the API.'

const RefreshToken = z.string().min(1).max(200)

const operators: Asker = { audience: 'account', tenant_id: null, contact_session_id: null }
const throughStore = (tenant_id: string): Asker => ({ audience: 'store', tenant_id, contact_session_id: null })

const storeOf = (em: EntityManager, id: string) => findRecord(em, Tenant, { id, kind: 'store' }, '{store}', anyTenant)

export const auth = [
  route('POST /v1/auth/code', {
    operation: 'sendSignInCode',
    may: 'public',
    refuses: ['too_many_requests'],
    summary: 'Send a sign-in code',
    description:
      'Sends an e-mail with a six-digit code to the address. The answer is the same whether the address has an account or not. 429 `too_many_requests` beyond ' +
      'the limits per address and per network. Other mails to the address do not count, and a network from which the address has signed in before has an allowance of its own.',
    body: CodeAsked,
    out: CodeSent,
    run: ({ em, body, ip, now }) => askCode(em, { ...operators, email: body.email, ip, to: 'Tillwright' }, now),
  }),
  route('POST /v1/auth/verify', {
    operation: 'verifySignInCode',
    may: 'public',
    refuses: ['code_expired', 'code_invalid', 'foreign_origin', 'too_many_requests'],
    summary: 'Sign in with a code',
    description:
      'Returns a session with its tokens; an address without an account gets one. With `cookie`, the refresh token is set as a cookie of the origin of the API, which its pages cannot ' +
      `read and browsers send to \`/v1/auth\` alone; \`refresh_token\` is null. ${ownOriginOnly} ${codeRules}`,
    body: Proof.extend({
      cookie: z
        .boolean()
        .optional()
        .describe('`true`: the refresh token is set as a cookie. For applications on the origin of the API alone.'),
    }),
    out: Session,
    async run({ em, body: { cookie, ...proof }, headers, ip, now }) {
      if (cookie) requireOwnOrigin(headers)
      const session = await signIn(em, operators, { ...proof, ip }, now)
      return cookie ? answerWithCookie(session, now) : session
    },
  }),
  route('POST /v1/auth/refresh', {
    operation: 'refreshSession',
    may: 'public',
    accepts: 'refresh-cookie',
    refuses: ['foreign_origin', 'refresh_reused', 'unauthorized'],
    summary: 'Exchange a refresh token',
    description:
      'Returns a new pair of tokens; the previous pair is refused from then on. The same refresh token sent again within 10 seconds returns the same new pair. After that it, and every earlier one, ' +
      'revokes the session: 401 `refresh_reused`. A session ends `SESSION_MAX_DAYS` (90) days after its sign-in, however often it is refreshed. Without `refresh_token`, the token is that of the ' +
      `cookie, which is replaced, and deleted with a 401; \`refresh_token\` is null in the answer, and within 10 seconds every tab of the browser gets the same pair. ${ownOriginOnly}`,
    body: z.object({
      refresh_token: RefreshToken.optional().describe(
        'The latest refresh token of the session. Reusing one after more than 10 seconds revokes the session. Left out by applications whose token is in the cookie.',
      ),
    }),
    out: Session,
    run: ({ em, body: { refresh_token }, headers, now }) =>
      refresh_token === undefined ? refreshByCookie(em, headers, now) : refresh(em, refresh_token, now),
  }),
  route('POST /v1/auth/logout', {
    operation: 'logOut',
    may: 'public',
    accepts: 'refresh-cookie',
    refuses: ['foreign_origin'],
    summary: 'Sign out',
    description:
      'Revokes the session of the refresh token. Without `refresh_token`, the token is that of the cookie, which is deleted; of several cookies, each ends its session. The answer is the same for a token that is unknown, was replaced or has expired, ' +
      `and without a cookie. ${ownOriginOnly}`,
    body: z.object({
      refresh_token: RefreshToken.optional().describe(
        'A refresh token of the session. Left out by applications whose token is in the cookie.',
      ),
    }),
    out: Success,
    async run({ em, body: { refresh_token }, headers, now }) {
      if (refresh_token === undefined) requireOwnOrigin(headers)
      // In the order of their ids: two requests that end the same sessions do not wait for each other.
      const tokens = refresh_token === undefined ? tokensInCookies(headers) : [refresh_token]
      for (const token of tokens.toSorted(bySession)) await endSession(em, token, now)
      return new Reply(success, { headers: refresh_token === undefined ? clearedCookie() : {} })
    },
  }),
  route('POST /v1/stores/{storeId}/auth/code', {
    operation: 'sendStoreSignInCode',
    may: 'public',
    refuses: ['too_many_requests'],
    summary: 'Send a sign-in code through a {store}',
    description:
      'Sends an e-mail with a six-digit code that names the {store}. The answer is the same whether the address has an account or not. Signing in with the code grants no ' +
      'membership, and the session acts in this {store} only.',
    body: CodeAsked,
    out: CodeSent,
    async run({ em, path, body, ip, now }) {
      const store = await storeOf(em, path.storeId)
      return askCode(em, { ...throughStore(store.id), email: body.email, ip, to: storeNameInMail(store) }, now)
    },
  }),
  route('POST /v1/stores/{storeId}/auth/verify', {
    operation: 'verifyStoreSignInCode',
    may: 'public',
    refuses: ['code_expired', 'code_invalid', 'too_many_requests'],
    summary: 'Sign in with a code through a {store}',
    description:
      'Returns a session that acts in this {store} only, also after it is refreshed, with the role that the account has there; it grants no membership. With this session, ' +
      'other {stores} answer 404, and account-level operations answer 403 `session_limited_to_store`, except for reading the account and revoking the session itself. ' +
      codeRules,
    body: Proof,
    out: Session,
    async run({ em, path, body, ip, now }) {
      const store = await storeOf(em, path.storeId)
      return signIn(em, throughStore(store.id), { ...body, ip }, now)
    },
  }),
]
