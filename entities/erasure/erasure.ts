// The erasure of a tenant. Its row outlives the tenant, as the record that the data was deleted.
import { defineEntity, p } from '@mikro-orm/core'
import { type Continued, ErasureStatus, type OpenOutcomes } from '../../rules/erasure/erasures.ts'
import { globalRow } from '../kit/database/row.ts'

const schema = defineEntity({
  name: 'Erasure',
  tableName: 'erasures',
  properties: {
    ...globalRow,
    /** The id of the tenant that is erased. */
    erased_id: p.uuid().unique(),
    key: p.string().length(63),
    /** The account that requested the erasure. */
    requested_by: p.uuid(),
    status: p.enum(ErasureStatus.options).default('settling'),
    /** Where the deletion resumes; null before it begins, and between its two passes. */
    progress: p.json<unknown>().nullable(),
    /** A message for operators: what the erasure waits for, or how many rows it deleted. */
    message: p.text(),
    /** An operator has to act before the erasure continues. */
    needs_attention: p.boolean().default(false),
    /** The account that continued the erasure although outcomes were open, with its reason and the time. */
    continued: p.json<Continued>().nullable(),
    /** Copies of the outcomes that were open: after the deletion, no other row has them. */
    open: p.json<OpenOutcomes>().nullable(),
    /** When the row of the tenant was deleted. Unix seconds. */
    deleted_at: p.bigint('number').nullable(),
  },
  indexes: [
    {
      name: 'erasures_open',
      expression: `create index "erasures_open" on "erasures" ("updated_at") where status <> 'succeeded'`,
    },
    {
      name: 'erasures_attention',
      expression: `create index "erasures_attention" on "erasures" ("requested_by") where needs_attention`,
    },
  ],
})
export class Erasure extends schema.class {}
schema.setClass(Erasure)
