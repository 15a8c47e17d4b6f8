// Brings what earlier versions stored into the forms of rules/input: keys, slugs, SKUs, languages and telephone
// numbers; and fills addresses that they did not store. For all tenants, and under the rows' locks.
// A row whose form another record has, or that has none, stays as it is, and its id is returned with the reason.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { LocaleMap } from '../../rules/input/locale-map.ts'
import { localeForm } from '../../rules/input/locale-tags.ts'
import { phoneForm } from '../../rules/input/phone-numbers.ts'
import { textForm } from '../../rules/input/texts.ts'
import { type SlugKind, writeSlugs } from '../catalog/slugs.ts'
import { refreshContacts } from '../crm/contact-words.ts'
import { json, type Sql, sql, text } from '../kit/database/sql.ts'
import { uuids } from '../kit/ids.ts'
import { countryOfTenant } from '../stores/country.ts'
import { lockRows } from './locked-rows.ts'

type Stored = { id: string; tenant_id: string; contact_id?: string; value: unknown }
type StoredAs<V> = Stored & { value: V }
/** `same`: it has its form already. Another text is the reason for which it stays as it is. */
type Outcome = 'same' | 'changed' | (string & {})
type Part<Row extends Stored = Stored> = {
  table: string
  column: string
  only?: Sql
  differs: (value: Row['value']) => boolean
  write: (em: EntityManager, row: Row) => Promise<Outcome>
}
/** A part whose rows are as its table says. Null has every form. */
const ofColumn = <Row extends Stored>({ differs, write, ...column }: Part<Row>): Part => ({
  ...column,
  differs: (value) => value !== null && differs(value as Row['value']),
  write: (em, row) => write(em, row as Row),
})

const exists = async (em: EntityManager, query: Sql): Promise<boolean> =>
  ((await em.execute(query)) as unknown[]).length > 0

const duplicateForm = 'Another record has it in the same form.'

/** Texts in Unicode NFC. `scope`: the columns within which they are unique; none if they are not. */
const texts = (table: string, column: string, scope: string | null = 'tenant_id'): Part =>
  ofColumn<StoredAs<string>>({
    table,
    column,
    differs: (value) => textForm(value) !== value,
    async write(em, { id, value }) {
      const form = textForm(value)
      const among =
        scope === null ? sql`false` : text(scope.replaceAll(/\w+/g, 'o.$& = t.$&').replaceAll(', ', ' and '))
      const changed = await exists(
        em,
        sql`
          update ${text(table)} t
          set ${text(column)} = ${form}
          where t.id = ${id}
            and not exists (
              select 1
              from ${text(table)} o
              where o.id <> t.id and o.${text(column)} = ${form} and ${among}
            )
          returning t.id
        `,
      )
      return changed ? 'changed' : duplicateForm
    },
  })

const formsOf = (slug: LocaleMap) =>
  Object.entries(slug).map(([tag, value]) => [localeForm(tag), textForm(value)] as const)

const slugs = (table: string, kind: SlugKind): Part =>
  ofColumn<StoredAs<LocaleMap>>({
    table,
    column: 'slug',
    differs: (slug) => formsOf(slug).some(([tag, value]) => slug[tag] !== value),
    async write(em, { id, tenant_id, value }) {
      const entries = formsOf(value)
      const forms = Object.fromEntries(entries)
      if (Object.keys(forms).length < entries.length) return 'It has two slugs of one language.'
      const others = sql`
        select 1
        from slugs s
        join jsonb_each_text(${json(forms)}) w on w.key = s.locale and w.value = s.slug
        where s.tenant_id = ${tenant_id} and s.kind = ${kind} and s.owner_id <> ${id}
      `
      if (await exists(em, others)) return duplicateForm
      await writeSlugs(em, tenant_id, kind, id, forms)
      await em.execute(sql`update ${text(table)} set slug = ${json(forms)} where id = ${id}`)
      return 'changed'
    },
  })

const languages = ofColumn<StoredAs<string[]>>({
  table: 'tenants',
  column: 'languages',
  differs: (tags) => tags.some((tag) => localeForm(tag) !== tag),
  async write(em, { id, value }) {
    await em.execute(sql`
      update tenants
      set languages = ${json([...new Set(value.map(localeForm))])}
      where id = ${id}
    `)
    return 'changed'
  },
})

const phones = ofColumn<StoredAs<string> & { contact_id: string }>({
  table: 'contact_channels',
  column: 'address',
  only: sql`type = 'phone'`,
  // Whether a number is in its form depends on the country of its store.
  differs: (address) => phoneForm(address, null) !== address,
  async write(em, { id, tenant_id, contact_id, value }) {
    const form = phoneForm(value, await countryOfTenant(em, tenant_id))
    if (form === null) return 'It is no telephone number of a known country.'
    const changed = await exists(
      em,
      sql`
        update contact_channels t
        set address = ${form}
        where t.id = ${id}
          and not exists (
            select 1
            from contact_channels o
            where o.contact_id = t.contact_id and o.type = 'phone' and o.address = ${form}
          )
        returning t.id
      `,
    )
    if (!changed) return 'The contact has the number twice.'
    // Channels are locked before contacts.
    await em.execute(sql`select id from contacts where id = ${contact_id} for no key update`)
    await refreshContacts(em, tenant_id, [contact_id])
    return 'changed'
  },
})

/**
 * Uses of codes that are limited per customer, which earlier versions stored without the address of their order or
 * subscription.
 */
const redeemedAddresses: Part = {
  table: 'promo_redemptions',
  column: 'address',
  only: sql`
    address is null
    and exists (
      select 1
      from promo_codes c
      where c.id = promo_redemptions.promo_code_id
        and c.tenant_id = promo_redemptions.tenant_id
        and c.conditions @> '[{"type": "max_uses_per_user"}]'
    )
  `,
  differs: (address) => address === null,
  async write(em, { id, tenant_id }) {
    const found: unknown[] = await em.execute(sql`
      update promo_redemptions r
      set address = redemption.address
      from (
        select x.id, coalesce(o.email, s.claimed_address) as address
        from promo_redemptions x
        left join orders o on o.id = x.order_id and o.tenant_id = x.tenant_id
        left join subscriptions s on s.id = x.subscription_id and s.tenant_id = x.tenant_id
        where x.id = ${id} and x.tenant_id = ${tenant_id}
      ) redemption
      where r.id = redemption.id and redemption.address is not null
      returning r.id
    `)
    return found.length > 0 ? 'changed' : 'same'
  },
}

const keyed = [
  'agents',
  'audiences',
  'build_hooks',
  'collections',
  'email_templates',
  'forms',
  'integrations',
  'locations',
  'mailboxes',
  'products',
  'providers',
]
const parts: Readonly<Record<string, Part>> = Object.fromEntries(
  [
    ...[...keyed, 'services', 'taxonomies', 'webhooks', 'workflows'].map((table) => texts(table, 'key')),
    texts('audience_tiers', 'key', 'audience_id'),
    texts('entries', 'key', 'tenant_id, collection_id'),
    texts('product_variants', 'sku', null),
    ...[
      slugs('products', 'product'),
      slugs('services', 'service'),
      slugs('providers', 'provider'),
      slugs('entries', 'entry'),
    ],
    // Prices, carts and promo codes name a market by its key.
    { ...texts('markets', 'key'), write: async () => 'Prices name the market by this key. Create another market.' },
    languages,
    phones,
    redeemedAddresses,
  ].map((part): [string, Part] => [`${part.table}.${part.column}`, part]),
)

/** `products.key` and the like, in the order of their names. */
export const formParts = Object.keys(parts).sort()

const partOf = (name: string): Part => {
  const part = parts[name]
  if (!part) throw new Error(`no part ${name}`)
  return part
}

const columnsOf = ({ table, column }: Part) =>
  text(`
    id, ${table === 'tenants' ? 'id as tenant_id' : 'tenant_id'},
    ${table === 'contact_channels' ? 'contact_id, ' : ''}${column} as value
  `)

/** The ids after one, as many as `limit`, and which of them are not in their form. */
export async function storedAfter(
  em: EntityManager,
  name: string,
  after: string,
  limit: number,
): Promise<{ ids: string[]; different: string[] }> {
  const part = partOf(name)
  const rows: Stored[] = await em.execute(sql`
    select ${columnsOf(part)}
    from ${text(part.table)}
    where id > ${after} and ${part.only ?? sql`true`}
    order by id
    limit ${limit}
  `)
  return {
    ids: rows.map(({ id }) => id),
    different: rows.filter(({ value }) => part.differs(value)).map(({ id }) => id),
  }
}

/**
 * `kept`: why rows stay as they are, by id; `busy`: rows that another transaction has locked, unless `wait`. No other
 * column changes.
 */
export async function rewriteForms(
  em: EntityManager,
  name: string,
  ids: readonly string[],
  wait: boolean,
): Promise<{ changed: number; kept: [id: string, reason: string][]; busy: string[] }> {
  const part = partOf(name)
  const lockedIds = await lockRows(em, part.table, ids, wait)
  const rows: Stored[] = await em.execute(sql`
    select ${columnsOf(part)}
    from ${text(part.table)}
    where id = any (${uuids(lockedIds)})
    order by id
  `)
  const kept: [string, string][] = []
  let changed = 0
  for (const row of rows) {
    const outcome = part.differs(row.value) ? await part.write(em, row) : 'same'
    if (outcome === 'changed') changed++
    else if (outcome !== 'same') kept.push([row.id, outcome])
  }
  const free = new Set(lockedIds)
  return { changed, kept, busy: ids.filter((id) => !free.has(id)) }
}
