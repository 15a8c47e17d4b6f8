// Publications: shown once at most, on time or not at all, and what no answer says is proved by reading, never by sending again.
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { type Lab, startLab } from '../kit/lab.ts'
import { picture, postsOf, reached, revealsOf, scheduled, visible } from '../kit/publications.ts'
import { database, newShop, type Shop, unique } from '../kit/shop.ts'
import { connect } from '../kit/social.ts'

jest.setTimeout(90_000)

const settings = {
  ...{ SEND_LIMIT_MS: '1500', RECONCILE_EVERY_MS: '1000', ANSWER_WAIT_MS: '5000' },
  ...{ SOCIAL_PROOF_S: '0,0.3,0.6,1', SOCIAL_AHEAD_S: '4', SOCIAL_LATE_MAX_S: '20' },
}
let lab: Lab
let shop: Shop
const connections = {} as Record<'b' | 'd', string>
beforeAll(async () => {
  lab = await startLab('publications', settings, {
    parts: ['postgres', 'migrations', 'temporal', 'stripe', 'mail', 'social'],
    queues: ['social', 'media', 'default'],
  })
  await lab.stack.startApi(settings)
  await lab.startWorker()
  shop = await newShop()
  connections.b = await connect(shop, 'network_b_business', `Shop ${unique()}`)
  connections.d = await connect(shop, 'network_d_account', `Shop ${unique()}`)
})
afterAll(async () => {
  await database().end()
  await lab.stop()
})

describe('Publishing', () => {
  test('A text on network d becomes visible once, with its permalink', async () => {
    const caption = `Hello ${unique()}`
    const { id } = await scheduled(shop, connections.d, { type: 'network_d_account', caption })
    const post = await reached(shop, id, ['published', 'failed', 'unknown'])
    expect(post).toMatchObject({ status: 'published', error: null, attempts: [{ n: 1, status: 'succeeded' }] })
    expect(post.permalink).toMatch(/^https:\/\/x\.com\/.+\/status\/\d+$/)
    expect(await visible(caption)).toHaveLength(1)
    expect(await revealsOf(id)).toHaveLength(1)
  })

  test('A picture on network b becomes visible once', async () => {
    const caption = `Cup ${unique()}`
    const { id } = await scheduled(shop, connections.b, { type: 'network_b_business', caption, media_ids: [await picture(shop)] })
    const post = await reached(shop, id, ['published', 'failed', 'unknown'])
    expect(post).toMatchObject({ status: 'published', error: null, attempts: [{ n: 1, status: 'succeeded' }] })
    expect(await visible(caption)).toHaveLength(1)
    expect(await postsOf(caption)).toHaveLength(1)
  })
})
