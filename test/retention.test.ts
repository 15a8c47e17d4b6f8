// Proves for every table that grows without bound that expired rows are deleted and no others, with two concurrent
// sweepers and requests.
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import pg from 'pg'
import { v7 } from 'uuid'
import { config } from '../config.ts'
import { type Orm, openOrm, unitOf } from '../entities/kit/database/orm.ts'
import { sweep } from '../entities/retention.ts'
import { effectStatuses, isTerminal, keepDays, sweptTables } from '../rules/effects.ts'
import { listed, tablesOf } from './kit/database/tables.ts'
import { database, newShop, type Shop, unique } from './kit/shop.ts'
import { type Lab, startLab } from './kit/stack/lab.ts'

jest.setTimeout(180_000)

type Keep = typeof config.keep
const day = 86_400
const now = Math.floor(Date.now() / 1000)
const [old, lately] = [now - 100 * day, now - 60]
const usual: Keep = {
  ...{
    events: 90,
    executions: 90,
    carts: 90,
    campaigns: 90,
    chats: 90,
    research: 90,
    provider_events: 60,
    sessions: 30,
    script_runs: 30,
    challenges: 1,
    invitations: 30,
    erasures: 365,
    removed_reactions: 90,
    comments: 30,
    social_syncs: 30,
  },
  ...keepDays,
}
const forEver = Object.fromEntries(Object.keys(usual).map((name) => [name, 0])) as Keep

let lab: Lab
let orm: Orm
let shop: Shop
let webhook: string
let account: string
let hook: { workflow: string; graph: string }
let product: string

const idAt = (seconds: number) => v7({ msecs: seconds * 1000 })
const time = (seconds: number) => new Date(seconds * 1000).toISOString()

const columns = new Map<string, Promise<string[]>>()
async function readColumns(table: string): Promise<string[]> {
  const { rows } = await database().query(
    'select column_name as name from information_schema.columns where table_name = $1',
    [table],
  )
  return rows.map(({ name }) => name)
}
const columnsOf = (table: string): Promise<string[]> => {
  const found = columns.get(table) ?? readColumns(table)
  columns.set(table, found)
  return found
}

/** A row of the store; columns that are left out have their defaults. */
async function put(table: string, at: number, row: Record<string, unknown>): Promise<string> {
  const id = (row.id as string | undefined) ?? idAt(at)
  const all: Record<string, unknown> = { id, created_at: at, updated_at: at, tenant_id: shop.store_id, ...row }
  const names = (await columnsOf(table)).filter((name) => name in all)
  await database().query(
    `insert into ${table} (${names}) select ${names} from json_populate_record(null::${table}, $1)`,
    [JSON.stringify(all)],
  )
  return id
}
const effect = (status: string, at: number | null) => ({
  status,
  fingerprint: '',
  attempt: 1,
  settled_at: at === null ? null : time(at),
})
const event = (at: number) => put('events', at, { type: 'order.created', data: {} })
const delivery = async (at: number, status: string, settled: number | null, event_id?: string) =>
  put('deliveries', at, {
    ...{ webhook_id: webhook, event_id: event_id ?? (await event(at)), type: 'order.created', status, attempts: 1 },
    settled_at: settled === null ? null : time(settled),
  })
const execution = (at: number, status: string, more: Record<string, unknown> = {}) =>
  put('executions', at, {
    ...{
      workflow_id: hook.workflow,
      graph_id: hook.graph,
      status,
      source: 'webhook',
      input: {},
      step: 1,
      runs: 1,
      cancel_requested: false,
    },
    finished_at: ['pending', 'running'].includes(status) ? null : at,
    ...more,
  })
const run = (execution_id: string, status: string) =>
  put('node_runs', old, { execution_id, key: unique(), node: 'a', applied: true, ...effect(status, old) })
/** A row of an effect as test/kit/effects/effect-rows.ts requests it, made at `at`. */
async function effectAt(table: string, at: number, status: string): Promise<string> {
  const { effectKinds } = await import('./kit/effects/effect-rows.ts')
  const id = idAt(at)
  const requested = await effectKinds.find((kind) => kind.table === table)?.ask()
  await database().query(
    `update ${table} set id = $2, created_at = $3, updated_at = $3, status = $4, settled_at = $5 where id = $1`,
    [...[requested, id, at, status], isTerminal(status as (typeof effectStatuses)[number]) ? time(at) : null],
  )
  return id
}
/** Of a consent page. */
const visit = () =>
  put('social_authorizations', old, {
    ...{
      type: 'network_d_account',
      state_digest: unique(),
      redirect_uri: 'https://shop.example/',
      connected_by: idAt(old),
      expires_at: old,
      ...effect('requested', null),
    },
  })
const challenge = (expires_at: number) =>
  put('challenges', old, { audience: 'account', email: 'a@b.test', code_digest: unique(), tries: 0, expires_at })
const invitation = (expires_at: number, status: string) =>
  put('invitations', old, {
    email: unique(),
    role: 'admin',
    token_digest: unique(),
    status,
    invited_by: account,
    mailed_at: old,
    expires_at,
  })
const erasure = (at: number, status: string) =>
  put('erasures', at, { erased_id: idAt(at), key: unique(), requested_by: account, status, message: '' })
const session = (refresh_expires_at: number, revoked_at: number | null) =>
  put('account_sessions', old, {
    ...{
      account_id: account,
      access_digest: unique(),
      refresh_digest: unique(),
      access_expires_at: old,
      refresh_expires_at,
      revoked_at,
      generation: 0,
    },
  })
const contact = (at: number, more: Record<string, unknown> = {}) =>
  put('contacts', at, { status: 'active', taxonomies: [], anonymous: true, ...more })
const cart = (contact_id: string, at: number, more: Record<string, unknown> = {}) =>
  put('carts', old, {
    ...{ contact_id, status: 'open', is_current: true, market: 'us', product_items: [], booking_items: [], forms: [] },
    updated_at: at,
    ...more,
  })
const campaign = (status: string, ended_at: number | null) =>
  put('campaigns', old, { name: 'x', status, mailbox_ids: [], steps: [], variables: {}, stop_on_reply: true, ended_at })
const enrollment = (campaign_id: string, contact_id = idAt(old)) =>
  put('enrollments', old, {
    campaign_id,
    contact_id,
    address: unique(),
    variables: {},
    status: 'completed',
    step: 1,
    shuffle: 1,
  })
const message = (campaign_id: string, enrollment_id: string, status: string, kind = 'step') =>
  put('campaign_messages', old, {
    ...{
      campaign_id,
      enrollment_id,
      kind,
      step: kind === 'step' ? 0 : null,
      try: 1,
      mailbox_id: idAt(old),
      address: 'a@b.test',
      attachments: [],
    },
    ...effect(status, old),
  })
const visitorSession = (contact_id: string, revoked_at: number | null) =>
  put('contact_sessions', old, { contact_id, token_digest: unique(), revoked_at })
/** A comment. */
async function reaction(at: number, status: string, author_id = idAt(old)): Promise<string> {
  const [id, target_id] = [idAt(at), product]
  const { rows } = await database().query(`select md5('product ' || $1 || ' ' || $1 || ' comment')::uuid as subject`, [
    target_id,
  ])
  return put('reactions', at, {
    ...{
      id,
      author_id,
      official: false,
      verified_purchase: false,
      target_type: 'product',
      target_id,
      place_id: target_id,
      ancestors: [],
      kind: 'comment',
    },
    ...{
      subject: rows[0].subject,
      slot: `.${unique()}`,
      shard: 0,
      has_content: true,
      blocks: [],
      taxonomies: [],
      status,
      reply_count: 0,
    },
  })
}
const script = (at: number, status: string) => put('script_runs', at, { name: unique(), status, message: '' })
const agent = (deleted_at: number | null) =>
  put('agents', old, {
    key: unique(),
    prompt: 'x',
    model_id: 'x',
    integration_id: idAt(old),
    status: 'active',
    channel_ids: [],
    history_max: 1,
    output_tokens_max: 1,
    deleted_at,
  })
const chat = async (last_message_at: number, agent_id?: string) => {
  const id = await put('chats', old, {
    ...{
      agent_id: agent_id ?? (await agent(null)),
      direct: false,
      status: 'active',
      mode: 'agent',
      version: 1,
      history_seq: 0,
      message_count: 1,
      last_message_at,
    },
  })
  await put('chat_messages', old, {
    chat_id: id,
    seq: 1,
    message_id: idAt(old),
    role: 'user',
    content: 'x',
    verified: false,
    version: 1,
    status: 'answered',
  })
  return id
}
const turn = (at: number, status: string, owner_id = idAt(old)) =>
  put('model_turns', at, { owner_kind: 'chat', owner_id, version: 1, status })
const researchRun = (updated_at: number) =>
  put('research_runs', old, {
    ...{
      updated_at,
      run_id: idAt(old),
      fingerprint: '',
      audience_id: idAt(old),
      goal: 'x',
      model_id: 'x',
      integration_id: idAt(old),
      status: 'completed',
    },
    ...{ asks: false, version: 1, message_count: 0, input_tokens: 0, output_tokens: 0 },
  })
const source = async (at: number) =>
  put('research_sources', at, {
    ...{
      research_run_id: await researchRun(lately),
      turn_id: idAt(old),
      call_id: idAt(old),
      url: 'https://lead.example/',
      status: 'read',
      attempt: 1,
      links: [],
    },
  })
const sync = (finished_at: number | null, status: string) =>
  put('social_syncs', old, {
    kind: 'publications',
    status,
    pages_max: 1,
    comments_max: 1,
    with_metrics: false,
    finished_at,
  })
const label = (updated_at: number, status: string) =>
  put('social_labels', old, {
    ...{ updated_at, model: 'x', text_digest: unique().padEnd(64, '0'), status, classification_id: idAt(old) },
    ...(status === 'labelled' && { label: 'question', sentiment: 'neutral', needs_reply: true }),
  })
const socialComment = (synced_at: number) =>
  put('social_comments', old, {
    ...{
      publication_id: idAt(old),
      provider_comment_id: unique(),
      own: false,
      answered: false,
      listed: true,
      provider_created_at: old,
      synced_at,
    },
  })
const socialReply = (root_id: string, status: string) =>
  put('social_replies', old, {
    ...{
      reply_id: idAt(old),
      publication_id: idAt(old),
      comment_id: root_id,
      root_id,
      social_connection_id: idAt(old),
      type: 'network_a_page',
      text: 'x',
    },
    ...effect(status, old),
  })
const graph = (workflow_id: string) => put('graphs', old, { workflow_id, nodes: {}, edges: [] })

beforeAll(async () => {
  lab = await startLab('retention', {}, { parts: ['postgres', 'migrations'] })
  await lab.stack.startApi()
  orm = await openOrm({ url: lab.stack.env.DATABASE_URL as string, pool: 4 })
  shop = await newShop()
  account = shop.op.account_id
  product = await put('products', old, { key: unique(), slug: {}, blocks: [], taxonomies: [], status: 'active' })
  webhook = await put('webhooks', old, {
    key: unique(),
    url: 'x',
    headers: 'x',
    secret: 'x',
    events: [],
    enabled: false,
  })
  const { meetReceiver } = await import('./kit/effects/effect-rows.ts')
  meetReceiver({ url: 'http://receiver.test' } as Parameters<typeof meetReceiver>[0])
  hook = { workflow: idAt(old), graph: idAt(old) }
  await put('workflows', old, {
    id: hook.workflow,
    key: unique(),
    status: 'active',
    graph_id: hook.graph,
    events: [],
    secret: 'x',
    secret_digest: unique(),
  })
  await put('graphs', old, { id: hook.graph, workflow_id: hook.workflow, nodes: {}, edges: [] })
})
afterAll(async () => {
  await orm.close(true)
  await database().end()
  await lab.stop()
})

const there = async (table: string, ids: readonly string[]): Promise<string[]> =>
  (await database().query<{ id: string }>(`select id from ${table} where id::text = any($1)`, [ids])).rows.map(
    ({ id }) => id,
  )

/** Sweeps until nothing is deleted; contacts are read in several rounds. */
async function swept(keep: Keep): Promise<Record<string, number>> {
  const gone: Record<string, number> = {}
  for (let quiet = 0; quiet < 3; ) {
    const rows = await sweep(unitOf(orm, null), now, keep)
    for (const [name, count] of Object.entries(rows)) gone[name] = (gone[name] ?? 0) + count
    quiet = Object.values(rows).some((count) => count > 0) ? 0 : quiet + 1
  }
  return gone
}

type Case = { table: string; goes: Record<string, () => Promise<string>>; stays: Record<string, () => Promise<string>> }
const cases: Case[] = [
  {
    table: 'deliveries',
    goes: {
      'delivered long ago': () => delivery(old, 'succeeded', old),
      'failed long ago': () => delivery(old, 'failed', old),
    },
    stays: {
      pending: () => delivery(old, 'pending', null),
      'redelivered recently': () => delivery(old, 'succeeded', lately),
    },
  },
  {
    table: 'events',
    goes: {
      'delivered long ago': async () => {
        const id = await event(old)
        await delivery(old, 'succeeded', old, id)
        return id
      },
      'without a delivery': () => event(old),
    },
    stays: {
      'delivered to one webhook and pending for another': async () => {
        const id = await event(old)
        await delivery(old, 'succeeded', old, id)
        await delivery(old, 'pending', null, id)
        return id
      },
      recent: () => event(lately),
    },
  },
  {
    table: 'executions',
    goes: {
      completed: () => execution(old, 'completed'),
      'failed, with its runs': async () => {
        const id = await execution(old, 'failed')
        await run(id, 'succeeded')
        await run(id, 'rejected')
        return id
      },
      cancelled: () => execution(old, 'cancelled'),
    },
    stays: {
      running: () => execution(old, 'running', { wake_at: time(now + day) }),
      'ended recently': () => execution(old, 'completed', { finished_at: lately }),
      'with a node whose outcome is unknown': async () => {
        const id = await execution(old, 'failed')
        await run(id, 'unknown')
        return id
      },
    },
  },
  {
    table: 'graphs',
    goes: {
      'used by no execution any more': async () => {
        const graph_id = await graph(hook.workflow)
        await execution(old, 'completed', { graph_id })
        return graph_id
      },
    },
    stays: {
      'used by another execution': async () => {
        const graph_id = await graph(hook.workflow)
        await execution(old, 'completed', { graph_id })
        await execution(lately, 'completed', { graph_id })
        return graph_id
      },
      'of a workflow': async () => {
        const [workflow_id, graph_id] = [idAt(old), idAt(old)]
        await put('workflows', old, {
          id: workflow_id,
          key: unique(),
          status: 'active',
          graph_id,
          events: [],
          secret: 'x',
          secret_digest: unique(),
        })
        await put('graphs', old, { id: graph_id, workflow_id, nodes: {}, edges: [] })
        await execution(old, 'completed', { workflow_id, graph_id })
        return graph_id
      },
    },
  },
  ...sweptTables.map((table): Case => {
    const goes = effectStatuses.filter((status) => isTerminal(status) && status !== 'unknown')
    const make = (at: number, statuses: readonly string[]) =>
      Object.fromEntries(statuses.map((status) => [`${status} ${at}`, () => effectAt(table, at, status)]))
    const unused: Record<string, () => Promise<string>> =
      table === 'social_authorizations' ? { 'a visit that never came back': visit } : {}
    return {
      table,
      goes: { ...make(old, goes), ...unused },
      stays: { ...make(old, ['requested', 'processing', 'unknown']), ...make(lately, goes) },
    }
  }),
  {
    table: 'chats',
    goes: { 'without a message for long': () => chat(old) },
    stays: { 'with a recent message': () => chat(lately) },
  },
  {
    table: 'model_turns',
    goes: { answered: () => turn(old, 'answered') },
    stays: {
      running: () => turn(old, 'running'),
      recent: () => turn(lately, 'answered'),
      'with a call': async () => {
        const id = await turn(old, 'unknown')
        await database().query('update model_calls set turn_id = $1, tenant_id = $3 where id = $2', [
          id,
          await effectAt('model_calls', old, 'unknown'),
          shop.store_id,
        ])
        return id
      },
    },
  },
  {
    table: 'research_sources',
    goes: { 'read long ago': () => source(old) },
    stays: { 'read recently': () => source(lately) },
  },
  {
    table: 'research_runs',
    goes: {
      'without a change for long': async () => {
        const research_run_id = await researchRun(old)
        await put('research_messages', old, {
          research_run_id,
          seq: 1,
          message_id: idAt(old),
          role: 'assistant',
          content: 'x',
          is_question: false,
        })
        return research_run_id
      },
    },
    stays: {
      'with a recent change': () => researchRun(lately),
      'with a turn that runs': async () => {
        const id = await researchRun(old)
        await turn(old, 'running', id)
        return id
      },
    },
  },
  {
    table: 'social_syncs',
    goes: { 'completed long ago': () => sync(old, 'completed'), 'failed long ago': () => sync(old, 'failed') },
    stays: { running: () => sync(null, 'running'), 'completed recently': () => sync(lately, 'completed') },
  },
  {
    table: 'social_labels',
    goes: { 'of long ago': () => label(old, 'labelled'), 'that failed long ago': () => label(old, 'failed') },
    stays: { recent: () => label(lately, 'labelled'), 'whose call is open or unknown': () => label(old, 'asked') },
  },
  {
    table: 'social_comments',
    goes: {
      'that no sync saw for long': () => socialComment(old),
      'whose reply was sent': async () => {
        const id = await socialComment(old)
        await socialReply(id, 'succeeded')
        return id
      },
    },
    stays: {
      'seen recently': () => socialComment(lately),
      'whose reply is open': async () => {
        const id = await socialComment(old)
        await socialReply(id, 'unknown')
        return id
      },
    },
  },
  {
    table: 'provider_events',
    goes: { applied: () => put('provider_events', old, { id: unique(), type: 'x', event_at: old, received_at: old }) },
    stays: {
      'that the provider may repeat': () =>
        put('provider_events', old, { id: unique(), type: 'x', event_at: old, received_at: now - 40 * day }),
    },
  },
  {
    table: 'challenges',
    goes: { expired: () => challenge(old) },
    stays: { 'expired recently': () => challenge(lately), valid: () => challenge(now + 600) },
  },
  {
    table: 'erasures',
    goes: { succeeded: () => erasure(now - 400 * day, 'succeeded') },
    stays: {
      'under way': () => erasure(now - 400 * day, 'deleted'),
      'that succeeded within the year': () => erasure(old, 'succeeded'),
    },
  },
  {
    table: 'invitations',
    goes: { accepted: () => invitation(old, 'accepted'), 'that expired unanswered': () => invitation(old, 'pending') },
    stays: {
      pending: () => invitation(now + day, 'pending'),
      'that expired recently': () => invitation(lately, 'expired'),
    },
  },
  {
    table: 'account_sessions',
    goes: { expired: () => session(old, null), revoked: () => session(now + day, old) },
    stays: { valid: () => session(now + day, null), 'revoked recently': () => session(now + day, lately) },
  },
  {
    table: 'contact_sessions',
    goes: { 'signed out': async () => visitorSession(await contact(lately), old) },
    stays: {
      valid: async () => visitorSession(await contact(lately), null),
      'signed out recently': async () => visitorSession(await contact(lately), lately),
    },
  },
  {
    table: 'script_runs',
    goes: { done: () => script(old, 'failed') },
    stays: { running: () => script(old, 'running'), recent: () => script(lately, 'succeeded') },
  },
  {
    table: 'carts',
    goes: { 'that an anonymous visitor abandoned': async () => cart(await contact(old), old) },
    stays: {
      'that an anonymous visitor uses': async () => cart(await contact(old), lately),
      'of an identified contact': async () => {
        const contact_id = await contact(old)
        const reach = { owned: false, is_primary: false, status: 'active', consent_status: 'unknown' }
        await put('contact_channels', old, {
          contact_id,
          type: 'email',
          address: `${unique()}@tillwright.test`,
          ...reach,
        })
        return cart(contact_id, old)
      },
      'that became an order': async () => cart(await contact(old), old, { status: 'ordered' }),
    },
  },
  {
    table: 'campaigns',
    goes: {
      completed: () => campaign('completed', old),
      'cancelled while a message of a step waited': async () => {
        const id = await campaign('cancelled', old)
        await message(id, await enrollment(id), 'requested')
        return id
      },
    },
    stays: {
      running: () => campaign('running', null),
      draft: () => campaign('draft', null),
      'ended recently': () => campaign('completed', lately),
      'with a message whose outcome is unknown': async () => {
        const id = await campaign('completed', old)
        await message(id, await enrollment(id), 'unknown')
        return id
      },
      'with a message in flight': async () => {
        const id = await campaign('cancelled', old)
        await message(id, await enrollment(id), 'processing')
        return id
      },
      'with a reply of an operator that waits': async () => {
        const id = await campaign('completed', old)
        await message(id, await enrollment(id), 'requested', 'reply')
        return id
      },
    },
  },
  ...(['campaign_messages', 'inbound_mails', 'enrollments'] as const).map((table): Case => {
    const make = async (ended_at: number) => {
      const id = await campaign('completed', ended_at)
      const enrollment_id = await enrollment(id)
      const campaign_message_id = await message(id, enrollment_id, 'succeeded')
      const inbound_mails = await put('inbound_mails', old, {
        ...{
          mailbox_id: idAt(old),
          digest: unique(),
          kind: 'reply',
          enrollment_id,
          campaign_message_id,
          subject: '',
          content: '',
          received_at: old,
        },
      })
      return { campaign_messages: campaign_message_id, inbound_mails, enrollments: enrollment_id }[table]
    }
    return {
      table,
      goes: { 'of a campaign that ended long ago': () => make(old) },
      stays: { 'of one that ended recently': () => make(lately) },
    }
  }),
  {
    table: 'reactions',
    goes: { 'removed long ago': () => reaction(old, 'removed') },
    stays: { 'removed recently': () => reaction(lately, 'removed'), 'hidden long ago': () => reaction(old, 'hidden') },
  },
  {
    table: 'contacts',
    goes: {
      'without any activity': async () => {
        const id = await contact(old)
        await visitorSession(id, null)
        return id
      },
    },
    stays: {
      'created recently': () => contact(lately),
      'with a form submission': async () => {
        const contact_id = await contact(old)
        const { rows } = await database().query('select id from forms where tenant_id = $1 limit 1', [shop.store_id])
        await put('form_submissions', old, { form_id: rows[0].id, contact_id, fields: [] })
        return contact_id
      },
      'with a membership': async () => {
        const contact_id = await contact(old)
        const audience_id = await put('audiences', old, {
          key: unique(),
          name: 'x',
          type: 'open',
          status: 'active',
          ending: false,
        })
        await put('audience_members', old, {
          audience_id,
          contact_id,
          status: 'removed',
          delivery_status: 'subscribed',
          opted_out: false,
          source: 'storefront',
          fields: {},
          ended_at: 1,
        })
        return contact_id
      },
      'with a comment': async () => {
        const contact_id = await contact(old)
        await reaction(lately, 'published', contact_id)
        return contact_id
      },
      'with an enrollment': async () => {
        const contact_id = await contact(old)
        await enrollment(await campaign('running', null), contact_id)
        return contact_id
      },
      'with a valid sign-in code': async () => {
        const id = await contact(old)
        const contact_session_id = await visitorSession(id, null)
        await put('challenges', old, {
          audience: 'contact',
          email: 'a@b.test',
          code_digest: unique(),
          tries: 0,
          expires_at: now + 900,
          contact_session_id,
        })
        return id
      },
      'with a taxonomy entry': () => contact(old, { taxonomies: [{ taxonomy_id: idAt(old), entry_ids: [] }] }),
    },
  },
]

const all = (made: Record<string, () => Promise<string>>) => Promise.all(Object.values(made).map((make) => make()))

describe('Retention', () => {
  test.each(cases)(
    'Expired rows of $table are deleted; recent, needed and unknown ones stay; 0 days keep all',
    async ({ table, goes, stays }) => {
      const [going, staying] = [await all(goes), await all(stays)]
      await swept(forEver)
      expect((await there(table, [...going, ...staying])).sort()).toEqual([...going, ...staying].sort())
      await swept(usual)
      expect(await there(table, going)).toEqual([])
      expect((await there(table, staying)).sort()).toEqual(staying.sort())
    },
  )

  test('A large campaign is deleted in batches with all its rows, and another one loses nothing', async () => {
    const [going, staying] = [await campaign('completed', old), await campaign('completed', lately)]
    for (const id of [going, staying]) await message(id, await enrollment(id), 'succeeded')
    await database().query(
      `insert into enrollments (id, created_at, updated_at, tenant_id, campaign_id, contact_id, address, variables, shuffle)
       select gen_random_uuid(), 1, 1, $1, $2, gen_random_uuid(), n || '@tillwright.test', '{}', 1 from generate_series(1, 1500) n`,
      [shop.store_id, going],
    )
    const left = async (id: string) =>
      (
        await database().query(
          `select (select count(*)::int from enrollments where campaign_id = $1) as enrollments, (select count(*)::int from campaign_messages where campaign_id = $1) as messages`,
          [id],
        )
      ).rows[0]
    expect((await sweep(unitOf(orm, null), now, usual, 0)).campaigns).toBe(1_000)
    expect(await there('campaigns', [going])).toEqual([going])
    await swept(usual)
    expect(await there('campaigns', [going, staying])).toEqual([staying])
    expect([await left(going), await left(staying)]).toEqual([
      { enrollments: 0, messages: 0 },
      { enrollments: 1, messages: 1 },
    ])
  })

  test('A deleted agent is deleted with its chats, unless a turn of one runs', async () => {
    const earlier = now - 7_200
    const [going, busy, staying] = [await agent(earlier), await agent(earlier), await agent(null)]
    const chats = await Promise.all([going, busy, staying].map((id) => chat(lately, id)))
    await turn(lately, 'running', chats[1])
    await swept(forEver)
    expect((await there('agents', [going, busy, staying])).sort()).toEqual([busy, staying].sort())
    expect((await there('chats', chats)).sort()).toEqual(chats.slice(1).sort())
  })

  test('Chats with many messages are deleted a few at a time, and their deleted agent last', async () => {
    const owner = await agent(now - 7_200)
    const chats = await Promise.all([1, 2, 3].map(() => chat(lately, owner)))
    await database().query('update chats set message_count = 6000 where id = any($1)', [chats])
    await sweep(unitOf(orm, null), now, usual, 0)
    expect((await there('chats', chats)).length).toBe(1)
    expect(await there('agents', [owner])).toEqual([owner])
    await swept(usual)
    expect([await there('chats', chats), await there('agents', [owner])]).toEqual([[], []])
  })

  test('An agent deleted within the hour stays, as a request may begin a chat with it', async () => {
    const [just, before] = [await agent(lately), await agent(now - 7_200)]
    await swept(usual)
    expect(await there('agents', [just, before])).toEqual([just])
  })

  test('Every job with a period of days is proved by these cases', async () => {
    const jobs = Object.keys(await sweep(unitOf(orm, null), now, usual))
    const proved = new Set(cases.map(({ table }) => table))
    // The others have a time of their own.
    expect(jobs.filter((job) => !proved.has(job)).sort()).toEqual([
      'agents',
      'media',
      'rate_windows',
      'reaction_removals',
      'rotated_pairs',
    ])
  })

  test('A visitor with a running request is kept, and neither waits for the other', async () => {
    const [busy, idle] = [await contact(old), await contact(old)]
    const session = await visitorSession(busy, null)
    await visitorSession(idle, null)
    // As the submission of a form locks the session before it is written.
    const request = new pg.Client({ connectionString: lab.stack.env.DATABASE_URL })
    await request.connect()
    await request.query('begin')
    await request.query('select 1 from contact_sessions where id = $1 for key share', [session])
    await swept(usual)
    expect(await there('contacts', [busy, idle])).toEqual([busy])
    const { rows } = await database().query('select id from forms where tenant_id = $1 limit 1', [shop.store_id])
    await put('form_submissions', now, { form_id: rows[0].id, contact_id: busy, fields: [] })
    await request.query('commit')
    await request.end()
    await swept(usual)
    expect(await there('contacts', [busy])).toEqual([busy])
  })

  test('An execution with thousands of runs is deleted alone, with all of them', async () => {
    const [large, small] = [await execution(old, 'completed', { runs: 6_000 }), await execution(old + 1, 'completed')]
    await database().query(
      `insert into node_runs (id, created_at, updated_at, tenant_id, execution_id, key, node, status, fingerprint, attempt)
       select gen_random_uuid(), 1, 1, $1, $2, n::text, 'a', 'succeeded', '', 1 from generate_series(1, 6000) n`,
      [shop.store_id, large],
    )
    const { executions } = await sweep(unitOf(orm, null), now, usual, 0)
    expect(executions).toBe(1)
    expect(await there('executions', [large, small])).toEqual([small])
    const { rows } = await database().query('select 1 from node_runs where execution_id = $1', [large])
    expect(rows).toEqual([])
    await swept(usual)
  })
})

describe('Tables', () => {
  test('Every table of the database declares what becomes of its rows', async () => {
    expect(listed.map(({ table }) => table).sort()).toEqual((await tablesOf(database())).sort())
  })

  test('Every table that grows without bound has a job that runs and a setting that is read', async () => {
    const grows = listed.filter(({ kind }) => kind === 'swept')
    const jobs = Object.keys(await sweep(unitOf(orm, null), now, usual))
    expect(grows.length).toBeGreaterThan(12)
    expect(grows.filter(({ job }) => !jobs.includes(job))).toEqual([])
    const read = Object.keys(config.keep).map((name) => `KEEP_${name.toUpperCase()}_DAYS`)
    expect([...new Set(grows.map(({ setting }) => setting).filter((setting) => setting !== ''))].sort()).toEqual(
      read.sort(),
    )
  })
})

/** `count` rows of each table; `at` in Unix seconds. */
async function many(count: number, at: number): Promise<void> {
  const id = `(lpad(to_hex((${at}::bigint + n) * 1000), 12, '0') || '7' || substr(md5(random()::text), 1, 3) || '8' || substr(md5(random()::text), 1, 15))::uuid`
  const rows = `from generate_series(1, ${count}) n`
  const settled = `'succeeded', '', 1, to_timestamp(${at})`
  const store = `'${shop.store_id}'::uuid`
  await database().query(`
    with e as (insert into events (id, created_at, updated_at, tenant_id, type, data) select ${id}, ${at}, ${at}, ${store}, 'order.created', '{}' ${rows} returning id)
      insert into deliveries (id, created_at, updated_at, tenant_id, webhook_id, event_id, type, status, attempts, settled_at)
      select e.id, ${at}, ${at}, ${store}, '${webhook}', e.id, 'order.created', 'succeeded', 1, to_timestamp(${at}) from e;
    with x as (insert into executions (id, created_at, updated_at, tenant_id, workflow_id, graph_id, status, source, input, step, runs, cancel_requested, finished_at)
      select ${id}, ${at}, ${at}, ${store}, '${hook.workflow}', gen_random_uuid(), 'completed', 'webhook', '{}', 1, 1, false, ${at} ${rows} returning id)
      insert into node_runs (id, created_at, updated_at, tenant_id, execution_id, key, node, status, fingerprint, attempt, settled_at)
      select x.id, ${at}, ${at}, ${store}, x.id, 'a', 'a', ${settled} from x;
    insert into provider_events (id, type, event_at, received_at) select ${id}::text, 'x', ${at}, ${at} ${rows};
    insert into challenges (id, created_at, updated_at, audience, email, code_digest, tries, expires_at) select ${id}, ${at}, ${at}, 'account', 'a@b.test', 'x', 0, ${at} ${rows};
    insert into account_sessions (id, created_at, updated_at, account_id, access_digest, refresh_digest, access_expires_at, refresh_expires_at, rotated_at, rotated_pair)
      select ${id}, ${at}, ${at}, '${account}', gen_random_uuid()::text, gen_random_uuid()::text, ${at}, ${at}, case when n < 1000 then to_timestamp(${at}) end, case when n < 1000 then 'x' end ${rows};
    insert into script_runs (id, created_at, updated_at, name, status, message) select ${id}, ${at}, ${at}, 'x', 'succeeded', '' ${rows};
    insert into rate_windows (key, started_at, count, expires_at) select gen_random_uuid()::text, ${at}, 1, ${at} ${rows};
    with c as (insert into contacts (id, created_at, updated_at, tenant_id, status, taxonomies) select ${id}, ${at}, ${at}, ${store}, 'active', '[]' ${rows} returning id),
      s as (insert into contact_sessions (id, created_at, updated_at, tenant_id, contact_id, token_digest) select id, ${at}, ${at}, ${store}, id, gen_random_uuid()::text from c)
      insert into carts (id, created_at, updated_at, tenant_id, contact_id, status, is_current, market, product_items, booking_items, forms)
      select id, ${at}, ${at}, ${store}, id, 'open', true, 'us', '[]', '[]', '[]' from c;
    with c as (insert into campaigns (id, created_at, updated_at, tenant_id, name, status, mailbox_ids, steps, variables, ended_at)
        select ${id}, ${at}, ${at}, ${store}, 'x', 'completed', '[]', '[]', '{}', ${at} ${rows} returning id),
      e as (insert into enrollments (id, created_at, updated_at, tenant_id, campaign_id, contact_id, address, variables, shuffle)
        select id, ${at}, ${at}, ${store}, id, id, 'a@b.test', '{}', 1 from c returning id)
      insert into campaign_messages (id, created_at, updated_at, tenant_id, campaign_id, enrollment_id, kind, step, mailbox_id, address, attachments, status, fingerprint)
      select id, ${at}, ${at}, ${store}, id, id, 'step', 0, id, 'a@b.test', '[]', 'succeeded', '' from e;
  `)
  for (const table of sweptTables) {
    const like = await effectAt(table, at, 'succeeded')
    // Of a tenant each, so that unique keys hold.
    await database().query(`insert into ${table} select made.* from ${table} t, generate_series(1, ${count - 1}) n,
      lateral json_populate_record(t, json_build_object('id', ${id}, 'tenant_id', gen_random_uuid())) made where t.id = '${like}'`)
  }
  await database().query('analyze')
}

describe('Twenty thousand rows of each table', () => {
  const count = 20_000
  const full = [
    ...[
      'events',
      'deliveries',
      'executions',
      'node_runs',
      'provider_events',
      'challenges',
      'account_sessions',
      'script_runs',
      'rate_windows',
    ],
    ...['contacts', 'contact_sessions', 'carts', 'campaigns', 'enrollments', 'campaign_messages', ...sweptTables],
  ]

  test('Rows that stay are not read: expired ones are found by an index', async () => {
    await many(count, now - 3_600)
    await all(
      Object.fromEntries(
        cases.flatMap(({ table, goes }) => Object.entries(goes).map(([name, make]) => [`${table} ${name}`, make])),
      ),
    )
    const said: { text: string; values: readonly unknown[] }[] = []
    const own = await openOrm({ url: lab.stack.env.DATABASE_URL as string, pool: 2 })
    await own.em.fork().execute('select 1')
    own.config.set('onQuery', (text, values) => {
      said.push({ text, values })
      return text
    })
    const gone = await sweep(unitOf(own, null), now, usual)
    own.config.set('onQuery', (text) => text)
    const explained = new Set<string>()
    for (const { text, values } of said.filter((one) => /^\s*(delete|update|select|with)/.test(one.text))) {
      const rows: { 'QUERY PLAN': unknown }[] = await own.em
        .fork()
        .execute(`explain (format json) ${text}`, [...values])
      const plan = JSON.stringify(rows[0]?.['QUERY PLAN'])
      for (const [, table] of plan.matchAll(/"Node Type":"Seq Scan"[^{}]*?"Relation Name":"(\w+)"/g))
        expect([table, text, full.includes(String(table))]).toEqual([table, text, false])
      explained.add(text)
    }
    await own.close(true)
    // At least one statement for each job, and six for contacts.
    expect(explained.size).toBeGreaterThanOrEqual(Object.keys(gone).length + 5)
  })

  test('Two sweepers share the expired rows, and requests are answered meanwhile', async () => {
    await many(count, old)
    let [done, answered] = [false, 0]
    const requests = async () => {
      while (!done) {
        const asked = await Promise.all([
          shop.asOperator('GET', `/webhooks/${webhook}/deliveries?limit=10`),
          shop.asOperator('GET', `/workflows/${hook.workflow}/executions?limit=10`),
          shop.asVisitor('POST', '/carts/current'),
        ])
        expect(asked.map(({ status }) => status)).toEqual([200, 200, 200])
        answered += asked.length
      }
    }
    const asking = requests()
    const [one, other] = await Promise.all([swept(usual), swept(usual)])
    done = true
    await asking
    const total = (job: string) => (one[job] ?? 0) + (other[job] ?? 0)
    const jobs = [
      'events',
      'deliveries',
      'executions',
      ...sweptTables,
      'provider_events',
      'challenges',
      'account_sessions',
    ]
    expect(Object.fromEntries([...jobs, 'script_runs', 'contacts'].map((job) => [job, total(job)]))).toEqual(
      Object.fromEntries([...jobs, 'script_runs', 'contacts'].map((job) => [job, count])),
    )
    // Each with one enrollment.
    expect(total('campaigns')).toBe(2 * count)
    const { rows } = await database().query(
      'select count(*)::int as left from carts k where not exists (select 1 from contacts c where c.id = k.contact_id)',
    )
    expect(rows[0].left).toBe(0)
    expect(answered).toBeGreaterThan(10)
  })
})
