// Links are found with and without a scheme, and sentences are none.
import { expect, test } from '@jest/globals'
import { hasLink } from '../../rules/links.ts'
import { processorMs } from '../kit/stack/processor-time.ts'

test.each([
  ...[
    'https://example.com',
    'http:example',
    'FTP://files.example',
    'see //example.com',
    '[here](//10.0.0.1)',
    'mailto:a@b',
    'tel:+491234',
  ],
  ...[
    'www.example',
    'WWW.Example.test',
    'example.com',
    'Buy at example.shop!',
    'shop.example.co.uk/tea?x=1',
    'ann@example.org',
    '(example.de)',
    'EXAMPLE.COM',
  ],
  ...[
    'my-tea.store',
    'tea4u.online',
    '163.com',
    't.me/tea',
    'bit.ly/3x',
    'пример.рф',
    '例え.みんな',
    '商店.中国',
    'xn--e1afmkfd.xn--p1ai',
    'see 185.12.3.4/offer',
    'Go to tea.xyz.',
  ],
  ...['Evil.Com', 'T.Me/tea', 'menu.zip', 'skype:evil', 'magnet:?xt=1'],
])('A link is found in %p', (text) => expect(hasLink(text)).toBe(true))

test.each([
  ...[
    '3.5',
    'It has 4.5 of 5 stars.',
    'v1.2.3',
    '1.000,50',
    'e.g. tea',
    'i.e. no',
    'at 9 a.m. or 5 p.m.',
    'p.ex. du thé',
    'z.B. Tee',
    'u.s.w.',
    'the U.S.A.',
    'a Ph.D. of tea',
  ],
  ...[
    'Good tea.',
    'Good tea.The next sentence.',
    'Well...then',
    'What…ever',
    'Hm. no',
    'St.Pauli',
    'am 3.Mai',
    '12.30h',
    '2.5kg',
    'Note: this',
    'a/b and c',
    '5 a.',
    '.',
    '....',
    '',
  ],
  ...['很好.谢谢你们', '美味しい.また来ます', '좋아요.감사합니다', 'ممتاز.شكرا', 'Ende.Anfang'],
  ...['menu.pdf', 'photo.2024.jpg', 'my.cv.docx', 'Node.js'],
  ...['at 10.am', 'Mr.Smith', 'Mrs. smith', '.net', 'wow!.no', 'tea.2go'],
])('No link is found in %p', (text) => expect(hasLink(text)).toBe(false))

test.each(['a', 'a.', 'a-', '.', '1.', 'http', '/', 'www', 'e.g.', 'é', 'a.1', 'mailto', 'X.'])(
  'A text of %p alone is read in linear time',
  (part) => {
    const five = (length: number) => () => {
      const text = part.repeat(Math.ceil(length / part.length))
      for (let n = 0; n < 5; n++) hasLink(text)
    }
    // 6 ms and 60 ms at most. In quadratic time 9,000 characters alone took 300, and the long text would not end.
    expect(processorMs(five(20_000), 60)).toBeLessThan(60)
    expect(processorMs(five(200_000), 200)).toBeLessThan(200)
  },
)
