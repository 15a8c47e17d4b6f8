// Conditions written in SQL, for the ORM's finders and for lists.
import { raw } from '@mikro-orm/core'
import { type Sql, text } from './sql.ts'

/** What `where` of the ORM and the filters of lists take. */
export type Condition = Record<string | symbol, unknown>

/** `written` gets the name that the query gives to the rows: sql`${rows}.amount > ${amount}`. */
export const condition = (written: (rows: Sql) => Sql): Condition => {
  // The ORM names the rows when it builds the statement. The values are the same with every name.
  const { key } = raw((alias) => written(text(alias)).sql, [...written(text('x')).params])
  return { [key]: [] }
}
