// Validation is one rule: what it calls valid the networks take, and what it refuses scheduling refuses at the same
// places.
// A failure prints the content. CONTENT_SEED=random (or a number) picks another seed, CONTENT_RUNS sets the number of
// contents.
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import fc from 'fast-check'
import type { Issue } from '../../rules/publications/content.ts'
import { captionLength } from '../../rules/publications/text-lengths.ts'
import { type NetworkType, networkTypes } from '../../rules/social/networks/network-types.ts'
import { networks } from '../../rules/social/networks/networks.ts'
import { photo, send } from '../kit/content/files.ts'
import { type Movie, movie } from '../kit/content/movies.ts'
import { database, newShop, type Shop, unique } from '../kit/shop.ts'
import { act, type Content, created, now, postsBeginning, reached } from '../kit/social/publications.ts'
import { connect } from '../kit/social/social.ts'

const runs = Number(process.env.CONTENT_RUNS ?? 40)
jest.setTimeout(240_000 + 2_000 * runs)

const seed = process.env.CONTENT_SEED === 'random' ? Date.now() % 2 ** 31 : Number(process.env.CONTENT_SEED ?? 7)

let shop: Shop
const connections = {} as Record<NetworkType, string>
/**
 * Contents that an account was drawn for. Networks b and e bound the posts of a day: others follow on another account.
 */
const drawnFor = new Map<NetworkType, { account: Promise<string>; count: number }>()
const perAccount = 90
/** Ids of the store's files, by their names. */
let files: Record<string, string>

const pictures: [name: string, width: number, height: number, format: 'jpeg' | 'png' | 'webp' | 'gif' | 'avif'][] = [
  ['square.jpg', 320, 320, 'jpeg'],
  ['portrait.png', 400, 500, 'png'],
  ['wide.webp', 382, 200, 'webp'],
  ['modern.avif', 330, 300, 'avif'],
  ['moving.gif', 200, 200, 'gif'],
  // Outside of what network b shows, and of what network e does.
  ['tall.jpg', 300, 400, 'jpeg'],
  ['banner.jpg', 660, 60, 'jpeg'],
  ['line.png', 300, 3, 'png'],
  // Longer than the sides that network d takes: sent as a JPEG.
  ['long.png', 9_000, 900, 'png'],
]
const movies: Record<string, Movie> = {
  'reel.mp4': {},
  'turned.mov': { width: 1_920, height: 1_080, isTurned: true, brand: 'qt  ' },
  'landscape.mp4': { width: 1_280, height: 720, duration_s: 70 },
  'short.mp4': { duration_s: 0.7 },
  'long.mp4': { duration_s: 400 },
  'large.mp4': { width: 2_160, height: 3_840 },
  'small.mp4': { width: 90, height: 160 },
}

beforeAll(async () => {
  shop = await newShop()
  const sent = [
    ...(await Promise.all(
      pictures.map(async ([name, width, height, format]) => ({ name, bytes: await photo(width, height, format) })),
    )),
    ...Object.entries(movies).map(([name, given]) => ({ name, bytes: movie(given) })),
    { name: 'damaged.mp4', bytes: movie().subarray(0, 90) },
    { name: 'notes.txt', bytes: 'Not a picture' },
  ]
  const uploaded = (await send(shop, sent)).body.items as { id: string; name: string }[]
  files = Object.fromEntries(uploaded.map(({ id, name }) => [name, id]))
  for (const type of networkTypes) connections[type] = await connect(shop, type, `Shop ${unique()}`)
})
afterAll(() => database().end())

function accountFor(type: NetworkType): Promise<string> {
  const last = drawnFor.get(type) ?? { account: connect(shop, type, `Shop ${unique()}`), count: 0 }
  const next = last.count < perAccount ? last : { account: connect(shop, type, `Shop ${unique()}`), count: 0 }
  next.count++
  drawnFor.set(type, next)
  return next.account
}

type Found = { valid: boolean; issues: Issue[] }
async function validated(content: Content, more: object = {}): Promise<Found> {
  const { status, body } = await shop.asOperator('POST', '/social-publications/validate', {
    ...{ social_connection_id: connections[content.type], content },
    ...more,
  })
  if (status !== 200) throw new Error(`not validated: ${status} ${JSON.stringify(body)}`)
  return body
}
const errorsOf = ({ issues }: { issues: readonly Issue[] }) => issues.filter(({ severity }) => severity === 'error')
const place = ({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`

const fillers = [
  'x',
  'é',
  '日',
  '👍',
  '👨‍👩‍👧',
  ' https://example.com/a',
  ' #tag',
  ' @you',
  ' salon.berlin',
  '\n',
  '<b>',
  'ﬁ',
]
/** Any characters but those that the API refuses in every text. */
const strange = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 12 })
  .map((text) => text.toWellFormed().replaceAll('\0', 'x'))
/** Often just below or above the limit. */
const captions = (type: NetworkType) =>
  fc
    .tuple(
      fc.oneof(fc.constantFrom(...fillers), fc.string({ unit: 'grapheme', maxLength: 12 }), strange),
      fc.constantFrom('short', 'limit', 'beyond', 'none'),
      fc.integer({ min: -2, max: 2 }),
    )
    .map(([filler, kind, off]) => {
      if (kind === 'none') return undefined
      const { max, unit } = networks[type].capability.caption
      const each = Math.max(1, captionLength(unit, filler.repeat(8)) / 8)
      const count =
        kind === 'short'
          ? 3
          : Math.floor((Math.min(max, 5_000) - 12) / each) + (kind === 'beyond' ? Math.max(1, off) * 12 : off)
      return filler.repeat(Math.max(0, count))
    })
const names = [...pictures.map(([name]) => name), ...Object.keys(movies), 'damaged.mp4', 'notes.txt']
const usual = ['square.jpg', 'portrait.png', 'wide.webp', 'modern.avif', 'reel.mp4']
const some = (from: readonly string[], maxLength: number) => fc.array(fc.constantFrom(...from), { maxLength })
const media = fc.oneof(
  { weight: 3, arbitrary: some(usual, 1) },
  { weight: 2, arbitrary: some(usual.slice(0, 4), 4) },
  { weight: 2, arbitrary: some(names, 2) },
  { weight: 1, arbitrary: some(names, 22) },
)
const maybe = <T>(of: fc.Arbitrary<T>, weight = 1) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight, arbitrary: of })
const contentOf = (type: NetworkType) =>
  fc.record({
    type: fc.constant(type),
    caption: captions(type),
    names: media,
    placement: maybe(fc.constantFrom('feed', 'reel', 'story'), type < 'network_c' ? 3 : 0),
    share_to_feed: maybe(fc.boolean(), type === 'network_b_business' ? 1 : 0),
    title: maybe(
      fc.constantFrom('How we cut', 'x'.repeat(100), 'x'.repeat(101), 'a < b', ' '),
      type === 'network_c_channel' ? 12 : 0,
    ),
    privacy: maybe(fc.constantFrom('public', 'unlisted', 'private'), type === 'network_c_channel' ? 1 : 0),
    made_for_kids: maybe(fc.boolean(), type === 'network_c_channel' ? 1 : 0),
    link_url: maybe(
      fc.constantFrom('https://shop.example/new', 'HTTPS://shop.example:8443/a?b=c#d', 'shop.example', 'https://'),
      type === 'network_a_page' ? 1 : 0,
    ),
  })
type Drawn = { type: NetworkType; caption: string | undefined; names: string[] } & Record<string, unknown>

/** A text of its own, so that the ledger tells the posts apart. */
function contentFrom({ names, caption, ...drawn }: Drawn): Content {
  const given = Object.fromEntries(Object.entries(drawn).filter(([, value]) => value !== undefined))
  const media_ids = names.map((name) => files[name] as string)
  return {
    ...given,
    type: drawn.type,
    media_ids,
    ...(caption === undefined ? {} : { caption: `${unique().slice(-9)} ${caption}` }),
  }
}

describe('Validation', () => {
  test('Random contents that are valid become visible, and others are refused at the same places', async () => {
    const drawn = networkTypes.flatMap((type, n) =>
      fc.sample(contentOf(type), { seed: seed + n, numRuns: Math.ceil(runs / networkTypes.length) }),
    ) as Drawn[]
    const outcomes = { valid: 0, refused: 0 }
    const one = async (given: Drawn) => {
      const content = contentFrom(given)
      const social_connection_id = await accountFor(content.type)
      const found = await validated(content, { social_connection_id })
      const told = JSON.stringify({
        seed,
        ...given,
        caption: `${[...(given.caption ?? '')].length} ${(given.caption ?? '').slice(0, 20)}`,
      })
      const draft = await created(shop, social_connection_id, content)
      // Creation does not compare with other publications.
      expect({ told, issues: draft.issues }).toEqual({
        told,
        issues: found.issues.filter(({ code }) => code !== 'duplicate_content'),
      })
      const { status, body } = await act(shop, draft.id, 'schedule', { scheduled_at: now() })
      if (!found.valid) {
        outcomes.refused++
        expect({ told, status, places: body.errors?.map(place) }).toEqual({
          told,
          status: 422,
          places: errorsOf(found).map(place),
        })
        return
      }
      outcomes.valid++
      expect({ told, status, body }).toMatchObject({ told, status: 200 })
      const ended = await reached(shop, draft.id, ['published', 'failed', 'unknown'], 120_000)
      expect({ told, status: ended.status, error: ended.error }).toEqual({ told, status: 'published', error: null })
      // The caption begins with a word of its own. A story has none, and a private video is not visible.
      if (content.caption === undefined || content.placement === 'story') return
      const shown = (await postsBeginning(content.caption.slice(0, 10))).filter(({ visible_at }) => visible_at !== null)
      const expected = [{ text: content.caption, files: content.media_ids?.length ?? 0, title: content.title ?? null }]
      expect({ told, posts: shown.map(({ text, files, title }) => ({ text, files: files.length, title })) }).toEqual({
        ...{ told, posts: content.privacy === 'private' ? [] : expected },
      })
    }
    // A few at a time: what fails is named by its content.
    const lanes = 6
    await Promise.all(
      Array.from({ length: lanes }, async (_, lane) => {
        for (const given of drawn.filter((_, n) => n % lanes === lane)) await one(given)
      }),
    )
    expect(Math.min(outcomes.valid, outcomes.refused)).toBeGreaterThan(runs / 8)
  })

  test('An equal publication of the last day is a warning, and not with itself', async () => {
    const content: Content = { type: 'network_d_account', caption: `Twice ${unique()}` }
    expect(await validated(content)).toEqual({ valid: true, issues: [] })
    const { id } = await created(shop, connections.network_d_account, content)
    expect((await act(shop, id, 'schedule', { scheduled_at: now() + 3_600 })).status).toBe(200)
    expect(await validated({ ...content, caption: ` ${content.caption?.toUpperCase()}` })).toMatchObject({
      valid: true,
      issues: [{ pointer: '/content/caption', code: 'duplicate_content', severity: 'warning' }],
    })
    expect(await validated(content, { publication_id: id })).toEqual({ valid: true, issues: [] })
    // On other networks the same text with other files is another post.
    const cup: Content = { type: 'network_b_business', caption: 'Cup', media_ids: [files['square.jpg'] as string] }
    const other = await created(shop, connections.network_b_business, cup)
    expect((await act(shop, other.id, 'schedule', { scheduled_at: now() + 7_200 })).status).toBe(200)
    expect((await validated(cup)).issues).toMatchObject([{ code: 'duplicate_content' }])
    expect((await validated({ ...cup, media_ids: [files['portrait.png'] as string] })).issues).toEqual([])
    for (const each of [id, other.id]) expect((await act(shop, each, 'cancel')).status).toBe(200)
    expect((await validated(cup)).issues).toEqual([])
  })

  test('A day that is full and a connection that does not serve are warnings', async () => {
    const content: Content = {
      type: 'network_b_business',
      caption: 'One more',
      media_ids: [files['square.jpg'] as string],
    }
    await database().query(
      `insert into social_publications (id, tenant_id, created_at, updated_at, social_connection_id, type, content, status, scheduled_at, published_at, issues, created_by, search)
       select gen_random_uuid(), tenant_id, 1, 1, id, type, jsonb_build_object('type', type, 'caption', n), 'published', extract(epoch from now())::bigint - 600 * n, 1, '[]', connected_by, ''
       from social_connections, generate_series(1, 100) n where id = $1`,
      [connections.network_b_business],
    )
    expect(await validated(content)).toMatchObject({
      valid: true,
      issues: [{ pointer: '/social_connection_id', code: 'network_quota', severity: 'warning', limit: 100 }],
    })
    await database().query("update social_connections set status = 'needs_reconnect' where id = $1", [
      connections.network_b_business,
    ])
    expect((await validated(content)).issues.map(({ code }) => code)).toEqual([
      'connection_not_active',
      'network_quota',
    ])
    const unknown = { social_connection_id: '00000000-0000-4000-8000-000000000000', content }
    expect(await shop.asOperator('POST', '/social-publications/validate', unknown)).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/social_connection_id', code: 'connection_unknown' }] },
    })
  })
})
