// What a maintenance script is: batches, each safe to repeat, that say how far they are.
import type { EntityManager } from '../../entities/kit/orm.ts'

/** Ends a run that cannot succeed, in words for whoever started it: without secrets. */
export class ScriptRefusal extends Error {}

export type Step = { progress: unknown; message: string; over: boolean }

/** One batch from where the last one ended (null: the first), in a transaction of its own, and short. Throws ScriptRefusal. */
export type Script = (em: EntityManager, value: string | null, progress: unknown) => Promise<Step>
