// Audiences for tests, and contacts with an address.
import { newId } from '../../../entities/kit/ids.ts'
import { made } from '../content/content.ts'
import { database, newEmail, type Shop, unique } from '../shop.ts'

type Body = Record<string, unknown>

/** An active audience without settings of its own. */
export async function newAudience(
  shop: Shop,
  type: 'open' | 'private' = 'open',
  more: Body = {},
): Promise<{ id: string; key: string }> {
  const { id, key } = await made(shop.asOperator('POST', '/audiences', { key: unique(), type: { type }, ...more }))
  const active = await shop.asOperator('PUT', `/audiences/${id}`, { status: 'active' })
  if (active.status !== 200) throw new Error(`not active: ${JSON.stringify(active.body)}`)
  return { id, key: key as unknown as string }
}

export const confirmationPage = 'https://shop.example/confirm?lang=en'

/** A template whose e-mail holds the link, and the type of an audience that sends it. */
export async function confirmationType(
  shop: Shop,
  more: Body = {},
): Promise<{ type: 'confirmation'; template_id: string; confirmation_url: string }> {
  const template = {
    type: 'subscription_confirmation',
    format: 'html',
    subject: 'Join {{ audience.name }}',
    body: '<p>{{ confirmation_url }}</p>',
  }
  const { id } = await made(shop.asOperator('POST', '/email-templates', { key: unique(), ...template, ...more }))
  return { type: 'confirmation', template_id: id, confirmation_url: confirmationPage }
}

export async function newConfirmation(shop: Shop): Promise<{ id: string; key: string }> {
  const { id, key } = await made(
    shop.asOperator('POST', '/audiences', { key: unique(), type: await confirmationType(shop) }),
  )
  const active = await shop.asOperator('PUT', `/audiences/${id}`, { status: 'active' })
  if (active.status !== 200) throw new Error(`not active: ${JSON.stringify(active.body)}`)
  return { id, key: key as unknown as string }
}

/** A contact that owns the address. */
export async function newContact(shop: Shop, email = newEmail('member')): Promise<{ id: string; email: string }> {
  const id = newId()
  await database().query(
    "insert into contacts (id, created_at, updated_at, tenant_id, taxonomies) values ($1, 1, 1, $2, '[]')",
    [id, shop.store_id],
  )
  await database().query(
    `insert into contact_channels (id, created_at, updated_at, tenant_id, contact_id, type, address, owned) values ($1, 1, 1, $2, $3, 'email', $4, true)`,
    [newId(), shop.store_id, id, email],
  )
  return { id, email }
}

export const memberOf = async (shop: Shop, audienceId: string, contactId: string) =>
  (await shop.asOperator('GET', `/audiences/${audienceId}/members?contact_id=${contactId}`)).body.items[0]

/** The token of an address, such as a `manage_url`. */
export const tokenIn = (url: string): string => new URL(url).searchParams.get('token') as string

/** Changes a member beside the API: what only a payment could do. */
export async function setMember(id: string, values: Record<string, unknown>): Promise<void> {
  const names = Object.keys(values)
  await database().query(
    `update audience_members set ${names.map((name, n) => `${name} = $${n + 2}`).join(', ')} where id = $1`,
    [id, ...names.map((name) => values[name])],
  )
}
