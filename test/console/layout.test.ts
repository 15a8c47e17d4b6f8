// The picture of an effect fits the room that it has, and moments stay apart.
import { expect, test } from '@jest/globals'
import type { Entry } from '../../console/src/kit/timeline/courses.ts'
import { causeOf, type Lane, labelRows, layoutOf, type Moment, sidesOf } from '../../console/src/kit/timeline/layout.ts'

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
    expect(labelRows(layoutOf(entries, room, before, after).moments, 79)).not.toContain(undefined)
})

test('No name touches another one on its side of a lane', () => {
  const name = (lane: Lane, from: number, to: number, isBelow = false) => ({ lane, from, to, isBelow })
  expect(
    sidesOf([
      name('record', 0, 50),
      // Where the one before it ends.
      name('record', 40, 200),
      // Above, there is room again.
      name('record', 80, 120),
      name('provider', 80, 120, true),
      name('provider', 110, 150, true),
      // Both sides are taken: it stays where it belongs.
      name('provider', 115, 150, true),
    ]),
  ).toEqual([false, true, false, true, false, true])
})

test('An outcome follows from the answer or silence before it, or from none if it is a later one', () => {
  const kinds = [
    'requested',
    'sent',
    'silence',
    'settled',
    'late_evidence',
    'settled',
    'answered',
    'settled',
    'answered',
  ]
  const moments = kinds.map((kind, at) => ({ entry: { kind, at }, along: at * 40 }) as Moment)
  const causes = moments.filter(({ entry }) => entry.kind === 'settled').map((one) => causeOf(moments, one))
  expect(causes.map((cause) => cause && moments.indexOf(cause))).toEqual([2, 3, 6])
  expect(causeOf(moments.slice(0, 2), moments[1] as Moment)).toBeUndefined()
})
