// What a model asks for is checked before it is looked for, and its texts lead to no foreign host.
import { expect, test } from '@jest/globals'
import { ownHosts, ToolName, toolInput, withoutForeignLinks, writtenAddresses } from '../../../rules/agents/tools.ts'
import { processorMs } from '../../kit/stack/processor-time.ts'

test.each([9_007_199_254_740_991, 1e12, -1, 1.5])('A slot at %s seconds is refused before it is looked for', (from) => {
  const id = '01890000-0000-7000-8000-000000000000'
  const given = JSON.stringify({ bookings: [{ service_id: id, provider_id: id, from, to: from + 3_600 }] })
  expect(toolInput({ id: '1', name: 'cart_link', arguments: given }, ToolName.options)).toEqual({
    refused: 'The arguments do not fit the tool.',
  })
})

test.each([
  ['See https://tea.example/x or https:tea.example.', 'See https://tea.example/x or https:tea.example.'],
  ['See https://evil.example/x', 'See [link removed]'],
  // Browsers and messengers read these as addresses of that host.
  ['[x](http:evil.example/x) and https:\uff0f\uff0fevil.example', '[x]([link removed]) and [link removed]'],
  ['https://tea.example@evil.example/ and //evil.example', '[link removed] and [link removed]'],
  ['Note http: and https: are schemes', 'Note http: and https: are schemes'],
  // Programs of readers make links of these, too.
  ['see evil.example/?d=order-4711', 'see [link removed]'],
  ['t.me/evilbot?start=4711, T.Me/evilbot and wa.me/4711', '[link removed], [link removed] and [link removed]'],
  [
    'tg:resolve?domain=evil, whatsapp:send?text=4711 or mailto:a@evil.example?body=4711',
    '[link removed], [link removed] or [link removed]',
  ],
  ['**evil.example**, (evil.example:8080), _evil.co.uk_.', '**[link removed]**, ([link removed]), _[link removed]_.'],
  ['[x](evil.example/x) 185.12.3.4/offer xn--e1afmkfd.xn--p1ai', '[x]([link removed]) [link removed] [link removed]'],
  ['evil\u3002example/x ev\u00adil.example ｅvil．example', '[link removed] [link removed] [link removed]'],
  [
    'tea.example@evil.example tea.example:evil.example evil.example/https://tea.example/',
    '[link removed] [link removed] [link removed]https://tea.example/',
  ],
  ['Write to ann@evil.example', 'Write to [link removed]'],
  // Of the business.
  [
    'tea.example/menu?of=today, www.tea.example, TEA.example.',
    'tea.example/menu?of=today, www.tea.example, TEA.example.',
  ],
  ['https://tea.example/?next=evil.example', 'https://tea.example/?next=evil.example'],
  ['first.last@tea.example or mailto:info@tea.example', 'first.last@tea.example or mailto:info@tea.example'],
  // What the visitor wrote.
  ['It was sent to Ada.L@mail.example.', 'It was sent to Ada.L@mail.example.'],
  // No addresses.
  ['menu.pdf, photo.2024.jpg, my.cv.docx and Node.js', 'menu.pdf, photo.2024.jpg, my.cv.docx and Node.js'],
  ['1.50 EUR, 1.000,50 €, 3.5/5, 12.30h, v1.2.3, 5 €/kg', '1.50 EUR, 1.000,50 €, 3.5/5, 12.30h, v1.2.3, 5 €/kg'],
  ['e.g. z.B. p.ex. U.S.A. a.m./p.m. und/oder St.Pauli', 'e.g. z.B. p.ex. U.S.A. a.m./p.m. und/oder St.Pauli'],
  [
    'Good tea.The next one. Tel: +49 209 22334455, mail: yes',
    'Good tea.The next one. Tel: +49 209 22334455, mail: yes',
  ],
])('Texts of a model link to hosts of the business alone: %s', (text, shown) => {
  expect(
    withoutForeignLinks(text, new Set(['tea.example']), writtenAddresses(['I am ada.l@mail.example, hello!'])),
  ).toBe(shown)
})

test('The hosts of the business are those of its pages and prompt, with and without a scheme', () => {
  const hosts = ownHosts(
    'See https://shop.tea.example:8443/menu, tea.example or hello@mail.tea.example. Never say menu.pdf.',
    ['http://127.0.0.1:8080/cart', null],
  )
  expect([...hosts].sort()).toEqual(['127.0.0.1', 'mail.tea.example', 'shop.tea.example', 'tea.example'])
})

test.each(['a', 'a.', '.', '..x', 'a@', 'a@b.', '@', 'https:', '//', 'tg:', 'a.b/', 'www.', 'é', '-', '_'])(
  'Links are looked for in a text of %p alone in linear time',
  (part) => {
    const five = (length: number) => () => {
      const text = part.repeat(Math.ceil(length / part.length))
      for (let n = 0; n < 5; n++) withoutForeignLinks(text, new Set())
    }
    expect(processorMs(five(20_000), 250)).toBeLessThan(250)
    expect(processorMs(five(100_000), 1_000)).toBeLessThan(1_000)
  },
)
