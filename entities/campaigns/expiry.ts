// Campaigns that ended long ago are deleted with all that belongs to them, unless the outcome of a message is unknown.
import { sql } from '../kit/database/sql.ts'
import { uuids } from '../kit/ids.ts'
import type { Sweep } from '../kit/table.ts'

/**
 * Deletes a batch of enrollments of these campaigns, with their messages and the mails that came back, and the
 * campaigns that have none left. One with a message that is in flight or unknown stays; a message of a step that waits
 * in an ended campaign is never sent. Returns the number of deleted enrollments and campaigns.
 */
export const sweepCampaigns: Sweep = (em, { before, floor, batch }) =>
  em.transactional(async (at) => {
    // `offset 0`: evaluated only for the campaigns that are read.
    const ended: { id: string }[] = await at.execute(sql`
      select c.id
      from campaigns c
      where c.id < ${floor}
        and c.ended_at < ${before}
        and not exists (
          select 1
          from campaign_messages m
          where m.campaign_id = c.id
            and (m.status in ('processing', 'unknown') or m.status = 'requested' and m.kind <> 'step')
          offset 0
        )
      order by c.id
      limit ${batch}
      for update skip locked
    `)
    if (ended.length === 0) return 0
    const campaigns = uuids(ended.map(({ id }) => id))
    const due: { id: string }[] = await at.execute(sql`
      select id
      from enrollments
      where campaign_id = any (${campaigns})
      limit ${batch}
      for update skip locked
    `)
    if (due.length > 0) {
      const enrollments = uuids(due.map(({ id }) => id))
      await at.execute(sql`delete from inbound_mails where enrollment_id = any (${enrollments})`)
      await at.execute(sql`delete from enrollments where id = any (${enrollments})`)
    }
    const empty: { id: string }[] = await at.execute(sql`
      select c.id
      from campaigns c
      where c.id = any (${campaigns}) and not exists (select 1 from enrollments e where e.campaign_id = c.id offset 0)
    `)
    const campaignIds = uuids(empty.map(({ id }) => id))
    // What came back to their test messages.
    await at.execute(sql`
      delete from inbound_mails
      where campaign_message_id = any (array(select id from campaign_messages where campaign_id = any (${campaignIds})))
    `)
    await at.execute(sql`delete from campaigns where id = any (${campaignIds})`)
    return due.length + empty.length
  })
