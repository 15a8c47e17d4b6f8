// The row side of the effect `model_call`. A call whose turn was ended meanwhile is not sent.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { EffectStatus } from '../../rules/effects.ts'
import { sql } from '../kit/database/sql.ts'
import { effectRow } from '../kit/effects.ts'
import { decrypt } from '../kit/encrypted.ts'
import { settleTokens } from './usage.ts'

export const modelCallEffect = effectRow('model_call', {
  precondition: sql`
    exists (
      select 1
      from model_turns t
      where t.tenant_id = e.tenant_id and t.id = e.turn_id and t.status = 'running'
    )
  `,
  afterStatusChange: async (em, id) => {
    await settleTokens(em, id)
  },
  processId: sql`e.turn_id`,
})

/** What a provider said when it refused a call; sealed in the call's row. */
export type ProviderRefusal = { refusal: string }

/**
 * Why the provider refused the last call of a turn, in its own words; null if it did not, or they are not kept any
 * more.
 */
export async function providerRefusal(em: EntityManager, tenantId: string, turnId: string): Promise<string | null> {
  const [call]: { status: EffectStatus; http_status: number | null; answer: string | null }[] = await em.execute(sql`
    select status, evidence -> 'status' as http_status, answer
    from model_calls
    where tenant_id = ${tenantId} and turn_id = ${turnId}
    order by step desc, try desc
    limit 1
  `)
  if (call?.status !== 'rejected' || call.answer === null) return null
  return `${call.http_status}: ${(JSON.parse(decrypt(call.answer)) as ProviderRefusal).refusal}`
}
