// For every route: strangers are refused, other tenants' rows return 404, and invalid input is refused at its pointer.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { digest, newToken } from '../api/kit/caller.ts'
import type { Route } from '../api/kit/route.ts'
import { routes as table } from '../api/routes.ts'
import { newId } from '../entities/kit/ids.ts'
import { random } from './chaos/random.ts'
import { everyRow } from './kit/effects/every-row.ts'
import { nameFor, sampleOf, spoiled } from './kit/samples.ts'
import { api, database, http, newShop, newStore, type Operator, operator, type Shop, type Visitor } from './kit/shop.ts'

const routes: readonly Route[] = table
// Links of members are tested in test/audiences/storefront.test.ts: their credential is a query parameter.
const isLink = ({ may }: Route) => may === 'member-link'
const guarded = routes.filter((route) => route.may !== 'public' && route.may !== 'secret' && !isLink(route))
const storefront = guarded.filter(({ may }) => may === 'visitor' || may === 'verified')
const operators = guarded.filter((route) => !storefront.includes(route))
const ofTenant = operators.filter(({ may }) => may !== 'account' && may !== 'platform')
const withBody = guarded.filter(({ body, request }) => body && !request.unparsed)
const named = (list: readonly Route[]) => list.map((route): [string, Route] => [route.spec, route])

/** Two tenants: stores, and businesses for the routes of the business surface. */
type Tenants = { mine: Shop; visitor: Visitor; theirs: Shop; theirVisitor: Visitor; rows: Record<string, string> }
let stores: Tenants
let businesses: Tenants
let platform: Operator
const on = ({ surface }: Route): Tenants => (surface === 'business' ? businesses : stores)
/** Resources without a row of another tenant; a random id is used instead. The list may only become shorter. */
const rowless = ['disputes', 'refunds', 'sessions']
const unknownId = '0199aaaa-0000-7000-8000-0000000000bb'

async function twoTenants(kind: 'store' | 'business'): Promise<Tenants> {
  const [mine, theirs] = await Promise.all([newShop(), newShop()])
  const [visitor, theirVisitor] = await Promise.all([mine.visitor(), theirs.visitor()])
  const rows = await everyRow(theirs, theirVisitor)
  await database().query('update tenants set kind = $2 where id = any($1)', [[mine.store_id, theirs.store_id], kind])
  return { mine, visitor, theirs, theirVisitor, rows }
}

beforeAll(async () => {
  ;[stores, businesses, platform] = await Promise.all([
    twoTenants('store'),
    twoTenants('business'),
    operator(process.env.SUPER_EMAIL?.split(',')[0]),
  ])
})

afterAll(async () => database().end())

const ofTenants = ['stores', 'businesses']
/** Segments before a parameter that names no row. */
const ofWords = ['config']
type Fill = { store: string; row: (resource: string) => string }
const pathOf = (route: Route, { store, row }: Fill) =>
  route.path.replaceAll(
    /([^/]+)\/\{(\w+)\}/g,
    (_, resource: string, name: string) =>
      `${resource}/${name === route.tenant && ofTenants.includes(resource) ? store : row(resource)}`,
  )
const fillMine = (route: Route): Fill => ({ store: on(route).mine.store_id, row: () => unknownId })

const credentials = (route: Route): Record<string, string> =>
  storefront.includes(route)
    ? on(route).visitor.headers
    : route.may === 'platform'
      ? platform.headers
      : on(route).mine.op.headers
const send = (route: Route, path: string, body?: unknown, headers = credentials(route)) =>
  http(route.method, path, { headers, body: route.method === 'GET' ? undefined : body })
const sendText = async (route: Route, text: string) => {
  const headers = { ...credentials(route), 'content-type': 'application/json' }
  const answer = await fetch(`${api()}${pathOf(route, fillMine(route))}`, { method: route.method, headers, body: text })
  return {
    status: answer.status,
    type: answer.headers.get('content-type'),
    body: (await answer.json()) as { code: string; request_id: string },
  }
}

test.each(named(operators))('%s without a token is 401', async (_, route) => {
  const { mine } = on(route)
  for (const headers of [
    {},
    { authorization: 'Bearer till_at_0123456789abcdef' },
    { authorization: 'Bearer till_sk_0123456789abcdef' },
    { authorization: mine.op.token },
  ] as Record<string, string>[]) {
    const {
      status,
      headers: answered,
      body,
    } = await send(route, pathOf(route, fillMine(route)), sampleOf(route), headers)
    expect([status, body.code]).toEqual([401, 'unauthorized'])
    expect(route.may === 'customer' ? ['Bearer', 'Publishable-Key'] : ['Bearer']).toContain(
      answered.get('www-authenticate'),
    )
  }
})

test.each(named(storefront))('%s without a publishable key is 401', async (_, route) => {
  const { mine, theirVisitor } = on(route)
  const key = { 'x-service-publishable-key': mine.publishable_key }
  const strangers: Record<string, string>[] = [
    {},
    { 'x-service-publishable-key': 'till_pk_nobody' },
    { ...key, 'x-service-visitor-token': 'till_vt_nobody' },
    { ...key, 'x-service-visitor-token': theirVisitor.token },
    ...(route.contact === 'required' ? [key] : []),
  ]
  for (const headers of strangers) {
    const { status, headers: answered } = await send(route, pathOf(route, fillMine(route)), sampleOf(route), headers)
    expect([status, answered.get('www-authenticate') !== null]).toEqual([401, true])
  }
})

test.each(named(ofTenant))('%s of another tenant’s store is 404', async (_, route) => {
  const { theirs, rows } = on(route)
  const path = pathOf(route, { store: theirs.store_id, row: (resource) => rows[resource] ?? unknownId })
  const { status, body } = await send(route, path, sampleOf(route))
  expect([status, body.code]).toEqual([404, 'not_found'])
})

describe('Other tenants’ rows', () => {
  const resourcesOf = (route: Route) =>
    [...route.path.matchAll(/([^/]+)\/\{(\w+)\}/g)]
      .filter(([, resource]) => ![...ofTenants, ...ofWords].includes(resource as string))
      .map(([, resource]) => resource as string)
  // Rows of the installation belong to no tenant.
  const ofRows = guarded.filter((route) => route.may !== 'platform' && resourcesOf(route).length > 0)

  test.each(named(ofRows))('%s of another tenant’s row is 404', async (_, route) => {
    const { mine, rows } = on(route)
    const path = pathOf(route, { store: mine.store_id, row: (resource) => rows[resource] ?? unknownId })
    const { status, body } = await send(route, path, sampleOf(route))
    expect([status, body.code]).toEqual([404, 'not_found'])
  })

  test('Every resource in a path has a row of another tenant to test with', () => {
    const wanted = new Set(ofRows.flatMap(resourcesOf))
    const rows = { ...stores.rows, ...businesses.rows }
    expect([...wanted].filter((resource) => !rows[resource] && !rowless.includes(resource))).toEqual([])
    expect(Object.values(rows).every((id) => /^[0-9a-f-]{36}$/.test(id))).toBe(true)
  })
})

test.each(named(ofTenant.filter(({ may }) => may !== 'admin' && may !== 'customer')))(
  '%s with too low a role is 403',
  async (_, route) => {
    const admin = await operator()
    await database().query(
      "insert into team_members (id, created_at, updated_at, tenant_id, account_id, role) values (gen_random_uuid(), 1, 1, $1, $2, 'admin')",
      [on(route).mine.store_id, admin.account_id],
    )
    const { status, body } = await send(route, pathOf(route, fillMine(route)), sampleOf(route), admin.headers)
    expect([status, body.code]).toEqual([403, 'forbidden'])
  },
)

test('Platform routes are 403 for an operator of a store', async () => {
  for (const route of operators.filter(({ may }) => may === 'platform'))
    expect([
      route.spec,
      (await send(route, pathOf(route, fillMine(route)), sampleOf(route), stores.mine.op.headers)).status,
    ]).toEqual([route.spec, 403])
})

describe('Sessions opened through a store', () => {
  /** An operator's session with the fields that a store's sign-in adds to it. */
  const sessionOf = async ({ account_id }: Operator, store: string): Promise<Record<string, string>> => {
    const token = newToken('till_at')
    await database().query(
      `insert into account_sessions (id, created_at, updated_at, account_id, tenant_id, access_digest, refresh_digest, access_expires_at, refresh_expires_at)
       values (gen_random_uuid(), 1, 1, $1, $2, $3, $4, $5, $5)`,
      [account_id, store, digest(token), digest(newToken('till_rt')), Math.floor(Date.now() / 1000) + 3600],
    )
    return { authorization: `Bearer ${token}` }
  }
  /** The account-level routes that such a session may call; all others, new ones included, are closed. */
  const open: Record<string, number> = {
    'GET /v1/accounts/me': 200,
    'DELETE /v1/accounts/me/sessions/{id}': 404,
    'POST /v1/businesses/{businessId}/invitation': 201,
  }
  /** Of the tenant that the path names, and of another one, by the operator of each surface. */
  let here: Record<Route['surface'], Record<string, string>>
  let elsewhere: Record<Route['surface'], Record<string, string>>
  let ofPlatform: Record<string, string>
  beforeAll(async () => {
    const sessionsOf = async ({ mine }: Tenants) => {
      const other = await newStore(mine.op)
      return Promise.all([sessionOf(mine.op, mine.store_id), sessionOf(mine.op, other.id)])
    }
    const [[store, otherStore], [business, otherBusiness]] = await Promise.all([
      sessionsOf(stores),
      sessionsOf(businesses),
    ])
    here = { store, business }
    elsewhere = { store: otherStore, business: otherBusiness }
    ofPlatform = await sessionOf(platform, stores.mine.store_id)
  })

  test.each(named(operators.filter((route) => !ofTenant.includes(route))))(
    'A session of a store is refused outside its store: %s',
    async (_, route) => {
      const headers = route.may === 'platform' ? ofPlatform : here[route.surface]
      const { status, body } = await send(route, pathOf(route, fillMine(route)), sampleOf(route), headers)
      const expected = route.spec in open ? [open[route.spec], body.code] : [403, 'session_limited_to_store']
      expect([status, body.code]).toEqual(expected)
    },
  )

  test.each(named(ofTenant))('A session of a store acts in its store and finds no other: %s', async (_, route) => {
    const path = pathOf(route, fillMine(route))
    const refused = await send(route, path, sampleOf(route), elsewhere[route.surface])
    expect([refused.status, refused.body.code]).toEqual([404, 'not_found'])
    // A refused body changes nothing; a POST without a body (a rotation) would, and so would the deletion of the
    // tenant.
    if ((route.method === 'POST' && !route.body) || route.may === 'super') return
    const own = await send(route, path, { no_such_field: 1 }, here[route.surface])
    expect([own.status === 401 || own.status === 403, own.body.detail === refused.body.detail]).toEqual([false, false])
  })
})

test.each(named(withBody))('A body that is not JSON is 400: %s', async (_, route) => {
  for (const text of ['{', '{"a":1,}', 'key=value', '\u0000', '"'.repeat(3)]) {
    const { status, type, body } = await sendText(route, text)
    expect([status, type, body.code, typeof body.request_id]).toEqual([
      400,
      'application/problem+json',
      'malformed_json',
      'string',
    ])
  }
  expect((await sendText(route, '['.repeat(200))).status).toBe(400)
})

test.each(named(withBody))('A body that is not an object is 422: %s', async (_, route) => {
  for (const body of ['[]', 'null', '1', '"text"'])
    expect([body, (await sendText(route, body)).status]).toEqual([body, 422])
})

test.each(named(withBody))('A body with an invalid field is 422 and names it: %s', async (_, route) => {
  const wrong = spoiled(route)
  if (!wrong) return expect(Object.keys(route.body?.shape ?? {})).toEqual([])
  const { status, body } = await send(route, pathOf(route, fillMine(route)), wrong.body)
  expect([status, body.code]).toEqual([422, 'invalid_input'])
  const pointer = `/${wrong.field}`
  expect(
    body.errors.filter(
      (fault: { pointer: string }) => fault.pointer === pointer || fault.pointer.startsWith(`${pointer}/`),
    ),
  ).not.toEqual([])
})

test.each(named(withBody))('A body with an unknown field is 422, so that no typo is lost: %s', async (_, route) => {
  const { status, body } = await send(route, pathOf(route, fillMine(route)), { ...sampleOf(route), no_such_field: 1 })
  expect([status, body.errors]).toEqual([
    422,
    [{ pointer: '/no_such_field', code: 'unknown_field', detail: expect.any(String) }],
  ])
})

test.each(named(withBody.filter(({ parameters }) => parameters.length > 0)))(
  'A body that contradicts its path is 422: %s',
  async (_, route) => {
    const name = route.parameters.at(-1) as string
    const field =
      route.surface === 'business' ? name : name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    if (field in (route.body?.shape ?? {}) || route.textParameters.includes(name)) return
    const { status, body } = await send(route, pathOf(route, fillMine(route)), {
      ...sampleOf(route),
      [field]: on(route).theirs.store_id,
    })
    expect([status, body.errors[0]]).toMatchObject([422, { pointer: `/${field}`, code: 'differs_from_path' }])
  },
)

describe('Queries', () => {
  /** Third parties call these URLs and may add parameters of their own. */
  const open = [
    ...[
      'POST /v1/workflows/trigger/{secret}',
      'POST /v1/webhooks/stripe',
      'POST /v1/webhooks/stripe/{integrationId}',
      'POST /v1/webhooks/channels/{id}',
      'GET /media/{id}/{variant}',
    ],
    'GET /v1/social/consent/{type}',
    'GET /v1/customer/audiences/confirm',
    'GET /v1/social/callback/{type}',
  ]
  const closed = routes.filter((route) => !open.includes(route.spec) && !isLink(route))

  test.each(named(closed))('A query with an unknown parameter is 422 and names it: %s', async (_, route) => {
    const { status, body } = await send(route, `${pathOf(route, fillMine(route))}?no_such_parameter=1`, sampleOf(route))
    const wrong = body.errors?.find(({ code }: { code: string }) => code === 'unknown_parameter')
    expect([status, wrong]).toEqual([
      422,
      { pointer: 'no_such_parameter', code: 'unknown_parameter', detail: expect.any(String) },
    ])
  })

  test.each(named(closed.filter(({ query }) => query)))(
    'A query with an empty value is 422 and names it: %s',
    async (_, route) => {
      for (const name of Object.keys(route.query?.shape ?? {})
        .map((one) => nameFor(route, one))
        .filter((one) => one !== 'cursor')) {
        const { status, body } = await send(route, `${pathOf(route, fillMine(route))}?${name}=`, sampleOf(route))
        const wrong = body.errors?.filter(({ pointer }: { pointer: string }) => pointer === name)
        expect([name, status, wrong]).toEqual([
          name,
          422,
          [{ pointer: name, code: 'empty', detail: expect.any(String) }],
        ])
      }
    },
  )

  test.each(named(routes.filter(({ spec }) => open.includes(spec))))(
    'A route that third parties call accepts any query parameter: %s',
    async (_, route) => {
      const sent = { trigger: { anything: 1 } }
      const [plain, more] = [
        await send(route, pathOf(route, fillMine(route)), sent),
        await send(route, `${pathOf(route, fillMine(route))}?utm_source=x&empty=`, sent),
      ]
      expect([more.status, more.body.code]).toEqual([plain.status, plain.body.code])
    },
  )

  test('A list without a cursor, with an empty one or with null is its first page', async () => {
    for (const cursor of ['', '&cursor=', '&cursor=null'])
      expect([cursor, (await stores.mine.asOperator('GET', `/products?limit=1${cursor}`)).status]).toEqual([
        cursor,
        200,
      ])
  })
})

describe('Malformed ids', () => {
  const uuids = ({ parameters, textParameters, tenant }: Route) =>
    parameters.filter((name) => !textParameters.includes(name) && name !== tenant)
  test.each(named(guarded.filter((route) => uuids(route).length > 0)))(
    'A malformed id is 404 and names its parameter: %s',
    async (_, route) => {
      for (const name of uuids(route)) {
        const path = pathOf({ ...route, path: route.path.replace(`{${name}}`, 'not-a-uuid') }, fillMine(route))
        const { status, body } = await send(route, path, sampleOf(route))
        expect([status, body.code, body.detail]).toEqual([
          404,
          'not_found',
          `There is no such resource: the path parameter \`${name}\` is not a UUID.`,
        ])
      }
    },
  )
})

test.each(named(guarded.filter(({ query }) => query && 'cursor' in query.shape)))(
  'A list refuses an invalid cursor and an invalid limit: %s',
  async (_, route) => {
    const path = pathOf(route, fillMine(route))
    const needed = 'subject' in (route.query?.shape ?? {}) ? `&subject=order:${newId()}` : ''
    for (const [search, expected] of [
      ['limit=0', 422],
      ['limit=101', 422],
      ['limit=many', 422],
      ['limit=1&cursor=%00', 422],
      ['limit=1&cursor=nonsense', 400],
    ] as const) {
      const { status } = await send(route, `${path}?${search}${needed}`)
      // A child of a missing row returns 404 for any query.
      expect([search, status === 404 ? expected : status]).toEqual([search, expected])
    }
  },
)

describe('Archived stores', () => {
  const refusing = operators.filter(({ active }) => active)
  /**
   * Routes that wait for an outcome and may be called in an archived store: they end, correct or only record something.
   */
  const allowed = [
    ...['subscription/portal', '/refund', '/cancel', '/check', '/webhooks/test', '/media', '/enrollments/import'],
    // Prices of an audience are made at the provider. No visitor can subscribe to them meanwhile.
    '/tiers',
  ]

  test('Each request of operators that waits is refused in archived stores, or ends something', () => {
    const starting = ofTenant.filter(({ method, wait }) => method === 'POST' && wait)
    const open = starting.filter(({ active, path }) => !active && !allowed.some((one) => path.includes(one)))
    expect(open.map(({ spec }) => spec)).toEqual([])
    expect(refusing.length).toBeGreaterThan(15)
  })

  describe('Refused', () => {
    const archive = (status: string) =>
      database().query('update tenants set status = $2 where id = any($1)', [
        [stores.mine.store_id, businesses.mine.store_id],
        status,
      ])
    beforeAll(() => archive('ARCHIVED'))
    afterAll(() => archive('ACTIVE'))

    test.each(named(refusing))('An operator of an archived store is refused: %s', async (_, route) => {
      const { headers } = on(route).mine.op
      const { status, body } = await send(route, pathOf(route, fillMine(route)), sampleOf(route), headers)
      expect([status, body.code]).toEqual([403, 'store_archived'])
    })
  })
})

describe('Pages', () => {
  const pages = routes.filter(({ answers }) => answers.refusal)
  const others = routes.filter((route) => !route.answers.refusal && !guarded.includes(route))
  const asked = async (route: Route, search: string, accept: string) => {
    const path = route.path.replaceAll(/\{\w+\}/g, 'x')
    const headers = { accept, ...(route.method === 'GET' ? {} : { 'content-type': 'application/json' }) }
    const answer = await fetch(`${api()}${path}${search}`, { method: route.method, headers, redirect: 'manual' })
    const [type = ''] = (answer.headers.get('content-type') ?? '').split(';')
    return { status: answer.status, type, text: await answer.text(), policy: answer.headers.get('referrer-policy') }
  }
  const browser = 'text/html,application/xhtml+xml,*/*;q=0.8'
  const values = ['', 'x', '%00', '%ff', 'y'.repeat(5000), 'x&token=z&state=z&code=z']
  const searches = ['', ...['token', 'state', 'code'].flatMap((name) => values.map((value) => `?${name}=${value}`))]

  test('Every route that answers with HTML or sends a browser on has pages for its refusals', () => {
    const opened = routes.filter(
      ({ answers, statuses, description }) =>
        answers.types?.includes('text/html') || statuses.includes(303) || description?.includes('`Accept` names HTML'),
    )
    expect(opened.map(({ spec }) => spec)).toEqual(pages.map(({ spec }) => spec))
    expect(pages.length).toBeGreaterThan(3)
  })

  test.each(named(pages))('A browser gets a page where a program gets a problem: %s', async (_, route) => {
    for (const search of searches) {
      const [shown, sent] = [await asked(route, search, browser), await asked(route, search, '*/*')]
      const [, title, inner] = /<h1>(.+)<\/h1>\n<p>(.+)<\/p>/.exec(shown.text) ?? []
      expect([search, shown.status, shown.type, shown.policy]).toEqual([
        search,
        sent.status,
        'text/html',
        'no-referrer',
      ])
      expect([search, title, inner].join(' ')).toMatch(/[a-z]\. [A-Z].*\.$|[a-z]: .*\.$/)
      expect(`${title} ${inner}`).not.toMatch(/`|&#96;|_|\b(state|token|query|parameter|unauthorized|JSON)\b/i)
      expect([search, sent.type]).toEqual([search, 'application/problem+json'])
      expect([search, sent.status >= 400 && sent.status < 500]).toEqual([search, true])
    }
  })

  test.each(named(others))('A browser gets the answer that programs get: %s', async (_, route) => {
    expect((await asked(route, '?token=x', browser)).type).toMatch(/json$/)
  })
})

/**
 * CI plays a third of the odd requests of each route, drawn from the name of its commit (.ci/run). Without a seed they
 * are all played.
 */
const oddSeed = process.env.ODD_SEED

describe('Random requests', () => {
  const ending = ['DELETE /v1/accounts', 'POST /v1/storefront/account/logout', 'DELETE /v1/businesses/{businessId}']
  const bodies: unknown[] = [
    undefined,
    {},
    { id: unknownId },
    { '': '' },
    JSON.parse('{"__proto__": {"id": 1}, "constructor": 1}'),
  ]
  const parts = [
    unknownId,
    'x',
    '%00',
    '%ff',
    '%2e%2e',
    "'--",
    '0199AAAA-0000-7000-8000-0000000000BB',
    '😀',
    `${'a'.repeat(3000)}`,
  ]
  const searches = [
    '',
    '?limit=1e3&cursor=a&cursor=b&ids=,&query=%27:*|&sort_field=id',
    '?query=%00&locale=%F0%9F%98%80',
    '?created_at_from=-1&created_at_to=99999999999999999999&status=&ids=%27',
  ]

  test.each(named(routes.filter(({ spec }) => !ending.includes(spec))))(
    'No odd request is answered with 500: %s',
    async (_, route) => {
      const plain = pathOf(route, fillMine(route))
      const paths = [
        ...parts.map((part) => pathOf(route, { ...fillMine(route), row: () => part })),
        ...parts.map((part) => pathOf(route, { store: part, row: () => unknownId })),
        ...searches.map((search) => `${plain}${search}`),
      ]
      const requests: [path: string, body: unknown][] = [
        // A route without parameters has one path.
        ...[...new Set(paths)].map((path): [string, unknown] => [path, sampleOf(route)]),
        ...(route.method === 'GET' ? [] : bodies.map((body): [string, unknown] => [plain, body])),
      ]
      const third = random(Number(oddSeed), route.spec).whole(0, 2)
      const played = oddSeed ? requests.filter((_, n) => n % 3 === third) : requests
      const statuses: [number, string][] = []
      for (const [path, body] of played) statuses.push([(await send(route, path, body)).status, path])
      expect(statuses.filter(([status]) => status === 500)).toEqual([])
    },
  )
})
