// A publication is shown once at most when answers are lost: reads prove it and never send, hidden work repeats, and
// nothing is shown early or late.
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import type { Process } from '../../dev/parts.ts'
import { decrypt } from '../../entities/kit/encrypted.ts'
import { type NetworkType, networkTypes } from '../../rules/social/networks/network-types.ts'
import { until } from '../kit/codes.ts'
import { atOnce } from '../kit/orders/buying.ts'
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
  video,
  visible,
} from '../kit/social/publications.ts'
import { connect, expire, type SocialEntry, social, socialFault, socialLedger } from '../kit/social/social.ts'
import { type Lab, startLab } from '../kit/stack/lab.ts'

jest.setTimeout(120_000)

const settings = {
  ...{ SEND_LIMIT_MS: '3000', RECONCILE_EVERY_MS: '1000', ANSWER_WAIT_MS: '10000' },
  ...{ SOCIAL_PROOF_S: '0,0.5,1,2', SOCIAL_LATE_MAX_S: '30' },
}
let lab: Lab
let shop: Shop
let worker: Process
beforeAll(async () => {
  lab = await startLab('publications', settings, {
    parts: ['postgres', 'migrations', 'temporal', 'stripe', 'mail', 'social'],
    queues: ['social', 'media', 'default'],
  })
  await lab.stack.startApi(settings)
  worker = await lab.startWorker()
  shop = await newShop()
})
afterAll(async () => {
  await database().end()
  await lab.stop()
})

const ends = ['published', 'failed', 'unknown']
const ended = (id: string) => reached(shop, id, ends, 60_000)
const account = () => `Shop ${unique()}`
/** A text, or the simplest file that the network takes. */
const simplest: Record<NetworkType, Variant> = {
  ...{
    network_a_page: 'text',
    network_b_business: 'picture',
    network_c_channel: 'video',
    network_d_account: 'text',
    network_e_account: 'text',
  },
}

/** The call that shows a post of the account. */
async function revealOf(type: NetworkType, connection: string, caption: string): Promise<Record<string, string>> {
  const { body } = await shop.asOperator('GET', `/social-connections/${connection}`)
  const id = body.provider_account_id
  const calls: Record<NetworkType, Record<string, string>> = {
    network_a_page: { method: 'POST', path: `/graph.facebook.com/v25.0/${id}_` },
    network_b_business: { path: `/graph.instagram.com/v25.0/${id}/media_publish` },
    network_c_channel: { method: 'PUT', path: '/www.googleapis.com/youtube/v3/videos' },
    network_d_account: { method: 'POST', path: '/api.x.com/2/tweets', body_match: caption },
    network_e_account: { path: `/graph.threads.net/v1.0/${id}/threads_publish` },
  }
  return calls[type]
}
const callsOf = async (id: string): Promise<number> =>
  (await revealsOf(id)).filter(({ sent_at }) => sent_at !== null).length

/** Requests that arrived at the network to show the post. */
async function sentOf({ type, caption, call }: Pick<Faulty, 'type' | 'caption' | 'call'>): Promise<SocialEntry[]> {
  const ids = type === 'network_c_channel' ? (await postsOf(caption)).map(({ id }) => id) : []
  return (await socialLedger({})).filter(
    ({ method, host, path, fields }) =>
      (call.method ?? method) === method &&
      `/${host}${path}`.startsWith(call.path as string) &&
      (type !== 'network_c_channel' || ids.includes(fields.id as string)) &&
      (type !== 'network_d_account' || fields.text === caption),
  )
}

type Fault = Record<string, unknown>
const schedule = async (id: string) => {
  const { status, body } = await act(shop, id, 'schedule', { scheduled_at: now() })
  if (status !== 200) throw new Error(`not scheduled: ${status} ${JSON.stringify(body)}`)
}
/** `show` lets the post be shown now; the network answers its call with the fault. */
async function faulty(
  type: NetworkType,
  fault: Fault | null,
  { variant = simplest[type] as Variant, show = schedule as (id: string) => Promise<unknown> } = {},
) {
  const connection = await connect(shop, type, account())
  const content = await contentOf(shop, type, variant)
  const { caption } = content
  const call = await revealOf(type, connection, caption)
  let id: string
  // The call that shows a video of network c names the video alone: it is made first.
  if (type === 'network_c_channel') {
    id = (await scheduled(shop, connection, content, now() + 300)).id
    await until(async () => (await partsOf(id)).some(({ state }) => state === 'ready'), 60_000)
    call.body_match = (await postsOf(caption))[0]?.id as string
  } else id = (await created(shop, connection, content)).id
  if (fault) await socialFault({ ...call, ...fault })
  await show(id)
  return { type, post: await ended(id), caption, id, connection, call }
}
type Faulty = Awaited<ReturnType<typeof faulty>>

/**
 * All posts of these tests are made at once, some at a time: a call that is overtaken by too many others would miss its
 * deadline.
 */
const waiting: (() => Promise<unknown>)[] = []
beforeAll(async () => {
  const take = async (): Promise<void> => {
    const next = waiting.shift()
    if (!next) return
    await next()
    return take()
  }
  await atOnce(10, take)
}, 300_000)

/** The same for these networks. */
function forEvery(
  what: string,
  types: readonly NetworkType[],
  fault: Fault | null,
  prove: (of: Faulty) => Promise<unknown>,
  how = {},
): void {
  const all = new Map<NetworkType, Promise<Faulty>>()
  for (const type of types)
    waiting.push(() => {
      const made = faulty(type, fault, how)
      all.set(type, made)
      return made.catch(() => {})
    })
  test.each(types)(`${what}: %s`, async (type) => prove((await all.get(type)) as Faulty))
}

forEvery(
  'A publication that eight callers schedule at once is shown once',
  networkTypes,
  null,
  async (made) => {
    expect(made.post).toMatchObject({ status: 'published', attempts: [{ n: 1, status: 'succeeded' }] })
    expect([await visible(made.caption), await sentOf(made)]).toEqual([[expect.anything()], [expect.anything()]])
  },
  {
    async show(id: string) {
      const answers = await atOnce(8, () => act(shop, id, 'schedule', { scheduled_at: now() }))
      // One that comes after the call finds it locked.
      for (const { status, body } of answers)
        expect([200, 'publication_locked']).toContain(status === 200 ? status : body.code)
    },
  },
)

async function shownByReading(made: Faulty) {
  const { post, caption, id } = made
  expect(post).toMatchObject({
    status: 'published',
    error: null,
    attempts: [{ n: 1, status: 'succeeded', evidence: { proof: 'read' } }],
  })
  expect([await visible(caption), await callsOf(id), (await sentOf(made)).length]).toEqual([[expect.anything()], 1, 1])
  expect(post.provider_post_id).toBe((await visible(caption))[0]?.visible_id)
}
const shown = { after_effect: true }
forEvery(
  'A post whose answer was reset is found by reading',
  networkTypes,
  { fault: 'reset_after_read', ...shown },
  shownByReading,
)
forEvery(
  'A post whose answer never came is found by reading',
  networkTypes,
  { fault: 'hang', ...shown },
  shownByReading,
)
forEvery(
  'A post that was answered with 500 is found by reading',
  networkTypes,
  { fault: 'status', status: 500, ...shown },
  shownByReading,
)
const graphs = networkTypes.filter((type) => !['network_c_channel', 'network_d_account'].includes(type))
forEvery(
  'A post that was answered with a passing error of Graph is found by reading',
  graphs,
  { fault: 'status', status: 400, code: 2, ...shown },
  shownByReading,
)
forEvery(
  'A post whose answer broke off after 200 is published, and its id is found',
  networkTypes,
  { fault: 'break_body' },
  async ({ post, caption, id }) => {
    expect(post).toMatchObject({ status: 'published', attempts: [{ n: 1, status: 'succeeded' }] })
    const [made] = await visible(caption)
    const found = await until(async () => {
      const { provider_post_id } = await readPublication(shop, id)
      return provider_post_id as string | null
    })
    expect([found, await callsOf(id)]).toEqual([made?.visible_id, 1])
  },
)
forEvery(
  'A call that was lost before it showed anything is unknown, and is not sent again',
  networkTypes,
  { fault: 'reset_after_read' },
  async ({ post, caption, id }) => {
    expect(post).toMatchObject({
      status: 'unknown',
      error: { code: 'outcome_unknown' },
      attempts: [{ n: 1, status: 'unknown', reads: 4 }],
    })
    expect([await visible(caption), await callsOf(id)]).toEqual([[], 1])
    // A person says that it is not there: it is scheduled again, and shown once.
    expect((await act(shop, id, 'check')).body.publication.status).toBe('unknown')
    expect(
      (await act(shop, id, 'resolve', { outcome: 'failed', note: 'It is not on the account.' })).body.publication,
    ).toMatchObject({
      ...{ status: 'failed', error: { code: 'resolved' } },
    })
    await act(shop, id, 'schedule', { scheduled_at: now() })
    expect(await reached(shop, id, ['published'], 60_000)).toMatchObject({
      attempts: [
        { n: 1, status: 'rejected', resolution: { note: 'It is not on the account.' } },
        { n: 2, status: 'succeeded' },
      ],
    })
    expect(await visible(caption)).toHaveLength(1)
  },
)
forEvery(
  'A passing error of Graph that showed nothing is a refusal after the reads',
  graphs,
  { fault: 'status', status: 400, code: 4 },
  async ({ post, caption }) => {
    expect(post).toMatchObject({
      status: 'failed',
      error: { code: 'network_refused', message: 'Injected fault.' },
      attempts: [{ n: 1, status: 'rejected', reads: 4 }],
    })
    expect(await visible(caption)).toEqual([])
  },
)
forEvery(
  'A post that the network refuses has failed, in its words',
  networkTypes,
  { fault: 'status', status: 400, code: 100 },
  async ({ post, caption }) => {
    expect(post).toMatchObject({
      status: 'failed',
      error: { code: 'network_refused', message: 'Injected fault.' },
      attempts: [{ n: 1, status: 'rejected', reads: 0 }],
    })
    expect(await visible(caption)).toEqual([])
  },
)
forEvery(
  'A refusal that came with a visible post is followed by no other call',
  ['network_c_channel', 'network_d_account'],
  { fault: 'status', status: 403, ...shown },
  async (made) => {
    expect(made.post).toMatchObject({
      status: 'failed',
      error: { code: 'network_refused' },
      attempts: [{ n: 1, status: 'rejected' }],
    })
    expect([await visible(made.caption), await sentOf(made)]).toEqual([[expect.anything()], [expect.anything()]])
  },
)
test.each([401, 429])(
  'A post of files alone that network d shows and answers with %i is shown once',
  async (status) => {
    const connection = await connect(shop, 'network_d_account', account())
    const { id } = await scheduled(
      shop,
      connection,
      { ...(await contentOf(shop, 'network_d_account', 'picture')), caption: '' },
      now() + 300,
    )
    const file = await until(async () => {
      const [part] = await partsOf(id)
      return part?.state === 'ready' && (JSON.parse(decrypt(part.ref)).id as string)
    }, 60_000)
    const call = { method: 'POST', path: '/api.x.com/2/tweets', body_match: file }
    await socialFault({ ...call, fault: 'status', status, ...shown })
    await schedule(id)
    expect(await ended(id)).toMatchObject({
      status: 'failed',
      error: { code: 'network_refused' },
      attempts: [{ n: 1, status: 'rejected' }],
    })
    const posts = (await socialLedger({})).filter(
      (entry) => entry.path === '/2/tweets' && entry.visible && JSON.stringify(entry).includes(file),
    )
    expect(posts).toHaveLength(1)
  },
)

test.each([401, 429])('A text that network d shows and answers with %i is published, once', async (status) => {
  const connection = await connect(shop, 'network_d_account', account())
  const content = await contentOf(shop, 'network_d_account', 'text')
  const { id } = await created(shop, connection, content)
  // Longer than the clocks of the network and the database may differ.
  const limited = status === 429 ? { headers: { 'retry-after': '8' } } : {}
  await socialFault({
    method: 'POST',
    path: '/api.x.com/2/tweets',
    body_match: content.caption,
    fault: 'status',
    status,
    ...limited,
    ...shown,
  })
  await schedule(id)
  const post = await ended(id)
  const [there] = await visible(content.caption)
  expect(post).toMatchObject({
    ...{ status: 'published', provider_post_id: there?.visible_id },
    attempts: [
      { n: 1, status: 'rejected' },
      { n: 2, status: 'succeeded' },
    ],
  })
  expect(await visible(content.caption)).toHaveLength(1)
})

const refreshing = ['network_c_channel', 'network_d_account'] as const
forEvery(
  'A refused token is replaced, and the post is shown by the next call',
  refreshing,
  { fault: 'status', status: 401 },
  async ({ post, caption }) => {
    expect(post).toMatchObject({
      status: 'published',
      attempts: [
        { n: 1, status: 'rejected', error: { code: 'token_refused' } },
        { n: 2, status: 'succeeded' },
      ],
    })
    expect(await visible(caption)).toHaveLength(1)
  },
)

test('A file whose new token is refused, too, is tried again, and not without end', async () => {
  const connection = await connect(shop, 'network_d_account', account())
  await socialFault({
    method: 'POST',
    path: '/api.x.com/2/media/upload/initialize',
    fault: 'status',
    status: 401,
    times: 2,
  })
  const { id } = await scheduled(shop, connection, {
    type: 'network_d_account',
    caption: `Hello ${unique()}`,
    media_ids: [await picture(shop)],
  })
  await until(async () => (await partsOf(id)).some(({ tries }) => tries >= 1), 20_000)
  expect((await ended(id)).status).toBe('published')
})

test('A file that no worker can make does not hold its publication beyond its time', async () => {
  const connection = await connect(shop, 'network_d_account', account())
  await socialFault({ method: 'POST', path: '/api.x.com/2/media/upload/initialize', fault: 'status', status: 503 })
  const media_ids = [await picture(shop)]
  const { id } = await scheduled(shop, connection, {
    type: 'network_d_account',
    caption: `Hello ${unique()}`,
    media_ids,
  })
  await until(async () => (await partsOf(id)).some(({ tries }) => tries >= 1), 20_000)
  // Every other attempt ends with an error of ours.
  await database().query(`update media set variants = '{}' where id = $1`, [media_ids[0]])
  await database().query('update social_publications set scheduled_at = scheduled_at - 25 where id = $1', [id])
  expect(await ended(id)).toMatchObject({ status: 'failed', error: { code: 'too_late' }, attempts: [] })
})

test('A page of a gateway with status 200 shows no post, and an upload that is never taken ends', async () => {
  const [page, channel] = [
    await connect(shop, 'network_a_page', account()),
    await connect(shop, 'network_c_channel', account()),
  ]
  const html = { fault: 'answer', status: 200, headers: { 'content-type': 'text/html' }, body: '<h1>Welcome</h1>' }
  const text = { type: 'network_a_page', caption: `Hello ${unique()}` } as const
  await socialFault({ ...(await revealOf('network_a_page', page, text.caption)), ...html })
  const lost = await scheduled(shop, page, text)
  // The network tells more bytes than the file has.
  const odd = {
    method: 'PUT',
    path: '/www.googleapis.com/upload/youtube/v3/videos',
    fault: 'answer',
    status: 308,
    headers: { range: 'bytes=0-99999999999999999999' },
  }
  await socialFault({ ...odd, times: 2 })
  const film = await scheduled(shop, channel, {
    ...(await contentOf(shop, 'network_c_channel', 'video')),
    media_ids: [await video(shop, 100_000)],
  })
  expect(await ended(lost.id)).toMatchObject({
    status: 'failed',
    error: { code: 'network_refused' },
    attempts: [{ n: 1, status: 'rejected', reads: 4 }],
  })
  expect(await visible(text.caption)).toEqual([])
  expect((await ended(film.id)).status).toBe('published')
})

describe('Network d, whose posts have no name of ours', () => {
  const d = 'network_d_account'
  const lagging = async () => {
    const name = account()
    const connection = await connect(shop, d, name)
    await social('POST', '/settings', { network: 'd', account: name, lag_s: 12, refuses_duplicates: false })
    return { name, connection }
  }
  const lost = { method: 'POST', path: '/api.x.com/2/tweets', fault: 'reset_after_read', after_effect: true }

  test('A lost post that the listings lag behind is unknown, and a later check finds it', async () => {
    const { connection } = await lagging()
    const content = await contentOf(shop, d, 'text', `Fish & chips <3 at https://shop.example/${unique()}`)
    await socialFault({ ...lost, body_match: content.caption.slice(-12) })
    const { id } = await scheduled(shop, connection, content)
    expect((await ended(id)).status).toBe('unknown')
    const found = await until(async () => {
      const { publication } = (await act(shop, id, 'check')).body
      return publication.status === 'published' && publication
    }, 40_000)
    expect(found.provider_post_id).toBe((await visible(content.caption))[0]?.visible_id)
    expect([await callsOf(id), (await visible(content.caption)).length]).toEqual([1, 1])
  })

  test('Of two lost posts with one text neither is proved', async () => {
    const { name, connection } = await lagging()
    const content = await contentOf(shop, d, 'text')
    await socialFault({ ...lost, body_match: content.caption, times: 2 })
    const ids = [await scheduled(shop, connection, content), await scheduled(shop, connection, content)].map(
      ({ id }) => id,
    )
    expect((await Promise.all(ids.map(ended))).map(({ status }) => status)).toEqual(['unknown', 'unknown'])
    await social('POST', '/settings', { network: 'd', account: name, lag_s: 0 })
    for (const id of ids) expect((await act(shop, id, 'check')).body.publication.status).toBe('unknown')
  })

  test('A post of the same text from long before is never taken for ours', async () => {
    const name = account()
    const connection = await connect(shop, d, name)
    await social('POST', '/settings', { network: 'd', account: name, refuses_duplicates: false })
    const content = await contentOf(shop, d, 'text')
    const before = await scheduled(shop, connection, content)
    await ended(before.id)
    // The record of it is gone, and the window of the next one begins later.
    await database().query('update social_publications set provider_post_id = null where id = $1', [before.id])
    await database().query('update social_reveals set provider_post_id = $2 where publication_id = $1', [
      before.id,
      'another',
    ])
    const since = Date.now()
    await until(async () => Date.now() - since > 7_000)
    await socialFault({ ...lost, after_effect: false, body_match: content.caption })
    const { id } = await scheduled(shop, connection, content)
    expect((await ended(id)).status).toBe('unknown')
  })

  test('A file of ours proves a post, also after its text was changed', async () => {
    await shownByReading(await faulty(d, { fault: 'reset_after_read', after_effect: true }, { variant: 'pictures' }))
  })
})

describe('Hidden work', () => {
  test('A worker that is killed in an upload leaves it to another, which goes on where it ended', async () => {
    const connection = await connect(shop, 'network_c_channel', account())
    const content = {
      ...(await contentOf(shop, 'network_c_channel', 'video')),
      media_ids: [await video(shop, 13_000_000)],
    }
    const created = await scheduled(shop, connection, content, now() + 12)
    lab.failAt('part_call_3', created.id, 'kill')
    await lab.failed('part_call_3', created.id)
    worker = await lab.startWorker()
    const post = await reached(shop, created.id, ends, 90_000)
    expect(post).toMatchObject({ status: 'published' })
    const pieces = (await socialLedger({ host: 'www.googleapis.com', path: '/upload/youtube' }))
      .filter(({ method }) => method === 'PUT')
      .map(({ status }) => status)
    expect(pieces.filter((status) => status === 308).length).toBeGreaterThanOrEqual(3)
    expect([await visible(content.caption), await postsOf(content.caption)]).toEqual([
      [expect.anything()],
      [expect.anything()],
    ])
  })

  test('A container that the network has forgotten is made anew', async () => {
    const connection = await connect(shop, 'network_b_business', account())
    const content = await contentOf(shop, 'network_b_business', 'picture')
    const { id } = await scheduled(shop, connection, content, now() + 12)
    const container = await until(async () => {
      const [made] = await socialLedger({ match: content.caption })
      return made?.effect && (await partsOf(id))[0]?.state === 'ready'
    }).then(async () => {
      const { decrypt } = await import('../../entities/kit/encrypted.ts')
      return JSON.parse(decrypt((await partsOf(id))[0].ref)).id as string
    })
    await social('POST', '/age', { id: container })
    const post = await ended(id)
    expect(post).toMatchObject({
      status: 'published',
      attempts: [{ status: 'rejected', error: { code: 'part_expired' } }, { status: 'succeeded' }],
    })
    expect(await visible(content.caption)).toHaveLength(1)
  })

  test('Errors that pass while files are made delay a post, and show it once', async () => {
    for (const type of ['network_b_business', 'network_d_account'] as const) {
      const connection = await connect(shop, type, account())
      const { provider_account_id } = (await shop.asOperator('GET', `/social-connections/${connection}`)).body
      const content = await contentOf(shop, type, type === 'network_b_business' ? 'picture' : 'pictures')
      const path =
        type === 'network_b_business'
          ? `/graph.instagram.com/v25.0/${provider_account_id}/media`
          : '/api.x.com/2/media/upload'
      await socialFault({ path, fault: 'reset_after_read', after_effect: true })
      await socialFault({ path, fault: 'status', status: 503 })
      const { id } = await scheduled(shop, connection, content)
      expect(await ended(id)).toMatchObject({ status: 'published' })
      expect(await visible(content.caption)).toHaveLength(1)
    }
  })
})

describe('Time', () => {
  const d = 'network_d_account'
  let connection: string
  beforeAll(async () => {
    connection = await connect(shop, d, account())
  })
  const shownAt = async (caption: string) => (await visible(caption)).map(({ visible_at }) => Number(visible_at))

  test('A publication is shown at its time, also when that was moved earlier or later', async () => {
    const contents = await Promise.all([0, 1, 2].map(() => contentOf(shop, d, 'text')))
    const base = now()
    const [plain, earlier, late] = await Promise.all(
      [8, 60, 6].map((seconds, n) => scheduled(shop, connection, contents[n] as never, base + seconds)),
    )
    await act(shop, earlier?.id as string, 'schedule', { scheduled_at: base + 8 })
    await act(shop, late?.id as string, 'schedule', { scheduled_at: base + 10 })
    for (const one of [plain, earlier, late]) await ended(one?.id as string)
    const times = await Promise.all(
      contents.map(async ({ caption }) => (await shownAt(caption)).map((at) => at - base)),
    )
    for (const [n, due] of [8, 8, 10].entries()) {
      expect(times[n]).toHaveLength(1)
      expect(times[n]?.[0]).toBeGreaterThanOrEqual(due)
      expect(times[n]?.[0]).toBeLessThan(due + 10)
    }
  })

  test('A publication that is moved or changed while its files are made is shown once, as it is', async () => {
    const name = account()
    const on = await connect(shop, 'network_b_business', name)
    await social('POST', '/settings', { network: 'b', account: name, image_ms: 3_000 })
    const contents = await Promise.all([0, 1, 2].map(() => contentOf(shop, 'network_b_business', 'picture')))
    const base = now()
    const posts = await Promise.all(
      contents.map((content, n) => scheduled(shop, on, content, base + (n === 1 ? 300 : 13))),
    )
    const [later, earlier, other] = posts.map(({ id }) => id) as [string, string, string]
    for (const { id } of posts) await until(async () => (await partsOf(id))[0]?.state === 'made')
    await act(shop, later, 'schedule', { scheduled_at: base + 16 })
    await act(shop, earlier, 'schedule', { scheduled_at: base + 11 })
    const content = { ...contents[2], caption: `Changed ${unique()}` }
    expect((await shop.asOperator('PUT', `/social-publications/${other}`, { content })).status).toBe(200)
    for (const { id } of posts) expect(await ended(id)).toMatchObject({ status: 'published', attempts: [{ n: 1 }] })
    const times = await Promise.all([...contents, content].map(({ caption }) => shownAt(caption as string)))
    expect(times.map(({ length }) => length)).toEqual([1, 1, 0, 1])
    for (const [n, due] of [16, 11].entries()) expect(times[n]?.[0]).toBeGreaterThanOrEqual(base + due)
    expect(times[1]?.[0]).toBeLessThan(base + 300)
  })

  test('A worker whose clock is half a minute ahead shows nothing early', async () => {
    const { child } = worker
    child.kill('SIGTERM')
    await child.ended
    worker = await lab.startWorker({
      NODE_OPTIONS: '--import=data:text/javascript,const%20n%3DDate.now%3BDate.now%3D()%3D%3En()%2B30000',
    })
    const content = await contentOf(shop, d, 'text')
    const due = now() + 6
    const { id } = await scheduled(shop, connection, content, due)
    expect((await ended(id)).status).toBe('published')
    const [at] = await shownAt(content.caption)
    expect(at).toBeGreaterThanOrEqual(due)
  })

  test('With Temporal away over its time it is shown once afterwards, or is too late', async () => {
    const contents = await Promise.all([0, 1].map(() => contentOf(shop, d, 'text')))
    const [soon, sooner] = await Promise.all(
      [4, 2].map((seconds, n) => scheduled(shop, connection, contents[n] as never, now() + seconds)),
    )
    await database().query(`update social_publications set scheduled_at = scheduled_at - 33 where id = $1`, [
      sooner?.id,
    ])
    await lab.stack.temporal.stop()
    const down = Date.now()
    await until(async () => Date.now() - down > 5_000)
    await lab.stack.temporal.start()
    expect(await ended(soon?.id as string)).toMatchObject({ status: 'published' })
    expect((await visible((contents[0] as { caption: string }).caption)).length).toBe(1)
    const other = await ended(sooner?.id as string)
    const seen = await visible((contents[1] as { caption: string }).caption)
    expect([other.status, other.error?.code ?? null, seen.length]).toEqual(
      other.status === 'published' ? ['published', null, 1] : ['failed', 'too_late', 0],
    )
  })

  test('A publication of an archived store, or of a removed connection, is not shown', async () => {
    const other = await newShop()
    const [on, removed] = [await connect(other, d, account()), await connect(shop, d, account())]
    const [first, second] = await Promise.all([contentOf(other, d, 'text'), contentOf(other, d, 'text')])
    const one = await scheduled(other, on, first, now() + 8)
    const two = await scheduled(shop, removed, second, now() + 8)
    await database().query(`update tenants set status = 'ARCHIVED' where id = $1`, [other.store_id])
    await shop.asOperator('DELETE', `/social-connections/${two.social_connection_id}`)
    expect(await readPublication(shop, two.id)).toMatchObject({
      status: 'draft',
      error: { code: 'connection_removed' },
    })
    const state = async () =>
      (await database().query('select status, error from social_publications where id = $1', [one.id])).rows[0]
    await until(async () => (await state()).status === 'failed')
    expect((await state()).error).toMatchObject({ code: 'store_archived' })
    expect([await visible(first.caption), await visible(second.caption)]).toEqual([[], []])
  })

  test('While the account has to be connected again a publication waits, and goes on then', async () => {
    const name = account()
    const on = await connect(shop, d, name)
    await database().query(`update social_connections set status = 'needs_reconnect' where id = $1`, [on])
    const { body } = await shop.asOperator('POST', '/social-publications', {
      social_connection_id: on,
      content: await contentOf(shop, d, 'text', `Wait ${name}`),
    })
    await database().query(`update social_connections set status = 'active' where id = $1`, [on])
    await act(shop, body.publication.id, 'schedule', { scheduled_at: now() + 4 })
    await database().query(`update social_connections set status = 'needs_reconnect' where id = $1`, [on])
    const since = Date.now()
    await until(async () => Date.now() - since > 6_000)
    expect((await readPublication(shop, body.publication.id)).status).toBe('scheduled')
    await connect(shop, d, name)
    expect((await ended(body.publication.id)).status).toBe('published')
    expect(await visible(`Wait ${name}`)).toHaveLength(1)
  })
})

test('Twenty publications with one expired token refresh it once, and are all shown', async () => {
  const name = account()
  const connection = await connect(shop, 'network_d_account', name)
  await database().query(
    'update social_connections set token_expires_at = extract(epoch from clock_timestamp()) - 10 where id = $1',
    [connection],
  )
  await expire('d', name)
  const contents = await Promise.all(Array.from({ length: 20 }, () => contentOf(shop, 'network_d_account', 'text')))
  const posts = await Promise.all(contents.map((content) => scheduled(shop, connection, content, now() + 2)))
  for (const { id } of posts) expect((await ended(id)).status).toBe('published')
  for (const { caption } of contents) expect(await visible(caption)).toHaveLength(1)
  const { rows } = await database().query(
    `select status from social_token_requests where social_connection_id = $1 and kind = 'refresh'`,
    [connection],
  )
  expect(rows).toEqual([{ status: 'succeeded' }])
})

/** By hand: PUBLICATION_RACES=200. */
const races = Number(process.env.PUBLICATION_RACES ?? 20)

test('A cancellation beside the reveal ends with nothing visible, or with 409 and one post', async () => {
  const connection = await connect(shop, 'network_d_account', account())
  const happened = async (id: string, what: string) =>
    (await database().query(`select 1 from social_reveals where publication_id = $1 and ${what}`, [id])).rows[0]
  async function race(n: number) {
    const content = await contentOf(shop, 'network_d_account', 'text')
    const due = now() + 3
    const { id } = await scheduled(shop, connection, content, due)
    // At some moment from now on until shortly after its time, when the call is written, or when it is sent.
    const at = Date.now() + (Math.max(0, due * 1000 - Date.now()) + 500) * (((3 * n) % 60) / 60)
    const moment = async () =>
      n % 3 === 0 ? Date.now() >= at : happened(id, n % 3 === 1 ? 'true' : 'sent_at is not null')
    await until(moment, 20_000, 20)
    const answer = await until(async () => {
      const answer = await act(shop, id, 'cancel')
      return answer.status !== 503 && answer
    })
    const { status } = await reached(shop, id, ['cancelled', 'published'], 60_000)
    const open = () =>
      database().query(
        `select 1 from social_reveals where publication_id = $1 and status in ('requested', 'processing')`,
        [id],
      )
    await until(async () => (await open()).rows.length === 0, 60_000)
    return [answer.status, answer.body.code ?? null, status, (await visible(content.caption)).length]
  }
  const ended: unknown[][] = []
  for (let n = 0; n < races; n += 20) ended.push(...(await atOnce(Math.min(20, races - n), (m) => race(n + m))))
  const [nothing, one] = [
    [200, null, 'cancelled', 0],
    [409, 'already_sent', 'published', 1],
  ]
  for (const end of ended) expect(end).toEqual(end[0] === 200 ? nothing : one)
  // Both happened.
  expect(new Set(ended.map(([status]) => status)).size).toBe(2)
}, 300_000)
