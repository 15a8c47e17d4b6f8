// A submission fits its form as it is while it is written, belongs to whoever the session is by then, and is told of once, in the same transaction.
import { LockMode } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { type FormField, type SubmittedField, submissionOf } from '../../rules/content/forms.ts'
import { conflict, invalid, invalidInput, notFound } from '../../rules/refusal.ts'
import { FormSubmissionOut } from '../../rules/resources.ts'
import { submissionWords } from '../../rules/search-texts.ts'
import { serialize } from '../../rules/serialize.ts'
import { Id } from '../../rules/shapes.ts'
import { newId } from '../kit/ids.ts'
import { tell, wantedCondition, wantedValues } from '../webhooks/events.ts'
import type { Form } from './form.ts'
import { FormSubmission } from './form-submission.ts'
import { searchOf } from './named.ts'

/** `form`: its id or its key. `form_id`: the same again, as a body may repeat it. */
type Asked = { form: string; form_id?: string | undefined; fields: FormField[] }

type Held = Pick<Form, 'id' | 'key' | 'status' | 'schema'> & { contact_id: string | null; wanted: boolean }

/**
 * The form, held as a key: whoever changes or deletes it waits for this transaction, and other submissions do not. With a session its contact of this
 * moment, held as well: one that moves to another contact takes what it wrote along. One statement. 404.
 */
async function hold(em: EntityManager, tenantId: string, { form, form_id }: Asked, sessionId: string | null): Promise<Held> {
  const id = Id.safeParse(form).data ?? null
  const [contact, session, locked] = sessionId
    ? ['s.contact_id', 'join contact_sessions s on s.tenant_id = f.tenant_id and s.id = ?', 'f, s']
    : ['null::uuid', '', 'f']
  const rows: Held[] = await em.execute(
    // An id is meant first: another form's key may look like it.
    `select f.id, f.key, f.status, f.schema, ${contact} as contact_id, ${wantedCondition} as wanted from forms f ${session}
     where f.tenant_id = ? and (f.id = ?::uuid or f.key = ?) order by f.id = ?::uuid desc limit 1 for key share of ${locked}`,
    [...wantedValues(tenantId, 'form_submission.created'), ...(sessionId ? [sessionId] : []), tenantId, id, form, id],
  )
  const found = rows[0]
  if (!found) throw notFound('form')
  if (form_id !== undefined && form_id.toLowerCase() !== found.id && form_id !== found.key)
    throw invalid('/form_id', 'differs_from_path', 'It differs from the path.')
  return found
}

/** 422 with every fault. */
function checked({ schema }: Held, given: readonly FormField[]): { fields: SubmittedField[]; words: string } {
  const { faults, fields } = submissionOf(given, schema)
  if (!fields) throw invalidInput(faults)
  return { fields, words: submissionWords({ fields }) }
}

/** `sessionId` null: an operator's. Two statements, three where somebody wants to hear. 404; 409 form_archived; 422. `now` in Unix seconds. */
export async function submit(em: EntityManager, tenantId: string, asked: Asked, sessionId: string | null, now: number) {
  const form = await hold(em, tenantId, asked, sessionId)
  if (form.status === 'archived') throw conflict('form_archived', 'The form is archived; it takes no submissions.')
  const { fields, words } = checked(form, asked.fields)
  const submission = { id: newId(), tenant_id: tenantId, form_id: form.id, fields, contact_id: form.contact_id, created_at: now, updated_at: now }
  await em.execute(
    `insert into form_submissions (id, tenant_id, created_at, updated_at, form_id, contact_id, fields, search)
     values (?, ?, ?, ?, ?, ?, ?::jsonb, to_tsvector('simple', ?))`,
    [submission.id, tenantId, now, now, form.id, form.contact_id, JSON.stringify(fields), words],
  )
  const data = () => ({ ...(serialize(FormSubmissionOut, { ...submission, store_id: tenantId }) as object), form_key: form.key })
  if (form.wanted) await tell(em, 'form_submission.created', [{ tenant_id: tenantId, data: data() }], now)
  return submission
}

/** All its fields anew, held to the schema as it is now; of an archived form too. 404; 422. `now` in Unix seconds. */
export async function editSubmission(em: EntityManager, tenantId: string, id: string, asked: Asked, now: number): Promise<FormSubmission> {
  const form = await hold(em, tenantId, asked, null)
  const failHandler = () => notFound('submission')
  const submission = await em.findOneOrFail(FormSubmission, { id, form_id: form.id }, { lockMode: LockMode.PESSIMISTIC_WRITE, failHandler })
  const { fields, words } = checked(form, asked.fields)
  em.assign(submission, { fields, search: searchOf(words), updated_at: now })
  await em.flush()
  return submission
}
