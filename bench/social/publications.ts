// Publications on simulated networks: scheduling, and from the second for which they are scheduled until the public
// sees them; and their rate beside empty workflows.
import { setTimeout as pause } from 'node:timers/promises'
import { newId } from '../../entities/kit/ids.ts'
import type { NetworkType } from '../../rules/social/networks/network-types.ts'
import type { Times } from '../kit/load.ts'
import { json, type Measure, type Path } from '../kit/path.ts'
import { floorQueue, startFloorWorker, startLoad } from '../kit/processes.ts'
import { resultOf } from '../kit/report.ts'
import type { Shop } from '../kit/shop.ts'
import { type Account, accountOf } from '../kit/social.ts'

const farS = 30 * 86_400
const nowS = () => Math.floor(Date.now() / 1000)
const scheduleAt = ({ store_id }: Shop, id: string) => `/v1/stores/${store_id}/social-publications/${id}/schedule`

/** A stored JPEG, as the limits of networks see it. */
async function pictureOf({ db, store_id }: Shop): Promise<string> {
  const { rows } = await db.query<{ id: string }>(
    `insert into media select (jsonb_populate_record(m, jsonb_build_object('id', $2::uuid, 'mime_type', 'image/jpeg', 'variants', jsonb_set(m.variants, '{original}', m.variants -> 'original' || '{"width": 1000, "height": 1000}')))).*
     from media m where tenant_id = $1 and status = 'ready' and mime_type like 'image/%' limit 1 returning id`,
    [store_id, newId()],
  )
  const id = rows[0]?.id
  if (!id) throw new Error('The demo store has no picture.')
  return id
}

const rest = { placement: null, share_to_feed: null, title: null, privacy: null, made_for_kids: null, link_url: null }

/** Drafts on the account, each with a text of its own: the text is the id. */
async function drafts(
  { db, store_id }: Shop,
  { connection, type }: Account,
  count: number,
  media_ids: string[] = [],
): Promise<string[]> {
  const ids = Array.from({ length: count }, newId)
  await db.query(
    `insert into social_publications (id, tenant_id, created_at, updated_at, social_connection_id, type, content, issues, created_by)
     select id, $1, 1, 1, $2, $3, $6::jsonb || jsonb_build_object('type', $3::text, 'caption', id::text, 'media_ids', $4::jsonb), '[]', $2 from unnest($5::uuid[]) as t(id)`,
    [store_id, connection, type, JSON.stringify(media_ids), ids, JSON.stringify(rest)],
  )
  return ids
}

/** Drafts with a picture, each scheduled once for a far day. */
export const publicationSchedule: Path = {
  name: 'publication-schedule',
  floor: 'statements',
  once: 1_600,
  target: { sql: 8, of_floor: 0.5 },
  async lanes(shop, clients, each) {
    const media = await pictureOf(shop)
    const account = await accountOf(shop, 'network_b_business')
    const { connection } = account
    const ids = await drafts(shop, account, clients * each, [media])
    const body = JSON.stringify({ scheduled_at: nowS() + farS })
    return Array.from({ length: clients }, (_, lane) =>
      ids.slice(lane * each, (lane + 1) * each).map((id) => ({
        method: 'POST',
        path: scheduleAt(shop, id),
        headers: json(shop.operator),
        body,
        own: [id, media, connection],
      })),
    )
  },
  async check({ db, store_id }, answered) {
    const { rows } = await db.query(
      "select count(*)::int as n from social_publications where tenant_id = $1 and status = 'scheduled' and type = 'network_b_business'",
      [store_id],
    )
    if (rows[0].n < answered) throw new Error(`${rows[0].n} of ${answered} publications were scheduled`)
  },
}

/** Without another one that is published. */
const stallMs = 60_000

const callsOf = async ({ db }: Shop, ids: readonly string[]): Promise<unknown[]> =>
  (
    await db.query(
      `select status, error ->> 'code' as error, attempt, proofs, count(*)::int as n from social_reveals where publication_id = any ($1) group by 1, 2, 3, 4`,
      [ids],
    )
  ).rows

/**
 * Schedules them, a second per group, and returns how many milliseconds after its second each was visible. Throws
 * unless each was shown once, and not early.
 */
async function shown(shop: Shop, account: Account, groups: readonly string[][], aheadS: number): Promise<number[]> {
  const { api, operator, db } = shop
  const due = nowS() + aheadS
  const dues = new Map(groups.flatMap((ids, group) => ids.map((id) => [id, due + group] as const)))
  const left = [...dues]
  const schedule = async (): Promise<void> => {
    for (let next = left.pop(); next; next = left.pop()) {
      const [id, scheduled_at] = next
      const answer = await fetch(`${api}${scheduleAt(shop, id)}`, {
        method: 'POST',
        headers: json(operator),
        body: JSON.stringify({ scheduled_at }),
      })
      if (!answer.ok) throw new Error(`not scheduled: ${answer.status} ${await answer.text()}`)
    }
  }
  await Promise.all(Array.from({ length: 8 }, schedule))
  if (nowS() >= due) throw new Error(`${dues.size} publications were not scheduled within ${aheadS} s`)
  const ids = [...dues.keys()]
  let [come, since] = [0, (due + groups.length) * 1000]
  for (;;) {
    const { rows } = await db.query<{ status: string; n: number }>(
      'select status, count(*)::int as n from social_publications where id = any ($1) group by 1',
      [ids],
    )
    const published = rows.find(({ status }) => status === 'published')?.n ?? 0
    if (published === ids.length) break
    if (published > come) since = Math.max(since, Date.now())
    come = published
    if (Date.now() > since + stallMs)
      throw new Error(`not published: ${JSON.stringify(rows)} ${JSON.stringify(await callsOf(shop, ids))}`)
    await pause(200)
  }
  const seen = (await account.control<{ visible_at: number | null; text: string | null }[]>('/ledger')).filter(
    ({ visible_at, text }) => visible_at && dues.has(text ?? ''),
  )
  const late = seen.map(({ visible_at, text }) => (Number(visible_at) - Number(dues.get(text as string))) * 1000)
  if (late.length !== ids.length || late.some((ms) => ms < 0))
    throw new Error(
      `${late.length} posts of ${ids.length} publications are visible; the first after ${Math.min(...late)} ms`,
    )
  return late
}

const alone = 15
const together = 100
const many = 200
const floorClients = 32

/** The empty workflow, by a worker of its own. */
async function floor(address: string): Promise<Times> {
  const worker = await startFloorWorker(address)
  const load = startLoad()
  const { floor: times } = await load.run({
    ...{ base: '', temporal: address, lanes: [], once: true, rounds: 1, ms: 0, floorMs: 4_000, warmMs: 1_000 },
    floor: { kind: 'workflow', workflow: 'floor', address, queue: floorQueue, clients: floorClients },
  })
  load.stop()
  worker.stop()
  if (!times) throw new Error('The empty workflow was not measured.')
  return times
}

export const publications: Measure = {
  name: 'publications',
  parts: [
    { name: 'publication', target: { p50_ms: 400, clients: 1 } },
    // The last one within five seconds.
    { name: 'publications-100', target: { per_s: together / 5, clients: together } },
    { name: 'publication-rate', target: { of_floor: 0.6, clients: floorClients } },
  ],
  async measure(stack, shop) {
    const accounts = new Map<NetworkType, Account>()
    for (const type of ['network_a_page', 'network_d_account'] as const) accounts.set(type, await accountOf(shop, type))
    const posts = async (type: NetworkType, groups: readonly number[], aheadS: number): Promise<number[]> => {
      const account = accounts.get(type) as Account
      const ids = await Promise.all(groups.map((count) => drafts(shop, account, count)))
      return shown(shop, account, ids, aheadS)
    }
    // A page's hidden post is made ahead.
    await posts('network_a_page', [20], 4)
    const each = await posts(
      'network_a_page',
      Array.from({ length: alone }, () => 1),
      5,
    )
    const hundred = await posts('network_a_page', [together], 15)
    const rate = await posts('network_d_account', [many], 20)
    return [
      resultOf('publication', 1, 0, { ms: each.length * 1_000, each }, null),
      resultOf('publications-100', together, 0, { ms: Math.max(...hundred), each: hundred }, null),
      resultOf(
        'publication-rate',
        floorClients,
        0,
        { ms: Math.max(...rate), each: rate },
        await floor(String(stack.env.TEMPORAL_ADDRESS)),
      ),
    ]
  },
}
