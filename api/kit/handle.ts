// Handles one request: identifies the caller, checks the input, runs the route in one transaction and serializes the
// declared fields.
import { setImmediate as turn } from 'node:timers/promises'
import type { EntityManager } from '@mikro-orm/postgresql'
import { log } from '../../adapters/log.ts'
import { config } from '../../config.ts'
import { forgetVisitor } from '../../entities/crm/ownership.ts'
import { beginVisitor } from '../../entities/crm/visitors.ts'
import type { Orm } from '../../entities/kit/database/orm.ts'
import { acceptMembership } from '../../entities/stores/team-members.ts'
import { strictTextOfBytes } from '../../rules/input/bytes.ts'
import { Refusal } from '../../rules/refusal.ts'
import { serialize } from '../../rules/serialize.ts'
import { inShare } from '../limits/connection-shares.ts'
import { countingFailures, countingSecret, refuseFailing, refuseTarget, wasValid } from '../limits/failures.ts'
import { networkOf } from '../limits/networks.ts'
import { admitVisitor } from '../limits/new-visitors.ts'
import { throttle } from '../limits/rate.ts'
import { answerOf } from './answer/answer.ts'
import { Download } from './answer/replies.ts'
import {
  accountOperator,
  anonymous,
  digest,
  formerVisitor,
  type Headers,
  headerOf,
  isOperator,
  linkOf,
  linkTokenIn,
  type Member,
  memberOf,
  newToken,
  noVisitor,
  OtherVisitor,
  UnknownVisitor,
  visitorOf,
} from './caller.ts'
import type { Incoming, Outgoing } from './exchange.ts'
import { bodyOf, emptyJson, jsonOf, largeBytes, pathOf } from './input.ts'
import { queryOf } from './query.ts'
import type { Route } from './route.ts'
import { look, unit } from './unit.ts'

type Identified = {
  caller: unknown
  tenant_id: string | null
  headers: Record<string, string>
  /** The contact of the visitor that this request created. */
  created?: string
  /** The account that acts in the tenant for the first time. */
  accepts?: string
}

/** The visitor of the headers; a new one where the route creates it. `tenantId`: the business of the path. */
async function identifyVisitor(
  em: EntityManager,
  { may, contact, accepts }: Route,
  { headers, now }: Incoming,
  tenantId?: string | null,
): Promise<Identified> {
  const { tenant_id, caller } = await visitorOf(em, headers, now, tenantId)
  if (caller.former !== null && accepts !== 'former-token') {
    if (contact !== 'optional') throw formerVisitor()
    return { caller: anonymous, tenant_id, headers: {} }
  }
  if (caller.session_id !== null || contact === 'optional') {
    if (may === 'verified' && !caller.verified) throw noVisitor()
    return { caller, tenant_id, headers: {} }
  }
  if (contact !== 'created') throw noVisitor()
  const token = newToken('till_vt')
  const begun = await beginVisitor(em, tenant_id, digest(token), now)
  return {
    caller: { ...begun, verified: false, former: null, token },
    tenant_id,
    headers: { 'X-Service-Visitor-Token': token },
    created: begun.contact_id,
  }
}

async function lookUp(
  em: EntityManager,
  route: Route,
  path: Record<string, string>,
  incoming: Incoming,
): Promise<Identified> {
  const { may, active } = route
  const { headers, search, bytes, now } = incoming
  if (may === 'public' || may === 'secret') return { caller: null, tenant_id: null, headers: {} }
  if (may === 'member-link') {
    const caller = await linkOf(em, search, bytes, now)
    return { caller, tenant_id: caller.tenant_id, headers: {} }
  }
  if (may === 'visitor' || may === 'verified') return identifyVisitor(em, route, incoming)
  if (may === 'account' || may === 'platform') {
    const operator = await accountOperator(em, headers, route.accepts === 'store-session', now)
    if (may === 'platform' && !operator.platform)
      throw new Refusal(403, 'forbidden', 'Requires a platform administrator.')
    return { caller: operator, tenant_id: null, headers: {} }
  }
  const tenant_id = path[route.tenant] ?? null
  const { surface: kind } = route
  const asMember = (member: Member, caller: unknown): Identified => ({
    ...{ caller, tenant_id, headers: {} },
    ...(member.accepts ? { accepts: member.account_id } : {}),
  })
  if (may !== 'customer') {
    const member = await memberOf(em, headers, tenant_id, { role: may, kind, active }, now)
    return asMember(member, member)
  }
  // Both credentials: the operator counts.
  if (isOperator(incoming.headers)) {
    const member = await memberOf(em, headers, tenant_id, { role: 'admin', kind, active }, now)
    return asMember(member, { kind: 'operator', ...member })
  }
  const visitor = await identifyVisitor(em, route, incoming, tenant_id)
  return { ...visitor, caller: { kind: 'visitor', ...(visitor.caller as object) } }
}

const isOfVisitor = ({ may }: Route, headers: Headers): boolean =>
  may === 'visitor' || may === 'verified' || (may === 'customer' && !isOperator(headers))

/**
 * The credential that the request is identified by; null for none. Of a visitor without a token, the publishable key.
 */
function credentialOf(route: Route, { headers, search, bytes }: Incoming): string | null {
  const { may } = route
  if (may === 'public' || may === 'secret') return null
  if (may === 'member-link') return linkTokenIn(search, bytes)
  if (!isOfVisitor(route, headers)) return headerOf(headers, 'authorization') ?? null
  const key = headerOf(headers, 'x-service-publishable-key')
  const token = headerOf(headers, 'x-service-visitor-token')
  return key === undefined ? null : token ? `${key} ${token}` : key
}

/**
 * Finds the caller. A credential that is not valid is counted for its network: a publishable key, or a token among
 * those of its tenant.
 */
export async function identify(
  em: EntityManager,
  route: Route,
  path: Record<string, string>,
  incoming: Incoming,
): Promise<Identified> {
  const { headers, ip } = incoming
  const credential = credentialOf(route, incoming)
  const find = () => lookUp(em, route, path, incoming)
  if (credential === null) return find()
  const key = headerOf(headers, 'x-service-publishable-key')
  if (!isOfVisitor(route, headers) || key === undefined) return countingFailures(credential, ip, find)
  const findVisitor =
    credential === key
      ? find
      : () =>
          countingFailures(credential, ip, find, {
            within: key,
            isFailure: (refusal) => refusal instanceof UnknownVisitor,
          })
  const isOfKey = (refusal: Refusal) =>
    refusal.status === 401 && !(refusal instanceof UnknownVisitor) && !(refusal instanceof OtherVisitor)
  return countingFailures(key, ip, findVisitor, { isFailure: isOfKey })
}

/**
 * Before the body is read and anything is looked up: the limits of visitors and links, by their token if it is known to
 * be one, otherwise by their network, and that of networks whose credentials failed. 429 too_many_requests.
 */
export function admit(route: Route, incoming: Incoming): void {
  const { may } = route
  const { headers, search, ip, found } = incoming
  if (may === 'secret') refuseTarget(found.secret ?? '', ip)
  const isVisitor = isOfVisitor(route, headers)
  const credential = credentialOf(route, incoming)
  if (isVisitor || may === 'member-link') {
    const token = isVisitor ? headerOf(headers, 'x-service-visitor-token') : search.get('token')
    const isToken = token != null && /^[\w-]{40,60}$/.test(token)
    const network = networkOf(ip)
    if (isToken && !wasValid(credential)) throttle(`tokens ${network}`, 10 * config.rate.visitorPerS)
    throttle(isToken ? token : network, config.rate.visitorPerS)
  }
  const key = isVisitor ? headerOf(headers, 'x-service-publishable-key') : undefined
  if (key !== undefined) refuseFailing(key, ip)
  if ((credential !== null && credential !== key) || may === 'member-link') refuseFailing(credential, ip, key)
}

/**
 * Identifies the caller before a body is read, and returns whose it is: the account of an operator, the tenant of a
 * visitor with a token or of the sender that the route proves; null for others.
 */
export async function identifyEarly(orm: Orm, route: Route, incoming: Incoming): Promise<string | null> {
  const { path, malformed } = pathOf(route, incoming.found)
  const { prove } = route.request
  // A visitor is not created for a body that was not read.
  const contact = route.contact === 'created' ? 'optional' : route.contact
  const { result: owner } = await look(orm, async (em) => {
    if (prove) {
      if (malformed) throw malformed
      const proved = () => prove({ em, path, headers: incoming.headers, ip: incoming.ip })
      return (await (route.may === 'secret' ? countingSecret(path.secret ?? '', incoming.ip, proved) : proved()))
        .tenant_id
    }
    const { caller, tenant_id } = await identify(em, { ...route, contact }, path, incoming)
    const { account_id, session_id } = (caller ?? {}) as { account_id?: string; session_id?: string | null }
    return account_id ?? (session_id == null ? null : `visitors of ${tenant_id}`)
  })
  if (malformed) throw malformed
  return owner
}

/** Whether a header has the credential: the caller can be identified before the body is read. */
export const identifiesEarly = ({ may, request }: Route): boolean =>
  request.prove !== undefined || !['public', 'secret', 'member-link'].includes(may)

/** Whether the request needs no transaction. A body that is no JSON is refused later. */
function runsAtOnce({ transaction }: Route, { bytes, headers }: Incoming): boolean {
  if (typeof transaction === 'boolean') return !transaction
  if (bytes.length > largeBytes) return false
  try {
    // In the encoding in which the route reads it.
    return !transaction(JSON.parse(strictTextOfBytes(bytes, headerOf(headers, 'content-type')) ?? ''))
  } catch {
    return false
  }
}

/** Checks the input and runs the route. */
async function answer(
  em: EntityManager,
  route: Route,
  path: Record<string, string>,
  { caller, tenant_id }: Identified,
  incoming: Incoming,
): Promise<unknown> {
  if (tenant_id) em.setFilterParams('tenant', { tenant: tenant_id })
  const { headers, ip, now, bytes } = incoming
  const query = queryOf(route, incoming.search)
  const isLarge = bytes.length > largeBytes
  const { unparsed } = route.request
  const json = unparsed || route.method === 'GET' ? emptyJson : await jsonOf(bytes, headerOf(headers, 'content-type'))
  if (isLarge) await turn()
  const body = unparsed ? {} : bodyOf(route, json, path)
  if (isLarge) await turn()
  return route.run({ em, caller, tenant_id, path, query, body, now, ip, headers, raw: bytes })
}

/**
 * A member who was added to a team accepts by acting. In a transaction of its own, as one that changes a team locks the
 * team first.
 */
export async function accept(orm: Orm, { accepts, tenant_id }: Identified, now: number): Promise<void> {
  if (accepts && tenant_id) await unit(orm, (em) => acceptMembership(em, { tenant_id, account_id: accepts }, now))
}

/**
 * Whose share of the connections a request uses: that of the tenant of its path or publishable key, otherwise that of
 * its credential, or of its network.
 */
function shareOf(route: Route, path: Record<string, string>, incoming: Incoming): string {
  const { headers, ip } = incoming
  const tenant = path[route.tenant]
  if (tenant !== undefined) return `tenant ${tenant}`
  if (route.may === 'secret') return `secret ${path.secret}`
  const key = isOfVisitor(route, headers) ? headerOf(headers, 'x-service-publishable-key') : undefined
  return key === undefined ? `caller ${credentialOf(route, incoming) ?? networkOf(ip)}` : `key ${key}`
}

/** Adds to the JSON of an answer what its route does not read, after the transaction. */
export type Complete = (
  orm: Orm,
  route: Pick<Route, 'out' | 'surface'>,
  tenantId: string | null,
  body: unknown,
) => Promise<unknown>

export async function handle(orm: Orm, route: Route, incoming: Incoming, complete: Complete): Promise<Outgoing> {
  const { path, malformed } = pathOf(route, incoming.found)
  await admitVisitor(orm, route, incoming)
  const isAtOnce = runsAtOnce(route, incoming)
  const counted = <T>(work: () => Promise<T>) =>
    route.may === 'secret' ? countingSecret(path.secret ?? '', incoming.ip, work) : work()
  const run = async (em: EntityManager) => {
    // A caller without credentials gets 401 on any path.
    const who = await identify(em, route, path, incoming)
    try {
      if (malformed) throw malformed
      return { who, result: await answer(em, route, path, who, incoming) }
    } catch (error) {
      // Without a transaction nothing else undoes it.
      if (isAtOnce && who.created && who.tenant_id) await forgetVisitor(em, who.tenant_id, who.created)
      throw error
    }
  }
  const {
    em,
    result: { who, result },
  } = await counted(() => inShare(shareOf(route, path, incoming), () => (isAtOnce ? look : unit)(orm, run)))
  const { tenant_id } = who
  // The request is committed: the next one accepts if this fails.
  await accept(orm, who, incoming.now).catch((error) =>
    log.warn({ tenant: tenant_id, err: error }, 'a member was not accepted'),
  )
  const answered = { em, path, tenant_id: tenant_id ?? '', result }
  const { body, status, headers } = await answerOf(orm, route, answered).catch((error) => {
    // The visitor was created all the same, and needs the token to come back.
    if (error instanceof Refusal)
      Object.assign(error.details, { headers: { ...error.details.headers, ...who.headers } })
    throw error
  })
  if (body instanceof Download)
    return { status: body.status, headers: { ...who.headers, ...body.headers }, body, tenant_id }
  const written = route.out ? await complete(orm, route, tenant_id, serialize(route.out, body, route.surface)) : body
  return { status, headers: { ...who.headers, ...headers }, body: written, tenant_id }
}
