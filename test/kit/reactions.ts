// A business whose visitors like, rate, review and discuss what it sells, and what the rows say of it.
//   const forum = await newForum()
//   const [ann, tea] = [await forum.person(), await forum.product()]
//   await forum.react(ann, tea, 'like')
//   await differences(forum.id)          → [] unless a counter differs from the rows
import { type Answer, database, eitherApi, http, type Method, type Operator, operator, unique } from './shop.ts'

export type Target = { type: 'product' | 'service' | 'provider' | 'booking' | 'node'; id: string }
/** `contact_id`: of the first moment; a person who signs in or is merged gets another one. */
export type Person = { token: string; contact_id: string; headers: Record<string, string> }
export type Sent = { base?: string | undefined; headers?: Record<string, string> }

export type Forum = {
  id: string
  publishable_key: string
  op: Operator
  /** Paths are below the business's. */
  ask(method: Method, path: string, body?: unknown, sent?: Sent): Promise<Answer>
  as(person: Person | null, method: Method, path: string, body?: unknown, sent?: Sent): Promise<Answer>
  react(person: Person | null, target: Target, kind: string, more?: object, sent?: Sent): Promise<Answer>
  /** Published by an operator if it waits. */
  comment(
    person: Person,
    target: Target,
    text?: string,
    more?: object,
  ): Promise<{ id: string } & Record<string, unknown>>
  moderate(id: string, status: string, sent?: Sent): Promise<Answer>
  summary(target: Target, person?: Person | null, parentId?: string): Promise<Answer>
  person(): Promise<Person>
  product(): Promise<Target>
  /** Replaces `settings.reactions`. */
  settings(reactions: object): Promise<void>
}

export const said = (value: string) => ({ blocks: [{ key: 'text', type: 'text', value }] })
export const states = ['pending', 'published', 'hidden', 'removed'] as const
export const starOf = (n: number) => `star_${n}`
/** Status and code, for refusals. */
export const refused = ({ status, body }: Answer): unknown[] => [status, body?.code]

export async function createdOf(answer: Promise<Answer>): Promise<{ id: string } & Record<string, unknown>> {
  const { status, body } = await answer
  if (status !== 201) throw new Error(`not created: ${status} ${JSON.stringify(body)}`)
  return body
}

/** `existing`: a business that another kit has made. */
export async function newForum(existing?: { id: string; publishable_key: string; op: Operator }): Promise<Forum> {
  const made = existing ?? (await newTenant())
  const { id, publishable_key, op } = made
  const at = (path: string) => `/v1/businesses/${id}${path}`
  const key = { 'x-service-publishable-key': publishable_key }
  const forum: Forum = {
    ...made,
    ask: (method, path, body, { base, headers } = {}) =>
      http(method, at(path), { body, headers: { ...op.headers, ...headers }, base: base ?? eitherApi() }),
    as: (person, method, path, body, { base, headers } = {}) =>
      http(method, at(path), { body, headers: { ...key, ...person?.headers, ...headers }, base: base ?? eitherApi() }),
    react: (person, target, kind, more = {}, sent = {}) =>
      forum.as(person, 'POST', '/reactions', { target, kind, ...more }, sent),
    async comment(person, target, text = `What I say is ${unique()}.`, more = {}) {
      const made = await createdOf(forum.react(person, target, 'comment', { ...said(text), ...more }))
      return made.status === 'published' ? made : (await forum.moderate(made.id, 'published')).body
    },
    moderate: (reaction, status, sent) => forum.ask('POST', `/reactions/${reaction}/moderate`, { status }, sent),
    summary: (target, person = null, parentId) =>
      forum.as(
        person,
        'GET',
        `/reactions/summary?targetType=${target.type}&targetId=${target.id}${parentId ? `&parentId=${parentId}` : ''}`,
      ),
    async person() {
      const { status, body } = await http('POST', '/v1/storefront/account/identify', {
        body: {},
        headers: key,
        base: eitherApi(),
      })
      if (status !== 200) throw new Error(`no visitor: ${status} ${JSON.stringify(body)}`)
      const { visitor_token: token, contact } = body
      return { token, contact_id: contact.id, headers: { ...key, 'x-service-visitor-token': token } }
    },
    product: async () => ({
      type: 'product',
      id: (await createdOf(forum.ask('POST', '/products', { key: unique() }))).id,
    }),
    async settings(reactions) {
      const { body } = await forum.ask('GET', '')
      const { status } = await forum.ask('PUT', '', { settings: { ...body.settings, reactions } })
      if (status !== 200) throw new Error(`no settings: ${status}`)
    },
  }
  return forum
}

async function newTenant() {
  const op = await operator()
  const body = { key: `forum-${unique()}`, timezone: 'UTC', billingEmail: op.email }
  const { id, publishableKey } = await createdOf(http('POST', '/v1/businesses', { body, headers: op.headers }))
  return { id, publishable_key: publishableKey as string, op }
}

export type Row = { id: string; kind: string; status: string; author_id: string | null }
/** What is stored of a target; `status`: only those. */
export async function rowsAt(target: Target, status?: string): Promise<Row[]> {
  const { rows } = await database().query<Row>(
    'select id, kind, status, author_id from reactions where target_id = $1 and ($2::text is null or status = $2) order by kind, created_at, id',
    [target.id, status ?? null],
  )
  return rows
}

/** How many rows there are of a target, in the tables that its deletion concerns. */
export async function tracesOf({ id }: Target): Promise<Record<'reactions' | 'counts' | 'ratings', number>> {
  const { rows } = await database().query(
    `select (select count(*)::int from reactions where target_id = $1) as reactions, (select count(*)::int from reaction_counts where target_id = $1) as counts,
       (select count(*)::int from ratings where target_id = $1) as ratings`,
    [id],
  )
  return rows[0]
}

/**
 * Where the counters, ratings and numbers of replies of a tenant are not those of its rows. What is left of deleted
 * targets awaits the sweep.
 */
export async function differences(tenant: string): Promise<unknown[]> {
  const { rows } = await database().query(
    `with standing as materialized (select * from reactions r where tenant_id = $1
         and not exists (select 1 from reaction_removals m where m.tenant_id = r.tenant_id and m.target_id = r.target_id and m.place_id in (r.target_id, r.place_id))),
       counted as (select target_id, place_id, kind, shard, count(*)::int as n from standing where status = 'published' group by 1, 2, 3, 4),
       stored as (select target_id, place_id, kind, shard, count as n from reaction_counts c where tenant_id = $1
         and not exists (select 1 from reaction_removals m where m.tenant_id = c.tenant_id and m.target_id = c.target_id and m.place_id in (c.target_id, c.place_id))),
       starred as (select target_type, target_id, count(*)::int as n, sum(right(kind, 1)::int)::int as total from standing where status = 'published' and kind ~ '^star_[1-5]$' group by 1, 2),
       rated as (select target_type, target_id, stars_count as n, stars_sum as total from ratings s where tenant_id = $1
         and not exists (select 1 from reaction_removals m where m.tenant_id = s.tenant_id and m.place_id = s.target_id)),
       replied as (select parent_id as id, count(*)::int as n from standing where parent_id is not null and has_content and status = 'published' group by 1)
     select 'counter of ' || coalesce(c.kind, s.kind) as what, place_id as id, c.n as rows, s.n as stored
       from counted c full join stored s using (target_id, place_id, kind, shard) where coalesce(c.n, 0) <> coalesce(s.n, 0) or s.n < 0
     union all select 'rating', target_id, c.total, s.total from starred c full join rated s using (target_type, target_id)
       where (coalesce(c.n, 0), coalesce(c.total, 0)) <> (coalesce(s.n, 0), coalesce(s.total, 0))
     union all select 'number of replies', p.id, r.n, p.reply_count from standing p left join replied r using (id) where p.reply_count <> coalesce(r.n, 0)`,
    [tenant],
  )
  return rows
}
