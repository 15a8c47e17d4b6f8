// A transactional mail of the installation, such as a sign-in code: an effect, sent at most once.
import { defineEntity, p } from '@mikro-orm/core'
import { globalRow } from '../kit/database/row.ts'
import { sql } from '../kit/database/sql.ts'
import { attentionIndexes, effect } from '../kit/effect-columns.ts'
import { effectRow } from '../kit/effects.ts'
import { Encrypted } from '../kit/encrypted.ts'
import { freeSlot, lockCountsOfSlot } from '../platform/task-slots.ts'

const schema = defineEntity({
  name: 'Mail',
  tableName: 'mails',
  properties: {
    ...globalRow,
    tenant_id: p.uuid().nullable(),
    kind: p.string(),
    /** Unix seconds after which it must not be sent, because the code in it has expired. */
    not_after: p.bigint('number').nullable(),
    /** When the next attempt is due, after the mail server deferred one; of the database's clock. */
    due_at: p.datetime(3).nullable(),
    /**
     * What a mail is rendered from when it is sent: the template of the store, its mailbox, and the template's
     * variables. Without a mailbox, in rows of version 0.2.0, the template is not sent.
     */
    template_id: p.uuid().nullable(),
    mailbox_id: p.uuid().nullable(),
    /** JSON of a TemplateMail (mails.ts). */
    variables: p.type(Encrypted).nullable(),
    ...effect,
  },
  indexes: [
    { properties: ['status', 'created_at'] },
    ...attentionIndexes('mails'),
    {
      name: 'mails_tenant',
      expression: `create index "mails_tenant" on "mails" ("tenant_id", "created_at") where tenant_id is not null`,
    },
  ],
})
export class Mail extends schema.class {}
schema.setClass(Mail)

export const mailEffect = effectRow('mail', {
  precondition: sql`(e.not_after is null or e.not_after > extract(epoch from clock_timestamp()))`,
  // A grant of its slot starts it.
  waits: sql`
    e.due_at > clock_timestamp()
    or exists (select 1 from task_slots s where s.id = e.id and s.tenant_id = e.tenant_id and not s.granted)
  `,
  lock: lockCountsOfSlot,
  afterStatusChange: freeSlot,
  deferrable: true,
})
