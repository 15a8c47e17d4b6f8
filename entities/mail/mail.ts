// A message of ours to one person (a sign-in code): an effect, sent at most once.
import { defineEntity, p } from '@mikro-orm/core'
import { effect } from '../kit/effect-columns.ts'
import { effectRow } from '../kit/effects.ts'
import { globalRow } from '../kit/row.ts'

const schema = defineEntity({
  name: 'Mail',
  tableName: 'mails',
  properties: {
    ...globalRow,
    tenant_id: p.uuid().nullable(),
    kind: p.string(),
    /** Unix seconds after which it must not be sent: the code in it is no longer good. */
    not_after: p.bigint('number').nullable(),
    /** The mail server asked for another attempt: not before this moment, of the database's clock. */
    due_at: p.datetime(3).nullable(),
    ...effect,
  },
  indexes: [{ properties: ['status', 'created_at'] }],
})
export class Mail extends schema.class {}
schema.setClass(Mail)

export const mailEffect = effectRow('mail', {
  precondition: '(e.not_after is null or e.not_after > extract(epoch from clock_timestamp()))',
  waits: 'e.due_at > clock_timestamp()',
  deferrable: true,
})
