// Active forms, and their submission by visitors. A submission belongs to the contact of the visitor.
import { submit } from '../../entities/content/submissions.ts'
import { FormOut, FormSubmissionOut } from '../../rules/resources.ts'
import { route } from '../kit/route.ts'
import { readForm } from './forms.ts'
import { fieldRules, shownSubmission, submissionBody } from './submissions.ts'

const PublicForm = FormOut.pick({ id: true, key: true, schema: true }).meta({ id: 'PublicForm' })

export const storefrontForms = [
  route('GET /v1/storefront/forms/{key}', {
    may: 'visitor',
    contact: 'optional',
    summary: 'Read an active form by key or by id',
    textParameters: ['key'],
    out: PublicForm,
    run: ({ em, path }) => readForm(em, path.key, { status: 'active' }),
  }),
  route('POST /v1/storefront/forms/{formId}/submissions', {
    operation: 'submitStorefrontForm',
    may: 'visitor',
    accepts: 'former-token',
    refuses: ['form_archived', 'differs_from_path'],
    summary: 'Submit a form',
    description: fieldRules,
    textParameters: ['formId'],
    body: submissionBody,
    out: FormSubmissionOut,
    status: 201,
    run: async ({ em, tenant_id, caller, path, body, now }) =>
      shownSubmission(await submit(em, tenant_id, { form: path.formId, ...body }, caller.session_id, now)),
  }),
]
