// Each network's way to measure a text.
import { expect, test } from '@jest/globals'
import { addressesIn, captionLength, hashtagsIn, mentionsIn } from '../../../rules/publications/text-lengths.ts'
import { processorMs } from '../../kit/stack/processor-time.ts'

const weighted = (text: string) => captionLength('weighted', text)

test('Network d counts a link 23, a wide character 2, an emoji 2, and the composed form', () => {
  const known: [string, number][] = [
    ['Plain text.', 11],
    ['日本語', 6],
    ['e\u0301', 1],
    ['👨‍👩‍👧', 2],
    ['🇩🇪1️⃣', 4],
    ['…', 2],
    ['“quoted”', 8],
    ['', 0],
  ]
  for (const [text, length] of known) expect([text, weighted(text)]).toEqual([text, length])
})

test('Network d finds links with a scheme or in a top-level domain, and nothing else', () => {
  // Counted by twitter-text 3.1.
  const known: [string, number][] = [
    ['https://example.com', 23],
    ['New in: https://shop.example.com/a?b=c&d=e#f.', 32],
    ['See www.shop.dev/a_(b) and foo.de, or e.g. Node.js 3.50.', 78],
    ['Book at salon.berlin/termine!', 32],
    ['日本語のテキスト https://example.com/日本', 44],
    ['https://en.wikipedia.org/wiki/Primer_(film)', 23],
    ['https://пример.com/путь x', 25],
    ['mail me: a@b.com #tag @you $ABC', 31],
    ['“https://example.com/x”', 25],
    ['https://example.com/?q=a,b,c.', 24],
    ['xhttps://a.com/long', 19],
    ['10.5 Uhr bis 12.30 Uhr', 22],
    ['https://example.com...', 26],
    ['HTTPS://EXAMPLE.COM/X?Y=1', 23],
    ['https://shop.notatld/a/long/way', 31],
    ['https://a.com https://b.com', 47],
  ]
  for (const [text, length] of known) expect([text, weighted(text)]).toEqual([text, length])
})

test('The longest texts are measured in milliseconds', () => {
  const texts = ['a.', '(', 'https://a.com/(a', 'https://', 'é.', 'a.com/', '@', '#a', '👨‍👩‍👧'].map((piece) =>
    piece.repeat(100_000 / piece.length),
  )
  for (const text of texts) {
    const ms = processorMs(() => {
      for (const unit of ['characters', 'bytes', 'weighted', 'emoji_bytes'] as const) captionLength(unit, text)
      for (const count of [hashtagsIn, mentionsIn, addressesIn]) count(text)
    }, 1_000)
    expect([text.slice(0, 20), ms < 1_000]).toEqual([text.slice(0, 20), true])
  }
  expect(weighted(`https://a.com/${'a'.repeat(4_000)}`)).toBe(23)
  expect(weighted(`https://a.com/${'a'.repeat(5_000)}`)).toBe(5_014)
})

test('Other networks count characters, bytes, or emojis by their bytes', () => {
  expect([
    captionLength('characters', 'aé日👍'),
    captionLength('bytes', 'aé日👍'),
    captionLength('emoji_bytes', 'aé日👍'),
  ]).toEqual([4, 10, 7])
  expect([
    hashtagsIn('#one #two # three a#b'),
    mentionsIn('@you, a@b.com and @'),
    addressesIn('https://a.com/x https://a.com/x http://b.com'),
  ]).toEqual([3, 2, 2])
})
