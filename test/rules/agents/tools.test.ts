// What a model asks for is checked before it is looked for, and its texts lead to no foreign host.
import { expect, test } from '@jest/globals'
import { ToolName, toolInput, withoutForeignLinks } from '../../../rules/agents/tools.ts'

test.each([9_007_199_254_740_991, 1e12, -1, 1.5])('A slot at %s seconds is refused before it is looked for', (from) => {
  const id = '01890000-0000-7000-8000-000000000000'
  const given = JSON.stringify({ bookings: [{ service_id: id, provider_id: id, from, to: from + 3_600 }] })
  expect(toolInput({ id: '1', name: 'cart_link', arguments: given }, ToolName.options)).toEqual({ refused: 'The arguments do not fit the tool.' })
})

test.each([
  ['See https://tea.example/x or https:tea.example.', 'See https://tea.example/x or https:tea.example.'],
  ['See https://evil.example/x', 'See [link removed]'],
  // Browsers and messengers read these as addresses of that host.
  ['[x](http:evil.example/x) and https:\uff0f\uff0fevil.example', '[x]([link removed]) and [link removed]'],
  ['https://tea.example@evil.example/ and //evil.example', '[link removed] and [link removed]'],
  ['Note http: and https: are schemes', 'Note http: and https: are schemes'],
])('Texts of a model link to hosts of the business alone: %s', (text, shown) => {
  expect(withoutForeignLinks(text, new Set(['tea.example']))).toBe(shown)
})
