// Slots: spans of time that are offered and booked, and the status of booked ones.
import { z } from 'zod'
import { UnixSeconds } from '../shapes.ts'

export const Slot = z
  .strictObject({
    from: UnixSeconds.describe('Start, in Unix seconds.'),
    to: UnixSeconds.describe('End, in Unix seconds; later than `from`.'),
  })
  .refine(({ from, to }) => from < to, { error: 'Must be later than `from`.', path: ['to'] })
  .meta({ id: 'Slot', description: 'A span of time, in Unix seconds.' })
export type Slot = z.infer<typeof Slot>

/** What else a slot of the availability has: it may be sent, and is ignored. */
export const freeSlotFields = {
  spots: z.int().optional().describe('Ignored, so that a slot of the availability can be sent as it is.'),
}

/** A slot to book. */
export const SentSlot = z
  .strictObject({ ...Slot.shape, ...freeSlotFields })
  .meta({
    id: 'SentSlot',
    description: 'A span of time to book, in Unix seconds: a slot of the availability, as it is.',
  })
  .transform(({ from, to }) => ({ from, to }))
  .pipe(Slot)

/** The status of booked time. */
export const BookingStatus = z.enum(['pending', 'confirmed', 'completed', 'no_show', 'cancelled'])
export type BookingStatus = z.infer<typeof BookingStatus>
