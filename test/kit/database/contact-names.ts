// Which rows name a contact: read from the catalogue of the database, so that new tables are included. What a payment
// says of its payer is a snapshot.
import type { Pool } from 'pg'
import { database } from '../shop.ts'

export type NamingColumn = { table: string; column: string }

/** References to `contacts`, columns of such a name, and the ids of contacts. */
export async function contactColumns(db: Pool = database()): Promise<NamingColumn[]> {
  const { rows } = await db.query<NamingColumn>(
    `select c.relname as table, a.attname as column from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and a.atttypid = 'uuid'::regtype
       and (a.attname in ('contact_id', 'owner_id') or c.relname = 'contacts' and a.attname = 'id'
         or exists (select 1 from pg_constraint k where k.contype = 'f' and k.confrelid = 'contacts'::regclass and k.conrelid = c.oid and a.attnum = any (k.conkey)))`,
  )
  return rows
}

/** The columns of the database that name a contact, or could by their name, as `table.column`. */
export async function columnsLikeContacts(db: Pool = database()): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(
    `select c.relname || '.' || a.attname as name
     from pg_class c
     join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and a.atttypid = 'uuid'::regtype
       and (
         a.attname ~ '(^|_)(contact|visitor|author|owner)_id$'
         or c.relname = 'contacts' and a.attname = 'id'
         or c.relname = 'contact_merges' and a.attname in ('source_id', 'target_id')
         or exists (
           select 1
           from pg_constraint k
           where k.contype = 'f' and k.confrelid = 'contacts'::regclass and k.conrelid = c.oid
             and a.attnum = any (k.conkey)
         )
       )`,
  )
  return rows.map(({ name }) => name)
}

/** `table.column` of each row that names one of the contacts. */
export async function rowsNaming(contacts: readonly string[], db: Pool = database()): Promise<string[]> {
  // Of two enrollments of one campaign, that of the contact that was merged away has ended, and keeps its contact.
  const ended = (table: string) => (table === 'enrollments' ? " and status in ('active', 'unknown')" : '')
  const one = ({ table, column }: NamingColumn) =>
    `select '${table}.${column}' as name from "${table}" where "${column}" = any ($1)${ended(table)}`
  const statement = (await contactColumns(db)).map(one).join(' union all ')
  return (await db.query<{ name: string }>(statement, [contacts])).rows.map(({ name }) => name)
}
