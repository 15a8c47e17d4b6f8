// One run of a maintenance script: of each script one at a time, and how far it has come.

import { defineEntity, p } from '@mikro-orm/core'
import { ScriptStatus } from '../../rules/platform/scripts.ts'
import { globalRow } from '../kit/row.ts'

const schema = defineEntity({
  name: 'ScriptRun',
  tableName: 'script_runs',
  properties: {
    ...globalRow,
    name: p.string(),
    /** As the caller sent it. */
    value: p.text().nullable(),
    status: p.enum(ScriptStatus.options),
    /** How far it is, or how it ended. */
    message: p.text(),
    /** Where it goes on, in the script's own terms; null before its first batch. */
    progress: p.json<unknown>().nullable(),
  },
  indexes: [{ name: 'script_runs_running', expression: `create unique index "script_runs_running" on "script_runs" ("name") where status = 'running'` }],
})
export class ScriptRun extends schema.class {}
schema.setClass(ScriptRun)
