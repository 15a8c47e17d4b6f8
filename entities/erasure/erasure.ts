// The erasure of a tenant. It outlives the tenant, and is kept as a record that the data is gone.
import { defineEntity, p } from '@mikro-orm/core'
import { type Continued, ErasureStatus, type OpenOutcomes } from '../../rules/erasure/erasures.ts'
import { globalRow } from '../kit/database/row.ts'

const schema = defineEntity({
  name: 'Erasure',
  tableName: 'erasures',
  properties: {
    ...globalRow,
    /** The tenant. */
    erased_id: p.uuid().unique(),
    key: p.string().length(63),
    /** The account that asked for it. */
    requested_by: p.uuid(),
    status: p.enum(ErasureStatus.options).default('settling'),
    /** Where the deletion resumes; null before it begins, and between its two passes. */
    progress: p.json<unknown>().nullable(),
    /** What it waits for, or what was deleted. */
    message: p.text(),
    /** A person has to act before it goes on. */
    needs_attention: p.boolean().default(false),
    /** Who let it go on although outcomes were open, when and why. */
    continued: p.json<Continued>().nullable(),
    /** What was open then: no other row tells it afterwards. */
    open: p.json<OpenOutcomes>().nullable(),
    /** When the tenant was gone. */
    deleted_at: p.bigint('number').nullable(),
  },
  indexes: [
    {
      name: 'erasures_open',
      expression: `create index "erasures_open" on "erasures" ("updated_at") where status <> 'succeeded'`,
    },
  ],
})
export class Erasure extends schema.class {}
schema.setClass(Erasure)
