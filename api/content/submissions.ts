// Form submissions, for operators: read, created and updated.
import { z } from 'zod'
import { FormSubmission } from '../../entities/content/form-submission.ts'
import { editSubmission, submit } from '../../entities/content/submissions.ts'
import { findRecord } from '../../entities/kit/find.ts'
import { FormFields } from '../../rules/content/forms.ts'
import { PartName } from '../../rules/input/identities.ts'
import { FormSubmissionOut } from '../../rules/resources.ts'
import { listing } from '../kit/answer/listing.ts'
import { route } from '../kit/route.ts'
import { readForm } from './forms.ts'

type SubmissionRow = Pick<
  FormSubmission,
  'id' | 'tenant_id' | 'fields' | 'contact_id' | 'created_at' | 'updated_at'
> & { form_id: unknown }

export const shownSubmission = ({ tenant_id: store_id, form_id, ...submission }: SubmissionRow) => ({
  ...submission,
  form_id: String(form_id),
  store_id,
})

export const submissionBody = z.object({
  form_id: PartName.optional().describe('Must equal the form of the path, if it is sent.'),
  fields: FormFields.describe(
    "Values of the form's fields, each named by `key` or by `id`; if both are sent, `key` is used.",
  ),
})

/** Part of the descriptions of operations that take form fields. */
export const fieldRules =
  '422 lists each invalid field with its pointer: `unknown_field`, `duplicate`, `type_differs`, `required` (at /fields for a field that was not sent), `invalid_type`, ' +
  '`invalid_format`, `too_small`, `too_big`, `not_an_option`. 409 `form_archived` if the form is archived.'

export const submissions = [
  listing('GET /v1/stores/{storeId}/forms/{formId}/submissions', {
    may: 'admin',
    summary: 'List the submissions of a form',
    textParameters: ['formId'],
    entity: FormSubmission,
    unmanaged: true,
    item: FormSubmissionOut,
    search: 'search',
    scope: async ({ em, path }) => ({ form_id: (await readForm(em, path.formId)).id }),
    load: async (_, rows: SubmissionRow[]) => rows.map(shownSubmission),
  }),
  route('GET /v1/stores/{storeId}/forms/{formId}/submissions/{id}', {
    may: 'admin',
    summary: 'Read a submission',
    textParameters: ['formId'],
    out: FormSubmissionOut,
    async run({ em, path }) {
      const form_id = (await readForm(em, path.formId)).id
      return shownSubmission(await findRecord(em, FormSubmission, { id: path.id, form_id }, 'submission'))
    },
  }),
  route('POST /v1/stores/{storeId}/forms/{formId}/submissions', {
    operation: 'submitForm',
    may: 'admin',
    refuses: ['form_archived', 'differs_from_path'],
    summary: 'Submit a form as an operator',
    description: fieldRules,
    textParameters: ['formId'],
    body: submissionBody,
    out: FormSubmissionOut,
    status: 201,
    run: async ({ em, tenant_id, path, body, now }) =>
      shownSubmission(await submit(em, tenant_id, { form: path.formId, ...body }, null, now)),
  }),
  route('PUT /v1/stores/{storeId}/forms/{formId}/submissions/{id}', {
    may: 'admin',
    refuses: ['differs_from_path'],
    summary: 'Update a submission',
    description:
      'Replaces all fields, which must satisfy the current schema of the form. Submissions of archived forms can be updated too.',
    textParameters: ['formId'],
    body: submissionBody,
    out: FormSubmissionOut,
    run: async ({ em, tenant_id, path, body, now }) =>
      shownSubmission(await editSubmission(em, tenant_id, path.id, { form: path.formId, ...body }, now)),
  }),
]
