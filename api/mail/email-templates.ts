// E-mail templates: checked when they are saved, and rendered for a preview.
import type { EntityManager } from '@mikro-orm/postgresql'
import { z } from 'zod'
import { checkEmail, EmailError, type EmailFault, type EmailSource, renderEmail } from '../../adapters/mail-renderer.ts'
import { Audience } from '../../entities/audiences/audience.ts'
import { findRecord } from '../../entities/kit/find.ts'
import { newId } from '../../entities/kit/ids.ts'
import { flushKeyed } from '../../entities/kit/keys.ts'
import { EmailTemplate } from '../../entities/mail/email-template.ts'
import { ownerOf } from '../../entities/stores/tenant-owner.ts'
import { Key } from '../../rules/input/identities.ts'
import { EmailTemplateFormat, EmailTemplateType } from '../../rules/mail/email-templates.ts'
import type { ProblemCode } from '../../rules/problems.ts'
import { Refusal } from '../../rules/refusal.ts'
import { anyCase, CreatedAt, RecordStatus, UpdatedAt } from '../../rules/shapes.ts'
import { hasLink, NO_LINK, sampleVariables } from '../audiences/confirmation.ts'
import { byIdsAlone, filter, listing } from '../kit/answer/listing.ts'
import { reading, removing } from '../kit/answer/record.ts'
import { route } from '../kit/route.ts'

const Type = EmailTemplateType
const Status = RecordStatus
const Format = EmailTemplateFormat

const TemplateOut = z
  .object({
    id: z.string().describe('Identifier of the e-mail template, a UUIDv7 made by the server.'),
    key: z.string().describe('Name of the template, unique in the {store}.'),
    type: Type.describe('What the template is for.'),
    status: Status.describe('`active` templates can be sent; `archived` ones cannot.'),
    format: Format.describe('Language of `body`: MJML or HTML.'),
    subject: z.string().describe('Subject line, with Liquid expressions.'),
    body: z.string().describe('Source of the HTML part, in `format`, with Liquid expressions.'),
    text: z
      .string()
      .nullable()
      .describe('Source of the plain-text part, with Liquid expressions; if null, it is derived from the HTML part.'),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'EmailTemplate' })

const Preview = z
  .object({
    subject: z.string().describe('Rendered subject line.'),
    html: z.string().describe('Rendered HTML part.'),
    text: z.string().describe('Rendered plain-text part.'),
  })
  .meta({ id: 'EmailPreview' })

const Part = z.string().min(1).max(262_144)
const content = {
  format: anyCase(Format).optional().describe('Language of `body`; `mjml` by default.'),
  subject: z.string().min(1).max(2_000).describe('Subject line, with Liquid expressions, of 1 to 2,000 characters.'),
  body: Part.describe('Source of the HTML part: MJML or HTML with Liquid expressions.'),
  text: Part.nullish().describe(
    'Source of the plain-text part, with Liquid expressions; if null or left out, it is derived from the HTML part.',
  ),
}
const fields = {
  key: Key.describe('Name of the template, unique in the {store}, of 1 to 255 printable characters.'),
  type: anyCase(Type).optional().describe('What the template is for.'),
  status: anyCase(Status)
    .optional()
    .describe('`active` templates can be sent; `archived` ones cannot. `active` by default.'),
  ...content,
}
const Variables = z.record(z.string(), z.unknown()).optional()

/** A refusal with the part of each error as its pointer, and its line in the detail. */
function refusalOf(code: ProblemCode<422>, faults: readonly EmailFault[]): Refusal {
  const placed = faults.map(({ part, line, message }) => ({
    pointer: `/${part}`,
    code,
    detail: line === null ? message : `Line ${line}: ${message}`,
  }))
  return new Refusal(
    422,
    code,
    code === 'template_invalid'
      ? 'The template is not valid.'
      : 'The template cannot be rendered with these variables.',
    {
      faults: placed,
    },
  )
}

/**
 * Turns the renderer's errors into refusals: 429 too_many_requests, 422 template_failed, template_invalid,
 * template_timeout or template_too_large.
 */
export async function withRefusals<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof EmailError)) throw error
    if (error.code === 'template_busy')
      throw new Refusal(
        429,
        'too_many_requests',
        'No renderer of templates is free at the moment. Repeat the request after `Retry-After`.',
        {
          headers: { 'Retry-After': '1' },
        },
      )
    throw refusalOf(error.code, error.faults)
  }
}

async function checked(em: EntityManager, source: EmailSource, tenantId: string): Promise<void> {
  const faults = await withRefusals(async () => checkEmail(source, await ownerOf(em, tenantId)))
  if (faults.length > 0) throw refusalOf('template_invalid', faults)
}

const preview = (em: EntityManager, source: EmailSource, variables: Record<string, unknown> = {}, tenantId: string) =>
  withRefusals(async () => renderEmail(source, variables, await ownerOf(em, tenantId), { impatient: true }))

export const emailTemplates = [
  listing('GET /v1/stores/{storeId}/email-templates', {
    may: 'admin',
    summary: 'List the e-mail templates',
    entity: EmailTemplate,
    item: TemplateOut,
    idsAlone: true,
    filters: {
      ...byIdsAlone,
      type: filter(anyCase(Type), (type) => ({ type })),
      status: filter(anyCase(Status), (status) => ({ status })),
    },
  }),
  reading('GET /v1/stores/{storeId}/email-templates/{id}', {
    may: 'admin',
    summary: 'Read an e-mail template',
    entity: EmailTemplate,
    out: TemplateOut,
  }),
  route('POST /v1/stores/{storeId}/email-templates', {
    may: 'admin',
    refuses: [
      'key_taken',
      'too_many_requests',
      'template_failed',
      'template_invalid',
      'template_timeout',
      'template_too_large',
    ],
    // Without a transaction, as one statement writes the row: no connection is held while the template is checked,
    // which may take seconds.
    transaction: false,
    summary: 'Create an e-mail template',
    description:
      '422 `template_invalid` lists each error of its Liquid and MJML with part and line. 409 `key_taken` if another template has the key.',
    body: z.object(fields),
    out: TemplateOut,
    status: 201,
    async run({ em, tenant_id, body, now }) {
      const template = em.create(EmailTemplate, {
        id: newId(),
        tenant_id,
        created_at: now,
        updated_at: now,
        ...body,
      }) as EmailTemplate
      await checked(em, { ...body, format: body.format ?? 'mjml' }, tenant_id)
      await flushKeyed(em, 'template')
      return template
    },
  }),
  route('PUT /v1/stores/{storeId}/email-templates/{id}', {
    may: 'admin',
    refuses: [
      'key_taken',
      'too_many_requests',
      'template_failed',
      'template_invalid',
      'template_timeout',
      'template_too_large',
    ],
    transaction: false,
    summary: 'Update an e-mail template',
    description:
      'Fields that are left out are kept. 422 `template_invalid` lists each error of its Liquid and MJML. 422 `template_failed` if an active audience sends it as its confirmation and it cannot be rendered with ' +
      'the variables of one, or does not contain the link. 409 `key_taken` if another template has the key.',
    body: z.object(fields).partial(),
    out: TemplateOut,
    async run({ em, tenant_id, path, body, now }) {
      const template = await findRecord(em, EmailTemplate, { id: path.id }, 'e-mail template')
      em.assign(template, { ...body, updated_at: now })
      if (Object.keys(content).some((name) => name in body)) {
        await checked(em, template, tenant_id)
        // Otherwise every confirmation would fail, after its visitor was told that it is on its way.
        if (
          (await em.count(Audience, { template_id: path.id, status: 'active' })) > 0 &&
          !hasLink(await preview(em, template, sampleVariables, tenant_id))
        )
          throw refusalOf('template_failed', [{ part: 'body', line: null, message: NO_LINK }])
      }
      await flushKeyed(em, 'template')
      return template
    },
  }),
  removing('DELETE /v1/stores/{storeId}/email-templates/{id}', {
    may: 'admin',
    summary: 'Delete an e-mail template',
    description:
      'Nodes that still refer to it fail with `template_missing`, and drafts of campaigns cannot be launched. Launched campaigns keep what they froze.',
    entity: EmailTemplate,
  }),
  route('POST /v1/stores/{storeId}/email-templates/{id}/preview', {
    may: 'admin',
    refuses: ['too_many_requests', 'template_failed', 'template_invalid', 'template_timeout', 'template_too_large'],
    transaction: false,
    summary: 'Preview an e-mail template',
    description:
      'Renders the stored template with these variables. Nothing is sent. 422 `template_failed` if a variable is missing.',
    body: z.object({ variables: Variables.describe('Values that the Liquid expressions read.') }),
    out: Preview,
    run: async ({ em, tenant_id, path, body }) =>
      preview(em, await findRecord(em, EmailTemplate, { id: path.id }, 'e-mail template'), body.variables, tenant_id),
  }),
  route('POST /v1/stores/{storeId}/email-templates/preview', {
    operation: 'previewEmailTemplateDraft',
    may: 'admin',
    refuses: ['too_many_requests', 'template_failed', 'template_invalid', 'template_timeout', 'template_too_large'],
    transaction: false,
    summary: 'Preview an e-mail template before it is saved',
    description:
      'Renders the template of the body with these variables. Nothing is stored or sent. 422 `template_failed` for an error of the template or a missing variable.',
    body: z.object({ ...content, variables: Variables.describe('Values that the Liquid expressions read.') }),
    out: Preview,
    run: ({ em, tenant_id, body: { variables, ...source } }) =>
      preview(em, { ...source, format: source.format ?? 'mjml' }, variables, tenant_id),
  }),
]
