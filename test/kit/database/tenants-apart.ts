// Checks the whole database for rows of a tenant that refer to another tenant's, through every foreign key and every
// column named like one.
//   await strays()                     → [] unless tenants are mixed
//   await idsOf(theirs, within mine)   → ids of theirs that stand anywhere in a row of mine, also in JSON
import { database } from '../shop.ts'

type Column = { table: string; column: string }
type Link = Column & { target: string }

/** Columns that are named like a reference and refer to no tenant's row, with what they are instead. */
const others: Record<string, string> = {
  tenant_id: 'the tenant itself',
  account_id: 'an account belongs to no tenant, or it is one of the provider',
  provider_account_id: 'of the provider',
  network_id: 'a network belongs to no tenant',
  record_id:
    'of the table that the kind says; searched by network and kind, and read in the name of the tenant beside it',
  refund_id: 'made by the caller',
  delivery_id: 'made by the caller',
  message_id: 'made by the caller',
  run_id: 'made by the caller',
  reply_id: 'made by the caller',
  row_id: 'of the table that the kind says, read in the name of the tenant beside it',
  target_id: 'one of the columns beside it, or the contact that stayed after a merge',
  source_id: 'the contact that went in a merge',
}
/** Columns that are not named after the table that they refer to. */
const targets: Record<string, string> = {
  source_cart_id: 'carts',
  next_cart_id: 'carts',
  pickup_location_id: 'locations',
  parent_id: 'taxonomies',
  'reactions.parent_id': 'reactions',
  place_id: 'reactions',
  author_id: 'contacts',
  contact_session_id: 'contact_sessions',
  mailbox_id: 'mailboxes',
  template_id: 'email_templates',
  variant_id: 'product_variants',
  tier_id: 'audience_tiers',
  price_id: 'audience_prices',
  connection_id: 'integrations',
  channel_id: 'integrations',
  turn_id: 'model_turns',
  call_id: 'model_calls',
  payer_contact_id: 'contacts',
  publication_id: 'social_publications',
  comment_id: 'social_comments',
  root_id: 'social_comments',
  root_comment_id: 'social_comments',
  'social_comments.parent_id': 'social_comments',
  classification_id: 'social_classifications',
  media_id: 'media',
  claimant_id: 'audience_members',
  member_id: 'audience_members',
}
const owners: Record<string, string> = {
  collection: 'collections',
  entry: 'entries',
  product: 'products',
  service: 'services',
  provider: 'providers',
  contact: 'contacts',
  reaction: 'reactions',
}

const plural = (name: string) =>
  name.endsWith('y') ? `${name.slice(0, -1)}ies` : name.endsWith('s') ? name : `${name}s`

async function columns(): Promise<{ all: Column[]; tables: Set<string> }> {
  const { rows: all } = await database().query<Column>(
    `select c.table_name as table, c.column_name as column from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
     where c.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.data_type = 'uuid' and c.column_name like '%\\_id'`,
  )
  return { all, tables: new Set(all.filter(({ column }) => column === 'tenant_id').map(({ table }) => table)) }
}

/** Every column by which a row of a tenant names another row of a tenant, and those whose target is unknown. */
export async function links(): Promise<{ known: Link[]; unknown: string[] }> {
  const { all, tables } = await columns()
  const { rows: keys } = await database().query<Link>(
    `select c.conrelid::regclass::text as table, a.attname as column, c.confrelid::regclass::text as target from pg_constraint c
     join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1] where c.contype = 'f' and c.connamespace = 'public'::regnamespace`,
  )
  const known: Link[] = keys.filter(({ table, target }) => tables.has(table) && tables.has(target))
  const unknown: string[] = []
  for (const { table, column } of all.filter((one) => tables.has(one.table) && !(one.column in others))) {
    if (known.some((one) => one.table === table && one.column === column)) continue
    const target = targets[`${table}.${column}`] ?? targets[column] ?? plural(column.slice(0, -3))
    if (tables.has(target)) known.push({ table, column, target })
    else if (column !== 'owner_id') unknown.push(`${table}.${column}`)
  }
  return { known, unknown }
}

/** One statement for all links. `table.column` → how many rows of it refer to another tenant's row. */
export async function strays(): Promise<{ link: string; rows: number }[]> {
  const { known } = await links()
  const parts = known.map(
    ({ table, column, target }) =>
      `select '${table}.${column}' as link, count(*)::int as rows from "${table}" a join "${target}" b on b.id = a."${column}" where a.tenant_id <> b.tenant_id`,
  )
  for (const table of ['block_references', 'taxonomy_links'])
    for (const [kind, target] of Object.entries(owners))
      parts.push(
        `select '${table}.owner_id' as link, count(*)::int as rows from ${table} a join ${target} b on b.id = a.owner_id where a.owner_kind = '${kind}' and a.tenant_id <> b.tenant_id`,
      )
  const { rows } = await database().query(`select * from (${parts.join(' union all ')}) x where rows > 0`)
  return rows
}

/** Every id of a row of the tenant that stands anywhere in the rows of the other one, and in which table. */
export async function idsOf(tenant: string, within: string): Promise<{ table: string; id: string }[]> {
  const { tables } = await columns()
  const { rows: withId } = await database().query<{ table: string }>(
    `select table_name as table from information_schema.columns where table_schema = 'public' and column_name = 'id' and table_name = any ($1)`,
    [[...tables]],
  )
  const ids = withId.map(({ table }) => `select id::text from "${table}" where tenant_id = $1`).join(' union ')
  const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'
  const found = [...tables].map(
    (table) =>
      `select '${table}' as table, m[1] as id from "${table}" t, regexp_matches(t::text, '(${uuid})', 'g') m where t.tenant_id = $2`,
  )
  const { rows } = await database().query(
    `with theirs as (${ids} union select $1::text), mine as (${found.join(' union ')}) select distinct mine."table", mine.id from mine join theirs using (id)`,
    [tenant, within],
  )
  return rows
}
