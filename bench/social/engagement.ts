// Comments below publications: a page of 100,000, a reply from the request to the settled record, and a sync of 1,000
// against the bare upserts.
import { newId } from '../../entities/kit/ids.ts'
import type { Ask, Measure, Path } from '../kit/path.ts'
import { json } from '../kit/path.ts'
import { resultOf, timesOf } from '../kit/report.ts'
import type { Shop } from '../kit/shop.ts'
import { newPost } from '../kit/social.ts'

const filled = new WeakMap<Shop, Promise<string>>()

/** A publication with 100,000 stored comments, of which some are labelled and some answered. */
async function fill(shop: Shop): Promise<string> {
  const { publication } = await newPost(shop, 0)
  await shop.db.query(
    `insert into social_comments (id, tenant_id, created_at, updated_at, publication_id, provider_comment_id, author, text, text_digest, own, provider_created_at, synced_at, answered, label, sentiment,
       needs_reply, classified_model, classified_at)
     select gen_random_uuid(), $1, 1, 1, $2, n::text, '{"provider_id":"1","name":"Ada","username":"ada"}', 'A comment of some length, number ' || n, md5(n::text), false, 1700000000 + n, 1, n % 10 = 0,
       case when n % 3 = 0 then (array['question','complaint','praise','spam'])[1 + n % 4] end, case when n % 3 = 0 then 'neutral' end, case when n % 3 = 0 then n % 2 = 0 end,
       case when n % 3 = 0 then 'm' end, case when n % 3 = 0 then 1 end
     from generate_series(1, 100000) as n`,
    [shop.store_id, publication],
  )
  await shop.db.query('analyze social_comments')
  return publication
}
function publicationOf(shop: Shop): Promise<string> {
  const known = filled.get(shop) ?? fill(shop)
  filled.set(shop, known)
  return known
}

const queries = [
  '',
  '&label=complaint',
  '&needs_reply=true',
  '&answered=true',
  '&answered=false',
  '&label=question&answered=false',
]

/** Pages of 20: the newest ones and those of each filter. */
export const socialComments: Path = {
  name: 'social-comments-100000',
  floor: 'statements',
  target: { p95_ms: 30, clients: 1 },
  async lanes(shop, clients) {
    const publication = await publicationOf(shop)
    return Array.from({ length: clients }, () =>
      queries.map(
        (query): Ask => ({
          method: 'GET',
          path: `/v1/stores/${shop.store_id}/social-publications/${publication}/comments?limit=20${query}`,
          headers: shop.operator,
        }),
      ),
    )
  },
}

/** Each reply is another one, to one comment. */
export const socialReply: Path = {
  name: 'social-reply',
  floor: 'workflow',
  once: 800,
  target: { of_floor: 0.6 },
  async lanes(shop, clients, each) {
    const { api, operator, store_id } = shop
    const { publication } = await newPost(shop, 1)
    const at = `/v1/stores/${store_id}/social-publications`
    await fetch(`${api}${at}/engagement/sync`, {
      method: 'POST',
      headers: json(operator),
      body: JSON.stringify({ publication_ids: [publication] }),
    })
    const { items } = (await (await fetch(`${api}${at}/${publication}/comments`, { headers: operator })).json()) as {
      items: { id: string }[]
    }
    const path = `${at}/${publication}/comments/${items[0]?.id}/replies`
    return Array.from({ length: clients }, () =>
      Array.from(
        { length: each },
        (): Ask => ({
          method: 'POST',
          path,
          headers: json(operator),
          body: JSON.stringify({ reply_id: newId(), text: `Thank you ${newId()}` }),
        }),
      ),
    )
  },
  async check(shop, answered) {
    const { rows } = await shop.db.query(
      "select count(*)::int as n from social_replies where tenant_id = $1 and status = 'succeeded'",
      [shop.store_id],
    )
    if (rows[0].n < answered) throw new Error(`${rows[0].n} of ${answered} replies were made`)
  },
}

const comments = 1_000
const pageSize = 100
const rounds = 8

/** The upserts alone, a page in a transaction. */
async function bare({ db, store_id }: Shop): Promise<void> {
  const publication = newId()
  for (let from = 0; from < comments; from += pageSize) {
    const rows = Array.from({ length: pageSize }, (_, n) => ({
      id: newId(),
      provider_comment_id: String(from + n),
      text: `A comment of some length, as people write them ${n}`,
      at: from + n,
    }))
    await db.query(
      `insert into social_comments as c (id, created_at, updated_at, tenant_id, publication_id, provider_comment_id, author, text, text_digest, own, provider_created_at, synced_at)
       select id, 1, 1, $1, $2, provider_comment_id, '{"provider_id":"1","name":null,"username":"ada"}', text, encode(sha256(text::bytea), 'hex'), false, at, 1
       from jsonb_to_recordset($3) as x (id uuid, provider_comment_id text, text text, at bigint) order by provider_comment_id
       on conflict (tenant_id, publication_id, provider_comment_id) do update set text = excluded.text, synced_at = excluded.synced_at`,
      [store_id, publication, JSON.stringify(rows)],
    )
  }
}

/** From the request to the finished sync. */
export const socialSync: Measure = {
  name: 'social-sync-1000',
  target: { of_floor: 0.4, clients: 1 },
  async measure(_, shop) {
    const { api, operator, store_id, db } = shop
    const [each, floor]: [number[], number[]] = [[], []]
    let writes = 0
    for (let round = -2; round < rounds; round++) {
      const { publication } = await newPost(shop, comments)
      const body = {
        publication_ids: [publication],
        max_comment_pages_per_publication: 20,
        max_comments_per_publication: comments,
        sync_metrics: false,
      }
      const began = performance.now()
      const answer = await fetch(`${api}/v1/stores/${store_id}/social-publications/engagement/sync`, {
        method: 'POST',
        headers: json(operator),
        body: JSON.stringify(body),
      })
      const sync = (await answer.json()) as { status: string; items: { new: number }[] }
      const ms = performance.now() - began
      if (sync.status !== 'completed' || sync.items[0]?.new !== comments)
        throw new Error(`not synced: ${JSON.stringify(sync)}`)
      const { rows } = await db.query(
        'select count(distinct xmin::text)::int as n from social_comments where publication_id = $1',
        [publication],
      )
      writes = rows[0].n / (comments / pageSize)
      const alone = performance.now()
      await bare(shop)
      if (round < 0) continue
      each.push(ms)
      floor.push(performance.now() - alone)
    }
    return resultOf('social-sync-1000', 1, writes, timesOf(each), timesOf(floor))
  },
}
