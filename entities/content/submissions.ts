// A submission is validated against its form, assigned to the session's contact, and published once, in one
// transaction.
import { LockMode } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { type FormField, type SubmittedField, submissionOf } from '../../rules/content/forms.ts'
import { spellingsOf, textForm } from '../../rules/input/texts.ts'
import { conflict, invalid, invalidInput, notFound } from '../../rules/refusal.ts'
import { FormSubmissionOut } from '../../rules/resources.ts'
import { submissionWords } from '../../rules/search/search-texts.ts'
import { serialize } from '../../rules/serialize.ts'
import { Id } from '../../rules/shapes.ts'
import { insertRow } from '../kit/database/insert.ts'
import { list, nothing, sql } from '../kit/database/sql.ts'
import { newId } from '../kit/ids.ts'
import { subscribedSql, writeEvents } from '../webhooks/events.ts'
import type { Form } from './form.ts'
import { FormSubmission } from './form-submission.ts'
import { searchOf } from './named.ts'

/** `form`: its id or its key. `form_id`: the same, if the body repeats it. */
type Asked = { form: string; form_id?: string | undefined; fields: FormField[] }

type LockedForm = Pick<Form, 'id' | 'key' | 'status' | 'schema'> & { contact_id: string | null; wanted: boolean }

/**
 * Reads the form and locks it as a key: changes and deletions of the form wait for this transaction, other submissions
 * do not. With a session it also locks the session and reads its contact, so that a session that moves to another
 * contact takes the submission along. One statement. 404.
 */
async function lockForm(
  em: EntityManager,
  tenantId: string,
  { form, form_id }: Asked,
  sessionId: string | null,
): Promise<LockedForm> {
  const id = Id.safeParse(form).data ?? null
  const keys = list(spellingsOf(form))
  const [contact, session, locked] = sessionId
    ? [sql`s.contact_id`, sql`join contact_sessions s on s.tenant_id = f.tenant_id and s.id = ${sessionId}`, sql`f, s`]
    : [sql`null::uuid`, nothing, sql`f`]
  const rows: LockedForm[] = await em.execute(
    // An id takes precedence: another form's key may equal it.
    sql`
      select f.id, f.key, f.status, f.schema, ${contact} as contact_id,
        ${subscribedSql(tenantId, 'form_submission.created')} as wanted
      from forms f ${session}
      where f.tenant_id = ${tenantId} and (f.id = ${id}::uuid or f.key in (${keys}))
      order by f.id = ${id}::uuid desc, array_position(array[${keys}]::text[], f.key::text)
      limit 1
      for key share of ${locked}
    `,
  )
  const found = rows[0]
  if (!found) throw notFound('form')
  if (form_id !== undefined && form_id.toLowerCase() !== found.id && form_id !== textForm(found.key))
    throw invalid('/form_id', 'differs_from_path', 'Must equal the path parameter `id`.')
  return found
}

/** Validates the fields of a submission. 422 with all faults. */
function checked({ schema }: LockedForm, given: readonly FormField[]): { fields: SubmittedField[]; words: string } {
  const { faults, fields } = submissionOf(given, schema)
  if (!fields) throw invalidInput(faults)
  return { fields, words: submissionWords({ fields }) }
}

/**
 * `sessionId` is null for an operator. Two statements, three if the event has a subscriber. 404; 409 form_archived;
 * 422. `now` in Unix seconds.
 */
export async function submit(em: EntityManager, tenantId: string, asked: Asked, sessionId: string | null, now: number) {
  const form = await lockForm(em, tenantId, asked, sessionId)
  if (form.status === 'archived') throw conflict('form_archived', 'The form is archived; it takes no submissions.')
  const { fields, words } = checked(form, asked.fields)
  const row = {
    id: newId(),
    tenant_id: tenantId,
    form_id: form.id,
    fields,
    contact_id: form.contact_id,
    created_at: now,
    updated_at: now,
  }
  await insertRow(em, FormSubmission, { ...row, search: sql`to_tsvector('simple', ${words})` })
  const data = () => ({
    ...(serialize(FormSubmissionOut, { ...row, store_id: tenantId }) as object),
    form_key: form.key,
  })
  if (form.wanted) await writeEvents(em, 'form_submission.created', [{ tenant_id: tenantId, data: data() }], now)
  return row
}

/**
 * Replaces all fields, validated against the present schema; of an archived form, too. 404; 422. `now` in Unix seconds.
 */
export async function editSubmission(
  em: EntityManager,
  tenantId: string,
  id: string,
  asked: Asked,
  now: number,
): Promise<FormSubmission> {
  const form = await lockForm(em, tenantId, asked, null)
  const failHandler = () => notFound('submission')
  const submission = await em.findOneOrFail(
    FormSubmission,
    { id, form_id: form.id },
    { lockMode: LockMode.PESSIMISTIC_WRITE, failHandler },
  )
  const { fields, words } = checked(form, asked.fields)
  em.assign(submission, { fields, search: searchOf(words), updated_at: now })
  await em.flush()
  return submission
}
