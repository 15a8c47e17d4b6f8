// Both formats of models: what is sent keeps to the format after any answer of a model, and what is read is never
// trusted.
import { describe, expect, test } from '@jest/globals'
import { ToolName, toolInput } from '../../../rules/agents/tools.ts'
import {
  isRetried,
  isTooLong,
  type ModelProvider,
  type ModelRequest,
  modelAnswer,
  modelPost,
  refusalWords,
  type Turn,
  tokensOf,
} from '../../../rules/models/model-formats.ts'

const formats: ModelProvider[] = ['llm_a', 'llm_b']
const request = (provider: ModelProvider, turns: readonly Turn[], more: Partial<ModelRequest> = {}): ModelRequest => ({
  ...{
    provider,
    base_url: 'https://models.example/v1/',
    model: 'large',
    system: 'Sell tea.',
    turns,
    tools: [],
    output_tokens_max: 100,
  },
  ...more,
})
// biome-ignore lint/suspicious/noExplicitAny: bodies of two formats
const bodyOf = (provider: ModelProvider, turns: readonly Turn[], more: Partial<ModelRequest> = {}): any =>
  JSON.parse(modelPost(request(provider, turns, more)).body)
const posted = (provider: ModelProvider, turns: readonly Turn[]) => modelPost(request(provider, turns))
const user = (content: string): Turn => ({ role: 'user', content })
const assistant = (content: string, calls: { id: string; name: string; arguments: string }[] = []): Turn => ({
  role: 'assistant',
  content,
  calls,
})

describe('Requests', () => {
  test('Each format has its path, its system text and its limit of the answer', () => {
    expect(modelPost(request('llm_a', [user('Hi')])).url).toBe('https://models.example/v1/chat/completions')
    expect(modelPost(request('llm_b', [user('Hi')])).url).toBe('https://models.example/v1/messages')
    expect(bodyOf('llm_a', [user('Hi')])).toEqual({
      ...{ model: 'large', max_completion_tokens: 100 },
      messages: [
        { role: 'system', content: 'Sell tea.' },
        { role: 'user', content: 'Hi' },
      ],
    })
    expect(bodyOf('llm_b', [user('Hi')])).toEqual({
      model: 'large',
      max_tokens: 100,
      system: 'Sell tea.',
      messages: [{ role: 'user', content: 'Hi' }],
    })
  })

  test.each(formats)('In %s no two messages of a role are neighbours, and the first is a user’s', (provider) => {
    const turns = [
      assistant('Early.'),
      user('One'),
      user('Two'),
      assistant('A.'),
      assistant('Operator.'),
      user('Three'),
      user('Four'),
    ]
    const roles = bodyOf(provider, turns).messages.map(({ role }: { role: string }) => role)
    expect(roles.filter((role: string) => role !== 'system')).toEqual(['user', 'assistant', 'user'])
    const text = JSON.stringify(bodyOf(provider, turns))
    for (const part of ['One\\n\\nTwo', 'A.\\n\\nOperator.', 'Three\\n\\nFour']) expect(text).toContain(part)
    expect(text).not.toContain('Early.')
  })

  test('All results of a step follow its calls together, in both formats', () => {
    const calls = ['a', 'b'].map((id) => ({ id, name: 'search_products', arguments: '{"query":"tea"}' }))
    const turns: Turn[] = [
      user('Tea?'),
      assistant('', calls),
      { role: 'tool', results: calls.map(({ id, name }) => ({ id, name, content: '[]' })) },
    ]
    expect(bodyOf('llm_a', turns).messages.slice(2)).toEqual([
      {
        role: 'assistant',
        content: null,
        tool_calls: calls.map(({ id, name, arguments: given }) => ({
          id,
          type: 'function',
          function: { name, arguments: given },
        })),
      },
      { role: 'tool', tool_call_id: 'a', content: '[]' },
      { role: 'tool', tool_call_id: 'b', content: '[]' },
    ])
    expect(bodyOf('llm_b', turns).messages.slice(1)).toEqual([
      {
        role: 'assistant',
        content: calls.map(({ id, name }) => ({ type: 'tool_use', id, name, input: { query: 'tea' } })),
      },
      { role: 'user', content: calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: '[]' })) },
    ])
  })

  test.each(['{"query": "tea', 'null', '[1]', '"text"', '5', ''])(
    'Arguments %j that a model wrote are sent back as an object',
    (given) => {
      const turns: Turn[] = [
        user('Tea?'),
        assistant('', [{ id: 'a', name: 'x', arguments: given }]),
        { role: 'tool', results: [{ id: 'a', name: 'x', content: 'No.' }] },
      ]
      expect(bodyOf('llm_a', turns).messages[2].tool_calls[0].function.arguments).toBe('{}')
      expect(bodyOf('llm_b', turns).messages[1].content[0].input).toEqual({})
    },
  )

  test('A call reserves tokens for its bytes and for the longest answer', () => {
    const [short, long] = [request('llm_a', [user('x')]), request('llm_a', [user('茶'.repeat(1_000))])]
    expect(tokensOf(long) - tokensOf(short)).toBeGreaterThanOrEqual(999)
    expect(tokensOf({ ...short, output_tokens_max: 1_100 }) - tokensOf(short)).toBeGreaterThanOrEqual(1_000)
  })
})

describe('Answers', () => {
  const completion = (message: object, more: object = {}) => ({
    id: 'r',
    choices: [{ finish_reason: 'stop', message }],
    ...more,
  })

  test('Texts, calls and tokens are read in both formats', () => {
    const call = { id: 'a', function: { name: 'x', arguments: '{"n":1}' } }
    const usage = { prompt_tokens: 5, completion_tokens: 7 }
    const expected = {
      text: 'Hi',
      calls: [{ id: 'a', name: 'x', arguments: '{"n":1}' }],
      input_tokens: 5,
      output_tokens: 7,
      request_id: 'r',
      cut: false,
    }
    expect(modelAnswer('llm_a', completion({ content: 'Hi', tool_calls: [call] }, { usage }))).toEqual(expected)
    const content = [
      { type: 'text', text: 'Hi' },
      { type: 'thinking', thinking: 'Hm.' },
      { type: 'tool_use', id: 'a', name: 'x', input: { n: 1 } },
    ]
    expect(
      modelAnswer('llm_b', { id: 'r', stop_reason: 'tool_use', content, usage: { input_tokens: 5, output_tokens: 7 } }),
    ).toEqual(expected)
  })

  test('What a gateway adds to an answer does not lose it', () => {
    const parts = [
      { type: 'text', text: 'Green' },
      { type: 'thinking', thinking: [] },
      { type: 'text', text: 'tea.' },
    ]
    expect(modelAnswer('llm_a', { choices: [{ finish_reason: 7, message: { content: parts } }, null] })).toMatchObject({
      text: 'Green\ntea.',
      cut: false,
    })
    expect(modelAnswer('llm_b', { stop_reason: 7, content: [null, 'x', ...parts] })).toMatchObject({
      text: 'Green\ntea.',
      cut: false,
    })
    // With another content type than JSON's, the body is text.
    expect(modelAnswer('llm_a', JSON.stringify(completion({ content: 'Hi' })))).toMatchObject({
      text: 'Hi',
      request_id: 'r',
    })
  })

  test('Missing, negative and absurd counts of tokens are none: what was reserved counts', () => {
    for (const usage of [
      undefined,
      null,
      'many',
      { prompt_tokens: -1, completion_tokens: 1e30 },
      { prompt_tokens: '5' },
    ])
      expect(modelAnswer('llm_a', completion({ content: 'Hi' }, { usage }))).toMatchObject({
        text: 'Hi',
        input_tokens: null,
        output_tokens: null,
      })
  })

  test.each([
    null,
    '',
    'Hello',
    5,
    [],
    {},
    { choices: [] },
    { choices: [{}] },
    { content: 'Hi' },
    { choices: [{ message: { content: ['Hi'] } }] },
  ])('The body %j is an answer of neither format', (body) => {
    for (const provider of formats) expect(modelAnswer(provider, body)).toBeNull()
  })

  test('Of thousands of calls 64 are kept, and characters that cannot be stored are replaced', () => {
    const calls = Array.from({ length: 10_000 }, (_, n) => ({ id: `c${n}`, function: { name: 'x', arguments: '{}' } }))
    expect(modelAnswer('llm_a', completion({ content: null, tool_calls: calls }))?.calls).toHaveLength(64)
    const text = modelAnswer('llm_a', completion({ content: 'a\u0000b\ud800c' }))?.text ?? ''
    expect([text.includes('\u0000'), text.isWellFormed(), text.startsWith('a')]).toEqual([false, true, true])
  })

  test('An answer at the limit of its length is known as cut', () => {
    expect(modelAnswer('llm_a', { choices: [{ finish_reason: 'length', message: { content: 'Hi' } }] })?.cut).toBe(true)
    expect(modelAnswer('llm_b', { stop_reason: 'max_tokens', content: [{ type: 'text', text: 'Hi' }] })?.cut).toBe(true)
  })
})

describe('Refusals', () => {
  test('The words of a provider are kept without the key that it repeats, and cut', () => {
    expect(refusalWords({ error: { message: 'Wrong key secret-key-1.' } }, 'secret-key-1')).toBe('Wrong key ….')
    expect(refusalWords({ error: 'No.' }, 'k')).toBe('No.')
    expect(refusalWords('x'.repeat(10_000), 'k')).toHaveLength(500)
    for (const nothing of [null, undefined, '']) expect(refusalWords(nothing, 'k')).toBeNull()
  })

  test('A request that is too long is told from other refusals, and server errors are asked again', () => {
    expect([
      isTooLong(413, null),
      isTooLong(400, { error: { message: "This model's maximum context length is 8192 tokens." } }),
    ]).toEqual([true, true])
    expect([isTooLong(400, { error: { message: 'Unknown model.' } }), isTooLong(429, 'too long')]).toEqual([
      false,
      false,
    ])
    expect([408, 409, 429, 500, 529].every(isRetried)).toBe(true)
    expect([400, 401, 404, 422].some(isRetried)).toBe(false)
  })
})

test.each<ModelProvider>(['llm_a', 'llm_b'])(
  'A text that was cut within a character is sent to %s without a lone surrogate',
  (provider) => {
    const results = [{ id: '1', name: 'search_products', content: `{"text":"${'🍵'.slice(0, 1)}"}` }]
    const asked = {
      role: 'assistant',
      content: '',
      calls: [{ id: '1', name: 'search_products', arguments: '{"query":"\\ud83c"}' }],
    } as const
    const { body } = posted(provider, [{ role: 'user', content: 'Tea? 🍵' }, asked, { role: 'tool', results }])
    expect([body.includes('\\ud83c'), body.includes('🍵'), body.includes('\ufffd')]).toEqual([false, true, true])
  },
)

test.each<ModelProvider>(['llm_a', 'llm_b'])(
  'Arguments that are nested too deep are sent back to %s as none',
  (provider) => {
    const deep = `{"query":${'['.repeat(20_000)}${']'.repeat(20_000)}}`
    const { body } = posted(provider, [
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: '', calls: [{ id: '1', name: 'search_products', arguments: deep }] },
    ])
    expect(body).toContain(provider === 'llm_a' ? '"arguments":"{}"' : '"input":{}')
    expect(toolInput({ id: '1', name: 'search_products', arguments: deep }, ToolName.options)).toEqual({
      refused: 'The arguments do not fit the tool.',
    })
  },
)
