// The pages of lead research: which of them a turn may read, their reads, and what a model gets of them. A page is
// requested in one transaction and read after its commit.
import type { EntityManager } from '@mikro-orm/postgresql'
import { PAGE_TRIES_MAX, PAGES_MAX, type SourceError } from '../../rules/research/lead-research.ts'
import { addressesIn, pageAddress, startPages } from '../../rules/research/research-addresses.ts'
import { type QuotedSource, quotable } from '../../rules/research/research-quotes.ts'
import { type PageLink, pageResult, type ReadPage } from '../../rules/research/research-tools.ts'
import { emailSql } from '../audiences/member-rows.ts'
import { insertion } from '../kit/database/insert.ts'
import { json, type Sql, sql } from '../kit/database/sql.ts'
import { newId, uuids } from '../kit/ids.ts'
import { ResearchSource } from './research-source.ts'

/**
 * The turn that reads. `member_id`: the member that it is about; null: it answers a message, and all pages of the run
 * are its own.
 */
export type Reader = { tenant_id: string; run: string; turn_id: string; member_id: string | null }

/** The sources `s` of the run that the turn knows of. */
const known = ({ tenant_id, run, member_id }: Reader): Sql => sql`
  s.tenant_id = ${tenant_id}
  and s.research_run_id = ${run}
  and (${member_id}::uuid is null or s.member_id = ${member_id})
`

/** Messages whose addresses may be read: the newest ones. */
const messagesMax = 100

/** Addresses that operators wrote, in the goal of the run and in messages, the newest first. */
export async function teamAddresses(em: EntityManager, { tenant_id, run }: Reader): Promise<string[]> {
  const texts: { content: string }[] = await em.execute(sql`
    select instructions.content
    from (
      select goal as content, 0 as seq
      from research_runs
      where tenant_id = ${tenant_id} and id = ${run}
      union all
      select content, seq
      from research_messages
      where tenant_id = ${tenant_id} and research_run_id = ${run} and role = 'user'
    ) instructions
    order by instructions.seq = 0 desc, instructions.seq desc
    limit ${1 + messagesMax}
  `)
  return [...new Set(texts.flatMap(({ content }) => addressesIn(content)))]
}

/** The first pages of the domains of the leads that the turn is about. */
async function ownPages(em: EntityManager, { tenant_id, run, member_id }: Reader): Promise<string[]> {
  const rows: { email: string | null }[] = await em.execute(sql`
    select ${emailSql('a.tenant_id', 'a.contact_id')} as email
    from research_members m
    join audience_members a on a.id = m.member_id and a.tenant_id = m.tenant_id
    where m.tenant_id = ${tenant_id}
      and m.research_run_id = ${run}
      and (${member_id}::uuid is null or m.member_id = ${member_id})
  `)
  return rows.flatMap(({ email }) => startPages(email))
}

/** Those of the addresses that the turn may read: none is of a model's making. */
async function readable(em: EntityManager, reader: Reader, addresses: readonly string[]): Promise<Set<string>> {
  const links: { url: string }[] = await em.execute(sql`
    select w.url
    from jsonb_array_elements_text(${json(addresses)}) as w(url)
    where exists (
      select 1
      from research_sources s
      where ${known(reader)} and s.status = 'read' and s.links @> jsonb_build_array(jsonb_build_object('url', w.url))
    )
  `)
  const readableAddresses = new Set([
    ...links.map(({ url }) => url),
    ...(await teamAddresses(em, reader)),
    ...(await ownPages(em, reader)),
  ])
  return new Set(addresses.filter((address) => readableAddresses.has(address)))
}

export type Page = {
  id: string
  turn_id: string
  call_id: string
  url: string
  final_url: string | null
  status: ResearchSource['status']
  error: SourceError | null
  http_status: number | null
}

/** The sources that the turn knows of, oldest first, without their texts. */
export const pagesOf = (
  em: EntityManager,
  reader: Reader,
): Promise<(Page & { title: string | null; member_id: string | null })[]> =>
  em.execute(sql`
    select s.id, s.turn_id, s.call_id, s.url, s.final_url, s.status, s.error, s.http_status, s.title, s.member_id
    from research_sources s
    where ${known(reader)}
    order by s.created_at, s.id
  `)

/** The page that answers an address: one that was read, else the turn's own try. */
export const pageAt = (pages: readonly Page[], turnId: string, address: string): Page | undefined =>
  pages.findLast(({ url, final_url, status }) => status === 'read' && (url === address || final_url === address)) ??
  pages.find(({ url, turn_id }) => turn_id === turnId && url === address)

/**
 * Requests the pages of an answer that the turn may read and has not read, up to its limit. Returns whether any is to
 * be read.
 */
export async function requestPages(
  em: EntityManager,
  reader: Reader,
  callId: string,
  urls: readonly string[],
  now: number,
): Promise<boolean> {
  const pages = await pagesOf(em, reader)
  const addresses = [...new Set(urls.map(pageAddress).filter((one) => one !== null))].filter(
    (one) => !pageAt(pages, reader.turn_id, one),
  )
  const pagesLeft = PAGES_MAX - pages.filter(({ turn_id }) => turn_id === reader.turn_id).length
  if (addresses.length === 0 || pagesLeft <= 0) return false
  const allowed = await readable(em, reader, addresses)
  const { tenant_id, run, turn_id, member_id } = reader
  for (const url of addresses.filter((one) => allowed.has(one)).slice(0, pagesLeft)) {
    const row = {
      id: newId(),
      tenant_id,
      created_at: now,
      updated_at: now,
      research_run_id: run,
      member_id,
      turn_id,
      call_id: callId,
      url,
    }
    await em.execute(sql`${insertion(em, ResearchSource, row)} on conflict (turn_id, url) do nothing`)
  }
  return allowed.size > 0
}

const reasons =
  'Only start pages, addresses that the team wrote, and links of pages that you have read can be read, exactly as they stand there.'

/** What a model gets of a page. `undefined`: it may not be read. */
export async function pageShown(
  em: EntityManager,
  reader: Reader,
  page: Page | undefined,
  part: number | undefined,
  isFull: boolean,
): Promise<object> {
  if (!page) return { error: isFull ? `You have read ${PAGES_MAX} pages, and can read no more.` : reasons }
  if (page.status !== 'read')
    return {
      url: page.url,
      error: page.error ?? 'unreadable',
      ...(page.http_status === null ? {} : { http_status: page.http_status }),
    }
  const [found]: Omit<ReadPage, 'source_id'>[] = await em.execute(sql`
    select coalesce(s.final_url, s.url) as url, s.title, s.content, s.links
    from research_sources s
    where ${known(reader)} and s.id = ${page.id}
  `)
  return found ? pageResult({ ...found, source_id: page.id }, part) : { error: 'unreadable' }
}

/**
 * The sources of these ids that a signal about the member may quote: those that were read for it, or to answer
 * messages.
 */
export async function quotedSources(
  em: EntityManager,
  { tenant_id, run }: Reader,
  memberId: string,
  ids: readonly string[],
): Promise<Map<string, QuotedSource>> {
  const rows: { id: string; url: string; content: string }[] = await em.execute(sql`
    select id, coalesce(final_url, url) as url, content
    from research_sources
    where tenant_id = ${tenant_id}
      and research_run_id = ${run}
      and id = any (${uuids(ids)})
      and status = 'read'
      and (member_id is null or member_id = ${memberId})
  `)
  return new Map(rows.map(({ id, url, content }) => [id, { url, content: quotable(content) }]))
}

/** The tenant of a turn that runs. */
export async function readingTenant(em: EntityManager, turnId: string): Promise<string | undefined> {
  const [turn]: { tenant_id: string }[] = await em.execute(
    sql`select tenant_id from model_turns where id = ${turnId} and status = 'running'`,
  )
  return turn?.tenant_id
}

/**
 * The next page of a turn that runs; undefined if none is left. A page whose reads did not end is given up. `now` in
 * Unix seconds.
 */
export async function takePage(
  em: EntityManager,
  turnId: string,
  now: number,
): Promise<{ id: string; tenant_id: string; url: string } | undefined> {
  await em.execute(sql`
    update research_sources
    set status = 'failed', error = 'unreadable', updated_at = ${now}
    where turn_id = ${turnId} and status = 'requested' and attempt >= ${PAGE_TRIES_MAX}
  `)
  const [page]: { id: string; tenant_id: string; url: string }[] = await em.execute(sql`
    update research_sources
    set attempt = attempt + 1, updated_at = ${now}
    where id = (
      select s.id
      from research_sources s
      join model_turns t on t.id = s.turn_id and t.tenant_id = s.tenant_id
      where s.turn_id = ${turnId} and s.status = 'requested' and t.status = 'running'
      order by s.id
      limit 1
    )
    returning id, tenant_id, url
  `)
  return page
}

export type PageRead =
  | { status: 'read'; final_url: string; http_status: number; title: string | null; content: string; links: PageLink[] }
  | { status: 'failed'; final_url: string | null; http_status: number | null; error: SourceError }

/** Records how a read ended, once. */
export async function settlePage(
  em: EntityManager,
  tenantId: string,
  id: string,
  read: PageRead,
  now: number,
): Promise<void> {
  const [title, content, links, error] =
    read.status === 'read' ? [read.title, read.content, read.links, null] : [null, null, [], read.error]
  await em.execute(sql`
    update research_sources
    set status = ${read.status}, final_url = ${read.final_url}, http_status = ${read.http_status}, error = ${error},
      title = ${title}, content = ${content}, links = ${json(links)}, read_at = ${now}, updated_at = ${now}
    where tenant_id = ${tenantId} and id = ${id} and status = 'requested'
  `)
}
