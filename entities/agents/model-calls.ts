// The row side of the effect `model_call`. A call whose turn was ended meanwhile is not sent.
import { effectRow } from '../kit/effects.ts'
import { settleTokens } from './usage.ts'

export const modelCallEffect = effectRow('model_call', {
  precondition: `exists (select 1 from model_turns t where t.tenant_id = e.tenant_id and t.id = e.turn_id and t.status = 'running')`,
  moved: async (em, id) => {
    await settleTokens(em, id)
  },
  processId: 'e.turn_id',
})
