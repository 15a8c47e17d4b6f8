// Syncs of comments and figures, figures, and the classification of comments by a model.
import { z } from 'zod'
import { config } from '../../config.ts'
import { type Classifying, classify, outcomeOf } from '../../entities/engagement/classification.ts'
import { requestSync, syncOf } from '../../entities/engagement/requesting-syncs.ts'
import { SocialComment } from '../../entities/engagement/social-comment.ts'
import { SocialMetric } from '../../entities/engagement/social-metric.ts'
import type { EntityManager } from '../../entities/kit/database/orm.ts'
import { findRecord, mustExist } from '../../entities/kit/find.ts'
import { SocialPublication } from '../../entities/publications/social-publication.ts'
import { ClassificationOut, MetricsOut, SyncOut } from '../../rules/engagement/comments.ts'
import { noMetrics, unsupportedMetrics } from '../../rules/engagement/metrics.ts'
import { notFound } from '../../rules/refusal.ts'
import { Id } from '../../rules/shapes.ts'
import { NotYet, Reply } from '../kit/answer/replies.ts'
import { route } from '../kit/route.ts'
import { limit } from '../limits/rate.ts'
import { shownComment } from './comments.ts'

type Sync = z.input<typeof SyncOut>
type Classification = z.input<typeof ClassificationOut>

async function readSync(em: EntityManager, tenantId: string, id: string): Promise<Sync> {
  const sync = await syncOf(em, tenantId, id)
  if (!sync) throw notFound('sync')
  return { ...sync, finished_at: sync.finished_at ?? null } as Sync
}
const isOver = ({ status }: Pick<Sync, 'status'>) => status === 'completed' || status === 'failed'

/** What a request for labels has reached so far. */
async function labelled(
  em: EntityManager,
  tenantId: string,
  publicationId: string,
  { calls, comments, cached, limited }: Classifying,
) {
  const { open, classified, failed, left, error } = await outcomeOf(em, tenantId, publicationId, calls)
  const rows = await em.find(
    SocialComment,
    { id: { $in: comments } },
    { refresh: true, orderBy: { provider_created_at: 'desc', id: 'desc' } },
  )
  const tokens = limited
    ? { code: 'token_limit', message: 'The tokens of the day are used up: some comments were not asked about.' }
    : null
  const body: Classification = {
    items: rows.map(shownComment),
    classified: classified.length,
    cached: cached.length,
    failed,
    left,
    error: error ?? tokens,
  }
  return { open, body }
}

export const socialEngagement = [
  route('POST /v1/stores/{storeId}/social-publications/engagement/sync', {
    may: 'admin',
    active: true,
    operation: 'syncSocialEngagement',
    refuses: ['too_many_requests', 'publication_unknown'],
    summary: 'Sync comments and figures from the networks',
    description:
      'Reads the top-level comments, newest first, and the figures of publications. Returns the finished sync, or, if the networks have not answered in time, the sync as far as it is: ' +
      '`GET …/engagement/syncs/{id}` returns its progress. The bounds are kept for each publication; `more` says that the network has more. Network d bills reads: without ' +
      '`publication_ids`, its publications are skipped. 429 `too_many_requests` after ten syncs of a {store} in a minute.',
    body: z.object({
      publication_ids: z
        .array(Id)
        .min(1)
        .max(100)
        .optional()
        .describe('Identifiers of publications; the newest published ones if left out.'),
      max_publications: z
        .int()
        .min(1)
        .max(100)
        .default(20)
        .describe('How many of the newest publications are read. Not used with `publication_ids`.'),
      max_comment_pages_per_publication: z
        .int()
        .min(1)
        .max(20)
        .default(2)
        .describe('Pages of comments that are read of one publication.'),
      max_comments_per_publication: z
        .int()
        .min(1)
        .max(1000)
        .default(100)
        .describe('Comments that are stored of one publication.'),
      sync_metrics: z.boolean().default(true).describe('Whether figures are read, too.'),
    }),
    out: SyncOut,
    async run({ em, tenant_id, body, now }) {
      await limit(em, `social-sync:${tenant_id}`, { most: config.rate.socialSyncsPerMinute, windowS: 60 }, now)
      const wanted = {
        ...{
          ids: body.publication_ids ?? null,
          publications_max: body.max_publications,
          pages_max: body.max_comment_pages_per_publication,
        },
        ...{ comments_max: body.max_comments_per_publication, with_metrics: body.sync_metrics },
      }
      const id = await requestSync(em, tenant_id, wanted, now)
      const sync = await readSync(em, tenant_id, id)
      return new Reply(sync, { pending: isOver(sync) ? undefined : id })
    },
    wait: {
      async until({ em, tenant_id, pending }) {
        const sync = await readSync(em, tenant_id, pending)
        return isOver(sync) ? sync : new NotYet(sync)
      },
    },
  }),
  route('GET /v1/stores/{storeId}/social-publications/engagement/syncs/{id}', {
    may: 'admin',
    operation: 'getSocialSync',
    summary: 'Read a sync',
    description:
      'Returns its progress by publication. 404 `not_found` if there is no such sync: it is deleted after 30 days.',
    out: SyncOut,
    run: ({ em, tenant_id, path }) => readSync(em, tenant_id, path.id),
  }),
  route('GET /v1/stores/{storeId}/social-publications/{publicationId}/metrics', {
    may: 'admin',
    operation: 'getSocialMetrics',
    summary: 'Read the figures of a publication',
    description: 'Returns what the network reported at the last sync. The network is not asked.',
    out: MetricsOut,
    async run({ em, path }) {
      const {
        id: publication_id,
        type,
        content,
      } = await findRecord(em, SocialPublication, { id: path.publicationId }, 'publication')
      const found = await em.findOne(SocialMetric, { publication_id })
      return {
        publication_id,
        values: found?.values ?? noMetrics,
        unsupported: unsupportedMetrics(type, content.placement ?? null),
        synced_at: found?.synced_at ?? null,
      }
    },
  }),
  route('POST /v1/stores/{storeId}/social-publications/comments/classify', {
    may: 'admin',
    active: true,
    operation: 'classifySocialComments',
    refuses: ['model_not_configured', 'token_limit'],
    summary: 'Classify comments with a model',
    description:
      "Asks the {store}'s AI integration, the oldest one if there are several, for a label, a tone and whether a reply is expected, of the newest comments by others that have no label yet. The " +
      'model is asked once for a text, however many comments have it. Returns when the model has answered, or what is there after the time that a request may take: repeat the request while ' +
      '`left` is more than 0. Comments whose outcome is unknown are asked about again only with `force`. 409 `model_not_configured` without an AI integration. 429 `token_limit` if the tokens ' +
      'of the day are used up.',
    body: z.object({
      publication_id: Id.describe('Identifier of the publication.'),
      force: z
        .boolean()
        .default(false)
        .describe(
          'Asks about all of the newest comments again, also those that have a label or whose outcome is unknown.',
        ),
      limit: z.int().min(1).max(200).default(50).describe('How many comments are looked at.'),
    }),
    out: ClassificationOut,
    async run({ em, tenant_id, body, now }) {
      await mustExist(em, SocialPublication, { id: body.publication_id }, 'publication')
      const asked = await classify(em, tenant_id, body, now)
      const { open, body: latest } = await labelled(em, tenant_id, body.publication_id, asked)
      return new Reply(latest, { pending: open > 0 ? { ...asked, publication_id: body.publication_id } : undefined })
    },
    wait: {
      async until({ em, tenant_id, pending }) {
        const { open, body } = await labelled(em, tenant_id, pending.publication_id, pending)
        return open === 0 ? body : new NotYet(body)
      },
      poll_ms: 300,
    },
  }),
]
