// Bookings and reservations of the business surface: two modules with the same engine. The cart is the client's; a
// booking is an order of its parts.
import { BookingRecord, ReservationRecord } from '../../rules/bookings/booking-records.ts'
import { listing } from '../kit/answer/listing.ts'
import { route } from '../kit/route.ts'
import { changing } from './booking-changes.ts'
import { checkingOut, creating } from './booking-checkout.ts'
import { quoting } from './booking-quote.ts'
import { listed, reads } from './booking-reads.ts'
import { BookingChange, ReservationChange } from './booking-shapes.ts'

export const bookings = [
  route('POST /v1/businesses/{businessId}/bookings/quote', {
    operation: 'quoteBusinessBooking',
    summary: 'Quote a booking',
    ...quoting,
  }),
  route('POST /v1/businesses/{businessId}/bookings/checkout', {
    operation: 'checkoutBusinessBooking',
    summary: 'Check out a booking',
    ...checkingOut('booking', BookingRecord),
  }),
  route('POST /v1/businesses/{businessId}/bookings', {
    summary: 'Create a booking',
    ...creating('booking', BookingRecord),
  }),
  listing('GET /v1/businesses/{businessId}/bookings', {
    summary: 'List the bookings',
    item: BookingRecord,
    ...listed('booking'),
  }),
  route('GET /v1/businesses/{businessId}/bookings/{id}', {
    summary: 'Read a booking',
    ...reads('booking', BookingRecord),
  }),
  route('PUT /v1/businesses/{businessId}/bookings/{id}', {
    summary: 'Update a booking',
    body: BookingChange,
    ...changing('booking', BookingRecord),
  }),
  route('POST /v1/businesses/{businessId}/reservations/quote', {
    operation: 'quoteBusinessReservation',
    summary: 'Quote a reservation',
    ...quoting,
  }),
  route('POST /v1/businesses/{businessId}/reservations/checkout', {
    operation: 'checkoutBusinessReservation',
    summary: 'Check out a reservation',
    ...checkingOut('reservation', ReservationRecord),
  }),
  route('POST /v1/businesses/{businessId}/reservations', {
    summary: 'Create a reservation',
    ...creating('reservation', ReservationRecord),
  }),
  listing('GET /v1/businesses/{businessId}/reservations', {
    summary: 'List the reservations',
    item: ReservationRecord,
    ...listed('reservation'),
  }),
  route('GET /v1/businesses/{businessId}/reservations/{id}', {
    summary: 'Read a reservation',
    ...reads('reservation', ReservationRecord),
  }),
  route('PUT /v1/businesses/{businessId}/reservations/{id}', {
    summary: 'Update a reservation',
    body: ReservationChange,
    ...changing('reservation', ReservationRecord),
  }),
]
