// Imports of enrollments into drafts. A part and its progress are one commit: an import that was interrupted continues
// after the last part.
import type { EntityManager } from '@mikro-orm/postgresql'
import {
  FAILED_MAX,
  type Failure,
  type Position,
  partsOf,
  type Sources,
  sumOfCounts,
} from '../../rules/campaigns/imports.ts'
import { type Fault, invalidInput } from '../../rules/refusal.ts'
import { Audience } from '../audiences/audience.ts'
import { json, sql } from '../kit/database/sql.ts'
import { decrypt } from '../kit/encrypted.ts'
import { newId } from '../kit/ids.ts'
import { lateRows } from '../kit/late-rows.ts'
import { start } from '../kit/outbox.ts'
import type { Campaign } from './campaign.ts'
import { CampaignImport } from './campaign-import.ts'
import { unknownOf } from './campaigns.ts'
import { enrollPart, missingContacts } from './imported-enrollments.ts'
import { lockDraft } from './launch.ts'

/** Inserts an import and starts it. Requires the lock of a draft. `now` in Unix seconds. */
export async function addImport(
  em: EntityManager,
  { id, tenant_id }: Pick<Campaign, 'id' | 'tenant_id'>,
  sources: Sources,
  now: number,
): Promise<CampaignImport> {
  const position: Position = { part: 0, after: null }
  const row = {
    id: newId(),
    tenant_id,
    created_at: now,
    updated_at: now,
    campaign_id: id,
    sources: JSON.stringify(sources),
    status: 'running' as const,
  }
  const made = em.create(CampaignImport, {
    ...row,
    position,
    enrolled: 0,
    already_enrolled: 0,
    skipped: {},
    failed: [],
  }) as CampaignImport
  await em.flush()
  await start(em, 'enrollment_import', made.id, { tenant_id, awaited: true })
  return made
}

type Named = Exclude<Sources, { campaign_id: string }>

/**
 * Each id counts once. 404; 409 campaign_not_draft; 422 audience_unknown, contact_unknown, too_small. `now` in Unix
 * seconds.
 */
export async function requestImport(
  em: EntityManager,
  campaignId: string,
  named: Named,
  now: number,
): Promise<CampaignImport> {
  const campaign = await lockDraft(em, campaignId)
  if (Object.values(named).every((values) => values.length === 0))
    throw invalidInput([{ pointer: '', code: 'too_small', detail: 'Expected audiences, contacts or addresses.' }])
  const audiences = await unknownOf(em, Audience, named.audience_ids)
  const contacts = new Set(await missingContacts(em, campaign.tenant_id, named.contact_ids))
  const faults: Fault[] = []
  for (const [at, id] of named.audience_ids.entries())
    if (audiences.has(id))
      faults.push({ pointer: `/audience_ids/${at}`, code: 'audience_unknown', detail: 'There is no such audience.' })
  for (const [at, id] of named.contact_ids.entries())
    if (contacts.has(id))
      faults.push({ pointer: `/contact_ids/${at}`, code: 'contact_unknown', detail: 'There is no such contact.' })
  if (faults.length > 0) throw invalidInput(faults)
  return addImport(
    em,
    campaign,
    { ...named, audience_ids: [...new Set(named.audience_ids)], contact_ids: [...new Set(named.contact_ids)] },
    now,
  )
}

type Running = { campaign_id: string; tenant_id: string }
type Taken = Running & { sources: string; position: Position; skipped: Record<string, number>; failed: Failure[] }

/** Locks the campaign, then the import. Null: it has ended, or its campaign was deleted. */
async function takeImport(em: EntityManager, id: string): Promise<Taken | null> {
  const [row]: Running[] = await em.execute(sql`
    select campaign_id, tenant_id
    from campaign_imports
    where id = ${id} and status = 'running'
  `)
  if (!row) return null
  const [campaign]: { status: string }[] = await em.execute(sql`
    select status
    from campaigns
    where tenant_id = ${row.tenant_id} and id = ${row.campaign_id}
    for no key update
  `)
  if (!campaign) return null
  const [importRow]: Taken[] = await em.execute(sql`
    select campaign_id, tenant_id, sources, position, skipped, failed
    from campaign_imports
    where id = ${id} and status = 'running'
    for no key update
  `)
  return importRow ?? null
}

/**
 * Does one part in the caller's transaction. True if the import has ended. Throws ContactsMoved: repeat it. `now` in
 * Unix seconds.
 */
export async function continueImport(em: EntityManager, id: string, now: number): Promise<boolean> {
  const row = await takeImport(em, id)
  if (!row) return true
  const { tenant_id, campaign_id } = row
  const parts = partsOf(JSON.parse(decrypt(row.sources)) as Sources)
  const at = row.position
  const part = parts[at.part]
  const done = part ? await enrollPart(em, { tenant_id, campaign_id }, part, at.after, now) : null
  const next: Position = done?.last ? { part: at.part, after: done.last } : { part: at.part + 1, after: null }
  const over = next.part >= parts.length
  const failed: Failure[] = [...row.failed, ...(done?.failed ?? [])].slice(0, FAILED_MAX)
  await em.execute(sql`
    update campaign_imports
    set position = ${json(next)}, enrolled = enrolled + ${done?.enrolled ?? 0},
      already_enrolled = already_enrolled + ${done?.already_enrolled ?? 0},
      skipped = ${json(sumOfCounts(row.skipped, done?.skipped ?? {}))}, failed = ${json(failed)},
      status = ${over ? 'completed' : 'running'}, updated_at = ${now}
    where tenant_id = ${tenant_id} and id = ${id}
  `)
  return over
}

/** Takes a tenth of a second for any number of rows. */
export const analyzeEnrollments = (em: EntityManager) =>
  em.execute(sql`analyze enrollments (tenant_id, campaign_id, mailbox_id, status, step, due_at)`)

const failedRepeatedly = {
  code: 'given_up',
  message: 'The import failed repeatedly. What it enrolled stays; import the rest again.',
}

/** Ends an import that failed. Idempotent; an import that has ended stays as it is. What it enrolled stays. */
export const giveUpImport = (em: EntityManager, id: string, now: number) =>
  em.execute(sql`
    update campaign_imports
    set status = 'failed', error = ${json(failedRepeatedly)}, updated_at = ${now}
    where id = ${id} and status = 'running'
  `)

/** Imports without progress for `graceS` seconds: their workflow may be lost. */
export const lateImports = lateRows({
  from: sql`campaign_imports x`,
  at: 'x.created_at',
  type: 'bigint',
  where: ({ idleS }) =>
    sql`x.status = 'running' and x.updated_at < (date_part('epoch', statement_timestamp()) - ${idleS})::bigint`,
})
