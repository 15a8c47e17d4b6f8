// Channels: normalized addresses, what forbids messages, and the channels of two contacts that become one.
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import {
  addressShape,
  ChannelStatus,
  ChannelType,
  ConsentStatus,
  isSuppressed,
  joined,
  lifts,
  type MergedChannel,
  takenOver,
} from '../../../rules/crm/channels.ts'
import { mergedTaxonomies } from '../../../rules/crm/contacts.ts'

const channel = fc.record<MergedChannel>({
  id: fc.uuid(),
  type: fc.constantFrom(...ChannelType.options),
  address: fc.constantFrom('a', 'b', 'c'),
  provider: fc.constantFrom(null, 'x'),
  provider_subject: fc.constantFrom(null, '1'),
  owned: fc.boolean(),
  verified_at: fc.constantFrom(null, 1, 2),
  is_primary: fc.boolean(),
  status: fc.constantFrom(...ChannelStatus.options),
  consent_status: fc.constantFrom(...ConsentStatus.options),
  consent_source: fc.constantFrom(null, 'form'),
  consent_at: fc.constantFrom(null, 1, 2),
})
const nameOf = ({ type, provider, address }: MergedChannel) => `${type} ${provider} ${address}`
/** Channels as one contact may have them: each address once, and one primary channel of a type. */
const channels = fc.uniqueArray(channel, { selector: nameOf, maxLength: 8 }).map((all) => {
  const primary = new Set<string>()
  return all.map((one) => ({ ...one, is_primary: one.is_primary && primary.size !== primary.add(one.type).size }))
})

describe('Addresses', () => {
  test.each([
    ['phone', ' +49 (30) 123-45.6/7 ', '+49301234567'],
    ['phone', '0049 (0)30 1234567', '+49301234567'],
    ['email', ' Ada@Tillwright.TEST', 'ada@tillwright.test'],
    ['social', ' ada ', 'ada'],
  ] as const)('The address of a channel of type %s is normalized', (type, sent, stored) => {
    expect(addressShape(type).parse(sent)).toBe(stored)
  })

  test.each([
    ['phone', 'x110'],
    ['phone', '++49301'],
    ['phone', '110'],
    ['phone', '030 1234567'],
    ['phone', '+49 30 901820 ext. 5'],
    ['email', 'ada'],
    ['custom', '  '],
  ] as const)('An address of type %s is refused: %s', (type, sent) => {
    expect(addressShape(type).safeParse(sent).success).toBe(false)
  })
})

describe('Suppression', () => {
  test('Every change from a suppressed state to one that is not lifts', () => {
    fc.assert(
      fc.property(channel, channel, (now, then) => !isSuppressed(now) || isSuppressed(then) || lifts(now, then)),
    )
  })

  test('No change of a channel that is not suppressed lifts', () => {
    fc.assert(fc.property(channel, channel, (now, then) => isSuppressed(now) || !lifts(now, then)))
  })

  test('Two channels with one address are as suppressed as the stricter of them', () => {
    fc.assert(
      fc.property(channel, channel, (a, b) => {
        const one = joined(a, b)
        expect(isSuppressed(one)).toBe(isSuppressed(a) || isSuppressed(b))
        expect([one.owned, one.verified_at !== null]).toEqual([
          a.owned || b.owned,
          a.verified_at !== null || b.verified_at !== null,
        ])
      }),
    )
  })
})

describe('Taking over', () => {
  test('Every address of both contacts stays once, with one primary channel of a type', () => {
    fc.assert(
      fc.property(channels, channels, (from, to) => {
        const { kept, gone } = takenOver(from, to)
        const changed = new Set(kept.map(({ id }) => id))
        const after = [...to.filter(({ id }) => !changed.has(id)), ...kept]
        expect(new Set(after.map(nameOf))).toEqual(new Set([...from, ...to].map(nameOf)))
        expect(after).toHaveLength(new Set(after.map(nameOf)).size)
        expect(gone).toHaveLength(from.length + to.length - after.length)
        const primary = after.filter(({ is_primary }) => is_primary).map(({ type }) => type)
        expect(primary).toHaveLength(new Set(primary).size)
      }),
    )
  })

  test('The target keeps its fields and terms, and gets the terms that only the source has', () => {
    const own = [{ taxonomy_id: 'a', entry_ids: ['1'], fields: [{ key: 'x', value: 1 }] }]
    const others = [
      { taxonomy_id: 'a', entry_ids: ['2', '1'], fields: [{ key: 'x', value: 2 }] },
      { taxonomy_id: 'b', fields: [] },
    ]
    expect(mergedTaxonomies(own, others)).toEqual([{ ...own[0], entry_ids: ['1', '2'] }, others[1]])
  })
})
