// Times are those of the zone of the store, also where its clocks change; amounts have the digits of their currency.
import { expect, test } from '@jest/globals'
import {
  agoText,
  bytesText,
  isTime,
  lengthText,
  moneyText,
  shortId,
  timeText,
  unixOf,
  wallClock,
} from '../../console/src/kit/format.ts'

const zones = ['Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe', 'Pacific/Apia', 'UTC']

test('The clock of a zone and the time that it shows belong together in every zone', () => {
  for (const zone of zones)
    for (let unix = 1_773_000_000; unix < 1_805_000_000; unix += 2_345_678) {
      const shown = wallClock(unix, zone)
      const read = unixOf(shown, zone) as number
      // In the hour that clocks show twice, both times are right.
      expect([zone, wallClock(read, zone)]).toEqual([zone, shown])
      expect(Math.abs(read - unix)).toBeLessThanOrEqual(3600)
    }
})

test('A time that the clocks of a zone skip is read as one beside it', () => {
  // On 28 March 2027 the clocks of Berlin go from 2 to 3.
  const read = unixOf('2027-03-28T02:30', 'Europe/Berlin') as number
  expect(['2027-03-28T01:30:00', '2027-03-28T03:30:00']).toContain(wallClock(read, 'Europe/Berlin'))
  expect(unixOf('', 'UTC')).toBeUndefined()
})

test('Amounts are exact in currencies of 0, 2, 3 and 4 digits', () => {
  expect([
    moneyText(123456, 'USD'),
    moneyText(-500, 'EUR'),
    moneyText(1999, 'JPY'),
    moneyText(1234, 'KWD').replaceAll('\u00a0', ' '),
    moneyText(10_000, 'ISK').replaceAll('\u00a0', ' '),
  ]).toEqual(['$1,234.56', '-€5.00', '¥1,999', 'KWD 1.234', 'ISK 10,000'])
})

test('Lengths, ages, sizes and ids are short', () => {
  expect([0.25, 15, 90, 7200, 200_000].map(lengthText)).toEqual(['250 ms', '15 s', '90 s', '2 hours', '2 days'])
  expect([agoText(1000, 1002), agoText(1000, 1000 + 3 * 3600), agoText(1000 + 2 * 86_400, 1000)]).toEqual([
    'just now',
    '3 hours ago',
    'in 2 days',
  ])
  expect([bytesText(512), bytesText(1536), bytesText(5 * 1024 ** 2)]).toEqual(['512 B', '1.5 KiB', '5 MiB'])
  expect(shortId('01a229c6-5dc2-7336-931f-00e48f1fac7b')).toBe('…8f1fac7b')
})

test('Of the texts in an address, those that are a time are written as one', () => {
  expect(['x', '1e99', '-1e13', ''].map((text) => isTime(Number(text)))).toEqual([false, false, false, true])
  for (const unix of [0, 1_800_000_000, -8.64e12, 8.64e12]) {
    expect(isTime(unix)).toBe(true)
    expect(timeText(unix, 'UTC') + wallClock(unix, 'UTC')).not.toBe('')
  }
})
