// E-mails whose delivery cannot be proved, and mailboxes that do not work.
import { type MailboxFacts, type MailFacts, mailboxItem, mailItem } from '../../rules/mail/attention.ts'
import { attends, attendsEffect } from '../kit/attention.ts'
import { sql } from '../kit/database/sql.ts'
import { mailEffect } from './mail.ts'

/** Until what it says has expired. */
export const mailAttention = attendsEffect<MailFacts>(mailEffect, {
  columns: sql`x.kind`,
  matters: sql`(x.not_after is null or x.not_after > extract(epoch from clock_timestamp()))`,
  platform: sql`x.tenant_id is null`,
  text: mailItem,
})

/** A server that fails for a moment is asked again by itself. */
const patienceS = 900

/** A mailbox that has sent nothing, or whose inbox was not read, for a while. */
export const mailboxAttention = attends<MailboxFacts>('mailbox', {
  from: sql`mailboxes x`,
  columns: sql`
    x.key, case when x.sending_failed_since is not null then x.sending_error end as sending_error, x.imap_error
  `,
  where: sql`
    x.status = 'active'
    and (
      x.sending_error is not null
      and x.sending_failed_since < extract(epoch from clock_timestamp()) - ${patienceS}
      or x.imap_error is not null
      and coalesce(x.imap_read_at, x.created_at) < extract(epoch from clock_timestamp()) - ${patienceS}
    )
  `,
  since: sql`coalesce(x.sending_failed_since, x.imap_read_at, x.created_at)`,
  text: mailboxItem,
})
