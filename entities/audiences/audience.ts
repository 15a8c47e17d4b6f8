// A group of contacts, and how they join it.
import { defineEntity, p } from '@mikro-orm/core'
import { AudienceStatus, EnrollmentType } from '../../rules/audiences/audiences.ts'
import { keyedKeys, keyedRow } from '../kit/database/named-columns.ts'

const { uniques, indexes } = keyedKeys('audiences')

const schema = defineEntity({
  name: 'Audience',
  tableName: 'audiences',
  properties: {
    ...keyedRow,
    name: p.string(),
    status: p.enum(AudienceStatus.options).default('draft'),
    type: p.enum(EnrollmentType.options),
    /**
     * These three are of the type `confirmation`. They refer without a foreign key: a deleted record is found when an
     * e-mail is due.
     */
    template_id: p.uuid().nullable(),
    mailbox_id: p.uuid().nullable(),
    confirmation_url: p.text().nullable(),
    /** It was archived, and the reconciler still has to cancel its subscriptions and close its pages. */
    ending: p.boolean().default(false),
  },
  uniques,
  indexes: [
    ...indexes,
    { properties: ['tenant_id', 'status', 'created_at', 'id'] },
    { name: 'audiences_ending', expression: `create index "audiences_ending" on "audiences" ("id") where ending` },
  ],
})
export class Audience extends schema.class {}
schema.setClass(Audience)
