// Comments are classified by a model: a store asks once for a text, in calls of twenty, each an effect whose tokens are
// reserved before it is sent.
import type { EntityManager } from '@mikro-orm/postgresql'
import { config } from '../../config.ts'
import { dayOf } from '../../rules/agents/chats.ts'
import {
  classificationRequest,
  classifiedText,
  commentsPerCall,
  type Label,
  labelsOf,
  type Model,
} from '../../rules/engagement/classification.ts'
import { MODEL_BASE_URLS, type ModelAnswer, ModelProvider, tokensOf } from '../../rules/models/model-formats.ts'
import { conflict, Refusal } from '../../rules/refusal.ts'
import { Integration } from '../automation/integration.ts'
import { insertion, insertions } from '../kit/database/insert.ts'
import { anyTenant } from '../kit/database/orm.ts'
import { json, sql } from '../kit/database/sql.ts'
import { effectRow } from '../kit/effects.ts'
import { newId, uuids } from '../kit/ids.ts'
import { startAll } from '../kit/outbox.ts'
import { type Reserved, reserveTotal, settleTokens } from '../models/usage.ts'
import { type Asked, SocialClassification } from './social-classification.ts'
import { SocialLabel } from './social-label.ts'

/** The request as it is frozen in the row: what is sent, and whose key is added to it. */
export type FrozenClassification = ReturnType<typeof classificationRequest> & {
  tenant_id: string
  integration_id: string
  reserved_tokens: number
}

/** The store's oldest AI integration. 409 model_not_configured. */
async function modelOf(em: EntityManager): Promise<Model & { integration_id: string }> {
  const [found] = await em.find(
    Integration,
    { category: 'ai', type: { $in: ModelProvider.options } },
    { orderBy: { created_at: 'asc', id: 'asc' }, limit: 1, disableIdentityMap: true },
  )
  const provider = ModelProvider.safeParse(found?.type).data
  const model = found?.settings.model
  if (!found || !provider || typeof model !== 'string')
    throw conflict(
      'model_not_configured',
      'The {store} has no AI integration: create one of the type `llm_a` or `llm_b`.',
    )
  return {
    integration_id: found.id,
    provider,
    model,
    base_url: (found.settings.base_url as string | undefined) ?? MODEL_BASE_URLS[provider],
  }
}

type Candidate = { id: string; text: string; text_digest: string; status: SocialLabel['status'] | null }

/**
 * Comments by others, newest first: without `force`, those without a label whose text no call is open or unknown for.
 */
const candidatesOf = (
  em: EntityManager,
  tenantId: string,
  { publication_id, force, limit }: Wanted,
  model: string,
): Promise<Candidate[]> =>
  em.execute(sql`
    select c.id, c.text, c.text_digest, l.status
    from social_comments c
    left join social_labels l on l.tenant_id = c.tenant_id and l.model = ${model} and l.text_digest = c.text_digest
    where c.tenant_id = ${tenantId}
      and c.publication_id = ${publication_id}
      and c.gone_at is null
      and not c.own
      and c.text_digest is not null
      and ${force ? sql`true` : sql`c.label is null and coalesce(l.status, 'failed') in ('failed', 'labelled')`}
      and coalesce(l.status, 'failed') <> 'asked'
    order by c.provider_created_at desc, c.id desc
    limit ${limit}
  `)

const copyLabels = (
  em: EntityManager,
  tenantId: string,
  ids: readonly string[],
  model: string,
  now: number,
): Promise<unknown> =>
  em.execute(sql`
    update social_comments c
    set label = l.label, sentiment = l.sentiment, needs_reply = l.needs_reply, classified_model = ${model},
      classified_at = ${now}, updated_at = ${now}
    from social_labels l
    where c.id = any (${uuids(ids)})
      and c.tenant_id = ${tenantId}
      and l.tenant_id = c.tenant_id
      and l.model = ${model}
      and l.text_digest = c.text_digest
      and l.status = 'labelled'
  `)

type Call = { id: string; asked: (Asked & { text: string })[] }

/** Takes the texts that no other request asks about, and groups their comments into calls. */
async function takeTexts(
  em: EntityManager,
  tenantId: string,
  candidates: readonly Candidate[],
  model: string,
  force: boolean,
  now: number,
): Promise<Call[]> {
  const texts = [...new Map(candidates.map((one) => [one.text_digest, one])).values()]
  if (texts.length === 0) return []
  const ids = Array.from({ length: Math.ceil(texts.length / commentsPerCall) }, newId)
  // Rows are written in one order, so that two requests do not deadlock.
  const rows = texts
    .map(({ text_digest }, n) => ({
      id: newId(),
      text_digest,
      classification_id: ids[Math.floor(n / commentsPerCall)] as string,
    }))
    .sort((one, other) => (one.text_digest < other.text_digest ? -1 : 1))
  const same = { tenant_id: tenantId, created_at: now, updated_at: now, model, status: 'asked' as const }
  const free = force ? sql`social_labels.status <> 'asked'` : sql`social_labels.status = 'failed'`
  const labels: { id: string; text_digest: string; classification_id: string }[] = await em.execute(sql`
    ${insertions(em, SocialLabel, same, rows)}
    on conflict (tenant_id, model, text_digest) do update
    set status = 'asked', classification_id = excluded.classification_id, updated_at = excluded.updated_at
    where ${free}
    returning id, text_digest, classification_id
  `)
  const byDigest = new Map(labels.map((one) => [one.text_digest, one]))
  const grouped = new Map<string, Call['asked']>(ids.map((id) => [id, []]))
  for (const { id: comment_id, text, text_digest } of candidates) {
    const label = byDigest.get(text_digest)
    if (label) grouped.get(label.classification_id)?.push({ comment_id, label_id: label.id, text })
  }
  return [...grouped].flatMap(([id, asked]) => (asked.length > 0 ? [{ id, asked }] : []))
}

/** Writes a call with its tokens reserved, if they can be. */
async function writeCall(
  em: EntityManager,
  tenantId: string,
  publicationId: string,
  { integration_id, ...model }: Model & { integration_id: string },
  call: Call,
  now: number,
): Promise<Reserved> {
  const questions = [
    ...new Map(
      call.asked.map(({ label_id, text }) => [label_id, { id: label_id, text: classifiedText(text) ?? '' }]),
    ).values(),
  ]
  const request = classificationRequest(model, questions)
  const tokens = tokensOf(request)
  const day = dayOf(now)
  const reserved = await reserveTotal(em, { tenant_id: tenantId, day, tokens }, config.modelTokensPerDay, now)
  if (reserved !== 'reserved') return reserved
  const frozen: FrozenClassification = { ...request, tenant_id: tenantId, integration_id, reserved_tokens: tokens }
  const asked = call.asked.map(({ comment_id, label_id }) => ({ comment_id, label_id }))
  await em.execute(
    insertion(em, SocialClassification, {
      ...{
        id: call.id,
        tenant_id: tenantId,
        created_at: now,
        updated_at: now,
        publication_id: publicationId,
        integration_id,
        model: model.model,
        day,
        asked,
      },
      ...{ reserved_tokens: tokens, held_tokens: tokens, fingerprint: '', request: JSON.stringify(frozen) },
    }),
  )
  return reserved
}

export type Wanted = { publication_id: string; force: boolean; limit: number }
/** `calls`: their ids. `comments`: those that were looked at, newest first. */
export type Classifying = { calls: string[]; comments: string[]; cached: string[]; limited: boolean }

/** 409 model_not_configured, 429 token_limit if nothing can be asked and nothing was known. */
export async function classify(em: EntityManager, tenantId: string, wanted: Wanted, now: number): Promise<Classifying> {
  const model = await modelOf(em)
  const candidates = await candidatesOf(em, tenantId, wanted, model.model)
  const labelledIds = wanted.force ? [] : candidates.filter(({ status }) => status === 'labelled').map(({ id }) => id)
  if (labelledIds.length > 0) await copyLabels(em, tenantId, labelledIds, model.model, now)
  const unknown = candidates.filter(({ id }) => !labelledIds.includes(id))
  const calls = await takeTexts(em, tenantId, unknown, model.model, wanted.force, now)
  const written: string[] = []
  let refused: Reserved | null = null
  for (const call of calls) {
    const reserved: Reserved = refused ?? (await writeCall(em, tenantId, wanted.publication_id, model, call, now))
    if (reserved === 'reserved') written.push(call.id)
    else {
      refused = reserved
      await em.execute(sql`
        update social_labels
        set status = case when label is null then 'failed' else 'labelled' end, updated_at = ${now}
        where classification_id = ${call.id} and tenant_id = ${tenantId} and status = 'asked'
      `)
    }
  }
  const limited = refused === 'used_up'
  if (limited && written.length === 0 && labelledIds.length === 0)
    throw new Refusal(429, 'token_limit', 'The tokens of the day are used up.', {
      headers: { 'Retry-After': String(86_400 - (now % 86_400)) },
    })
  await startAll(em, 'social_classification', written, { tenant_id: tenantId, awaited: true })
  return { calls: written, comments: candidates.map(({ id }) => id), cached: labelledIds, limited }
}

const readAnswer = (row: SocialClassification): ModelAnswer | null =>
  typeof row.answer === 'string' ? (JSON.parse(row.answer) as ModelAnswer) : null

/**
 * Labels of a call, for the texts that it still answers for: another call may have been asked since. The others keep
 * the label that they had, or are failed, or unknown with the call.
 */
async function storeLabels(
  em: EntityManager,
  row: SocialClassification,
  labels: readonly Label[],
  now: number,
): Promise<void> {
  const { id, tenant_id, status, model, asked } = row
  const otherwise = status === 'unknown' ? 'unknown' : 'failed'
  await em.execute(sql`
    update social_labels l
    set status = case when coalesce(answers.label, l.label) is null then ${otherwise} else 'labelled' end,
      label = coalesce(answers.label, l.label), sentiment = coalesce(answers.sentiment, l.sentiment),
      needs_reply = coalesce(answers.needs_reply, l.needs_reply), updated_at = ${now}
    from (
      select m.id, g.label, g.sentiment, g.needs_reply
      from social_labels m
      left join jsonb_to_recordset(${json(labels)}) as g(id uuid, label text, sentiment text, needs_reply boolean)
        on g.id = m.id
      where m.tenant_id = ${tenant_id} and m.classification_id = ${id} and m.status in ('asked', 'unknown')
    ) answers
    where l.id = answers.id and l.tenant_id = ${tenant_id}
  `)
  const labelled = new Set(labels.map((one) => one.id))
  const comments = asked.filter(({ label_id }) => labelled.has(label_id)).map(({ comment_id }) => comment_id)
  if (comments.length > 0) await copyLabels(em, tenant_id, comments, model, now)
}

export const socialClassificationEffect = effectRow('social_classification', {
  precondition: sql`true`,
  async afterStatusChange(em, id) {
    await settleTokens(em, id, 'social_classifications')
    const row = await em.findOneOrFail(SocialClassification, { id }, { ...anyTenant, refresh: true })
    if (row.status === 'requested') return
    const ids = new Set(row.asked.map(({ label_id }) => label_id))
    await storeLabels(
      em,
      row,
      row.status === 'succeeded' ? labelsOf(readAnswer(row)?.text ?? '', ids) : [],
      row.updated_at,
    )
    em.assign(row, { answer: null })
    await em.flush()
  },
})

export type Outcome = {
  open: number
  classified: string[]
  failed: number
  left: number
  error: SocialClassification['error']
}

/** How the calls of a request have ended so far. */
export async function outcomeOf(
  em: EntityManager,
  tenantId: string,
  publicationId: string,
  calls: readonly string[],
): Promise<Outcome> {
  const rows: { id: string; status: string; error: SocialClassification['error']; asked: Asked[] }[] =
    await em.execute(sql`
      select id, status, error, asked
      from social_classifications
      where id = any (${uuids(calls)}) and tenant_id = ${tenantId}
    `)
  const ended = rows.filter(({ status }) => status !== 'requested' && status !== 'processing')
  const requests = ended.flatMap((row) => row.asked)
  const labels: { id: string }[] = await em.execute(sql`
    select id
    from social_labels
    where tenant_id = ${tenantId}
      and classification_id = any (${uuids(ended.map(({ id }) => id))})
      and status = 'labelled'
  `)
  const labelled = new Set(labels.map(({ id }) => id))
  const classified = requests.filter(({ label_id }) => labelled.has(label_id)).map(({ comment_id }) => comment_id)
  const [left]: { count: number }[] = await em.execute(sql`
    select count(*)::int as count
    from social_comments
    where tenant_id = ${tenantId}
      and publication_id = ${publicationId}
      and label is null
      and gone_at is null
      and not own
      and text_digest is not null
  `)
  return {
    open: rows.length - ended.length,
    classified,
    failed: requests.length - classified.length,
    left: left?.count ?? 0,
    error: ended.find(({ error }) => error)?.error ?? null,
  }
}
