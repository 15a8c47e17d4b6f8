// What a store sold and did by day: figures by outcome, of days of its time zone, and what waits to be done.
import { z } from 'zod'
import { shortened } from '../excerpts.ts'
import type { SocialContent } from '../publications/content.ts'
import { addDays, localDateOf, startOfDay } from '../scheduling/local-time.ts'
import type { NetworkType } from '../social/networks/network-types.ts'
import { networks } from '../social/networks/networks.ts'

export const DAYS_MAX = 92
/** What waits is counted up to here. */
export const WAITING_MAX = 10_000

/** What is counted by status. */
export const countedNames = ['orders', 'bookings', 'refunds', 'deliveries', 'mails', 'messages', 'executions'] as const
export type CountedName = (typeof countedNames)[number]

export type DayBounds = { date: string; from: number; to: number }

/**
 * So many days of the zone, the last one the day of `now`. A day on which clocks change has less or more than 24 hours.
 * Unix seconds.
 */
export function daysUntil(now: number, days: number, zone: string): DayBounds[] {
  const today = localDateOf(now, zone)
  return Array.from({ length: days }, (_, n) => {
    const date = addDays(today, n + 1 - days)
    return { date, from: startOfDay(date, zone), to: startOfDay(addDays(date, 1), zone) }
  })
}

/** What is added up by currency. */
const moneyNames = ['sales', 'refunded'] as const
type MoneyName = (typeof moneyNames)[number]

/** `day`: from 1. `word`: a status, or of money a currency. */
export type Figure = {
  what: CountedName | MoneyName
  day: number
  word: string
  count: number
  amount: number
}

type Money = { currency: string; count: number; amount: number }
export type Figures = Record<CountedName, Record<string, number>> & Record<MoneyName, Money[]>

/** The sum of figures: counts by status, and money by currency. */
export function figuresOf(figures: readonly Figure[]): Figures {
  const counts = (name: CountedName) => {
    const sums = Map.groupBy(
      figures.filter(({ what }) => what === name),
      ({ word }) => word,
    )
    return Object.fromEntries([...sums].map(([word, own]) => [word, own.reduce((sum, { count }) => sum + count, 0)]))
  }
  const money = (name: MoneyName) =>
    [
      ...Map.groupBy(
        figures.filter(({ what }) => what === name),
        ({ word }) => word,
      ),
    ]
      .map(([currency, own]) => ({
        currency,
        count: own.reduce((sum, { count }) => sum + count, 0),
        amount: own.reduce((sum, { amount }) => sum + amount, 0),
      }))
      .sort((a, b) => (a.currency < b.currency ? -1 : 1))
  return {
    ...(Object.fromEntries(countedNames.map((name) => [name, counts(name)])) as Record<
      CountedName,
      Record<string, number>
    >),
    sales: money('sales'),
    refunded: money('refunded'),
  }
}

/** What is next is listed up to here, of each kind. */
export const NEXT_MAX = 50

const LABEL_MAX = 80
/** What people call a post: its network, and how it begins. */
export function publicationLabel(
  type: NetworkType,
  { title, caption }: Pick<SocialContent, 'title' | 'caption'>,
): string {
  const [first = ''] = (title ?? caption ?? '').trim().split('\n')
  const begun = shortened(first, LABEL_MAX)
  return begun === '' ? networks[type].name : `${networks[type].name}: ${begun}`
}

export const Stage = z.enum(['start', 'slot', 'due'])
export type Stage = z.infer<typeof Stage>
