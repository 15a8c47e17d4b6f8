// What happened to a record, by the effects that it is about.
import type { TimelineEntry } from '../../../../client/client.ts'

export type Entry = TimelineEntry
export type Effect = NonNullable<Entry['effect']>
export type Course = { effect: Effect; entries: Entry[] }

/** The entries of each effect, the oldest first; the effects with the latest entry first. */
export function coursesOf(entries: readonly Entry[]): Course[] {
  const courses = new Map<string, Course>()
  for (const entry of entries) {
    if (!entry.effect) continue
    const course = courses.get(entry.effect.id) ?? { effect: entry.effect, entries: [] }
    course.entries.unshift(entry)
    courses.set(entry.effect.id, course)
  }
  return [...courses.values()]
}
