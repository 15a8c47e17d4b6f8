// Days as bars. Loaded where they are drawn: the library is larger than the rest of the page.
import '@mantine/charts/styles.css'
import { BarChart } from '@mantine/charts'
import { wordsOf } from '../../kit/document/schema.ts'
import { moneyText } from '../../kit/format.ts'
import type { Overview } from './figures.ts'
import { type SeriesName, toneOf } from './outcomes.ts'

const dayName = (date: string) =>
  new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' }).format(Date.parse(date))

const colours: Record<string, string> = {
  confirmed: 'teal.6',
  pending: 'blue.5',
  partially_cancelled: 'orange.5',
  cancelled: 'gray.5',
}
const ofTones = { good: 'teal.6', busy: 'blue.5', doubt: 'orange.6', bad: 'red.6', over: 'gray.5' }
function colourOf(status: string): string {
  const tone = toneOf[status]
  return colours[status] ?? (tone ? ofTones[tone] : 'violet.5')
}

export function SalesChart({ days, currency }: { days: Overview['days']; currency: string }) {
  const amountOf = (sums: Overview['totals']['sales']) => sums.find((one) => one.currency === currency)?.amount ?? 0
  const data = days.map((day) => ({
    day: dayName(day.date),
    Sales: amountOf(day.sales),
    Refunded: amountOf(day.refunded),
  }))
  const isEmpty = data.every((day) => day.Sales === 0 && day.Refunded === 0)
  return (
    <BarChart
      h={220}
      data={data}
      dataKey="day"
      series={[
        { name: 'Sales', color: 'indigo.6' },
        { name: 'Refunded', color: 'orange.6' },
      ]}
      valueFormatter={(amount) => moneyText(amount, currency)}
      // Without sales, the axis would end at a few minor units.
      yAxisProps={{ width: 76, ...(isEmpty ? { domain: [0, 1], ticks: [0] } : {}) }}
      xAxisProps={{ interval: 'equidistantPreserveStart' }}
      tickLine="none"
      withLegend
      barProps={{ isAnimationActive: false }}
    />
  )
}

/** `of`: figures by status. */
export function CountChart({ days, of }: { days: Overview['days']; of: Exclude<SeriesName, 'sales'> }) {
  const statuses = [...new Set(days.flatMap((day) => Object.keys(day[of])))]
  const data = days.map((day) => ({ day: dayName(day.date), ...day[of] }))
  return (
    <BarChart
      h={220}
      data={data}
      dataKey="day"
      type="stacked"
      series={statuses.map((name) => ({
        name,
        label: wordsOf(name),
        color: colourOf(name.toLowerCase()),
      }))}
      yAxisProps={{ width: 40, allowDecimals: false }}
      xAxisProps={{ interval: 'equidistantPreserveStart' }}
      tickLine="none"
      withLegend
      barProps={{ isAnimationActive: false }}
    />
  )
}
