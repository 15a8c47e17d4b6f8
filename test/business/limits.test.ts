// Legal requests at their limits, and cursors and texts that no client makes, are answered or refused: none is a server error, and none occupies a process.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Business, newBusiness } from '../kit/business.ts'
import { database } from '../kit/shop.ts'

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
