// Where the moments of an effect are drawn: lanes beside each other, time along them. Long waits are shortened.
import type { Entry } from './courses.ts'

export type Lane = Entry['lane']
export const lanes: readonly Lane[] = ['record', 'worker', 'provider']
export const laneNames: Record<Lane, string> = { record: 'Record', worker: 'Worker', provider: 'Provider' }

/** `along`: the distance from the beginning, in pixels. */
export type Moment = { entry: Entry; along: number }
export type Gap = { from: number; to: number; seconds: number }
export type Layout = { moments: Moment[]; gaps: Gap[]; length: number }

const least = 72
/** As much narrower it gets to fit the room; beyond that the picture is scrolled. */
const narrowest = 0.55
/** From this on, a wait is named. */
const namedS = 1

/** A second is drawn wider than a millisecond and narrower than an hour, by its order of magnitude. */
const distanceOf = (seconds: number) => least + 26 * Math.max(0, Math.log10(1 + seconds * 10))

/** `room`: the length to fit and to fill, if there is one. `before` and `after`: what is kept free. */
export function layoutOf(entries: readonly Entry[], room: number | undefined, before: number, after: number): Layout {
  const ordered = entries
    .map((entry, index) => ({ entry, index }))
    .sort((a, b) => a.entry.at - b.entry.at || a.index - b.index)
    .map(({ entry }) => entry)
  const distances = ordered.map((entry, at) => {
    const last = ordered[at - 1]
    return last ? distanceOf(Math.max(0, entry.at - last.at)) : 0
  })
  const needed = distances.reduce((sum, one) => sum + one, 0)
  const isFree = room === undefined || needed === 0
  const stretch = isFree ? 1 : Math.min(4, Math.max(narrowest, (room - before - after) / needed))
  let along = before
  const moments = ordered.map((entry, at): Moment => {
    along += (distances[at] ?? 0) * stretch
    return { entry, along }
  })
  const gaps = moments.flatMap((moment, at): Gap[] => {
    const last = moments[at - 1]
    const seconds = last ? moment.entry.at - last.entry.at : 0
    return last && seconds >= namedS ? [{ from: last.along, to: moment.along, seconds }] : []
  })
  return { moments, gaps, length: along + after }
}

/** The row of each label of this width, so that none touches another one; undefined where no row has room for it. */
export function labelRows(moments: readonly Pick<Moment, 'along'>[], width: number, count = 2): (number | undefined)[] {
  const ends: number[] = Array.from({ length: count }, () => -Infinity)
  return moments.map(({ along }) => {
    const row = ends.findIndex((end) => along - end >= width)
    if (row < 0) return undefined
    ends[row] = along
    return row
  })
}

/** `from` and `to`: where the name of a moment begins and ends, along its lane. */
type Named = { lane: Lane; from: number; to: number; isBelow: boolean }

/** Whether each name stands below its lane. It changes sides where it would touch a name before it. */
export function sidesOf(names: readonly Named[]): boolean[] {
  const ends = new Map<string, number>()
  const isFree = (side: string, from: number) => (ends.get(side) ?? -Infinity) < from
  return names.map(({ lane, from, to, isBelow }) => {
    const below = isFree(`${lane} ${isBelow}`, from) || !isFree(`${lane} ${!isBelow}`, from) ? isBelow : !isBelow
    ends.set(`${lane} ${below}`, to)
    return below
  })
}

/** What came right before an outcome: the answer or the silence that led to it, or the outcome that it replaced. */
export const causeOf = (moments: readonly Moment[], outcome: Moment): Moment | undefined =>
  moments
    .slice(0, moments.indexOf(outcome))
    .findLast(({ entry }) => ['answered', 'silence', 'settled'].includes(entry.kind))
