// Chats by the words of their messages. A frequent word is found by walking the chats in their order, a rare one by the
// index of words: a sample says which.
import type { EntityManager } from '@mikro-orm/postgresql'
import { type Condition, condition } from '../kit/database/condition.ts'
import { sql } from '../kit/database/sql.ts'

/** How many of the newest chats are searched first, and how many of them must match for the word to be frequent. */
const [sample, page] = [500, 21]

/** A condition on chats: a message has the words. `words`: a tsquery. One statement. */
export async function chatsWith(em: EntityManager, tenantId: string, words: string): Promise<Condition> {
  const written = sql`w.search @@ to_tsquery('simple', ${words})`
  const found: unknown[] = await em.execute(sql`
    select 1
    from (
      select id, tenant_id
      from chats
      where tenant_id = ${tenantId}
      order by created_at desc, id desc
      limit ${sample}
    ) c
    where exists (
      select 1
      from chat_messages w
      where w.tenant_id = c.tenant_id and w.chat_id = c.id and ${written}
      offset 0
    )
    limit ${page}
  `)
  if (found.length >= page)
    return condition(
      (chats) => sql`
        exists (
          select 1
          from chat_messages w
          where w.tenant_id = ${chats}.tenant_id and w.chat_id = ${chats}.id and ${written}
          offset 0
        )
      `,
    )
  return condition(
    (chats) => sql`
      ${chats}.id = any (array(select w.chat_id from chat_messages w where w.tenant_id = ${tenantId} and ${written}))
    `,
  )
}
