// Social networks in `npm run demo`: a picture at its second, a lost answer that reading proves, and a post that only a
// later check finds.
import type { NetworkType } from '../../rules/social/networks/network-types.ts'
import { type Callers, control, say, until } from './steps.ts'

type Where = { social: string; temporal_ui: string | null }
type Entry = { visible: boolean; visible_at: number | null; text: string | null; path: string }

export async function showSocial({ path, operator }: Callers, { social, temporal_ui }: Where): Promise<void> {
  const { items: connections } = await operator('GET /v1/stores/{storeId}/social-connections', {
    path,
    query: { status: ['active'] },
  })
  const connectionOf = (type: NetworkType) => connections.find((one) => one.type === type)
  const [pictures, texts] = [connectionOf('network_b_business'), connectionOf('network_d_account')]
  const { items: files } = await operator('GET /v1/stores/{storeId}/media', {
    path,
    query: { mime_type: 'image/*', limit: 10 },
  })
  const picture = files.find(({ mime_type, status }) => mime_type.startsWith('image/') && status === 'ready')
  if (!pictures || !texts || !picture) return

  const run = crypto.randomUUID().slice(0, 8)
  const now = () => Math.floor(Date.now() / 1000)
  const of = (id: string) => ({ path: { ...path, id } })
  const read = (id: string) => operator('GET /v1/stores/{storeId}/social-publications/{id}', of(id))
  const ended = (id: string) =>
    until('the publication ends', async () => {
      const found = await read(id)
      return found.status === 'scheduled' || found.status === 'publishing' ? undefined : found
    })
  const seen = async (caption: string) =>
    (await control<Entry[]>(social, '/ledger')).filter(({ visible, text }) => visible && text === caption)
  async function publish(
    social_connection_id: string,
    content: { type: NetworkType; caption: string; media_ids?: string[] },
    scheduled_at: number,
  ) {
    const { publication } = await operator('POST /v1/stores/{storeId}/social-publications', {
      path,
      body: { social_connection_id, content },
    })
    await operator('POST /v1/stores/{storeId}/social-publications/{id}/schedule', {
      ...of(publication.id),
      body: { scheduled_at },
    })
    return publication.id
  }
  const ofPictures = (caption: string) => ({ type: 'network_b_business' as const, caption, media_ids: [picture.id] })

  const first = `Fresh in the shop (${run})`
  const due = now() + 3
  const one = await publish(pictures.id, ofPictures(first), due)
  await ended(one)
  const shown = await until('the permalink is read', async () => {
    const found = await read(one)
    return found.permalink || found.status !== 'published' ? found : undefined
  })
  const late = Math.round(1000 * (Number((await seen(first))[0]?.visible_at) - due))
  say(
    'A picture is scheduled three seconds ahead on network b',
    `${shown.status}, ${late} ms after its second: ${shown.permalink ?? shown.provider_post_id}`,
  )
  say('What the public sees: the wall of the simulated networks', `${social}/`)
  if (temporal_ui)
    say('Its workflow in the Temporal UI', `${temporal_ui}/namespaces/default/workflows/publication%2F${one}`)

  const second = `Only once (${run})`
  await control(social, '/faults', {
    ...{
      path: `/graph.instagram.com/*/${pictures.provider_account_id}/media_publish`,
      fault: 'reset_after_read',
      after_effect: true,
    },
  })
  const lost = await ended(await publish(pictures.id, ofPictures(second), now()))
  const [attempt] = lost.attempts
  say(
    'The answer to the call that shows a post is lost: the network is read, and nothing is sent again',
    `${lost.status}, ${lost.attempts.length} call, proved by ${attempt?.evidence?.proof === 'read' ? 'reading' : 'its answer'}; visible posts: ${(await seen(second)).length}`,
  )

  const third = `Is it there? (${run})`
  await control(social, '/settings', { network: 'd', account: texts.name, lag_s: 25 })
  await control(social, '/faults', {
    path: '/api.x.com/2/tweets',
    body_match: run,
    fault: 'reset_after_read',
    after_effect: true,
  })
  const doubtful = await ended(await publish(texts.id, { type: 'network_d_account', caption: third }, now()))
  say(
    'On network d the answer is lost, and the listings of the account lag behind: nothing proves the post',
    `${doubtful.status}, after ${doubtful.attempts[0]?.reads} reads`,
  )
  await control(social, '/settings', { network: 'd', account: texts.name, lag_s: null })
  const { publication: found } = await operator(
    'POST /v1/stores/{storeId}/social-publications/{id}/check',
    of(doubtful.id),
  )
  say(
    'An operator has it checked again later',
    `${found.status}: ${found.permalink}; visible posts: ${(await seen(third)).length}`,
  )
}
