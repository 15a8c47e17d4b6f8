// Legal requests at their limits, and cursors and texts that no client makes, are answered or refused: none is a server error, and none occupies a process.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { dateIn } from '../kit/booking.ts'
import { type Business, newBusiness } from '../kit/business.ts'
import { refusalOf } from '../kit/buying.ts'
import { database, http } from '../kit/shop.ts'

let salon: Business
beforeAll(async () => {
  salon = await newBusiness()
})
afterAll(async () => database().end())

const everyDay = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'].map((day) => ({ day, workingHours: [{ from: 540, to: 1020 }] }))

async function linked(providerId: string, specificDates: object[] = [], workingDays: object[] = everyDay): Promise<string> {
  const { id: serviceId } = await salon.make('/services', { prices: [{ market: 'booking', amount: 1000 }] })
  await salon.make('/service-providers', { serviceId, providerId, workingDays, specificDates, slotInterval: 60 })
  return serviceId
}

test('A search for free time on the last days of the calendar is refused', async () => {
  const { id } = await salon.make('/providers')
  await linked(id, [], [])
  const end = 253_402_300_799
  const { status, body } = await salon.see(`/providers?ids=${id}&from=${end - 86_400}&to=${end}`)
  expect([status, body.errors?.[0]]).toMatchObject([422, { pointer: 'to', code: 'too_big' }])
})

test('Working time of more hours than an answer can put together is refused for all services at once', async () => {
  const { id } = await salon.make('/providers')
  const dates = (year: number) =>
    Array.from({ length: 1000 }, (_, nth) => ({
      date: new Date(Date.UTC(year, 0, 1) + nth * 86_400_000).toISOString().slice(0, 10),
      workingHours: [{ from: 600, to: 660 }],
    }))
  const services: string[] = []
  for (let year = 2030; year < 2120; year += 3) services.push(await linked(id, dates(year)))
  expect(refusalOf(await salon.see(`/providers/${id}/working-time`))).toEqual([422, 'serviceId', 'too_many_slots'])
  const { status, body } = await salon.see(`/providers/${id}/working-time?serviceId=${services[0]}`)
  expect([status, body.specificDates.length, body.specificDates[0]]).toEqual([200, 1000, { date: '2030-01-01', workingHours: [{ from: 600, to: 660 }] }])
})

test('A booking of more than a hundred slots of a provider is delivered, and can be sent back', async () => {
  const { id: providerId } = await salon.make('/providers')
  const { id: serviceId } = await salon.make('/services', { prices: [{ market: 'booking', amount: 1 }] })
  const workingDays = everyDay.map(({ day }) => ({ day, workingHours: [{ from: 0, to: 1440 }] }))
  await salon.make('/service-providers', { serviceId, providerId, workingDays, specificDates: [], slotInterval: 60 })
  const webhook = await salon.make('/webhooks', { url: 'http://127.0.0.1:9/', events: [{ event: 'booking.created' }] })
  const begin = Date.parse(`${dateIn(60)}T00:00:00Z`) / 1000
  const slots = Array.from({ length: 120 }, (_, nth) => ({ from: begin + nth * 3600, to: begin + (nth + 1) * 3600 }))
  const items = [slots.slice(0, 60), slots.slice(60)].map((some) => ({ serviceId, providerId, slots: some }))
  const booked = await salon.ask('POST', '/bookings', { items, paymentMethodId: 'cash' })
  expect([booked.status, booked.body.parts?.[0].slots]).toEqual([201, slots])
  const [delivery] = (await salon.ask('GET', `/webhooks/${webhook.id}/deliveries`)).body.items
  const { status, body } = await salon.ask('GET', `/webhooks/${webhook.id}/deliveries/${delivery.id}`)
  expect([status, body.event?.data.parts[0].slots]).toEqual([200, slots])
  expect((await salon.ask('PUT', `/bookings/${booked.body.id}`, booked.body)).body).toEqual(booked.body)
})
