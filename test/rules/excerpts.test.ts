// The beginning of a text of others never ends within a character, wherever it is shown.
import { describe, expect, test } from '@jest/globals'
import { partsOf, updateOf } from '../../rules/agents/channels.ts'
import { reasonOf } from '../../rules/agents/chat-bot.ts'
import { excerpt } from '../../rules/agents/chats.ts'
import { shortName } from '../../rules/content/media.ts'
import { cut, shortened } from '../../rules/excerpts.ts'
import { replySubject } from '../../rules/inbox/replies.ts'
import { notAnOption } from '../../rules/input/validation-errors.ts'
import { nameInMail } from '../../rules/mail/mail-page.ts'
import { refusalWords } from '../../rules/models/model-formats.ts'
import { publicationLabel } from '../../rules/overview/overview.ts'
import { productName } from '../../rules/payments/provider-amounts.ts'
import { type RevealItemFacts, revealItem } from '../../rules/publications/attention.ts'
import { shortResult } from '../../rules/research/research-prompts.ts'
import { textIn } from '../../rules/social/answers.ts'
import { mediaRefused } from '../../rules/social/networks/publisher.ts'
import { withoutSecrets } from '../../rules/social/networks/texts.ts'

const family = '👨‍👩‍👧'
const flag = '🇩🇪'
const accented = 'e\u0301'

test('A text is cut before the character that does not fit, and a shorter one is the same', () => {
  for (const character of [family, flag, accented, '😀'])
    for (let max = 1; max <= character.length + 2; max++) {
      const whole = Math.floor(max / character.length)
      expect([character, max, cut(character.repeat(3), max)]).toEqual([character, max, character.repeat(whole)])
    }
  expect([cut('abc', 3), cut('abc', 2), cut('', 5), shortened('abc', 3), shortened('abcd', 3)]).toEqual([
    ...['abc', 'ab', '', 'abc', 'ab…'],
  ])
  expect(shortened('one two', 5)).toBe('one…')
  expect(shortened(`abc${family}`, 6)).toBe('abc…')
})

test('What is no character of a language is cut where it has to be, and no surrogate pair is', () => {
  expect(cut(`e${'\u0301'.repeat(500)}`, 100)).toHaveLength(100)
  expect(cut(`😀${'\u0301'.repeat(500)}`, 1)).toBe('')
  expect(cut(`${'a\u200d'.repeat(10)}${'👨\u200d'.repeat(100)}`, 101).isWellFormed()).toBe(true)
})

const reveal = (caption: string) => revealItem({ type: 'network_d_account', name: 'Acme', caption } as RevealItemFacts)
/** What shows the beginning of a text. */
const shown: Record<string, (text: string) => string | null | undefined> = {
  'an item of Attention': (caption) => reveal(caption).title.split('“')[1]?.split('”')[0],
  'what is next': (caption) => publicationLabel('network_d_account', { title: null, caption }).replace('X: ', ''),
  'a fault of a file': shortName,
  'a fault of a value': (text) => notAnOption([text]).replace('Expected one of: ', ''),
  'a list of chats': excerpt,
  'a refusal of the bot API': (description) =>
    reasonOf({ ok: false, description } as Parameters<typeof reasonOf>[0], []),
  'a message of a channel': (text) =>
    updateOf({
      update_id: 1,
      message: { chat: { id: 1, type: 'private' }, from: { id: 1, is_bot: false, first_name: 'A' }, text },
    })?.text,
  'parts of a reply': (text) => partsOf(text)[0],
  'the subject of a reply': (text) => replySubject(text).replace('Re: ', ''),
  'a refusal of a model': (text) => refusalWords({ error: text }, ''),
  'a name of a product at the provider': productName,
  'a result of an earlier step': (text) => shortResult(text, 6),
  'a text of a network': (text) => textIn(text, 100),
  'a refusal of a network': (text) => {
    const refused = mediaRefused(text)
    return 'error' in refused ? refused.error.message.replace('The network cannot process the file. ', '') : null
  },
  'words of a network': withoutSecrets,
}

describe.each(Object.keys(shown))('The beginning of a text in %s', (where) => {
  test.each([family, flag, accented, '😀'])('An excerpt ends with a whole %s', (character) => {
    // At each place of the character, the text may be cut.
    for (let shift = 0; shift < character.length; shift++) {
      const text = `${'a'.repeat(shift)}${character.repeat(5_000)}`
      const begun = (shown[where]?.(text) ?? '').replace(/…$/, '')
      expect(begun.length).toBeGreaterThan(20)
      expect(text.startsWith(begun)).toBe(true)
      expect([shift, (begun.length - shift) % character.length]).toEqual([shift, 0])
    }
  })
})

// Invisible characters are left out there, so that a family is its members.
test('A long name in an e-mail ends with a whole character', () => {
  for (const character of [flag, accented, '😀'])
    for (const begin of ['', 'a', 'aa'])
      expect(nameInMail([begin + character.repeat(100)], '')).toBe(
        `${begin}${character.repeat(Math.floor((79 - begin.length) / character.length))}…`,
      )
})
