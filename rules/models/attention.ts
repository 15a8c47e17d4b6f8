// What a person does about questions to a model whose outcome cannot be proved.
import { type EffectFacts, type ItemText, outcomeItem, recorded } from '../attention.ts'
import { isolated } from '../isolated.ts'

/** A call of the turn of a chat, or of a run of lead research. */
export type ModelCallFacts = EffectFacts & {
  turn_id: string
  model: string
  owner_kind: string
  owner_id: string
}

export const modelCallItem = (row: ModelCallFacts): ItemText => {
  const isChat = row.owner_kind === 'chat'
  return outcomeItem({
    row,
    whether: `the model ${isolated(row.model)} answered`,
    subject: { type: isChat ? 'chat' : 'research_run', id: row.owner_id, label: null },
    what_to_do: `Its tokens count as used, and it is not asked again by itself. ${isChat ? 'Ask again for the answer of the message, or answer the chat as a person.' : 'Write to the run, which asks again, or begin another one.'} Then record that it was not carried out.`,
    ids: { call_id: row.id, turn_id: row.turn_id },
    effect: 'model_call',
    resolve: recorded(row, ['rejected']),
  })
}
