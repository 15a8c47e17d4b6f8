// Forms of a store, for operators. A field that keeps its key and type keeps its id.
import { z } from 'zod'
import { Form } from '../../entities/content/form.ts'
import { createForm, removeForm, updateForm } from '../../entities/content/forms.ts'
import type { EntityManager } from '../../entities/kit/database/orm.ts'
import { FormSchema } from '../../rules/content/forms.ts'
import { Key } from '../../rules/input/identities.ts'
import { firstSpelled, spellingsOf } from '../../rules/input/texts.ts'
import { notFound } from '../../rules/refusal.ts'
import { FormOut, FormStatus } from '../../rules/resources.ts'
import { anyCase, Id } from '../../rules/shapes.ts'
import { byIds, filter, listing } from '../kit/answer/listing.ts'
import { removing } from '../kit/answer/record.ts'
import { route } from '../kit/route.ts'

type FormRow = Pick<Form, 'id' | 'tenant_id' | 'key' | 'schema' | 'status' | 'created_at' | 'updated_at'>

const shownForm = ({ tenant_id: store_id, ...form }: FormRow) => ({ ...form, store_id })

/** An id takes precedence over a key, as a key may be a UUID. 404. */
export async function readForm(em: EntityManager, idOrKey: string, only: { status?: 'active' } = {}): Promise<Form> {
  const id = Id.safeParse(idOrKey).data
  const keys = spellingsOf(idOrKey)
  const found = await em.find(Form, { $or: [{ key: { $in: keys } }, ...(id === undefined ? [] : [{ id }])], ...only })
  const form = found.find((one) => one.id === id) ?? firstSpelled(found, keys, ({ key }) => key)
  if (!form) throw notFound('form')
  return form
}

const fields = {
  schema: FormSchema.optional().describe(
    'Fields of the form, in their order. A field without an id keeps the id of the stored field with its key and type.',
  ),
  status: anyCase(FormStatus)
    .optional()
    .describe('`active` forms accept submissions; `archived` ones do not. `active` by default.'),
}

export const forms = [
  listing('GET /v1/stores/{storeId}/forms', {
    may: 'admin',
    summary: 'List the forms',
    entity: Form,
    unmanaged: true,
    item: FormOut,
    search: 'search',
    sorts: ['key'],
    filters: {
      key: filter(Key.describe('Only the form with exactly this key.'), (key) => ({ key: { $in: spellingsOf(key) } })),
      status: filter(anyCase(FormStatus), (status) => ({ status })),
      ...byIds,
    },
    load: async (_, rows: FormRow[]) => rows.map(shownForm),
  }),
  route('GET /v1/stores/{storeId}/forms/{id}', {
    may: 'admin',
    summary: 'Read a form by id or by key',
    textParameters: ['id'],
    out: FormOut,
    run: async ({ em, path }) => shownForm(await readForm(em, path.id)),
  }),
  route('POST /v1/stores/{storeId}/forms', {
    may: 'admin',
    refuses: ['key_taken'],
    summary: 'Create a form',
    description: '409 `key_taken` if another form has the key.',
    body: z.object({
      key: Key.describe('Name of the form, unique in the {store}, of 1 to 255 printable characters.'),
      ...fields,
    }),
    out: FormOut,
    status: 201,
    run: async ({ em, tenant_id, body, now }) => shownForm(await createForm(em, tenant_id, body, now)),
  }),
  route('PUT /v1/stores/{storeId}/forms/{id}', {
    may: 'admin',
    refuses: ['key_taken'],
    summary: 'Update a form',
    description:
      'Fields that are left out are kept; `schema` replaces all fields of the form. Stored submissions do not change; the new schema applies to a submission when it is updated. An ' +
      '`archived` form accepts no submission. 409 `key_taken` if another form has the key.',
    body: z.object({
      key: Key.optional().describe('Name of the form, unique in the {store}. Left out, it is kept.'),
      ...fields,
    }),
    out: FormOut,
    run: async ({ em, path, body, now }) => shownForm(await updateForm(em, path.id, body, now)),
  }),
  removing('DELETE /v1/stores/{storeId}/forms/{id}', {
    may: 'admin',
    summary: 'Delete a form with its submissions',
    remove: ({ em, path }) => removeForm(em, path.id),
  }),
]
