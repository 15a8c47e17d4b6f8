// What happened to a record: events, changes, and each effect with all of its moments.
import { z } from 'zod'
import { roleFor, timelineOf } from '../../entities/timeline/timeline.ts'
import { notFound } from '../../rules/refusal.ts'
import { atLeast } from '../../rules/stores/roles.ts'
import { TimelineEntryOut } from '../../rules/timeline/entries.ts'
import { SubjectText, subjectTypes } from '../../rules/timeline/subjects.ts'
import { decodeCursor, encodeCursor, scopeDigest } from '../kit/answer/cursors.ts'
import { pageOf } from '../kit/answer/listing.ts'
import { whole } from '../kit/query.ts'
import { route } from '../kit/route.ts'

/** sort_at, sort_rank, sort_id, at, rank. */
const position = /^(\d{1,15})\.(\d{1,3})\.([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})\.(\d{1,15})\.(\d{1,3})$/

export const timelines = [
  route('GET /v1/stores/{storeId}/timeline', {
    may: 'admin',
    operation: 'listTimeline',
    refuses: ['bad_cursor'],
    summary: 'List what happened to a record',
    description:
      'Returns one page, newest first: events that were published, changes with who made them, and each effect from its request to its resolution. Every time is one that is stored, and what is not stored is not ' +
      'listed; a `deadline` is a bound. Of an execution, a contact, a chat, a webhook and a run of lead research, which may have any number of rows, what belongs to one row stays together, at the second of its creation. ' +
      'Events are kept for some days, and only those that had a subscriber. 404 `not_found` if the {store} has no such record, and for integrations and their tokens, which are shown to owners alone.',
    query: z.object({
      subject: SubjectText.describe(
        `What the timeline is about: a type, a colon and an id, such as \`order:019901c2-1d2e-7000-8000-000000000001\`. Types: ${subjectTypes.map((type) => `\`${type}\``).join(', ')}.`,
      ),
      cursor: z.string().max(2000).optional(),
      limit: whole(1, 100).default(20),
    }),
    out: pageOf(TimelineEntryOut),
    async run({ em, tenant_id, caller, query: { subject, cursor, limit } }) {
      if (!atLeast(caller.role, roleFor(subject))) throw notFound('record')
      const scope = scopeDigest(['timeline', tenant_id, subject.type, subject.id])
      const from = cursor
        ? decodeCursor(
            cursor,
            scope,
            (value) => typeof value === 'string' && position.test(value),
            'The cursor does not belong to the timeline of this subject. Send the subject that it came with, or omit it for the first page.',
          )
        : null
      const [, sort_at, sort_rank, sort_id = '', at, rank] = position.exec(String(from?.value)) ?? []
      const after = from && {
        ...{ sort_at: Number(sort_at), sort_rank: Number(sort_rank), sort_id },
        ...{ at: Number(at), rank: Number(rank), id: from.id },
      }
      const { entries, next } = await timelineOf(em, tenant_id, subject, limit, after)
      if (entries.length === 0 && !after) throw notFound('record')
      return {
        items: entries,
        cursor: next
          ? encodeCursor(scope, `${next.sort_at}.${next.sort_rank}.${next.sort_id}.${next.at}.${next.rank}`, next.id)
          : null,
      }
    },
  }),
]
