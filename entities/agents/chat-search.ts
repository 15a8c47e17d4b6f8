// Chats by the words of their messages. A frequent word is found by walking the chats in their order, a rare one by the index of words: a sample says which.
import { raw } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from '../kit/sql.ts'

/** Of the newest chats, so many are looked at; the word is frequent if a page of them has it. */
const [sample, page] = [500, 21]

type Condition = Record<string, never[]>
const condition = (text: (alias: string) => string, params: unknown[]): Condition => ({
  [raw((alias) => text(alias), params) as unknown as string]: [],
})

/** A condition on chats: a message has the words. `words`: a tsquery. One statement. */
export async function chatsWith(em: EntityManager, tenantId: string, words: string): Promise<Condition> {
  const written = `w.search @@ to_tsquery('simple', ?)`
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
      where w.tenant_id = c.tenant_id and w.chat_id = c.id and w.search @@ to_tsquery('simple', ${words})
      offset 0
    )
    limit ${page}
  `)
  if (found.length >= page)
    return condition(
      (chat) =>
        `exists (select 1 from chat_messages w where w.tenant_id = ${chat}.tenant_id and w.chat_id = ${chat}.id and ${written} offset 0)`,
      [words],
    )
  return condition(
    (chat) => `${chat}.id = any (array(select w.chat_id from chat_messages w where w.tenant_id = ? and ${written}))`,
    [tenantId, words],
  )
}
