// Accounts of networks: connected by consent alone, their tokens renewed once however many calls need them, and ended
// by their network or an operator.
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { accessTokenOf, applySocialConnection, NoToken } from '../../activities/connections/token-requests.ts'
import { closeDatabase } from '../../activities/kit/database.ts'
import { type NetworkType, networkTypes } from '../../rules/social/networks/network-types.ts'
import { networks } from '../../rules/social/networks/networks.ts'
import { SocialConnectionOut } from '../../rules/social/resources.ts'
import { until } from '../kit/codes.ts'
import { atOnce } from '../kit/orders/buying.ts'
import { api, database, eitherApi, newShop, type Shop, unique } from '../kit/shop.ts'
import {
  connect,
  connectAll,
  consented,
  cookieOf,
  expire,
  goBack,
  networkOf,
  social,
  socialFault,
  socialLedger,
  wentOn,
} from '../kit/social/social.ts'
import { deliveriesOf } from '../kit/webhooks/webhook-events.ts'

jest.setTimeout(60_000)

let shop: Shop
beforeAll(async () => {
  shop = await newShop()
})
afterAll(async () => {
  await closeDatabase()
  await database().end()
})

const row = async (id: string) =>
  (await database().query('select * from social_connections where id = $1', [id])).rows[0]
const read = async (id: string, of = shop) => (await of.asOperator('GET', `/social-connections/${id}`)).body
const listed = async (query = '', of = shop) =>
  (await of.asOperator('GET', `/social-connections${query}`)).body.items as { id: string; status: string }[]
/** A webhook for one event. */
async function hookFor(event: string): Promise<{ id: string }> {
  const { body } = await shop.asOperator('POST', '/webhooks', {
    key: unique(),
    url: 'http://127.0.0.1:9999/',
    events: [{ event }],
    headers: {},
    enabled: true,
  })
  return body
}
/** Exactly what the API shows: a row also has its tokens. */
async function published(hook: { id: string }) {
  const all = (await deliveriesOf(hook)).map(({ data }) => data)
  for (const data of all) expect(Object.keys(data).sort()).toEqual(Object.keys(SocialConnectionOut.shape).sort())
  return all
}
const account = () => `Shop ${unique()}`
/** Refreshes that arrived at the network for an account, in order. */
async function refreshes(id: string) {
  const { rows } = await database().query(
    "select id, status, error from social_token_requests where social_connection_id = $1 and kind = 'refresh' order by id",
    [id],
  )
  return rows as { id: string; status: string }[]
}

test('The capabilities name all five types, their limits, and whether they are configured', async () => {
  const { body } = await shop.asOperator('GET', '/social-connections/capabilities')
  const expected = networkTypes.map((type) => {
    const { media, images: _, ...others } = networks[type].capability
    return { type, configured: true, ...others, media: media.map((row) => expect.objectContaining(row)) }
  })
  expect(body.items).toEqual(expected)
  const rows = body.items.map(
    ({ media }: { media: { kinds: string[]; mixed: boolean; bytes_max: number }[] }) => media[2] ?? media[0],
  )
  const MiB = 2 ** 20
  expect(rows.map(({ kinds, mixed, bytes_max }: (typeof rows)[0]) => ({ kinds, mixed, bytes_max }))).toEqual([
    { kinds: ['video'], mixed: false, bytes_max: 1_024 * MiB },
    { kinds: ['image', 'video'], mixed: true, bytes_max: 300 * MiB },
    { kinds: ['video'], mixed: false, bytes_max: 262_144 * MiB },
    { kinds: ['video'], mixed: false, bytes_max: 512 * MiB },
    { kinds: ['image', 'video'], mixed: true, bytes_max: 1_024 * MiB },
  ])
})

describe('Connecting', () => {
  test.each(networkTypes)('A consent connects the account of %s, and another consent keeps its id', async (type) => {
    const name = account()
    const id = await connect(shop, type, name)
    const connection = await read(id)
    expect(connection).toMatchObject({
      id,
      type,
      name,
      status: 'active',
      reason: null,
      connected_by: shop.op.account_id,
    })
    expect(connection.scopes.length).toBeGreaterThan(0)
    expect(connection.reconnect_by === null).toBe(type !== 'network_a_page')
    const { access_token, refresh_token, token_version } = await row(id)
    expect(JSON.stringify(connection)).not.toMatch(/till_sim|token/)
    for (const sealed of [access_token, refresh_token]) expect(String(sealed)).not.toMatch(/till_sim/)
    expect(await connect(shop, type, name)).toBe(id)
    expect((await row(id)).token_version).toBe(token_version + 1)
    // The token that is there is one that the network accepts.
    expect((await accessTokenOf(id, null)).token).toMatch(/^till_sim_at_/)
  })

  test('A consent for thirty pages connects each of them, with a token of its own', async () => {
    const ids = await connectAll(shop, 'network_a_page', account(), 30)
    expect(new Set(ids).size).toBe(30)
    const tokens = await Promise.all(ids.map((id) => accessTokenOf(id, null)))
    expect(new Set(tokens.map(({ token }) => token)).size).toBe(30)
  })

  test('The browser goes on to the return address with the connection, or with the error', async () => {
    const return_url = 'https://shop.example/settings?tab=social#here'
    const back = await goBack(await consented(shop, 'network_d_account', account(), { return_url }))
    expect([back.status, back.location?.origin, back.location?.hash]).toEqual([303, 'https://shop.example', '#here'])
    const id = back.location?.searchParams.get('social_connection_id') as string
    expect(await read(id)).toMatchObject({ status: 'active', type: 'network_d_account' })

    const denied = await goBack(await consented(shop, 'network_d_account', null, { return_url }))
    expect([denied.status, denied.location?.searchParams.get('error')]).toEqual([303, 'access_denied'])

    const to = await consented(shop, 'network_d_account', account(), { return_url })
    await socialFault({
      path: '/api.x.com/2/oauth2/token',
      body_match: to.searchParams.get('code'),
      fault: 'reset_after_read',
      after_effect: true,
    })
    expect((await goBack(to)).location?.searchParams.get('error')).toBe('oauth_unknown')
    // The code is never sent again.
    expect(await socialLedger({ match: to.searchParams.get('code') as string })).toHaveLength(1)
  })

  test('A consent without an account of the network answers no_account', async () => {
    const { status, body } = await goBack(await consented(shop, 'network_a_page', account(), { pages: 0 }))
    expect([status, body]).toEqual([
      200,
      { connections: [], error: { code: 'no_account', message: expect.any(String) } },
    ])
  })

  test('An id that is a number beyond 2^53 is kept to the digit', async () => {
    const owner = account()
    const to = await consented(shop, 'network_b_business', owner)
    const id = `1784${unique().replaceAll(/\D/g, '7')}53`
    const body = `{"user_id": ${id}, "username": "shop", "name": "Shop"}`
    await socialFault({
      owner,
      method: 'GET',
      path: '/graph.instagram.com/v25.0/me',
      fault: 'answer',
      status: 200,
      body,
    })
    expect((await goBack(to)).body.connections).toMatchObject([{ provider_account_id: id }])
  })

  test('A list of accounts whose cursors lead in a circle ends, and each account is connected once', async () => {
    const owner = account()
    const to = await consented(shop, 'network_a_page', owner)
    const body = JSON.stringify({
      data: [{ id: unique(), name: 'Page', access_token: 'till_sim_at_x' }],
      paging: { next: 'x', cursors: { after: 'c' } },
    })
    await socialFault({
      owner,
      path: '/graph.facebook.com/v25.0/me/accounts',
      fault: 'answer',
      status: 200,
      headers: { 'content-type': 'application/json' },
      body,
      times: 20,
    })
    const { body: connected } = await goBack(to)
    expect(connected).toMatchObject({ connections: [{ name: 'Page' }], error: null })
    expect((await social<{ owner?: string }[]>('GET', '/faults')).filter((fault) => fault.owner === owner)).toEqual([])
  })

  test('Accounts are read again until the network answers', async () => {
    const owner = account()
    const to = await consented(shop, 'network_e_account', owner)
    await socialFault({ owner, path: '/graph.threads.net/v1.0/me', fault: 'status', status: 503, times: 2 })
    expect((await goBack(to)).body).toMatchObject({ connections: [{ type: 'network_e_account' }], error: null })
  })
})

describe('Strangers', () => {
  const nothing = async (work: () => Promise<unknown>) => {
    const count = async () =>
      (
        await database().query('select count(*)::int as n from social_connections where tenant_id = $1', [
          shop.store_id,
        ])
      ).rows[0].n
    const before = await count()
    await work()
    expect(await count()).toBe(before)
  }
  const refused = async (to: URL) => {
    const { status, location, body } = await goBack(to, eitherApi())
    expect([status, location, body.code]).toEqual([400, null, 'bad_state'])
  }

  test('A state that was used, changed, forgotten or made for another network is refused', () =>
    nothing(async () => {
      const return_url = 'https://shop.example/'
      const to = await consented(shop, 'network_c_channel', account(), { return_url })
      const changed = (name: string, value: string | null, path = to.pathname) => {
        const other = new URL(to)
        other.pathname = path
        if (value === null) other.searchParams.delete(name)
        else other.searchParams.set(name, value)
        return other
      }
      await refused(changed('state', `${to.searchParams.get('state')}x`))
      await refused(changed('state', null))
      // The store that the state names is not the one that it was made for.
      await refused(
        changed('state', String(to.searchParams.get('state')).replace(shop.store_id, (await newShop()).store_id)),
      )
      await refused(changed('state', `${to.searchParams.get('state')}&scope=x&iss=y`))
      await refused(changed('x', '1', '/v1/social/callback/network_d_account'))
      await refused(changed('x', '1', '/v1/social/callback/network_x'))
      await database().query(
        'update social_authorizations set expires_at = 1 where tenant_id = $1 and code_digest is null',
        [shop.store_id],
      )
      await refused(to)
      const denied = await consented(shop, 'network_c_channel', null, { return_url })
      expect((await goBack(denied)).status).toBe(303)
      await refused(denied)
      expect(await socialLedger({ match: to.searchParams.get('code') as string })).toEqual([])
    }))

  test('A consent is taken from the browser that went on from the page which names the store', async () => {
    const [evil, name] = [await newShop(), account()]
    await evil.asOperator('PUT', '', { settings: { name: 'Corner <b>Salon</b>' } })
    const asked = (await evil.asOperator('POST', '/social-connections/oauth/connect', { type: 'network_d_account' }))
      .body.authorization_url as string
    const page = await fetch(`${api()}${new URL(asked).pathname}${new URL(asked).search}`)
    const html = await page.text()
    expect(html).toContain('Corner &#60;b&#62;Salon&#60;/b&#62;')
    expect(html).toContain(`<code>${(await evil.asOperator('GET', '')).body.key}</code>`)
    expect([page.headers.get('set-cookie'), page.headers.get('content-security-policy')]).toEqual([
      expect.stringMatching(/HttpOnly; SameSite=Lax/),
      expect.stringContaining("frame-ancestors 'none'"),
    ])
    const consentAt = async (to: URL) => {
      to.searchParams.set('sim_account', name)
      return new URL((await fetch(to, { redirect: 'manual' })).headers.get('location') as string)
    }
    const own = await wentOn(asked)
    const cookie = cookieOf(own.searchParams.get('state') as string)
    // The owner of the account follows a link that another browser was given: with no cookie, with one of their own,
    // and with the state that the network was never sent.
    const theirs = await wentOn(asked)
    const other = cookieOf(theirs.searchParams.get('state') as string)
    const back = await consentAt(own)
    const bare = new URL(back)
    bare.searchParams.set('state', new URL(asked).searchParams.get('state') as string)
    for (const [to, sent] of [
      [back, 'x=1'],
      [back, other],
      [bare, cookie],
      [back, `till_consent=${'a'.repeat(51)}`],
    ] as const) {
      const { status, body } = await goBack(to, api(), sent)
      expect([status, body.code]).toEqual([400, 'bad_state'])
    }
    expect(await listed('', evil)).toEqual([])
    // A second tab of the same browser keeps its cookie.
    const again = await wentOn(asked, cookie)
    expect([again.href, cookieOf(again.searchParams.get('state') as string)]).toEqual([
      own.href.replace(/&sim_account=.*$/, ''),
      cookie,
    ])
    const done = await goBack(back, api(), `a=b; ${cookie}; c=d`)
    expect([done.status, done.location]).toEqual([200, null])
    await until(async () => (await listed('', evil)).length === 1)
    expect((await fetch(`${api()}${new URL(asked).pathname}${new URL(asked).search}`)).status).toBe(400)
  })

  test('A browser is shown a page where a program gets JSON', async () => {
    const asPage = async (to: URL | string, cookie = 'x=1') => {
      const answer = await fetch(to, { headers: { Accept: 'text/html,*/*;q=0.8', Cookie: cookie }, redirect: 'manual' })
      const html = await answer.text()
      expect(answer.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
      return [answer.status, answer.headers.get('content-type'), /<h1>(.*)<\/h1>/.exec(html)?.[1]]
    }
    const html = 'text/html; charset=utf-8'
    const name = account()
    const to = await consented(shop, 'network_d_account', name)
    const own = cookieOf(to.searchParams.get('state') as string)
    const refused = [400, html, 'Your account of X was not connected']
    expect(await asPage(to)).toEqual(refused)
    expect(await asPage(`${api()}/v1/social/consent/network_d_account?state=x`)).toEqual(refused)
    expect(await asPage(to, own)).toEqual([200, html, `Your account of X is connected to ${shop.store.key}`])
    expect(await asPage(to, own)).toEqual(refused)
    const denied = await consented(shop, 'network_d_account', null)
    expect(await asPage(denied, cookieOf(denied.searchParams.get('state') as string))).toEqual([
      200,
      html,
      `Your account of X was not connected to ${shop.store.key}`,
    ])
  })

  test('A consent that comes back during the erasure of its store is refused', async () => {
    const shutting = await newShop()
    const to = await consented(shutting, 'network_d_account', account())
    const asked = (
      await shutting.asOperator('POST', '/social-connections/oauth/connect', { type: 'network_d_account' })
    ).body.authorization_url as string
    await database().query('update tenants set erasing_at = extract(epoch from now())::bigint where id = $1', [
      shutting.store_id,
    ])
    await refused(to)
    const page = await fetch(`${api()}${new URL(asked).pathname}${new URL(asked).search}`)
    expect([page.status, ((await page.json()) as { code: string }).code]).toEqual([400, 'bad_state'])
    expect(await socialLedger({ match: to.searchParams.get('code') as string })).toEqual([])
  })

  test('Of eight equal callbacks one is accepted, and one code arrives at the network', async () => {
    const to = await consented(shop, 'network_d_account', account())
    const answers = await atOnce(8, () => goBack(to, eitherApi()))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400, 400, 400, 400])
    expect(await socialLedger({ match: to.searchParams.get('code') as string })).toHaveLength(1)
  })

  test('A state connects the account to the store that began, and to no other', async () => {
    const other = await newShop()
    const name = account()
    const id = await connect(other, 'network_b_business', name)
    expect([await listed(`?ids=${id}`), await listed(`?ids=${id}`, other)]).toEqual([
      [],
      [expect.objectContaining({ id })],
    ])
    expect((await shop.asOperator('DELETE', `/social-connections/${id}`)).status).toBe(404)
  })
})

describe('Refreshing', () => {
  const rotating: NetworkType = 'network_d_account'
  const connected = async (type: NetworkType = rotating) => {
    const name = account()
    return { id: await connect(shop, type, name), name, network: networkOf(type) }
  }
  /** The tokens have ended, as the network and we see it. */
  const end = async ({ id, name, network }: Awaited<ReturnType<typeof connected>>) => {
    await expire(network, name)
    await database().query(
      'update social_connections set token_expires_at = extract(epoch from now())::bigint - 1 where id = $1',
      [id],
    )
  }
  test.each(['network_c_channel', 'network_d_account'] as const)(
    'Twenty-one calls meet an ended token of %s, and refresh it once',
    async (type) => {
      const one = await connected(type)
      await end(one)
      const tokens = await atOnce(21, () => accessTokenOf(one.id, null))
      expect(new Set(tokens.map(({ token }) => token)).size).toBe(1)
      expect(await refreshes(one.id)).toMatchObject([{ status: 'succeeded' }])
      expect(
        (await socialLedger({ owner: one.name })).filter(({ fields }) => fields.grant_type === 'refresh_token'),
      ).toHaveLength(1)
      expect(await read(one.id)).toMatchObject({ status: 'active' })
    },
  )

  test('A refresh that names other scopes changes those of the connection', async () => {
    const one = await connected()
    await end(one)
    const body = { access_token: 'till_sim_at_narrow', expires_in: 7_200, scope: 'tweet.read users.read' }
    await socialFault({ owner: one.name, path: '/api.x.com/2/oauth2/token', fault: 'answer', status: 200, body })
    expect((await accessTokenOf(one.id, null)).token).toBe(body.access_token)
    expect((await read(one.id)).scopes).toEqual(['tweet.read', 'users.read'])
  })

  test('After a lost answer the old token serves, and one more try comes when it is refused', async () => {
    const one = await connected()
    const { version, token } = await accessTokenOf(one.id, null)
    // Under two minutes are left: the next call refreshes.
    await database().query(
      'update social_connections set token_expires_at = extract(epoch from now())::bigint + 60 where id = $1',
      [one.id],
    )
    await socialFault({
      owner: one.name,
      path: '/api.x.com/2/oauth2/token',
      fault: 'reset_after_read',
      after_effect: true,
    })
    await accessTokenOf(one.id, null)
    await until(async () => (await refreshes(one.id)).at(-1)?.status === 'unknown')
    for (let calls = 0; calls < 5; calls++) expect(await accessTokenOf(one.id, null)).toEqual({ token, version })
    expect(await refreshes(one.id)).toHaveLength(1)
    expect((await read(one.id)).status).toBe('active')
    // Refused: the network had replaced the token, and revokes the family when the old one comes again.
    await expect(accessTokenOf(one.id, version)).rejects.toThrow(NoToken)
    expect(await refreshes(one.id)).toMatchObject([{ status: 'unknown' }, { status: 'rejected' }])
    expect(await read(one.id)).toMatchObject({ status: 'needs_reconnect', reason: { code: 'grant_ended' } })
    expect(
      (await social<{ why: string }[]>('GET', '/revocations')).filter(({ why }) => why === 'refresh token reused')
        .length,
    ).toBeGreaterThan(0)
    // Connecting the account again revives the connection.
    expect(await connect(shop, rotating, one.name)).toBe(one.id)
    expect(await read(one.id)).toMatchObject({ status: 'active', reason: null })
  })

  test('A network that answers 5xx for an hour disconnects nothing', async () => {
    const one = await connected()
    await end(one)
    await socialFault({
      owner: one.name,
      path: '/api.x.com/2/oauth2/token',
      fault: 'status',
      status: 503,
      times: 1_000,
    })
    const hour = 3_600
    for (let calls = 0; calls < 8; calls++) {
      await accessTokenOf(one.id, null, 1_000).catch((error) => expect(error).toBeInstanceOf(NoToken))
      // Time passes between the tries.
      await database().query(
        'update social_token_requests set settled_at = settled_at - make_interval(secs => $2) where social_connection_id = $1 and settled_at is not null',
        [one.id, hour / 8],
      )
    }
    await until(async () => (await refreshes(one.id)).every(({ status }) => status === 'unknown'))
    expect((await read(one.id)).status).toBe('active')
    await social('DELETE', `/faults?${new URLSearchParams({ owner: one.name })}`)
    await database().query(
      "update social_token_requests set settled_at = settled_at - interval '1 day' where social_connection_id = $1",
      [one.id],
    )
    expect((await accessTokenOf(one.id, null)).token).toMatch(/^till_sim_at_/)
  })

  test('A removed app ends the grant, and the event is published once', async () => {
    const one = await connected()
    const hook = await hookFor('social_connection.needs_reconnect')
    await social('POST', '/remove', { network: 'd', account: one.name })
    const { version } = await accessTokenOf(one.id, null)
    await atOnce(5, () => accessTokenOf(one.id, version).catch(() => {}))
    expect(await read(one.id)).toMatchObject({ status: 'needs_reconnect', reason: { code: 'grant_ended' } })
    expect(await published(hook)).toEqual([expect.objectContaining({ id: one.id, status: 'needs_reconnect' })])
  })

  test('A token that no call renews is renewed by its timer, ahead of its end', async () => {
    for (const type of ['network_b_business', 'network_e_account', 'network_d_account'] as const) {
      const { id } = await connected(type)
      const { token_version } = await row(id)
      await database().query(
        'update social_connections set refreshed_at = refreshed_at - 31 * 86400, token_expires_at = token_expires_at - case type when $2 then 0 else 52 * 86400 end where id = $1',
        [id, 'network_d_account'],
      )
      await applySocialConnection(id)
      await until(async () => (await row(id)).token_version === token_version + 1)
      expect(await refreshes(id)).toMatchObject([{ status: 'succeeded' }])
    }
  })

  test('The end of a consent is published a week ahead, once, and ends the connection', async () => {
    const hook = await hookFor('social_connection.expiring')
    const { id } = await connected('network_a_page')
    await database().query(
      'update social_connections set reconnect_by = extract(epoch from now())::bigint + 6 * 86400 where id = $1',
      [id],
    )
    for (let looks = 0; looks < 3; looks++) await applySocialConnection(id)
    expect(await published(hook)).toEqual([expect.objectContaining({ id, status: 'active' })])
    await database().query('update social_connections set reconnect_by = 1 where id = $1', [id])
    expect(await applySocialConnection(id)).toEqual({ do: 'done' })
    expect(await read(id)).toMatchObject({ status: 'needs_reconnect', reason: { code: 'consent_expired' } })
  })
})

describe('Disconnecting', () => {
  test.each(['network_a_page', 'network_c_channel', 'network_d_account'] as const)(
    'Tokens of %s are erased at once and revoked at the network',
    async (type) => {
      const name = account()
      const id = await connect(shop, type, name)
      expect((await shop.asOperator('DELETE', `/social-connections/${id}`)).body).toEqual({ success: true })
      expect(await row(id)).toMatchObject({ status: 'disconnected', access_token: null, refresh_token: null })
      expect([await listed(`?ids=${id}`), await listed(`?ids=${id}&status=disconnected`)]).toEqual([
        [],
        [expect.objectContaining({ id })],
      ])
      expect((await shop.asOperator('DELETE', `/social-connections/${id}`)).status).toBe(404)
      await until(
        async () =>
          (
            await database().query(
              "select 1 from social_token_requests where social_connection_id = $1 and kind = 'revoke' and status = 'succeeded'",
              [id],
            )
          ).rows.length > 0,
      )
      await expect(accessTokenOf(id, null)).rejects.toThrow(NoToken)
      expect(
        (
          await database().query(
            'select held, tokens, request from social_token_requests where social_connection_id = $1',
            [id],
          )
        ).rows,
      ).toEqual([{ held: null, tokens: null, request: null }])
    },
  )

  test('A consent that another connection rests on is not revoked', async () => {
    const [first, second] = await connectAll(shop, 'network_a_page', account(), 2)
    const revocations = async () =>
      (
        await database().query(
          "select 1 from social_token_requests where social_connection_id = any ($1) and kind = 'revoke'",
          [[first, second]],
        )
      ).rows.length
    await shop.asOperator('DELETE', `/social-connections/${first}`)
    expect(await revocations()).toBe(0)
    await shop.asOperator('DELETE', `/social-connections/${second}`)
    expect(await revocations()).toBe(1)
  })

  test('Tokens of a refresh that ends after the account was disconnected are revoked', async () => {
    const name = account()
    const id = await connect(shop, 'network_d_account', name)
    await socialFault({
      owner: name,
      path: '/api.x.com/2/oauth2/token',
      fault: 'delay',
      delay_ms: 1_500,
      after_effect: true,
    })
    await expire('d', name)
    await database().query('update social_connections set token_expires_at = 1 where id = $1', [id])
    const arrived = async () => (await socialLedger({ owner: name, path: '/2/oauth2/token' })).length
    const before = await arrived()
    const asking = accessTokenOf(id, null).catch((error) => error)
    await until(async () => (await arrived()) > before)
    await shop.asOperator('DELETE', `/social-connections/${id}`)
    expect(await asking).toBeInstanceOf(NoToken)
    await until(
      async () =>
        (
          await database().query(
            "select 1 from social_token_requests where social_connection_id = $1 and kind = 'revoke' and status = 'succeeded'",
            [id],
          )
        ).rows.length === 2,
    )
    expect(await row(id)).toMatchObject({ status: 'disconnected', access_token: null })
  })
})
