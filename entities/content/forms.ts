// A form changes atomically: a concurrent submission is validated against the form before or after the change.
import { LockMode } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { type FormSchema, withIds } from '../../rules/content/forms.ts'
import { notFound } from '../../rules/refusal.ts'
import { formWords } from '../../rules/search/search-texts.ts'
import { newId } from '../kit/ids.ts'
import { flushKeyed } from '../kit/keys.ts'
import { Form } from './form.ts'
import { searchOf } from './named.ts'

type FormInput = { key?: string | undefined; schema?: FormSchema | undefined; status?: Form['status'] | undefined }

/** Not flushed. */
export function newForm(
  em: EntityManager,
  tenantId: string,
  { key, schema = [], status = 'active' }: FormInput & { key: string },
  now: number,
): Form {
  const fields = { key, status, schema: withIds(schema, newId) }
  return em.create(Form, {
    id: newId(),
    tenant_id: tenantId,
    created_at: now,
    updated_at: now,
    ...fields,
    search: searchOf(formWords(fields)),
  })
}

/** Creates a form. 409 key_taken. */
export async function createForm(
  em: EntityManager,
  tenantId: string,
  input: FormInput & { key: string },
  now: number,
): Promise<Form> {
  const form = newForm(em, tenantId, input, now)
  await flushKeyed(em, 'form')
  return form
}

/**
 * Updates a form. Fields that are left out stay. Waits for concurrent submissions and blocks new ones: after its commit
 * no submission is validated against the former schema. 404, 409 key_taken.
 */
export async function updateForm(
  em: EntityManager,
  id: string,
  { key, schema, status }: FormInput,
  now: number,
): Promise<Form> {
  const form = await em.findOneOrFail(
    Form,
    { id },
    { lockMode: LockMode.PESSIMISTIC_WRITE, failHandler: () => notFound('form') },
  )
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

/** Deletes all its submissions, too. 404. */
export async function removeForm(em: EntityManager, id: string): Promise<void> {
  if ((await em.nativeDelete(Form, { id })) === 0) throw notFound('form')
}
