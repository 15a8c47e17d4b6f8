// A form is changed as a whole: whoever fills it in at that moment meets it before or after, never between.
import { LockMode } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { type FormSchema, withIds } from '../../rules/content/forms.ts'
import { notFound } from '../../rules/refusal.ts'
import { formWords } from '../../rules/search-texts.ts'
import { newId } from '../kit/ids.ts'
import { flushKeyed } from '../kit/keys.ts'
import { Form } from './form.ts'
import { searchOf } from './named.ts'

type FormInput = { key?: string | undefined; schema?: FormSchema | undefined; status?: Form['status'] | undefined }

/** Not written yet. */
export function newForm(em: EntityManager, tenantId: string, { key, schema = [], status = 'active' }: FormInput & { key: string }, now: number): Form {
  const fields = { key, status, schema: withIds(schema, newId) }
  return em.create(Form, { id: newId(), tenant_id: tenantId, created_at: now, updated_at: now, ...fields, search: searchOf(formWords(fields)) })
}

/** 409 key_taken. */
export async function createForm(em: EntityManager, tenantId: string, input: FormInput & { key: string }, now: number): Promise<Form> {
  const form = newForm(em, tenantId, input, now)
  await flushKeyed(em, 'form')
  return form
}

/**
 * What is left out stays. Waits for the submissions that are being written, and holds back those to come: once it is answered, nothing is stored that
 * the form of before would have taken. 404, 409 key_taken.
 */
export async function updateForm(em: EntityManager, id: string, { key, schema, status }: FormInput, now: number): Promise<Form> {
  const form = await em.findOneOrFail(Form, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE, failHandler: () => notFound('form') })
  em.assign(form, {
    ...(key === undefined ? {} : { key }),
    ...(schema ? { schema: withIds(schema, newId, form.schema) } : {}),
    ...(status ? { status } : {}),
    updated_at: now,
  })
  em.assign(form, { search: searchOf(formWords(form)) })
  await flushKeyed(em, 'form')
  return form
}

/** With all its submissions. 404. */
export async function removeForm(em: EntityManager, id: string): Promise<void> {
  if ((await em.nativeDelete(Form, { id })) === 0) throw notFound('form')
}
