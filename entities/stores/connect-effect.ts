// How the creation of a store's account is settled: what rules/effects.ts asks of the rows of `connect`.
import { sql } from '../kit/database/sql.ts'
import { effectRow } from '../kit/effects.ts'
import { requestProvisions } from '../prices/price-provisions.ts'

export const connectEffect = effectRow('connect', {
  precondition: sql`true`,
  // Prices that were added before the account existed are created in it now.
  afterStatusChange: async (em, id) => {
    await requestProvisions(em, { payment_provider_id: id }, false)
  },
})
