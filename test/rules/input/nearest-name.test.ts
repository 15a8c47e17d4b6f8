// A misspelled name is answered with the nearest name, or with none if no name is similar.
import { expect, test } from '@jest/globals'
import { nearest } from '../../../rules/input/nearest-name.ts'

const names = ['limit', 'cursor', 'sort_field', 'created_at_from', 'created_at_to', 'ids', 'query', 'contact_id']

test.each([
  ['a letter too many', 'limitt', 'limit'],
  ['a letter too few', 'curso', 'cursor'],
  ['two letters swapped', 'qurey', 'query'],
  ['camel case', 'sortField', 'sort_field'],
  ['a hyphen', 'created-at-to', 'created_at_to'],
  ['capitals', 'IDS', 'ids'],
  ['the singular', 'id', 'ids'],
  ['the plural', 'queries', undefined],
  ['a letter replaced', 'linit', 'limit'],
  ['two letters too many', 'limited', 'limit'],
  ['another word', 'page', undefined],
  ['nothing', '', undefined],
  ['a very long name', 'limit'.repeat(20), undefined],
])('The nearest name to one with %s is the one that differs by one error, or none', (_, name, expected) => {
  expect(nearest(name, names)).toBe(expected)
})
