// The process of models: a turn, of an agent's chat or of a run of lead research.
import { rotating } from '../kit/late-rows.ts'
import { process } from '../kit/process.ts'
import { modelCallAttention } from './attention.ts'
import { overdueTurns } from './model-turns.ts'
import { quarantineTurns } from './quarantine.ts'

export const modelProcesses = [
  process('model_turn', {
    attention: { model_call: modelCallAttention },
    late: [rotating((em, { idleS, now, limit }) => overdueTurns(em, idleS, now, limit))],
    quarantine: [
      {
        when: 'before effects',
        run: async ({ transaction, now }) =>
          `model_turns: ${await transaction((em) => quarantineTurns(em, now))} made unknown`,
      },
    ],
  }),
] as const
