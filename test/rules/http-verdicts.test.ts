// What a status proves, over all statuses: that nothing is taken for done or refused which is neither.
import { expect, test } from '@jest/globals'
import { addressProof, apiProof } from '../../rules/http-verdicts.ts'
import { modelProof } from '../../rules/models/model-formats.ts'

const statuses = Array.from({ length: 800 }, (_, n) => n + 200)
const those = (proof: 'done' | 'refused', of: (status: number) => string) =>
  statuses.filter((status) => of(status) === proof)
const range = (from: number, to: number, ...without: number[]) =>
  Array.from({ length: to - from + 1 }, (_, n) => from + n).filter((status) => !without.includes(status))
const declined = [307, 308, ...range(400, 499)]

test('A post to a chosen address is done after 2xx, 301, 302, 303, and refused by 307, 308, 4xx', () => {
  const post = (status: number) => addressProof('POST', status)
  expect(those('done', post)).toEqual([...range(200, 299), 301, 302, 303])
  expect(those('refused', post)).toEqual([...declined, 500, 501, 503, 505, 506, 507, 508, 510, 511])
})

test.each(['PUT', 'PATCH', 'DELETE'])('A %s is not proved by 301 and 302, and is done after 303', (method) => {
  expect([301, 302, 303, 307, 308].map((status) => addressProof(method, status))).toEqual([
    'unknown',
    'unknown',
    'done',
    'refused',
    'refused',
  ])
})

test.each([502, 504, 520, 521, 522, 523, 524, 525, 526, 527, 529, 530, 598, 599, 300, 304])(
  'A proxy may have answered with %i for a server that acted: nothing is proved',
  (status) => {
    expect(['POST', 'PUT', 'PATCH', 'DELETE'].map((method) => addressProof(method, status))).toEqual([
      'unknown',
      'unknown',
      'unknown',
      'unknown',
    ])
    expect(apiProof(status)).toBe('unknown')
  },
)

test('The API of a provider succeeds with 2xx alone, and its 5xx and 409 prove nothing', () => {
  expect(those('done', apiProof)).toEqual(range(200, 299))
  expect(those('refused', apiProof)).toEqual(declined.filter((status) => ![408, 409, 499].includes(status)))
})

test('An error of a model in its own format is a refusal with 5xx too, except for a timeout', () => {
  const own = { error: { message: 'Overloaded', type: 'overloaded_error' } }
  expect([400, 409, 429, 500, 502, 503, 529].map((status) => modelProof(status, own))).toEqual(Array(7).fill('refused'))
  expect([408, 504].map((status) => modelProof(status, own))).toEqual(['unknown', 'unknown'])
  for (const body of [undefined, null, '<html>', {}, { message: 'x' }, { error: 'x' }, { error: 5 }])
    expect([500, 502, 503, 529, 409].map((status) => modelProof(status, body))).toEqual(Array(5).fill('unknown'))
})
