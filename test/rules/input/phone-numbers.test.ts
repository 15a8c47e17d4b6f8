// A telephone number has one form, whichever signs it is written with.
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { isPhoneLike, phoneForm } from '../../../rules/input/phone-numbers.ts'
import { draws } from '../../kit/draws.ts'

const numbers = [
  '+4920922334455',
  '+493012345',
  '+15035550100',
  '+442079460958',
  '+390669812345',
  '+74951234567',
  '+5491123456789',
  '+20225742424',
]
const number = fc.constantFrom(...numbers)
/** Blanks, hyphens and the like between the digits. */
const spaced = fc
  .tuple(number, fc.array(fc.constantFrom('', '', ' ', '-', '.', '\u00a0', '\u2011'), { minLength: 16, maxLength: 16 }))
  .map(([digits, signs]): [string, string] => [
    digits,
    [...digits].map((digit, at) => digit + (at > 1 && at < digits.length - 1 ? signs[at] : '')).join(''),
  ])

test('Separators make no difference to a number', () => {
  fc.assert(fc.property(spaced, ([form, written]) => phoneForm(written, null) === form && isPhoneLike(written)))
})

test('The form of a form is itself, in the store of any country', () => {
  const digits = fc.stringMatching(/^\+[1-9]\d{5,14}$/)
  fc.assert(
    fc.property(digits, fc.constantFrom(null, 'DE', 'US', 'IT', 'AR', 'XX', ''), (written, country) => {
      const form = phoneForm(written, null)
      return form === null || phoneForm(form, country) === form
    }),
    { numRuns: draws(400), examples: [['+55090900000000', null]] },
  )
})

test('Digits that are no number, and any other text, have no form', () => {
  for (const written of [
    '',
    '+',
    '110',
    '00',
    '+0',
    // Read twice, it would lose the code of a carrier.
    '+55090900000000',
    '+999 1234567',
    'tel:',
    'call +49 30 901820',
    '+49 30 901820;ext=5',
    '1-800-FLOWERS',
    '\0',
    '9'.repeat(101),
  ])
    expect([written, phoneForm(written, null), phoneForm(written, 'DE')]).toEqual([written, null, null])
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.constantFrom(null, 'DE'), (text, country) =>
      /^(\+\d{5,15})?$/.test(phoneForm(text, country) ?? ''),
    ),
  )
})
