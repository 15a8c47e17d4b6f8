// An error of the database that a caller can mend is a refusal with its code.
import { expect, test } from '@jest/globals'
import { fromDatabase } from '../../api/kit/answer/errors.ts'

test('A record that others refer to answers 409 referenced under the codes of every PostgreSQL', () => {
  const refused = ['23503', '23001'].map((code) => fromDatabase(Object.assign(new Error('A foreign key.'), { code })))
  expect(refused.map((one) => [one?.status, one?.code])).toEqual([
    [409, 'referenced'],
    [409, 'referenced'],
  ])
})
