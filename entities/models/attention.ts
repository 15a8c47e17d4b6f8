// Questions to a model whose outcome cannot be proved.
import { type ModelCallFacts, modelCallItem } from '../../rules/models/attention.ts'
import { attendsEffect } from '../kit/attention.ts'
import { sql } from '../kit/database/sql.ts'
import { modelCallEffect } from './model-calls.ts'

export const modelCallAttention = attendsEffect<ModelCallFacts>(modelCallEffect, {
  labels: sql`join model_turns u on u.id = x.turn_id and u.tenant_id = x.tenant_id`,
  columns: sql`x.turn_id, x.model, u.owner_kind, u.owner_id`,
  text: modelCallItem,
})
