// Audiences, mailboxes and drafts of campaigns for the measurements, made as an operator does; members are inserted.
import { setTimeout as pause } from 'node:timers/promises'
import { newId } from '../../entities/kit/ids.ts'
import type { Shop } from './shop.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers are read by the fields that the contract names.
type Json = any

export type Caller = {
  storeId: string
  ask(method: 'GET' | 'POST' | 'PUT', at: string, body?: unknown): Promise<Json>
  timed(method: 'GET' | 'POST', at: string): Promise<number>
}

/** Requests of the operator below the store's address. */
export function callerOf({ api, operator }: Shop, storeId: string): Caller {
  const ask = async (method: string, at: string, body?: unknown): Promise<Json> => {
    const headers = { ...operator, 'content-type': 'application/json' }
    const answer = await fetch(`${api}/v1/stores/${storeId}${at}`, {
      method,
      headers,
      ...(method === 'GET' ? {} : { body: JSON.stringify(body ?? {}) }),
    })
    if (!answer.ok) throw new Error(`${method} ${at}: ${answer.status} ${await answer.text()}`)
    return answer.json()
  }
  return {
    storeId,
    ask,
    async timed(method, at) {
      const since = performance.now()
      await ask(method, at)
      return performance.now() - since
    },
  }
}

const words =
  'a river of small letters runs past the old mill and tells who listens what was sold baked mended and found in the week behind us'.split(
    ' ',
  )

/**
 * A page of about `bytes` octets, as newsletters are: a table with styles, other words in each paragraph, and the
 * reader's name.
 */
export function pageOf(bytes: number): string {
  let seed = 7
  const word = () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
    return words[seed % words.length]
  }
  const rows: string[] = []
  const head =
    '<!doctype html><html><body style="margin:0;background:#f4f4f4"><table width="600" align="center" cellpadding="0" style="font:16px/1.5 Georgia,serif;color:#222">'
  const foot =
    '<tr><td><p>You get this, {{ contact.email }}, as a member.</p><a href="{{ unsubscribe_url }}">Unsubscribe</a></td></tr></table></body></html>'
  for (let size = head.length + foot.length; size < bytes; size += (rows.at(-1) as string).length) {
    const text = Array.from({ length: 60 }, word).join(' ')
    rows.push(
      `<tr><td style="padding:0 24px"><h2 style="margin:16px 0 8px">${word()} ${word()} no. ${rows.length + 1}</h2><p>${text}.</p></td></tr>\n`,
    )
  }
  return head + rows.join('') + foot
}

/** An audience with so many members, each a contact that owns its address. */
export async function filledAudience({ db }: Shop, { ask, storeId }: Caller, count: number): Promise<string> {
  const { id } = await ask('POST', '/audiences', { key: `bench-${newId()}`, type: { type: 'open' } })
  await ask('PUT', `/audiences/${id}`, { status: 'active' })
  await db.query(
    `with x as materialized (select n, gen_random_uuid() as contact from generate_series(1, $3::int) n),
     c as (insert into contacts (id, tenant_id, created_at, updated_at, status, taxonomies, anonymous) select contact, $1, 1, 1, 'active', '[]', false from x),
     h as (insert into contact_channels (id, tenant_id, created_at, updated_at, contact_id, type, address, owned, is_primary)
       select gen_random_uuid(), $1, 1, 1, contact, 'email', 'reader' || n || '@d' || n % 400 || '-' || right($2, 12) || '.example', true, true from x)
     insert into audience_members (id, tenant_id, created_at, updated_at, audience_id, contact_id, status, source, fields, joined_at)
     select gen_random_uuid(), $1, 1, 1, $2::uuid, contact, 'active', 'import', '{}', 1 from x`,
    [storeId, id, count],
  )
  for (const table of ['contacts', 'contact_channels', 'audience_members']) await db.query(`vacuum analyze ${table}`)
  return id
}

/** A mailbox whose server is on this port of this machine. */
export const mailboxAt = async ({ ask }: Caller, port: number, connections: number): Promise<string> =>
  (
    await ask('POST', '/mailboxes', {
      ...{
        key: `bench-${newId()}`,
        email: 'news@bench.example',
        name: 'The bench',
        smtp: { host: '127.0.0.1', port, security: 'none' },
      },
      limits: { connections, messages_per_connection: 1_000 },
    })
  ).id

/** A draft with one step. */
export async function draftOf({ ask }: Caller, mailboxIds: readonly string[], pageBytes: number): Promise<string> {
  const body = pageOf(pageBytes)
  const template = await ask('POST', '/email-templates', {
    key: `bench-${newId()}`,
    type: 'campaign',
    format: 'html',
    subject: 'News of the week',
    body,
  })
  return (
    await ask('POST', '/campaigns', {
      name: `Bench ${newId()}`,
      mailbox_ids: mailboxIds,
      steps: [{ template_id: template.id }],
    })
  ).id
}

/** Imports, and waits until the import has ended. Returns milliseconds. */
export async function importInto(
  { ask }: Caller,
  campaignId: string,
  sources: object,
  expected: number,
): Promise<number> {
  const since = performance.now()
  let row = await ask('POST', `/campaigns/${campaignId}/enrollments/import`, sources)
  while (row.status === 'running') {
    await pause(20)
    row = await ask('GET', `/campaigns/${campaignId}/imports/${row.id}`)
  }
  if (row.status !== 'completed' || row.enrolled !== expected)
    throw new Error(`import: ${JSON.stringify(row)} instead of ${expected} enrolled`)
  return performance.now() - since
}

/** Waits until the campaign has this status. */
export async function untilStatus(
  { ask }: Caller,
  campaignId: string,
  status: string,
  limitMs = 60_000,
): Promise<Json> {
  const until = Date.now() + limitMs
  for (;;) {
    const campaign = await ask('GET', `/campaigns/${campaignId}`)
    if (campaign.status === status) return campaign
    if (Date.now() > until)
      throw new Error(
        `the campaign is ${campaign.status} instead of ${status}: ${JSON.stringify(campaign.paused_reason)}`,
      )
    await pause(100)
  }
}
