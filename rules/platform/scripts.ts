// The maintenance scripts of the installation, and what each is for.
import { z } from 'zod'

export const ScriptStatus = z.enum(['running', 'succeeded', 'failed'])
export type ScriptStatus = z.infer<typeof ScriptStatus>

export const scripts = {
  'reindex-search': 'rebuilds the words that records are found by, as their writers do; `value` may name one table',
  'rotate-encryption': 'encrypts under the first key of SECRETS_KEY what was encrypted under one behind it',
} as const

export type ScriptName = keyof typeof scripts
export const scriptNames = Object.keys(scripts) as ScriptName[]
export const isScript = (name: string): name is ScriptName => Object.hasOwn(scripts, name)
