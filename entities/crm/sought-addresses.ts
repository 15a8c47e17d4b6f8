// Which addresses of contacts a text to search for may mean.
import type { EntityManager } from '@mikro-orm/postgresql'
import { addressPrefix } from '../../rules/input/email-addresses.ts'
import { isPhoneLike, phoneForm } from '../../rules/input/phone-numbers.ts'
import { type Condition, condition } from '../kit/database/condition.ts'
import { join, sql, text } from '../kit/database/sql.ts'
import { countryOfTenant } from '../stores/country.ts'

/** The telephone number that the text is, in its form; null if it is none. One statement at most. */
export const soughtPhone = async (em: EntityManager, tenantId: string, text: string): Promise<string | null> =>
  isPhoneLike(text) ? phoneForm(text, await countryOfTenant(em, tenantId)) : null

/** Patterns of `like` for addresses that begin with the text, and for the telephone number that it is. */
export async function soughtAddresses(em: EntityManager, tenantId: string, text: string): Promise<string[]> {
  const phone = await soughtPhone(em, tenantId, text)
  return [addressPrefix(text), ...(phone === null ? [] : [phone])].map(
    (prefix) => `${prefix.replaceAll(/[\\%_]/g, '\\$&')}%`,
  )
}

/** The condition on rows with a contact that it has an address like one of the patterns. `column`: the contact's id. */
export const hasAddress = (patterns: readonly string[], column: 'contact_id' | 'id' = 'contact_id'): Condition => {
  const isLike = join(
    patterns.map((pattern) => sql`c.address like ${pattern}`),
    ' or ',
  )
  return condition(
    (rows) => sql`
      exists (
        select 1
        from contact_channels c
        where c.tenant_id = ${rows}.tenant_id and c.contact_id = ${rows}.${text(column)} and (${isLike})
      )
    `,
  )
}
