// What was answered, as operators see it: filled in by visitors, or by themselves, and edited when it was wrong.
import { z } from 'zod'
import { FormSubmission } from '../../entities/content/form-submission.ts'
import { editSubmission, submit } from '../../entities/content/submissions.ts'
import { FormFields } from '../../rules/content/forms.ts'
import { notFound } from '../../rules/refusal.ts'
import { FormSubmissionOut } from '../../rules/resources.ts'
import { listing } from '../kit/listing.ts'
import { route } from '../kit/route.ts'
import { readForm } from './forms.ts'

type Plain = Pick<FormSubmission, 'id' | 'tenant_id' | 'fields' | 'contact_id' | 'created_at' | 'updated_at'> & { form_id: unknown }

export const shownSubmission = ({ tenant_id: store_id, form_id, ...submission }: Plain) => ({ ...submission, form_id: String(form_id), store_id })

export const submissionBody = z.object({
  form_id: z.string().max(255).optional().describe('Must equal the form of the path, if it is sent.'),
  fields: FormFields.describe("Values of the form's fields, each named by `key` or by `id`; if both are sent, `key` counts."),
})

/** Of what can be wrong with a field. */
export const fieldRules =
  'Each fault has its pointer: `unknown_field`, `duplicate`, `type_differs`, `required` (at /fields where nothing was sent), `invalid_type`, `invalid_format`, `too_small`, `too_big`, `not_an_option`. Nothing is stored then. An archived form: 409 `form_archived`.'

export const submissions = [
  listing('GET /v1/stores/{storeId}/forms/{formId}/submissions', {
    may: 'admin',
    summary: 'List the submissions of a form',
    words: ['formId'],
    entity: FormSubmission,
    plain: true,
    item: FormSubmissionOut,
    search: 'search',
    within: async ({ em, path }) => ({ form_id: (await readForm(em, path.formId)).id }),
    load: async (_, rows: Plain[]) => rows.map(shownSubmission),
  }),
  route('GET /v1/stores/{storeId}/forms/{formId}/submissions/{id}', {
    may: 'admin',
    summary: 'Read a submission',
    words: ['formId'],
    out: FormSubmissionOut,
    async run({ em, path }) {
      const form_id = (await readForm(em, path.formId)).id
      return shownSubmission(await em.findOneOrFail(FormSubmission, { id: path.id, form_id }, { failHandler: () => notFound('submission') }))
    },
  }),
  route('POST /v1/stores/{storeId}/forms/{formId}/submissions', {
    operation: 'submitForm',
    may: 'admin',
    refuses: ['form_archived', 'differs_from_path'],
    summary: 'Submit a form as an operator',
    description: fieldRules,
    words: ['formId'],
    body: submissionBody,
    out: FormSubmissionOut,
    status: 201,
    run: async ({ em, tenant_id, path, body, now }) => shownSubmission(await submit(em, tenant_id, { form: path.formId, ...body }, null, now)),
  }),
  route('PUT /v1/stores/{storeId}/forms/{formId}/submissions/{id}', {
    may: 'admin',
    refuses: ['differs_from_path'],
    summary: 'Update a submission',
    description: 'The fields are replaced and held to the form as it is now. Submissions of archived forms can be updated too.',
    words: ['formId'],
    body: submissionBody,
    out: FormSubmissionOut,
    run: async ({ em, tenant_id, path, body, now }) => shownSubmission(await editSubmission(em, tenant_id, path.id, { form: path.formId, ...body }, now)),
  }),
]
