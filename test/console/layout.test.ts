// The picture of an effect fits the room that it has, and moments stay apart.
import { expect, test } from '@jest/globals'
import type { Entry } from '../../console/src/kit/timeline/courses.ts'
import { labelRows, layoutOf } from '../../console/src/kit/timeline/layout.ts'

const entries = [0, 0.7, 0.8, 0.9, 35, 39].map((at) => ({ at })) as Entry[]
const [before, after] = [104, 46]
const distances = (room: number | undefined) => {
  const { moments, length } = layoutOf(entries, room, before, after)
  const alongs = moments.map(({ along }) => along)
  return { length, least: Math.min(...alongs.slice(1).map((along, at) => along - (alongs[at] ?? 0))) }
}

test('Six moments fit beside the list of Attention, and are scrolled in less room', () => {
  const own = distances(undefined)
  expect(own.length).toBeGreaterThan(490)
  expect(distances(490).length).toBeCloseTo(490)
  expect(distances(300).length).toBeGreaterThan(300)
  for (const room of [300, 490, 1200, undefined]) expect(distances(room).least).toBeGreaterThan(39)
})

test('Moments fill a room that is wider than they need', () => {
  expect(distances(1200).length).toBeCloseTo(1200)
})

test('No time below the picture touches another one', () => {
  const rowsOf = (alongs: number[]) =>
    labelRows(
      alongs.map((along) => ({ along })),
      76,
    )
  expect(rowsOf([104, 200, 240, 280, 320])).toEqual([0, 0, 1, 0, 1])
  expect(rowsOf([104, 120, 130])).toEqual([0, 1, undefined])
  for (const room of [300, 490, 1200, undefined])
    expect(labelRows(layoutOf(entries, room, before, after).moments, 76)).not.toContain(undefined)
})
