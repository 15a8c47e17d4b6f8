// A request to a model is JSON that providers take, whatever a model or a page has written.
import { expect, test } from '@jest/globals'
import { type ModelProvider, modelPost, type Turn } from '../../../rules/agents/model-formats.ts'
import { ToolName, toolInput } from '../../../rules/agents/tools.ts'

const bodyOf = (provider: ModelProvider, turns: readonly Turn[]): string =>
  modelPost({ provider, base_url: 'https://models.example/v1', model: 'm', system: 's', turns, tools: [], output_tokens_max: 1 }).body

test.each<ModelProvider>(['llm_a', 'llm_b'])('A text that was cut within a character is sent to %s without a lone surrogate', (provider) => {
  const results = [{ id: '1', name: 'search_products', content: `{"text":"${'🍵'.slice(0, 1)}"}` }]
  const asked = { role: 'assistant', content: '', calls: [{ id: '1', name: 'search_products', arguments: '{"query":"\\ud83c"}' }] } as const
  const body = bodyOf(provider, [{ role: 'user', content: 'Tea? 🍵' }, asked, { role: 'tool', results }])
  expect([body.includes('\\ud83c'), body.includes('🍵'), body.includes('\ufffd')]).toEqual([false, true, true])
})

test.each<ModelProvider>(['llm_a', 'llm_b'])('Arguments that are nested too deep are sent back to %s as none', (provider) => {
  const deep = `{"query":${'['.repeat(20_000)}${']'.repeat(20_000)}}`
  const body = bodyOf(provider, [
    { role: 'user', content: 'Hello' },
    { role: 'assistant', content: '', calls: [{ id: '1', name: 'search_products', arguments: deep }] },
  ])
  expect(body).toContain(provider === 'llm_a' ? '"arguments":"{}"' : '"input":{}')
  expect(toolInput({ id: '1', name: 'search_products', arguments: deep }, ToolName.options)).toEqual({ refused: 'The arguments do not fit the tool.' })
})
