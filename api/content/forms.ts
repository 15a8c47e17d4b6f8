// What a store asks, as its operators see it; a field that keeps its key keeps its id.
import { z } from 'zod'
import { Form } from '../../entities/content/form.ts'
import { createForm, removeForm, updateForm } from '../../entities/content/forms.ts'
import type { EntityManager } from '../../entities/kit/orm.ts'
import { FormSchema } from '../../rules/content/forms.ts'
import { Key } from '../../rules/input/identities.ts'
import { notFound } from '../../rules/refusal.ts'
import { FormOut, FormStatus } from '../../rules/resources.ts'
import { anyCase, Id } from '../../rules/shapes.ts'
import { filter, listing } from '../kit/listing.ts'
import { many } from '../kit/query.ts'
import { route } from '../kit/route.ts'
import { Success, success } from '../kit/shapes.ts'

type Plain = Pick<Form, 'id' | 'tenant_id' | 'key' | 'schema' | 'status' | 'created_at' | 'updated_at'>

const shownForm = ({ tenant_id: store_id, ...form }: Plain) => ({ ...form, store_id })

/** An id is tried first: another one's key may look like it. 404. */
export async function readForm(em: EntityManager, idOrKey: string, within: { status?: 'active' } = {}): Promise<Form> {
  const id = Id.safeParse(idOrKey).data
  const found = await em.find(Form, { $or: [{ key: idOrKey }, ...(id === undefined ? [] : [{ id }])], ...within })
  const form = found.find((one) => one.id === id) ?? found[0]
  if (!form) throw notFound('form')
  return form
}

const fields = {
  schema: FormSchema.optional().describe('Fields of the form, in their order. A field without an id keeps the id of the stored field with its key and type.'),
  status: anyCase(FormStatus).optional().describe('`active` forms accept submissions; `archived` ones do not. `active` by default.'),
}

export const forms = [
  listing('GET /v1/stores/{storeId}/forms', {
    may: 'admin',
    summary: 'List the forms',
    entity: Form,
    plain: true,
    item: FormOut,
    search: 'search',
    sorts: ['key'],
    filters: {
      key: filter(Key.describe('exactly this one'), (key) => ({ key })),
      status: filter(anyCase(FormStatus), (status) => ({ status })),
      ids: filter(many(Id), (ids) => ({ id: { $in: ids } })),
    },
    load: async (_, rows: Plain[]) => rows.map(shownForm),
  }),
  route('GET /v1/stores/{storeId}/forms/{id}', {
    may: 'admin',
    summary: 'Read a form by id or by key',
    words: ['id'],
    out: FormOut,
    run: async ({ em, path }) => shownForm(await readForm(em, path.id)),
  }),
  route('POST /v1/stores/{storeId}/forms', {
    may: 'admin',
    refuses: ['key_taken'],
    summary: 'Create a form',
    description: 'A key that another record has is refused with 409 `key_taken`.',
    body: z.object({ key: Key.describe('Name of the form, unique in the store, of 1 to 255 printable characters.'), ...fields }),
    out: FormOut,
    status: 201,
    run: async ({ em, tenant_id, body, now }) => shownForm(await createForm(em, tenant_id, body, now)),
  }),
  route('PUT /v1/stores/{storeId}/forms/{id}', {
    may: 'admin',
    refuses: ['key_taken'],
    summary: 'Update a form',
    description:
      'Fields that are left out are kept; `schema` replaces all fields. What was submitted stays as it is, and is held to the schema when it is edited. Once `archived` is answered, no submission is taken.',
    body: z.object({ key: Key.optional().describe('Name of the form, unique in the store. Left out, it is kept.'), ...fields }),
    out: FormOut,
    run: async ({ em, path, body, now }) => shownForm(await updateForm(em, path.id, body, now)),
  }),
  route('DELETE /v1/stores/{storeId}/forms/{id}', {
    may: 'admin',
    summary: 'Delete a form with its submissions',
    out: Success,
    async run({ em, path }) {
      await removeForm(em, path.id)
      return success
    },
  }),
]
