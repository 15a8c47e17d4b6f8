// A store whose rows are as large as they may be, by parts.
import { fillAutomation } from './automation.ts'
import { fillCatalog, fillPromoCodes } from './catalog.ts'
import { fillContent } from './content.ts'
import type { Made, Maker } from './maker.ts'
import { fillMarkets, fillPlaces } from './markets.ts'
import { fillOrders } from './orders.ts'
import { fillCalendars } from './scheduling.ts'

export const partNames = ['content', 'automation', 'commerce'] as const
export type PartName = (typeof partNames)[number]

async function fillCommerce(maker: Maker, taxonomies: Made[]): Promise<void> {
  await fillMarkets(maker)
  const locations = await fillPlaces(maker)
  const sold = await fillCatalog(maker, locations, taxonomies)
  const calendar = await fillCalendars(maker, taxonomies)
  const promoCode = await fillPromoCodes(maker, sold, calendar.service_id)
  await fillOrders(maker, sold, calendar, promoCode)
}

/** Creates these parts of the store, all at their limits. */
export async function fill(maker: Maker, parts: readonly PartName[]): Promise<void> {
  const { taxonomies } = parts.includes('content') ? await fillContent(maker) : { taxonomies: [] }
  if (parts.includes('automation')) await fillAutomation(maker)
  if (parts.includes('commerce')) await fillCommerce(maker, taxonomies)
}
