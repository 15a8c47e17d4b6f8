// An e-mail to a member of the team when an agent hands a chat over to people, in the transaction that does so.
import type { EntityManager } from '@mikro-orm/postgresql'
import { config } from '../../config.ts'
import { handoverMail } from '../../rules/agents/handover-mail.ts'
import { nameInMail } from '../../rules/mail/mail-page.ts'
import { storeNameInMail } from '../../rules/stores/store-name.ts'
import { sql } from '../kit/database/sql.ts'
import { countMail } from '../mail/mail-limits.ts'
import { queueMail } from '../mail/mails.ts'
import { isOfTeam } from '../stores/team-members.ts'

/** Seconds after which a visitor does not wait any more. */
const validS = 86_400

type Facts = {
  agent_id: string
  name: string | null
  agent_key: string
  email: string
  key: string
  settings: Record<string, unknown>
}

/**
 * Queues the mail of a chat that has become a person's, if its agent has the address of a member of the team, who may
 * have left since. At most eight statements. `now` in Unix seconds.
 */
export async function mailHandover(em: EntityManager, tenantId: string, chatId: string, now: number): Promise<void> {
  const [found]: Facts[] = await em.execute(sql`
    select a.id as agent_id, a.name, a.key as agent_key, a.handover_email as email, n.key, n.settings
    from chats c
    join agents a on a.id = c.agent_id and a.tenant_id = c.tenant_id and a.deleted_at is null
    join tenants n on n.id = c.tenant_id
    where c.tenant_id = ${tenantId} and c.id = ${chatId} and a.handover_email is not null
  `)
  if (!found || !(await isOfTeam(em, tenantId, found.email))) return
  const { agent_id, name, agent_key, email } = found
  const directed = { kind: 'handover' as const, to: email, network: null, tenant_id: tenantId, agent_id }
  if ((await countMail(em, directed, now)) !== null) return
  const chat = `${config.publicUrl}/v1/businesses/${tenantId}/agents/${agent_id}/chats/${chatId}`
  const mail = handoverMail({
    business: storeNameInMail(found),
    agent: nameInMail([name, agent_key], 'for visitors'),
    chat,
  })
  await queueMail(em, { kind: 'chat_handover', tenant_id: tenantId, to: email, not_after: now + validS, ...mail }, now)
}
