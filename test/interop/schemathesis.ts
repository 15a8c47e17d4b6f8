import type { Case } from './outcome.ts'
export const schemathesis: Case[] = []
