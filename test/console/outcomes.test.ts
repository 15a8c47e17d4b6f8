// Every status that the overview counts is shown as what it is.
import fs from 'node:fs'
import { expect, test } from '@jest/globals'
import { outcomesOf, series, toneOf } from '../../console/src/pages/overview/outcomes.ts'

const { components } = JSON.parse(fs.readFileSync(new URL('../../api/openapi.json', import.meta.url), 'utf8'))
const { properties } = components.schemas.OverviewFigures as {
  properties: Record<string, { description: string }>
}

test('Every status of an effect in the document has a tone', () => {
  const named = ['refunds', 'mails', 'messages', 'deliveries', 'executions'].flatMap((name) =>
    [...(properties[name]?.description ?? '').matchAll(/`(\w+)`/g)].map(([, status]) => status as string),
  )
  expect(named.length).toBeGreaterThan(20)
  expect(named.filter((status) => !toneOf[status])).toEqual([])
})

test('What was cancelled is not in progress', () => {
  expect(outcomesOf({ completed: 2, cancelled: 3, running: 1, of_a_later_version: 1 })).toEqual({
    good: 2,
    busy: 1,
    doubt: 0,
    bad: 0,
    over: 3,
    total: 7,
  })
})

test('Every figure that the overview has by day can be drawn', () => {
  // What was refunded is drawn beside what was sold.
  const figures = Object.keys(properties).filter((name) => name !== 'refunded')
  expect(series.map(([name]) => name).sort()).toEqual(figures.sort())
})
