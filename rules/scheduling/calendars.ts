// What the calendar of a provider and the duration of a service consist of.
import { z } from 'zod'
import { anyCase } from '../shapes.ts'

const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const
export const Weekday = z.enum(days)
export type Weekday = z.infer<typeof Weekday>

/** Wall-clock times of the store's zone. `to` may be 24:00; one that is not after `from` is on the next day. */
export const TimeWindow = z
  .strictObject({
    from: z
      .string()
      .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'Expected HH:MM, from 00:00 to 23:59.')
      .describe("Start, HH:MM in the {store}'s time zone."),
    to: z
      .string()
      .regex(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/, 'Expected HH:MM, from 00:00 to 24:00.')
      .describe(
        "End, HH:MM in the {store}'s time zone, up to 24:00. If it is not later than `from`, it is on the next day.",
      ),
  })
  .meta({ id: 'TimeWindow' })
export type TimeWindow = z.infer<typeof TimeWindow>

const Windows = z.array(TimeWindow).max(50)

export const WorkingDay = z
  .strictObject({
    day: anyCase(Weekday).describe('Day of the week.'),
    windows: Windows.describe('Opening hours of the day, 50 windows at most.'),
  })
  .meta({ id: 'WorkingDay' })
export type WorkingDay = z.infer<typeof WorkingDay>

/** A day of the store's calendar, of the years 1970 to 9999. */
export const LocalDate = z.iso.date().refine((date) => date >= '1970', 'Expected a date from 1970 on.')

/** Replaces the working day of its date. Without windows, the date is closed. */
export const SpecificDate = z
  .strictObject({
    date: LocalDate.describe("Day in the {store}'s time zone, YYYY-MM-DD."),
    windows: Windows.describe('Opening hours of the day; empty if it is closed.'),
  })
  .meta({ id: 'SpecificDate' })
export type SpecificDate = z.infer<typeof SpecificDate>

/** Minutes, up to a day. */
export const Minutes = z.int().min(1).max(1440)

export const ServiceDuration = z
  .strictObject({ duration: Minutes.describe('Length of a slot, in minutes.') })
  .meta({ id: 'ServiceDuration' })
export type ServiceDuration = z.infer<typeof ServiceDuration>

/** A step of a slot: steps follow each other, and a slot lasts their sum. */
export const Segment = z
  .strictObject({
    duration: Minutes.describe('Length of the step, in minutes.'),
    is_pause: z
      .boolean()
      .default(false)
      .describe('Whether the step is a pause, in which the provider is not free either; false by default.'),
  })
  .meta({ id: 'Segment' })
export type Segment = z.infer<typeof Segment>

/** The visibility of services and providers: only operators find and book private ones. */
export const Visibility = z.enum(['public', 'private'])
export type Visibility = z.infer<typeof Visibility>
