// Maintenance scripts of the installation, with descriptions.
import { z } from 'zod'

export const ScriptStatus = z.enum(['running', 'succeeded', 'failed'])
export type ScriptStatus = z.infer<typeof ScriptStatus>

export const scripts = {
  'normalize-forms':
    'brings keys, slugs, SKUs, languages and telephone numbers that were stored before 0.3 into their normal form, and names the rows that stay as they are, as another record has that form',
  'reindex-search': 'rebuilds the search index of all records; `value` may restrict it to one table',
  'repair-mixed-writes':
    'corrects what processes before 0.2 wrote beside newer ones: sums of refunds, and reactions to deleted records or of merged contacts',
  'rotate-encryption': 'encrypts secrets under the first key of SECRETS_KEY that were encrypted under a later one',
} as const

export type ScriptName = keyof typeof scripts
export const scriptNames = Object.keys(scripts) as ScriptName[]
export const isScript = (name: string): name is ScriptName => Object.hasOwn(scripts, name)
