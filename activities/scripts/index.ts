// The scripts that there are, by name (rules/platform/scripts.ts says what each is for).
import type { ScriptName } from '../../rules/platform/scripts.ts'
import { reindexSearch } from './reindex-search.ts'
import { rotateEncryption } from './rotate-encryption.ts'
import type { Script } from './script.ts'

export const scripts: Record<ScriptName, Script> = {
  'reindex-search': reindexSearch,
  'rotate-encryption': rotateEncryption,
}
