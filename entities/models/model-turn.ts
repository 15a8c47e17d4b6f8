// What a model does about the messages that waited when the turn began. One turn of a chat runs at a time.
import { defineEntity, p } from '@mikro-orm/core'
import { TurnOwner } from '../../rules/agents/chats.ts'
import { TurnStatus } from '../../rules/models/turns.ts'
import { tenantRow } from '../kit/database/row.ts'

const schema = defineEntity({
  name: 'ModelTurn',
  tableName: 'model_turns',
  properties: {
    ...tenantRow,
    owner_kind: p.enum(TurnOwner.options).default('chat'),
    owner_id: p.uuid(),
    /** The version of its owner when it began. */
    version: p.integer(),
    status: p.enum(TurnStatus.options).default('running'),
    error: p.string().nullable(),
    /** The turn whose messages it answers again, as a person asked. */
    retry_of: p.uuid().nullable(),
  },
  indexes: [
    {
      name: 'model_turns_running',
      expression: `create unique index "model_turns_running" on "model_turns" ("owner_id") where status = 'running'`,
    },
    {
      name: 'model_turns_open',
      expression: `create index "model_turns_open" on "model_turns" ("updated_at") where status = 'running'`,
    },
  ],
})
export class ModelTurn extends schema.class {}
schema.setClass(ModelTurn)
