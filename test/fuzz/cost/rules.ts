// The cost of rules on the largest values that a body may hold. Not a Jest test, because the same work takes many times
// as long in Jest's global object.
import { escapeLiteral } from '../../../entities/kit/database/literals.ts'
import { blocksWithIds } from '../../../rules/content/block-ids.ts'
import type { Block } from '../../../rules/content/block-shape.ts'
import { blockReferences } from '../../../rules/content/blocks.ts'
import { numberFaults } from '../../../rules/input/numbers.ts'
import { textFaults } from '../../../rules/input/storable.ts'
import { allocate } from '../../../rules/orders/stock.ts'
import { DataValue } from '../../../rules/platform/platform-data.ts'
import { Weekday } from '../../../rules/scheduling/calendars.ts'
import { type LinkSchedule, offeredBy } from '../../../rules/scheduling/scheduling.ts'
import { namedWords } from '../../../rules/search/search-texts.ts'
import { processorMs } from '../../kit/stack/processor-time.ts'

const many = <T>(count: number, of: (nth: number) => T): T[] => Array.from({ length: count }, (_, nth) => of(nth))

const numbers = many(490_000, (nth) => nth % 10)
const objects = many(320_000, () => ({}))
const keys = Object.fromEntries(many(70_000, (nth) => [`k${nth}`, nth]))
const nested: Block[] = many(500, (nth) => ({
  key: `b${nth}`,
  type: 'list',
  value: many(45, (n) => ({ key: `c${n}`, type: 'text', value: 'v' })),
}))

const windows = many(24, (hour) => ({
  from: `${String(hour).padStart(2, '0')}:00`,
  to: `${String(hour + 1).padStart(2, '0')}:00`,
}))
const date = (nth: number) => new Date(Date.UTC(2030, 0, 1) + nth * 86_400_000).toISOString().slice(0, 10)
const link: LinkSchedule = {
  working_days: Weekday.options.map((day) => ({ day, windows })),
  specific_dates: many(1_000, (nth) => ({ date: date(nth), windows })),
  durations: [{ duration: 30 }],
  slot_interval: 30,
  concurrent_limit: 1000,
}
const slots = many(500, (nth) => ({
  from: Date.UTC(2030, 0, 1) / 1000 + nth * 1800,
  to: Date.UTC(2030, 0, 1) / 1000 + (nth + 1) * 1800,
}))
const json = JSON.stringify(many(40_000, (nth) => ({ key: `c${nth}`, value: "it's", id: crypto.randomUUID() })))
const wanted = many(500, (nth) => ({ variant_id: `v${nth}`, quantity: 2 }))
const levels = many(500, (variant) =>
  many(200, (place) => ({ variant_id: `v${variant}`, location_id: `l${place}`, available: 1 })),
).flat()

const works: [string, () => unknown][] = [
  ['Looking for faults of half a million numbers', () => numberFaults(numbers, 1_048_576)],
  ['Looking for faults of numbers in 320,000 objects', () => numberFaults(objects, 1_048_576)],
  ['Looking for faults of the texts among half a million numbers', () => textFaults(numbers)],
  ['Looking for faults of 70,000 names of fields', () => textFaults(keys)],
  ['Refusing half a million numbers as a value of the installation', () => DataValue.safeParse(numbers)],
  ['Gathering the words of 22,500 nested blocks', () => namedWords({ key: 'a', slug: {}, blocks: nested })],
  ['Giving ids to 22,500 nested blocks', () => blocksWithIds(nested, () => 'id')],
  ['Looking for references in 22,500 nested blocks', () => blockReferences(nested, null)],
  ['Holding 500 slots against a thousand dates', () => slots.filter(offeredBy(link, 'Europe/Berlin'))],
  ['Writing two megabytes of JSON as a literal of SQL', () => escapeLiteral(json)],
  ['Allocating 500 variants of 100,000 levels', () => allocate(wanted, levels)],
]

/** The inputs that take longer. */
export const slowRules = (mostMs: number): string[] =>
  works.flatMap(([what, work]) => {
    const ms = processorMs(work, mostMs)
    return ms > mostMs ? [`${what}: ${ms.toFixed(0)} ms`] : []
  })
