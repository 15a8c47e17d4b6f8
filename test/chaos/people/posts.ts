// An operator who writes posts for five networks, and schedules, moves and cancels them while faults strike.
import { setTimeout as pause } from 'node:timers/promises'
import { newId } from '../../../entities/kit/ids.ts'
import { type NetworkType, networkTypes } from '../../../rules/social/networks/network-types.ts'
import { type Answer, type Shop, unique } from '../../kit/shop.ts'
import { picture, video } from '../../kit/social/publications.ts'
import { connect } from '../../kit/social/social.ts'
import type { Posted } from '../history.ts'
import type { PostPlan } from '../plan.ts'
import type { Desk, Round } from './acts.ts'

export async function openDesk(shop: Shop): Promise<Desk> {
  const connections = {} as Desk['connections']
  for (const type of networkTypes) connections[type] = await connect(shop, type, `Desk ${unique()}`)
  return { connections, picture: await picture(shop), video: await video(shop) }
}

const ask = (c: Round, at: string, body: unknown): Promise<Answer> =>
  c.client.ask('POST', `/v1/stores/${c.store.shop.store_id}/social-publications${at}`, {
    headers: c.store.shop.op.headers,
    body,
  })

function contentOf(type: NetworkType, text: string, desk: Desk) {
  const files: Record<NetworkType, string[]> = {
    ...{
      network_a_page: [],
      network_b_business: [desk.picture],
      network_c_channel: [desk.video],
      network_d_account: [],
      network_e_account: [],
    },
  }
  return { type, caption: text, media_ids: files[type], ...(type === 'network_c_channel' ? { title: text } : {}) }
}

/**
 * Rejects if a call was never answered. A draft whose answer was lost is written once more, and the first one stays a
 * draft.
 */
export async function post(c: Round, { at_ms, network, in_s, how }: PostPlan): Promise<void> {
  await pause(at_ms)
  const { desk } = c.store
  const text = `Post ${newId()}`
  const type = networkTypes[network] as NetworkType
  const draft = await ask(c, '', { social_connection_id: desk.connections[type], content: contentOf(type, text, desk) })
  if (draft.status !== 201) throw new Error(`a draft was answered with ${draft.status} ${JSON.stringify(draft.body)}`)
  const { id } = draft.body.publication
  const at = Math.floor(Date.now() / 1000) + in_s
  const schedule = async (time: number) => {
    const { status, body } = await ask(c, `/${id}/schedule`, { scheduled_at: time })
    // A repeated request may find it shown.
    if (status !== 200 && body.code !== 'publication_locked')
      c.surprises.push(`scheduling of ${id} was answered with ${status} ${JSON.stringify(body)}`)
    return status === 200
  }
  const posted: Posted = { publication: id, text, due: at, cancelled: false }
  c.posts.push(posted)
  if (how === 'sooner') await schedule(at + 20)
  await Promise.all(Array.from({ length: how === 'parallel' ? 3 : 1 }, () => schedule(at)))
  if (how === 'later' && (await schedule(at + 3))) posted.due = at + 3
  if (how !== 'cancelled') return
  await pause(Math.max(0, at * 1000 + (at_ms % 1_000) - 500 - Date.now()))
  const { status, body } = await ask(c, `/${id}/cancel`, {})
  posted.cancelled = status === 200
  // Its answer may come long after the post was due: by then the post may have failed.
  const hasFailed = body.code === 'publication_not_scheduled' && String(body.detail).includes('`failed`')
  if (status !== 200 && body.code !== 'already_sent' && !hasFailed)
    c.surprises.push(`cancelling of ${id} was answered with ${status} ${JSON.stringify(body)}`)
}
