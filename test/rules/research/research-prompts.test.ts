// What is sent to a model stays within bounds, however much operators have written.
import { expect, test } from '@jest/globals'
import { leadTask, messageTurns } from '../../../rules/research/research-prompts.ts'

const addresses = Array.from({ length: 2_000 }, (_, n) => `https://acme.example/${n}`)

test('Of thousands of addresses the first ones are named, and fewer where all is too long', () => {
  const [lead, shorter] = [0, 2].map((halvings) =>
    leadTask({ email: null, fields: {}, note: null }, [], addresses, halvings),
  ) as [string, string]
  expect([
    lead.includes(`"${addresses[0]}"`),
    lead.length < 8_000,
    shorter.includes(`"${addresses[0]}"`),
    shorter.length < 2_000,
  ]).toEqual([true, true, true, true])
  const [state] = messageTurns('Hello', { members: [], pages: [], team_addresses: addresses }, [], 0)
  expect(state?.role === 'user' && state.content.length < 8_000).toBe(true)
})
