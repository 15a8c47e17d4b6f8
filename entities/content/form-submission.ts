// One submission of a form.
import { defineEntity, p } from '@mikro-orm/core'
import type { SubmittedField } from '../../rules/content/forms.ts'
import { searchColumn } from '../kit/database/named-columns.ts'
import { tenantRow } from '../kit/database/row.ts'
import { Form } from './form.ts'

const schema = defineEntity({
  name: 'FormSubmission',
  tableName: 'form_submissions',
  properties: {
    ...tenantRow,
    form_id: () => p.manyToOne(Form).mapToPk().deleteRule('cascade').joinColumn('form_id'),
    /** Null: submitted by an operator. */
    contact_id: p.uuid().nullable(),
    fields: p.json<SubmittedField[]>(),
    search: searchColumn,
  },
  indexes: [
    { properties: ['form_id', 'created_at', 'id'] },
    { properties: ['form_id', 'updated_at', 'id'] },
    { properties: ['contact_id', 'created_at', 'id'] },
    {
      name: 'form_submissions_search',
      expression: 'create index "form_submissions_search" on "form_submissions" using gin ("search")',
    },
  ],
})
export class FormSubmission extends schema.class {}
schema.setClass(FormSubmission)
