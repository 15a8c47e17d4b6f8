// Identifies the caller and their store. Credentials are looked up by their digest; a store that the caller is no
// member of is answered with 404.
//   may: 'admin'   → Authorization: Bearer, an operator with at least that role in the store of the path
//   may: 'visitor' → X-Service-Publishable-Key and X-Service-Visitor-Token
//   may: 'member-link' → the token of a link that was mailed to a member, in the query or the body
import { hash, randomBytes } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import { config } from '../../config.ts'
import { type Link, linkOfToken } from '../../entities/audiences/member-tokens.ts'
import { FORMER_S, noteUse } from '../../entities/crm/contact-sessions.ts'
import { type Actor, aloneSql, provedSql, type Unidentified } from '../../entities/crm/session-rights.ts'
import { prepared } from '../../entities/kit/database/prepared.ts'
import { sql, text } from '../../entities/kit/database/sql.ts'
import { textOfBytes } from '../../rules/input/bytes.ts'
import { notFound, Refusal, type RefusalDetails } from '../../rules/refusal.ts'
import { atLeast, type StoreRole } from '../../rules/stores/roles.ts'
import type { TenantKind } from '../../rules/stores/tenant-kinds.ts'

export type Role = StoreRole
export type May =
  | 'public'
  | 'secret'
  | 'member-link'
  | 'visitor'
  | 'verified'
  | 'customer'
  | 'account'
  | 'platform'
  | Role

export type Operator = {
  account_id: string
  email: string
  session_id: string | null
  /** The store that the session is limited to; null for API tokens and for sessions of the whole account. */
  session_store: string | null
  platform: boolean
}
/** `accepts`: the member has not acted in the store before. */
export type Member = Operator & { role: Role; accepts: boolean }
/**
 * `verified`: the session proved an address that the contact owns. `former`: when a sign-in replaced the token, seconds
 * ago; null for the present one.
 */
export type Visitor = Actor & { token: string | null }
/**
 * The caller of a route that declares `contact: 'optional'`: a request without a visitor token has no session and no
 * contact.
 */
export type Anyone = Visitor | (Unidentified & { token: null })

/** The caller of a route of the business surface that both its operators and its visitors may call. */
export type Customer<V = Anyone> = ({ kind: 'operator' } & Member) | ({ kind: 'visitor' } & V)

export type Headers = Record<string, string | string[] | undefined>

export const digest = (token: string): string => hash('sha256', token)
/**
 * Access, refresh, API (`sk`), visitor token, the secrets of workflows and of mailboxes (`in`), states of consents
 * (`ss`), and the cookies of their browsers (`cs`); entities/stores/new-tenant.ts makes publishable keys (`till_pk_`).
 */
type TokenPrefix = 'till_at' | 'till_rt' | 'till_sk' | 'till_vt' | 'till_wh' | 'till_in' | 'till_ss' | 'till_cs'
/** A readable prefix and 32 random bytes. */
export const newToken = (prefix: TokenPrefix): string => `${prefix}_${randomBytes(32).toString('base64url')}`

type Unauthorized = [status: 401, code: 'unauthorized', detail: string, details: RefusalDetails]
const challenge = (detail: string, scheme: string): Unauthorized => [
  401,
  'unauthorized',
  detail,
  { headers: { 'WWW-Authenticate': scheme } },
]
const unauthorized = (detail: string, scheme: string) => new Refusal(...challenge(detail, scheme))

/** The visitor token is not one of the tenant's visitors; its publishable key is valid. */
export class UnknownVisitor extends Refusal {}
/**
 * The credentials are valid, or the visitor token is missing, and the route needs a visitor with other rights: no
 * failed authentication.
 */
export class OtherVisitor extends Refusal {}
const noOperator = () =>
  unauthorized('Send a valid access token or API token in the header Authorization: Bearer <token>.', 'Bearer')

/** The value of a request header; of a repeated one the first. `name` is in lower case. */
export const headerOf = (headers: Headers, name: string): string | undefined => {
  const value = headers[name]
  return Array.isArray(value) ? value[0] : value
}

/** Whether the request has the credentials of an operator. */
export const isOperator = (headers: Headers): boolean => headerOf(headers, 'authorization') !== undefined

/** The operator, and their role in the store or business `tenantId`. One statement. 401 unauthorized. */
export async function operatorOf(
  em: EntityManager,
  headers: Headers,
  tenantId: string | null,
  now: number,
  kind: TenantKind = 'store',
): Promise<Operator & { role: Role | null; accepts: boolean; archived: boolean }> {
  const token = /^Bearer ([\x21-\x7e]{8,200})$/i.exec(headerOf(headers, 'authorization') ?? '')?.[1]
  if (!token) throw noOperator()
  // API tokens issued under an earlier prefix stay valid; access tokens live for an hour only.
  const isAccess = token.startsWith('till_at_')
  const credential = isAccess
    ? sql`
      account_sessions c on c.account_id = a.id
      and c.access_digest = ${digest(token)}
      and c.revoked_at is null
      and c.access_expires_at > ${now}
    `
    : sql`
      api_tokens c on c.account_id = a.id
      and c.digest = ${digest(token)}
      and (c.expires_at is null or c.expires_at > ${now})
    `
  const [found] = await prepared<{
    account_id: string
    email: string
    id: string
    session_store: string | null
    role: Role | null
    accepts: boolean
    archived: boolean
  }>(
    em,
    sql`
      select a.id as account_id, a.email, c.id, ${text(isAccess ? 'c.tenant_id' : 'null::uuid')} as session_store,
        m.role, coalesce(m.accepted_at is null, false) as accepts,
        coalesce(t.status = 'ARCHIVED', false) as archived
      from accounts a
      join ${credential}
      left join (team_members m join tenants t on t.id = m.tenant_id and t.kind = ${kind})
        on m.account_id = a.id
        and m.tenant_id = ${tenantId}
    `,
  )
  if (!found) throw noOperator()
  const { account_id, email, session_store } = found
  return {
    account_id,
    email,
    session_id: isAccess ? found.id : null,
    session_store,
    platform: session_store === null && config.superEmail.includes(email),
    // A session opened through a store has no role in any other store.
    role: session_store === null || session_store === tenantId ? found.role : null,
    accepts: found.accepts,
    archived: found.archived,
  }
}

/** The operator of an account-level route. 403 session_limited_to_store, unless `storeSessions`. */
export async function accountOperator(
  em: EntityManager,
  headers: Headers,
  storeSessions: boolean,
  now: number,
): Promise<Operator> {
  const operator = await operatorOf(em, headers, null, now)
  if (operator.session_store !== null && !storeSessions)
    throw new Refusal(
      403,
      'session_limited_to_store',
      'This session was opened through a {store} and acts in that {store} only. For this request, sign in with POST /v1/auth/code and POST /v1/auth/verify.',
    )
  return operator
}

/** `active`: of a store that is not archived. */
type Needed = { role: Role; kind: TenantKind; active?: boolean }

const archivedTenant = (kind: TenantKind) => new Refusal(403, 'store_archived', `The ${kind} is archived.`)

/**
 * A member of the store or business with at least the role `needed`. 404 not_found for an operator who is no member,
 * 403 forbidden for a lower role, 403 store_archived.
 */
export async function memberOf(
  em: EntityManager,
  headers: Headers,
  tenantId: string | null,
  needed: Needed,
  now: number,
): Promise<Member> {
  const { archived, ...operator } = await operatorOf(em, headers, tenantId, now, needed.kind)
  const { role } = operator
  if (!role) throw notFound(needed.kind)
  if (!atLeast(role, needed.role))
    throw new Refusal(
      403,
      'forbidden',
      `Requires the role \`${needed.role}\` in the ${needed.kind}; the caller has \`${role}\`.`,
    )
  if (archived && needed.active) throw archivedTenant(needed.kind)
  return { ...operator, role }
}

type Found = {
  tenant_id: string
  kind: TenantKind
  status: string
  id: string | null
  contact_id: string
  former: number | null
  proved: boolean
  alone: boolean
  used_at: number | null
}

/** A request without a visitor. */
export const anonymous = { session_id: null, contact_id: null, verified: false, former: null, token: null } as const
/**
 * The store or business of the publishable key, and the visitor of the token if one was sent. One statement, and
 * another one once a day. `now` in Unix seconds. 401 unauthorized, 403 store_archived, 404 not_found if the key is of
 * another tenant than `tenantId`, or of no business.
 */
export async function visitorOf(
  em: EntityManager,
  headers: Headers,
  now: number,
  tenantId?: string | null,
): Promise<{ tenant_id: string; caller: Anyone }> {
  const key = headerOf(headers, 'x-service-publishable-key')
  const token = headerOf(headers, 'x-service-visitor-token')
  if (!key || key.length > 200)
    throw unauthorized(
      'Send the publishable key of the {store} in the header X-Service-Publishable-Key.',
      'Publishable-Key',
    )
  const given = token ? digest(token) : null
  const { idleS, maxS } = config.visitors
  const [found] = await prepared<Found>(
    em,
    sql`
      select t.id as tenant_id, t.kind, t.status, s.id, s.contact_id, s.used_at,
        case when s.token_digest <> ${given} then (s.previous_until - ${FORMER_S})::float8 end as former,
        s.id is not null and ${provedSql} as proved, s.id is not null and (${provedSql} or ${aloneSql}) as alone
      from tenants t
      left join contact_sessions s
        on s.tenant_id = t.id
        and (s.token_digest = ${given} or s.previous_digest = ${given} and s.previous_until > ${now})
        and s.revoked_at is null
        and coalesce(s.verified_at, s.created_at) > ${now - maxS}
        and coalesce(s.used_at, ${now}) > ${now - idleS}
      where t.publishable_key = ${key}
    `,
  )
  if (!found) throw unauthorized('The publishable key is unknown.', 'Publishable-Key')
  const { tenant_id, id, contact_id, former, proved, alone, used_at } = found
  if (tenantId !== undefined && (tenant_id !== tenantId || found.kind !== 'business')) throw notFound('business')
  if (found.status === 'ARCHIVED') throw archivedTenant(found.kind)
  if (!token) return { tenant_id, caller: anonymous }
  // A new visitor is not created for an invalid token: the cart of the old one would be lost without an error.
  if (!id || (former === null && !alone))
    throw new UnknownVisitor(...challenge('The visitor token is unknown, expired or revoked.', 'Visitor-Token'))
  await noteUse(em, tenant_id, { id, used_at }, now)
  return { tenant_id, caller: { session_id: id, contact_id, verified: proved && former === null, former, token } }
}

/** The token of a link: in the query, or as `token` in a JSON or form body. */
export function linkTokenIn(search: URLSearchParams, bytes: Buffer): string | null {
  const given = search.get('token')
  if (given !== null || bytes.length === 0 || bytes.length > 64 * 1024) return given
  const text = textOfBytes(bytes)
  try {
    const token: unknown = (JSON.parse(text) as { token?: unknown } | null)?.token
    return typeof token === 'string' ? token : null
  } catch {
    return new URLSearchParams(text).get('token')
  }
}

/** The membership or the enrollment that the token of a link names. One statement. 401 unauthorized. */
export async function linkOf(em: EntityManager, search: URLSearchParams, bytes: Buffer, now: number): Promise<Link> {
  const token = linkTokenIn(search, bytes)
  const found = token !== null && token.length <= 200 ? await linkOfToken(em, token, now) : null
  if (!found)
    throw unauthorized(
      'Send a valid link token as `token`, in the query or the body. A confirmation link is valid for seven days.',
      'Member-Link',
    )
  return found
}

export const noVisitor = () =>
  new OtherVisitor(...challenge('Send the visitor token in the header X-Service-Visitor-Token.', 'Visitor-Token'))
export const formerVisitor = () =>
  new OtherVisitor(
    ...challenge('The visitor has signed in. Send the token that the sign-in returned.', 'Visitor-Token'),
  )
