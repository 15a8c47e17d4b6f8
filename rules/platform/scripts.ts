// The maintenance scripts of the installation that there are, and what each is for.
export const scripts = {
  'reindex-search': 'rebuilds the words that records are found by, as their writers do; `value` may name one table',
  'rotate-encryption': 'encrypts under the first key of SECRETS_KEY what was encrypted under one behind it',
} as const

export type ScriptName = keyof typeof scripts
export const scriptNames = Object.keys(scripts) as ScriptName[]
export const isScript = (name: string): name is ScriptName => Object.hasOwn(scripts, name)
