// A run of a maintenance script, with its progress. One run per script at a time.
import { defineEntity, p } from '@mikro-orm/core'
import { ScriptStatus } from '../../rules/platform/scripts.ts'
import { globalRow } from '../kit/database/row.ts'

const schema = defineEntity({
  name: 'ScriptRun',
  tableName: 'script_runs',
  properties: {
    ...globalRow,
    name: p.string(),
    /** The value as the caller sent it. */
    value: p.text().nullable(),
    status: p.enum(ScriptStatus.options),
    /** Its progress, or how it ended. */
    message: p.text(),
    /** Where it resumes, as the script defines it; null before its first batch. */
    progress: p.json<unknown>().nullable(),
  },
  indexes: [
    {
      name: 'script_runs_running',
      expression: `create unique index "script_runs_running" on "script_runs" ("name") where status = 'running'`,
    },
  ],
})
export class ScriptRun extends schema.class {}
schema.setClass(ScriptRun)
