// A maintenance script: idempotent batches, each of which returns its progress.
import type { EntityManager } from '../../entities/kit/database/orm.ts'

/** Ends a run that cannot succeed. The operator who started it reads the message: no secrets. */
export class ScriptRefusal extends Error {}

export type Step = { progress: unknown; message: string; over: boolean }

/** One short batch after `progress` (null: the first), in a transaction of its own. Throws ScriptRefusal. */
export type Script = (em: EntityManager, value: string | null, progress: unknown) => Promise<Step>
