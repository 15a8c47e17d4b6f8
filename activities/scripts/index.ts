// The maintenance scripts by name (described in rules/platform/scripts.ts).
import type { ScriptName } from '../../rules/platform/scripts.ts'
import { normalizeForms } from './normalize-forms.ts'
import { reindexSearch } from './reindex-search.ts'
import { repairMixedWrites } from './repair-mixed-writes.ts'
import { rotateEncryption } from './rotate-encryption.ts'
import type { Script } from './script.ts'

export const scripts: Record<ScriptName, Script> = {
  'normalize-forms': normalizeForms,
  'reindex-search': reindexSearch,
  'repair-mixed-writes': repairMixedWrites,
  'rotate-encryption': rotateEncryption,
}
