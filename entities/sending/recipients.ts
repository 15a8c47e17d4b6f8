// What the messages of a step are rendered from, and the threads that they belong to. Each read is one statement for
// any number of enrollments.
import type { EntityManager } from '@mikro-orm/postgresql'
import { messageIdOf } from '../../rules/sending/headers.ts'
import type { Recipient } from '../../rules/sending/variables.ts'
import { sql, text } from '../kit/database/sql.ts'
import { uuids } from '../kit/ids.ts'

type Row = {
  id: string
  contact_id: string
  address: string
  variables: Record<string, unknown>
  member: Recipient['member']
}

/**
 * Reads recipients by the ids of their enrollments. `limit 1`: members are found by their ids, as a plan that reads all
 * members of the store costs more than the rest.
 */
export async function readRecipients(
  em: EntityManager,
  tenantId: string,
  enrollmentIds: readonly string[],
): Promise<Map<string, Recipient>> {
  const rows: Row[] = await em.execute(sql`
    select n.id, n.contact_id, n.address, n.variables,
      case
        when m.id is not null
          then jsonb_build_object(
            'id', m.id, 'audience', jsonb_build_object('id', a.id, 'key', a.key, 'name', a.name), 'fields', m.fields,
            'joined_at', m.joined_at
          )
      end as member
    from enrollments n
    left join lateral (
      select x.id, x.tenant_id, x.audience_id, x.fields, x.joined_at
      from audience_members x
      where x.tenant_id = n.tenant_id and x.id = n.member_id
      limit 1
    ) m on true
    left join audiences a on a.tenant_id = m.tenant_id and a.id = m.audience_id
    where n.tenant_id = ${tenantId} and n.id = any (${uuids(enrollmentIds)})
  `)
  return new Map(rows.map(({ id, ...recipient }) => [id, recipient]))
}

/** What a header may contain: the ids of received mail are of other parties' making. */
const isMessageId = (id: string): boolean => /^<[!-;=?-~]{3,250}>$/.test(id)

/** Message-IDs of what was sent to enrollments and of the replies to it, oldest first, by the id of the enrollment. */
export async function readThreads(
  em: EntityManager,
  tenantId: string,
  enrollmentIds: readonly string[],
): Promise<Map<string, string[]>> {
  const ids = uuids(enrollmentIds)
  const rows: { enrollment_id: string; id: string; sender: string | null }[] = await em.execute(sql`
    select enrollment_id, id, sender
    from (
      select m.enrollment_id, m.id::text as id, b.email as sender, extract(epoch from m.sent_at)::float8 as at
      from campaign_messages m
      join mailboxes b on b.tenant_id = m.tenant_id and b.id = m.mailbox_id
      where m.tenant_id = ${tenantId} and m.enrollment_id = any (${ids}) and m.kind <> 'test' and m.status = 'succeeded'
      union all
      select i.enrollment_id, i.message_id, null, i.received_at::float8
      from inbound_mails i
      where i.tenant_id = ${tenantId}
        and i.enrollment_id = any (${ids})
        and i.kind = 'reply'
        and i.message_id is not null
    ) ${text('x')}
    order by at
  `)
  const threads = new Map<string, string[]>(enrollmentIds.map((id) => [id, []]))
  for (const { enrollment_id, id, sender } of rows) {
    const messageId = sender === null ? id : messageIdOf(id, sender)
    if (isMessageId(messageId)) threads.get(enrollment_id)?.push(messageId)
  }
  return threads
}
