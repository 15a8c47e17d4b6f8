// The status of a run of lead research follows from its members, its messages and why it stopped.
import { expect, test } from '@jest/globals'
import { type ResearchStatus, runStatus } from '../../../rules/research/lead-research.ts'

const facts = { waiting: 0, asks: false, error: null }

test.each<[ResearchStatus, ResearchStatus[], Partial<Parameters<typeof runStatus>[0]>]>([
  ['completed', ['completed', 'failed'], {}],
  ['completed', [], {}],
  ['failed', ['failed', 'failed'], {}],
  ['failed', ['completed', 'failed'], { error: 'token_limit' }],
  ['unknown', ['completed', 'unknown'], {}],
  ['awaiting_input', ['awaiting_input', 'unknown'], {}],
  ['awaiting_input', ['completed'], { asks: true }],
  ['running', ['completed', 'queued'], {}],
  ['running', ['completed'], { waiting: 1, error: 'token_limit' }],
])('A run is %s with the members %j and %j', (status, members, more) => {
  expect(runStatus({ ...facts, ...more, members })).toBe(status)
})
