// A form that visitors and operators submit. Submissions satisfy the schema that they were validated against.
import { defineEntity, p } from '@mikro-orm/core'
import type { FormItem, Identified } from '../../rules/content/forms.ts'
import { ArchivableStatus } from '../../rules/shapes.ts'
import { keyedKeys, keyedRow } from '../kit/database/named-columns.ts'

const { uniques, indexes } = keyedKeys('forms')

const schema = defineEntity({
  name: 'Form',
  tableName: 'forms',
  properties: {
    ...keyedRow,
    status: p.enum(ArchivableStatus.options).default('active'),
    schema: p.json<Identified<FormItem>[]>(),
  },
  uniques,
  indexes: [...indexes, { properties: ['tenant_id', 'status', 'created_at', 'id'] }],
})
export class Form extends schema.class {}
schema.setClass(Form)
