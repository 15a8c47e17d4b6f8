// What a turn does next: a call that may have run is never made again, and every turn ends within its limits.
import { describe, expect, test } from '@jest/globals'
import { historyOf } from '../../../rules/agents/chats.ts'
import type { ModelAnswer } from '../../../rules/models/model-formats.ts'
import { busyMs, type CallFacts, nextTurnStep, STEPS_MAX } from '../../../rules/models/turns.ts'

const answer = (more: Partial<ModelAnswer> = {}): ModelAnswer => ({
  ...{ text: 'Good day.', calls: [], input_tokens: 1, output_tokens: 1, request_id: null, cut: false },
  ...more,
})
const last = (more: Partial<CallFacts>): CallFacts => ({
  ...{
    id: 'c',
    step: 1,
    try: 1,
    status: 'succeeded',
    http_status: null,
    too_long: false,
    retry_after_s: null,
    settled_s_ago: 0,
    answer: null,
  },
  ...more,
})
const next = (call: CallFacts | null, too_long = 0) => nextTurnStep(call, { too_long, steps_max: STEPS_MAX })
const rejected = (http_status: number | null, more: Partial<CallFacts> = {}) =>
  next(last({ status: 'rejected', http_status, ...more }))
const tool = { id: 't', name: 'search_products', arguments: '{}' }

describe('The next step of a turn', () => {
  test('A turn begins with a question, and sends one that is written', () => {
    expect(next(null)).toEqual({ do: 'ask', step: 1, try: 1, halvings: 0 })
    for (const status of ['requested', 'processing'] as const)
      expect(next(last({ status }))).toEqual({ do: 'send', call_id: 'c' })
  })

  test('An unknown call ends its turn as unknown, and one that was never sent as failed', () => {
    expect(next(last({ status: 'unknown' }))).toEqual({ do: 'end', status: 'unknown', error: 'model_outcome_unknown' })
    expect(next(last({ status: 'failed' }))).toEqual({ do: 'end', status: 'failed', error: 'model_unavailable' })
  })

  test.each([408, 409, 429, 500, 502, 503, 529])(
    'A refusal with status %s is asked again after a pause, three times in all',
    (status) => {
      expect(rejected(status)).toEqual({ do: 'wait', ms: 1_000 })
      expect(rejected(status, { settled_s_ago: 1 })).toEqual({ do: 'ask', step: 1, try: 2, halvings: 0 })
      expect(rejected(status, { try: 2, settled_s_ago: 1 })).toEqual({ do: 'wait', ms: 3_000 })
      expect(rejected(status, { try: 2, settled_s_ago: 4 })).toEqual({ do: 'ask', step: 1, try: 3, halvings: 0 })
      expect(rejected(status, { try: 3, settled_s_ago: 99 })).toEqual({
        do: 'end',
        status: 'failed',
        error: 'model_unavailable',
      })
    },
  )

  test('The pause that a provider asks for is kept, up to 30 seconds', () => {
    expect(rejected(429, { retry_after_s: 7 })).toEqual({ do: 'wait', ms: 7_000 })
    expect(rejected(429, { retry_after_s: 0 })).toEqual({ do: 'ask', step: 1, try: 2, halvings: 0 })
    expect(rejected(429, { retry_after_s: 86_400, settled_s_ago: 10 })).toEqual({ do: 'wait', ms: 20_000 })
  })

  test.each([400, 401, 403, 404, 422, null])('A refusal with status %s is not asked again', (status) => {
    expect(rejected(status)).toEqual({ do: 'end', status: 'failed', error: 'model_rejected' })
  })

  test('A request that is too long is halved twice, and its tries are not those of refusals', () => {
    const long = (tries: number, too_long: number) =>
      next(last({ status: 'rejected', http_status: 400, too_long: true, try: tries }), too_long)
    expect(long(1, 1)).toEqual({ do: 'ask', step: 1, try: 2, halvings: 1 })
    expect(long(2, 2)).toEqual({ do: 'ask', step: 1, try: 3, halvings: 2 })
    expect(long(3, 3)).toEqual({ do: 'end', status: 'failed', error: 'model_rejected' })
    expect(next(last({ status: 'rejected', http_status: 503, try: 3, settled_s_ago: 99 }), 2)).toEqual({
      do: 'ask',
      step: 1,
      try: 4,
      halvings: 2,
    })
  })

  test('Tools are used up to the last step, whose text alone counts', () => {
    const asks = answer({ calls: [tool] })
    expect(next(last({ answer: asks }))).toEqual({ do: 'tools', answer: asks, call_id: 'c', step: 1 })
    expect(next(last({ answer: asks, step: STEPS_MAX }))).toEqual({ do: 'answer', text: 'Good day.', cut: false })
    expect(next(last({ answer: answer({ calls: [tool], text: ' ' }), step: STEPS_MAX }))).toEqual({
      do: 'end',
      status: 'failed',
      error: 'too_many_steps',
    })
  })

  test.each([
    ['is none of the format', null],
    ['is empty', answer({ text: ' \n' })],
  ])('A success whose answer %s fails the turn, and is not asked again', (_, given) => {
    expect(next(last({ answer: given }))).toEqual({ do: 'end', status: 'failed', error: 'model_answer_unusable' })
  })

  test('A turn that waits for a slot looks less often the more turns are ahead, within 5 s', () => {
    const waits = [0, 8, 16, 80, 10_000].map(busyMs)
    expect(waits).toEqual([400, 400, 800, 4_000, 5_000])
  })
})

describe('The history that a model reads', () => {
  const said = (content: string) => ({ role: 'user' as const, content })

  test('The newest whole messages are read, oldest first, within both limits', () => {
    const newestFirst = ['five', 'four', 'three', 'two', 'one'].map(said)
    expect(historyOf(newestFirst, 2).map(({ content }) => content)).toEqual(['four', 'five'])
    expect(historyOf(newestFirst, 0)).toEqual([])
    expect(historyOf(newestFirst, 20, 13).map(({ content }) => content)).toEqual(['three', 'four', 'five'])
    expect(historyOf(newestFirst, 20, 12).map(({ content }) => content)).toEqual(['four', 'five'])
  })

  test('A message that does not fit ends the history: nothing before it is read', () => {
    expect(historyOf([said('new'), said('x'.repeat(24_000)), said('old')], 20)).toEqual([said('new')])
  })
})
