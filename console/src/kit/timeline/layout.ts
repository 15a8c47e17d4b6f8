// Where the moments of an effect are drawn: lanes beside each other, time along them. Long waits are shortened.
import type { Entry } from './entries.ts'

export type Lane = Entry['lane']
export const lanes: readonly Lane[] = ['record', 'worker', 'provider']
export const laneNames: Record<Lane, string> = { record: 'Our row', worker: 'Worker', provider: 'Provider' }

/** `along`: the distance from the beginning, in pixels. */
export type Moment = { entry: Entry; along: number }
export type Gap = { from: number; to: number; seconds: number }
export type Layout = { moments: Moment[]; gaps: Gap[]; length: number }

const least = 84
/** From this on, a wait is named. */
const namedS = 1

/** A second is drawn wider than a millisecond and narrower than an hour, by its order of magnitude. */
const distanceOf = (seconds: number) => least + 26 * Math.max(0, Math.log10(1 + seconds * 10))

/** `room`: the length to fill, where there is more than the moments need. */
export function layoutOf(entries: readonly Entry[], room: number, margin: number): Layout {
  const ordered = entries
    .map((entry, index) => ({ entry, index }))
    .sort((a, b) => a.entry.at - b.entry.at || a.index - b.index)
    .map(({ entry }) => entry)
  const distances = ordered.map((entry, at) => {
    const before = ordered[at - 1]
    return before ? distanceOf(Math.max(0, entry.at - before.at)) : 0
  })
  const needed = distances.reduce((sum, one) => sum + one, 0)
  const stretch = needed > 0 ? Math.min(4, Math.max(1, (room - 2 * margin) / needed)) : 1
  let along = margin
  const moments = ordered.map((entry, at): Moment => {
    along += (distances[at] ?? 0) * stretch
    return { entry, along }
  })
  const gaps = moments.flatMap((moment, at): Gap[] => {
    const before = moments[at - 1]
    const seconds = before ? moment.entry.at - before.entry.at : 0
    return before && seconds >= namedS ? [{ from: before.along, to: moment.along, seconds }] : []
  })
  return { moments, gaps, length: along + margin }
}
