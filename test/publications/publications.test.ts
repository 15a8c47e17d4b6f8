// Publications: every kind of content of every network becomes visible once; drafts, schedules, files that are held,
// lists, and what ends them.
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { type NetworkType, networkTypes } from '../../rules/social/networks/network-types.ts'
import { SocialPublicationOut } from '../../rules/social/resources.ts'
import { until } from '../kit/codes.ts'
import { database, newShop, type Shop, unique } from '../kit/shop.ts'
import {
  act,
  contentOf,
  created,
  now,
  partsOf,
  picture,
  postsOf,
  reached,
  readPublication,
  revealsOf,
  scheduled,
  type Variant,
  variants,
  visible,
} from '../kit/social/publications.ts'
import { connect, social, socialFault } from '../kit/social/social.ts'
import { deliveriesOf } from '../kit/webhooks/webhook-events.ts'

jest.setTimeout(90_000)

let shop: Shop
const connections = {} as Record<NetworkType, string>
beforeAll(async () => {
  shop = await newShop()
  for (const type of networkTypes) connections[type] = await connect(shop, type, `Shop ${unique()}`)
})
afterAll(async () => {
  await database().end()
})

const d = 'network_d_account'
const text = (caption = `Hello ${unique()}`) => ({ type: d, caption }) as const
const read = (id: string) => readPublication(shop, id)
const later = 3_600
const list = async (query: string) =>
  (await shop.asOperator('GET', `/social-publications?${query}`)).body.items.map(
    ({ id }: { id: string }) => id,
  ) as string[]

const each = networkTypes.flatMap((type) => variants[type].map((variant): [NetworkType, Variant] => [type, variant]))

describe('Publishing', () => {
  const posts = new Map<string, Promise<{ id: string; caption: string }>>()
  beforeAll(async () => {
    for (const [type, variant] of each)
      posts.set(
        `${type} ${variant}`,
        contentOf(shop, type, variant).then(async (content) => ({
          ...(await scheduled(shop, connections[type], content)),
          caption: content.caption,
        })),
      )
    await Promise.allSettled(posts.values())
  })

  test.each(each)('A publication of %s becomes visible once: %s', async (type, variant) => {
    const { id, caption } = (await posts.get(`${type} ${variant}`)) as { id: string; caption: string }
    const post = await reached(shop, id, ['published', 'failed', 'unknown'], 60_000)
    expect(post).toMatchObject({ status: 'published', error: null, attempts: [{ n: 1, status: 'succeeded' }] })
    // A story has no text.
    if (variant !== 'story') expect(await visible(caption)).toHaveLength(1)
    const shown = (await postsOf(variant === 'story' ? '' : caption)).filter((one) => one.id === post.provider_post_id)
    expect(shown).toEqual([expect.objectContaining({ visible_at: expect.any(Number) })])
    expect(shown[0]?.files).toHaveLength(variant === 'pictures' ? 2 : variant === 'text' ? 0 : 1)
    const { permalink } = await until(async () => {
      const found = await read(id)
      return found.permalink && found
    })
    expect(permalink).toMatch(/^https:\/\//)
    await until(async () => (await partsOf(id)).length === 0)
  })
})

describe('Drafts', () => {
  test('A draft may be incomplete, is changed, and is scheduled only without an error', async () => {
    const { id, status, issues } = await created(shop, connections.network_b_business, {
      type: 'network_b_business',
      media_ids: [connections[d]],
    })
    expect([status, issues[0]]).toEqual([
      'draft',
      expect.objectContaining({ pointer: '/content/media_ids/0', severity: 'error' }),
    ])
    const refused = await act(shop, id, 'schedule', { scheduled_at: now() + later })
    expect([refused.status, refused.body.errors[0].pointer]).toEqual([422, '/content/media_ids/0'])
    const content = { type: 'network_b_business', caption: 'Hello', media_ids: [await picture(shop)] }
    const changed = await shop.asOperator('PUT', `/social-publications/${id}`, { content })
    expect(changed.body.publication).toMatchObject({ status: 'draft', issues: [], content })
    const read = (await shop.asOperator('GET', `/social-publications/${id}`)).body
    expect((await shop.asOperator('PUT', `/social-publications/${id}`, read)).body.publication).toMatchObject({
      status: 'draft',
      content,
    })
    const moved = await shop.asOperator('PUT', `/social-publications/${id}`, {
      ...read,
      social_connection_id: connections[d],
    })
    expect([moved.status, moved.body.code, moved.body.errors[0].pointer]).toEqual([
      422,
      'cannot_change',
      '/social_connection_id',
    ])
    expect((await act(shop, id, 'schedule', { scheduled_at: now() + later })).body.publication).toMatchObject({
      status: 'scheduled',
    })
    // A scheduled one keeps to what can be published.
    const worse = await shop.asOperator('PUT', `/social-publications/${id}`, {
      content: { ...content, media_ids: [id] },
    })
    expect([worse.status, worse.body.errors[0].pointer]).toEqual([422, '/content/media_ids/0'])
    expect((await shop.asOperator('DELETE', `/social-publications/${id}`)).status).toBe(200)
    expect((await shop.asOperator('GET', `/social-publications/${id}`)).status).toBe(404)
  })

  test('A connection of another store, or one that was removed, takes no publication', async () => {
    const other = await newShop()
    const ask = (social_connection_id: string, of = shop) =>
      of.asOperator('POST', '/social-publications', { social_connection_id, content: text() })
    expect((await ask(connections[d], other)).body.code).toBe('connection_unknown')
    const removed = await connect(shop, d, `Shop ${unique()}`)
    const { id } = await created(shop, removed, text())
    await shop.asOperator('DELETE', `/social-connections/${removed}`)
    expect((await ask(removed)).body.code).toBe('connection_unknown')
    expect((await act(shop, id, 'schedule', { scheduled_at: now() + 60 })).body.code).toBe('connection_not_active')
  })

  test('A time that has passed by more than five minutes, or is beyond a year, is refused', async () => {
    const { id } = await created(shop, connections[d], text())
    const at = async (seconds: number) => (await act(shop, id, 'schedule', { scheduled_at: now() + seconds })).body.code
    expect([await at(-400), await at(367 * 86_400)]).toEqual(['in_the_past', 'too_far'])
    expect((await act(shop, id, 'schedule', { scheduled_at: now() + 366 * 86_400 - 60 })).status).toBe(200)
    // It waits in its row.
    const { rows } = await database().query('select started, look_at from social_publications where id = $1', [id])
    expect(rows[0]).toEqual({ started: false, look_at: null })
  })

  test('What was published cannot be changed, deleted, scheduled or cancelled any more', async () => {
    const { id } = await scheduled(shop, connections[d], text())
    await reached(shop, id, ['published'])
    const asked = [
      shop.asOperator('PUT', `/social-publications/${id}`, { content: text() }),
      shop.asOperator('DELETE', `/social-publications/${id}`),
      act(shop, id, 'schedule', { scheduled_at: now() + 60 }),
      act(shop, id, 'cancel'),
      act(shop, id, 'resolve', { outcome: 'failed', note: 'No.' }),
    ]
    const codes = (await Promise.all(asked)).map(({ body }) => body.code)
    expect(codes).toEqual([
      'publication_locked',
      'publication_locked',
      'publication_locked',
      'already_sent',
      'publication_not_unknown',
    ])
    expect((await act(shop, id, 'check')).body.publication.status).toBe('published')
  })
})

test('A file of a scheduled publication cannot be deleted, and can when that is cancelled', async () => {
  const media = await picture(shop)
  const { id } = await scheduled(
    shop,
    connections.network_b_business,
    { type: 'network_b_business', caption: 'Hello', media_ids: [media] },
    now() + 10 * later,
  )
  const refused = await shop.asOperator('DELETE', `/media/${media}`)
  expect([refused.status, refused.body.code, refused.body.referenced_by]).toEqual([
    409,
    'referenced',
    [{ kind: 'social_publication', id }],
  ])
  expect((await act(shop, id, 'cancel')).body.publication.status).toBe('cancelled')
  expect((await act(shop, id, 'cancel')).status).toBe(200)
  expect((await shop.asOperator('DELETE', `/media/${media}`)).status).toBe(200)
})

test('A cancellation deletes the hidden post of a page and the private video of a channel', async () => {
  const contents = [
    await contentOf(shop, 'network_a_page', 'text'),
    await contentOf(shop, 'network_c_channel', 'video'),
  ]
  for (const content of contents) {
    const { id } = await scheduled(shop, connections[content.type], content, now() + 300)
    await until(async () => (await partsOf(id)).some(({ state }) => state === 'ready'))
    expect(await postsOf(content.caption)).toEqual([expect.objectContaining({ visible_at: null, deleted_at: null })])
    await act(shop, id, 'cancel')
    await until(async () => (await postsOf(content.caption))[0]?.deleted_at)
    await until(async () => (await partsOf(id)).length === 0)
    expect([await read(id), await visible(content.caption), await revealsOf(id)]).toEqual([
      expect.objectContaining({ status: 'cancelled' }),
      [],
      [],
    ])
  }
})

test.each(['network_a_page', 'network_b_business', 'network_e_account'] as const)(
  'A refused file of a publication with several is named by its place: %s',
  async (type) => {
    const account = `Shop ${unique()}`
    const connection = await connect(shop, type, account)
    const media_ids = [await picture(shop), await picture(shop), await picture(shop)]
    await socialFault({
      fault: 'status',
      status: 400,
      code: 100,
      method: 'POST',
      owner: account,
      body_match: media_ids[1],
    })
    const { id } = await scheduled(shop, connection, { type, caption: `Hello ${unique()}`, media_ids }, now() + 300)
    const { error } = await reached(shop, id, ['failed'])
    expect(error).toEqual({
      ...error,
      code: 'network_refused',
      pointer: '/content/media_ids/1',
      media_id: media_ids[1],
    })
  },
)

test('A picture that the network cannot process fails the publication ahead of its time', async () => {
  const account = `Shop ${unique()}`
  const connection = await connect(shop, 'network_b_business', account)
  await social('POST', '/settings', { network: 'b', account, fail_next: 1 })
  const content = await contentOf(shop, 'network_b_business', 'picture')
  const { id } = await scheduled(shop, connection, content, now() + 300)
  const post = await reached(shop, id, ['failed'])
  const place = { pointer: '/content/media_ids/0', media_id: content.media_ids?.[0] }
  expect(post).toMatchObject({ error: { code: 'media_refused', ...place }, attempts: [], published_at: null })
  // With another picture it is scheduled again.
  await shop.asOperator('PUT', `/social-publications/${id}`, {
    content: { ...content, media_ids: [await picture(shop)] },
  })
  await act(shop, id, 'schedule', { scheduled_at: now() })
  await reached(shop, id, ['published'])
  expect(await visible(content.caption)).toHaveLength(1)
})

test('The list filters by connection, type, state, words and times, and sorts by them', async () => {
  const other = await newShop()
  const on = { d: await connect(other, d, unique()), e: await connect(other, 'network_e_account', unique()) }
  const word = `w${unique()}`
  const at = now() + 10 * later
  const one = await scheduled(other, on.d, text(`${word} first`), at)
  const two = await scheduled(other, on.d, text('second'), at + 10)
  const three = await created(other, on.e, { type: 'network_e_account', caption: `${word} third` })
  const four = await scheduled(other, on.d, text('fourth'))
  await reached(other, four.id, ['published'])
  const listed = async (query: string) =>
    (await other.asOperator('GET', `/social-publications?${query}`)).body.items.map(
      ({ id }: { id: string }) => [one, two, three, four].findIndex((post) => post.id === id) + 1,
    )
  expect(await listed('')).toEqual([4, 3, 2, 1])
  expect(await listed(`social_connection_id=${on.d}`)).toEqual([4, 2, 1])
  expect(await listed('type=network_e_account')).toEqual([3])
  expect(await listed('status=scheduled,draft')).toEqual([3, 2, 1])
  expect(await listed(`query=${word}`)).toEqual([3, 1])
  expect(await listed(`ids=${one.id},${three.id}`)).toEqual([3, 1])
  expect(await listed(`scheduled_at_from=${at}&scheduled_at_to=${at}`)).toEqual([1])
  expect(await listed(`published_at_from=${now() - 60}`)).toEqual([4])
  expect(await listed('sort_field=scheduled_at&sort_direction=asc')).toEqual([4, 1, 2])
  expect(await listed('sort_field=published_at')).toEqual([4])
  expect(await list(`ids=${one.id}`)).toEqual([])
})

test('Webhooks receive what the API shows', async () => {
  const { body: hook } = await shop.asOperator('POST', '/webhooks', {
    ...{
      key: unique(),
      url: 'http://127.0.0.1:9999/',
      events: [{ event: 'social_publication.published' }],
      headers: {},
      enabled: true,
    },
  })
  const { id } = await scheduled(shop, connections[d], text())
  await reached(shop, id, ['published'])
  const [event] = (await deliveriesOf(hook as { id: string })).map(({ data }) => data).filter((data) => data.id === id)
  expect(Object.keys(event as object).sort()).toEqual(Object.keys(SocialPublicationOut.shape).sort())
  expect(event).toMatchObject({ id, status: 'published' })
})
