// credentials.tsv names every route that gives a credential or a link, is called with something else than an operator's
// or a visitor's token, or mails what a stranger directs:
// what proves the caller, what a false proof is answered, what the route gives, what ends it, whom its mails count for,
// and what each credential that it gives opens, or the call itself.
// The routes are found by their declarations.
import fs from 'node:fs'
import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { z } from 'zod'
import type { Route } from '../../api/kit/route.ts'
import { securityOf } from '../../api/openapi/security.ts'
import { routes as table } from '../../api/routes.ts'
import { newId } from '../../entities/kit/ids.ts'
import { digestOfAddress } from '../../entities/mail/mail-limits.ts'
import { confirmationType, memberOf, newAudience, newContact } from '../kit/audiences/audiences.ts'
import { call, workflow } from '../kit/automation/automations.ts'
import { newMailbox } from '../kit/campaigns/campaigns.ts'
import { bearer, codeFor, prove, signIn } from '../kit/codes.ts'
import { made } from '../kit/content/content.ts'
import { sampleOf } from '../kit/samples.ts'
import { api, database, http, newEmail, newShop, type Shop, unique } from '../kit/shop.ts'
import { consented, goBack, wentOn } from '../kit/social/social.ts'

jest.setTimeout(60_000)

type Row = Record<'method' | 'path' | 'caller' | 'proof' | 'false' | 'gives' | 'ends' | 'mails' | 'opens', string>
const [head, ...lines] = fs
  .readFileSync(new URL('credentials.tsv', import.meta.url), 'utf8')
  .trim()
  .split('\n')
const names = (head as string).split('\t')
const rows = lines.map((line) => Object.fromEntries(line.split('\t').map((cell, at) => [names[at], cell])) as Row)
const specOf = ({ method, path }: Row) => `${method} ${path}`
const wordsOf = (cell: string | undefined) => (cell === undefined || cell === '-' ? [] : cell.split(' '))
const routes: readonly Route[] = table

let shop: Shop
beforeAll(async () => {
  shop = await newShop()
})
afterAll(async () => database().end())

/**
 * Names that sound like credentials and are none: counts of models, addresses that the store chose, and the key that
 * every page of a storefront shows.
 */
const others = new Set([
  ...[
    'publishable_key',
    'input_tokens',
    'output_tokens',
    'daily_tokens_max',
    'output_tokens_max',
    'reserved_tokens',
    'unknown_tokens',
  ],
  ...[
    'base_url',
    'final_url',
    'link_url',
    'links',
    'links_end',
    'links_max',
    'permalink',
    'confirmation_url',
    'return_url',
    'url',
    'previous_secret_until',
    // Pages of an operator's own accounts elsewhere, which ask for a sign-in.
    'provider_url',
    'temporal_url',
  ],
])
const sounds = /token|secret|password|credential|(^|_)url$|link|^challenge_id$|^api_key$/
type Schema = { const?: unknown; description?: string; properties?: Record<string, Schema> }

/** Fields of an answer that are credentials or links, except for those that are always redacted. */
function given(out: z.ZodType): string[] {
  const [found, seen] = [new Set<string>(), new Set<unknown>()]
  const walk = (node: unknown) => {
    if (node === null || typeof node !== 'object' || seen.has(node)) return
    seen.add(node)
    for (const [name, field] of Object.entries((node as Schema).properties ?? {}))
      if (
        (sounds.test(name) &&
          !others.has(name) &&
          (!JSON.stringify(field).includes('__redacted__') || /generated it/.test(field.description ?? ''))) ||
        /token itself/.test(field.description ?? '')
      )
        found.add(name)
    for (const value of Object.values(node)) walk(value)
  }
  walk(z.toJSONSchema(out, { io: 'output', unrepresentable: 'any' }))
  return [...found].sort()
}

const proofNames = ['token', 'refresh_token', 'challenge_id', 'state']
/** Fields of a request that prove something. A `state` of operators and visitors is a part of an address. */
const proofsOf = ({ may, body, query }: Route) =>
  [body, query]
    .flatMap((shape) =>
      shape
        ? Object.keys((z.toJSONSchema(shape, { io: 'input', unrepresentable: 'any' }) as Schema).properties ?? {})
        : [],
    )
    .filter((name) => proofNames.includes(name) && (name !== 'state' || may === 'public'))

/** Functions of the API that mail what a caller directs, and those that call them. */
const mailing = (() => {
  const files = fs.readdirSync('api', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
  const functions = files.flatMap((file) => {
    const pieces = fs.readFileSync(`api/${file}`, 'utf8').split(/^(?=(?:export )?(?:async )?(?:function|const) )/m)
    return pieces.flatMap((text) => {
      const name = /^(?:export )?(?:async )?(?:function|const) (\w+)/.exec(text)?.[1]
      return name === undefined || /\broute\('/.test(text) ? [] : [{ name, text }]
    })
  })
  const found = new Set(['queueMail', 'admitMail', 'countMail'])
  for (let before = 0; before < found.size; ) {
    before = found.size
    const calls = new RegExp(`\\b(${[...found].join('|')})\\(`)
    for (const { name, text } of functions) if (calls.test(text)) found.add(name)
  }
  return new RegExp(`\\b(${[...found].join('|')})\\(`)
})()
const mails = ({ run }: Route) => mailing.test(String(run))
const givenBy = ({ out, path }: Route) =>
  out && !/\/(integrations|workflow-connections)|\{(store|business)Id\}\/oauth\//.test(path) ? given(out) : []
const found = routes.filter(
  (route) =>
    ['public', 'secret', 'member-link'].includes(route.may) ||
    mails(route) ||
    givenBy(route).length > 0 ||
    proofsOf(route).length > 0,
)

test('The table has every route that gives or takes a credential, with what it declares', () => {
  const declared = found.map((route) => [route.spec, route.may, givenBy(route), mails(route)])
  const rowed = rows.map((row) => [specOf(row), row.caller, wordsOf(row.gives).sort(), row.mails !== '-'])
  expect(rowed).toEqual(declared)
  for (const route of found) {
    const { proof } = rows.find((row) => specOf(row) === route.spec) as Row
    expect([route.spec, [...new Set(proofsOf(route))]]).toEqual([
      route.spec,
      ['-', 'signature'].includes(proof) || route.may === 'secret' ? [] : [proof],
    ])
  }
  expect(rows.filter((row) => (row.gives === '-') !== (row.ends === '-')).map(specOf)).toEqual([])
})

/** Routes that a credential in a header or a link authenticates, by their callers. */
const routesOf = (scheme: string) =>
  `routes of ${[...new Set(routes.filter((route) => securityOf(route).some((one) => scheme in one)).map(({ may }) => may))].sort().join(', ')}`
const proofs = new Map(routes.map((route) => [route, proofsOf(route)]))
/** The one route that a value is sent to. */
const routeOf = (takes: (route: Route) => boolean) =>
  routes
    .filter(takes)
    .map(({ spec }) => spec)
    .join(', ')
const opensOf: Record<string, (row: Row) => string> = {
  access_token: () => routesOf('bearer'),
  value: () => routesOf('bearer'),
  visitor_token: () => routesOf('visitorToken'),
  manage_url: () => routesOf('memberLink'),
  refresh_token: () => routeOf((route) => proofs.get(route)?.includes('refresh_token') === true),
  challenge_id: (row) =>
    routeOf(
      (route) =>
        proofs.get(route)?.includes('challenge_id') === true && route.path === row.path.replace(/\/code$/, '/verify'),
    ),
  webhook_url: () => routeOf(({ may, path }) => may === 'secret' && path.startsWith('/v1/workflows/')),
  inbound_url: () => routeOf(({ may, path }) => may === 'secret' && path.startsWith('/v1/mail/')),
  authorization_url: () =>
    routeOf(
      (route) =>
        proofs.get(route)?.includes('state') === true &&
        route.answers.types?.includes('text/html') === true &&
        !route.statuses.includes(303),
    ),
  // No route takes them.
  ...Object.fromEntries(
    ['client_secret', 'portal_url', 'onboarding_url'].map((name) => [name, () => 'a page of the payment provider']),
  ),
  secret: () => 'signatures of deliveries',
}
test('The table says what each credential opens, which are the routes that take it', () => {
  for (const row of rows)
    if (row.gives !== '-')
      expect([specOf(row), row.opens]).toEqual([
        specOf(row),
        wordsOf(row.gives)
          .map((name) => opensOf[name]?.(row))
          .join('; '),
      ])
    else expect([specOf(row), row.opens]).toEqual([specOf(row), expect.stringMatching(/^[a-z][\w, -]{9,70}$/)])
})

const falsely = { authorization: 'Bearer till_at_0123456789abcdef' }
const fakes: Record<string, string> = {
  token: 'x'.repeat(43),
  refresh_token: 'x'.repeat(43),
  challenge_id: newId(),
  state: `x.${newId()}.y`,
  code: '000000',
}
test.each(rows.map((row): [string, Row] => [specOf(row), row]))(
  '%s answers a false proof as the table says',
  async (spec, row) => {
    const route = routes.find((one) => one.spec === spec) as Route
    const path = route.path
      .replaceAll(/\{(storeId|businessId)\}/g, shop.store_id)
      .replace('{type}', 'network_d_account')
      .replace('{countryCode}', 'DE')
      .replaceAll(/\{(secret|networkKey|variant)\}/g, 'till_wh_none')
      .replaceAll(/\{\w+\}/g, newId())
    const asks = proofsOf(route)
    const query =
      route.may === 'member-link' || route.method === 'GET'
        ? `?${new URLSearchParams(asks.map((name) => [name, fakes[name] as string] as [string, string]))}`
        : ''
    const body =
      route.method === 'GET'
        ? undefined
        : { ...(sampleOf(route) as object), ...Object.fromEntries(asks.map((name) => [name, fakes[name]])) }
    const headers: Record<string, string> =
      route.may === 'public' || route.may === 'secret' || route.may === 'member-link'
        ? { 'stripe-signature': 't=1,v1=0', 'x-telegram-bot-api-secret-token': 'x' }
        : ['visitor', 'customer'].includes(route.may)
          ? { 'x-service-publishable-key': 'till_pk_none' }
          : falsely
    const sent = route.message
      ? { text: 'To: a@b.c', headers: { ...headers, 'content-type': 'message/rfc822' } }
      : { body, headers }
    const answer = await http(route.method, `${path}${query}`, sent)
    if (row.false === '-') expect([spec, [401, 403].includes(answer.status)]).toEqual([spec, false])
    else expect([spec, `${answer.status} ${answer.body?.code}`]).toEqual([spec, row.false])
  },
)

/** What opens with a credential before its end, and no more after it. */
const endings: Record<string, () => Promise<void>> = {
  async used() {
    const email = newEmail()
    const { challenge_id } = (await http('POST', '/v1/auth/code', { body: { email } })).body
    const body = { challenge_id, code: await codeFor(email) }
    expect((await http('POST', '/v1/auth/verify', { body })).status).toBe(200)
    expect((await http('POST', '/v1/auth/verify', { body })).body.code).toBe('code_expired')
  },
  async logout() {
    const { id, refresh_token: first, ...session } = await signIn()
    const { body } = await http('POST', '/v1/auth/refresh', { body: { refresh_token: first } })
    const me = async (headers: Record<string, string>) => (await http('GET', '/v1/accounts/me', { headers })).status
    expect(await me(bearer(body))).toBe(200)
    expect((await http('DELETE', `/v1/accounts/me/sessions/${id}`, { headers: bearer(body) })).status).toBe(200)
    expect([await me(bearer(body)), await me(bearer(session))]).toEqual([401, 401])
    expect((await http('POST', '/v1/auth/refresh', { body: { refresh_token: body.refresh_token } })).status).toBe(401)
  },
  async deleted() {
    const { id, value } = (
      await http('POST', '/v1/accounts/me/api-tokens', { body: { name: unique() }, headers: shop.op.headers })
    ).body
    const me = async () =>
      (await http('GET', '/v1/accounts/me', { headers: { authorization: `Bearer ${value}` } })).status
    expect(await me()).toBe(200)
    await http('DELETE', `/v1/accounts/me/api-tokens/${id}`, { headers: shop.op.headers })
    expect(await me()).toBe(401)
  },
  async 'sign-in'() {
    const visitor = await shop.visitor()
    const planted = visitor.token
    const me = async () => (await shop.asVisitor('GET', '/account/me', undefined, planted)).status
    expect(await me()).toBe(200)
    expect((await prove(visitor, newEmail())).status).toBe(200)
    // Ten seconds are over.
    await database().query(
      'update contact_sessions set previous_until = 1 where tenant_id = $1 and previous_digest is not null',
      [shop.store_id],
    )
    expect(await me()).toBe(401)
    expect((await visitor.call('POST', '/account/logout')).status).toBe(200)
    expect((await visitor.call('GET', '/account/me')).status).toBe(401)
  },
  async merge() {
    const { id } = await newAudience(shop)
    const visitor = await shop.visitor()
    const { member } = (await visitor.call('POST', `/audiences/${id}/subscribe`, {})).body
    const manage = async () =>
      (await http('GET', `/v1/customer/audiences/manage${new URL(member.manage_url).search}`)).status
    expect(await manage()).toBe(200)
    const other = await newContact(shop)
    expect(
      (await shop.asOperator('POST', `/contacts/${other.id}/merge`, { source_contact_id: visitor.contact_id })).status,
    ).toBe(200)
    expect(await manage()).toBe(401)
    expect(await memberOf(shop, id, other.id)).toBeTruthy()
  },
  async rotated() {
    const graph = await workflow(shop)
    await shop.asOperator('POST', `/workflows/${graph.id}/rotate-secret`)
    expect((await call(graph.webhook_url)).status).toBe(404)
    // Audiences of the shop would mail through its mailbox.
    const other = await newShop()
    const box = await newMailbox(other)
    const { inbound_url } = (await other.asOperator('POST', `/mailboxes/${box.id}/rotate-secret`)).body
    const arrives = async (url: string) =>
      (
        await fetch(`${api()}${new URL(url).pathname}`, {
          method: 'POST',
          body: 'To: a@b.c\r\n\r\nx',
          headers: { 'content-type': 'message/rfc822' },
        })
      ).status
    expect([
      await arrives(inbound_url),
      await other.asOperator('POST', `/mailboxes/${box.id}/rotate-secret`).then(() => arrives(inbound_url)),
    ]).toEqual([200, 404])
  },
  async 'came back'() {
    const { authorization_url } = (
      await shop.asOperator('POST', '/social-connections/oauth/connect', { type: 'network_d_account' })
    ).body
    expect((await wentOn(authorization_url)).host).not.toBe('')
    const back = await consented(shop, 'network_d_account', null)
    expect((await goBack(back)).body.error.code).toBe('access_denied')
    expect((await goBack(back)).body.code).toBe('bad_state')
  },
  async replaced() {
    const hook = { key: unique(), url: 'https://hook.example/', events: [], headers: {}, enabled: true }
    const { id, secret } = (
      await shop.asOperator('POST', '/webhooks', { ...hook, events: [{ event: 'order.created' }] })
    ).body
    expect(secret).toMatch(/^whsec_/)
    expect((await shop.asOperator('GET', `/webhooks/${id}`)).body.secret).toBe('__redacted__')
  },
}
/** The payment provider gives and ends them: its pages and the secrets of its forms. */
const ofProvider = ['client_secret', 'portal_url', 'onboarding_url']
describe('What a route gives ends', () => {
  test('Every end of the table is one of these, and the provider ends only what is its', () => {
    const cells = rows.flatMap(({ ends }) =>
      ends === '-' ? [] : ends === 'provider merge' ? ['provider', 'merge'] : [ends],
    )
    expect([...new Set(cells)].sort()).toEqual([...Object.keys(endings), 'provider'].sort())
    for (const { gives, ends } of rows)
      expect([gives, ends.includes('provider')]).toEqual([
        gives,
        wordsOf(gives).some((name) => ofProvider.includes(name)),
      ])
  })
  test.each(Object.keys(endings))('A credential is refused after its end: %s', (name) => endings[name]?.())
})

/** A request from a network of its own: the limits of others at 127.0.0.1 are not met. */
const from = (network: string, path: string, body: object, headers: Record<string, string>) =>
  new Promise<number>((done, fail) => {
    const { hostname, port } = new URL(api())
    const asked = request(
      {
        hostname,
        port,
        path,
        method: 'POST',
        localAddress: network,
        headers: { 'content-type': 'application/json', ...headers },
      },
      (answer) => {
        answer.resume().on('end', () => done(answer.statusCode ?? 0))
      },
    )
    asked.on('error', fail).end(JSON.stringify(body))
  })

const mailed: Record<
  string,
  (email: string) => Promise<[path: string, body: object, headers: Record<string, string>]>
> = {
  'POST /v1/auth/code': async (email) => ['/v1/auth/code', { email }, {}],
  'POST /v1/stores/{storeId}/auth/code': async (email) => [`/v1/stores/${shop.store_id}/auth/code`, { email }, {}],
  'POST /v1/storefront/account/code': async (email) => [
    '/v1/storefront/account/code',
    { email },
    (await shop.visitor()).headers,
  ],
  async 'POST /v1/storefront/audiences/{audienceId}/subscribe'(email) {
    // Without a mailbox of the store, the installation's own sender mails it.
    const { id } = await made(
      shop.asOperator('POST', '/audiences', { key: unique(), name: 'News', type: await confirmationType(shop) }),
    )
    await shop.asOperator('PUT', `/audiences/${id}`, { status: 'active' })
    return [`/v1/storefront/audiences/${id}/subscribe`, {}, (await shop.visitor(email)).headers]
  },
  async 'POST /v1/businesses/{businessId}/invitation'(email) {
    await database().query(`update tenants set kind = 'business' where id = $1`, [shop.store_id])
    return [`/v1/businesses/${shop.store_id}/invitation`, { email, role: 'admin' }, shop.op.headers]
  },
}
test.each(rows.filter((row) => row.mails !== '-').map((row): [string, Row] => [specOf(row), row]))(
  'A mail of %s counts for whom the table says',
  async (spec, row) => {
    const [email, network] = [newEmail(), `127.${[7, 8, 9].map(() => 1 + Math.floor(Math.random() * 250)).join('.')}`]
    const [path, body, headers] = (await mailed[spec]?.(email)) ?? []
    const marks = {
      network,
      recipient: digestOfAddress(email),
      account: `:account:${shop.op.account_id}`,
      tenant: `:tenant:${shop.store_id}`,
    }
    const counts = async () => {
      const { rows: all } = await database().query<{ key: string; count: number }>(
        'select key, sum(count)::int as count from rate_windows where key like any($1) group by key',
        [Object.values(marks).map((mark) => `%${mark}%`)],
      )
      return new Map(all.map(({ key, count }) => [key, count]))
    }
    const before = await counts()
    expect([200, 201]).toContain(await from(network, path as string, body as object, headers as Record<string, string>))
    const grown = [...(await counts())].filter(([key, count]) => count > (before.get(key) ?? 0)).map(([key]) => key)
    const counted = Object.entries(marks).flatMap(([name, mark]) =>
      grown.some((key) => key.includes(mark)) ? [name] : [],
    )
    expect([spec, counted]).toEqual([spec, wordsOf(row.mails)])
  },
)

test('Only routes of the table and a hand-over to a member queue mails of the installation', () => {
  const queues = ['api', 'entities', 'activities', 'workers'].flatMap((folder) =>
    fs
      .readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((file) => `${folder}/${file}`)
      .filter((file) => file.endsWith('.ts') && /(?<!function )\bqueueMail\(/.test(fs.readFileSync(file, 'utf8'))),
  )
  expect(queues.sort()).toEqual([
    'api/accounts/codes.ts',
    'api/audiences/storefront.ts',
    'api/business/invitations.ts',
    'entities/agents/handover.ts',
  ])
})
