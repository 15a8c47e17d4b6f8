// An e-mail to the people of an agent when it hands a chat over to them, in the transaction that does so.
import type { EntityManager } from '@mikro-orm/postgresql'
import { config } from '../../config.ts'
import { handoverMail } from '../../rules/agents/handover-mail.ts'
import { storeName } from '../../rules/stores/store-name.ts'
import { countInWindow } from '../accounts/rate-windows.ts'
import { sql } from '../kit/sql.ts'
import { queueMail } from '../mail/mails.ts'

/** E-mails of an agent in an hour: visitors can make it hand chats over. */
const mailsPerHour = 30
/** Seconds after which a visitor does not wait any more. */
const validS = 86_400

type Facts = { agent_id: string; agent: string; email: string; key: string; settings: Record<string, unknown>; message: string }

/** Queues the mail of a chat that has become a person's, if its agent has an address for it. At most four statements. `now` in Unix seconds. */
export async function mailHandover(em: EntityManager, tenantId: string, chatId: string, now: number): Promise<void> {
  const [found]: Facts[] = await em.execute(
    sql`select a.id as agent_id, coalesce(a.name, a.key) as agent, a.handover_email as email, n.key, n.settings,
       coalesce((select m.content from chat_messages m where m.tenant_id = c.tenant_id and m.chat_id = c.id and m.role = 'user' order by m.seq desc limit 1), '') as message
     from chats c join agents a on a.id = c.agent_id and a.tenant_id = c.tenant_id and a.deleted_at is null join tenants n on n.id = c.tenant_id
     where c.tenant_id = ${tenantId} and c.id = ${chatId} and a.handover_email is not null`,
  )
  if (!found) return
  const { agent_id, agent, email, message } = found
  if ((await countInWindow(em, `handover:${agent_id}`, 3_600, now)).count > mailsPerHour) return
  const chat = `${config.publicUrl}/v1/businesses/${tenantId}/agents/${agent_id}/chats/${chatId}`
  const mail = handoverMail({ business: storeName(found), agent, message, chat })
  await queueMail(em, { kind: 'chat_handover', tenant_id: tenantId, to: email, not_after: now + validS, ...mail }, now)
}
