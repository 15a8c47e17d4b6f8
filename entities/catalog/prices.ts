// A price belongs to a market of the store and is in that market's currency.
import { LockMode } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { invalid } from '../../rules/refusal.ts'
import type { Price } from '../../rules/stores/markets.ts'
import { Market } from '../stores/market.ts'

export type Priced = { prices: Price[] | undefined; pointer: string }

/**
 * Returns the lists with the currency of each price's market. 422 market_unknown, currency_mismatch. The markets are
 * locked until the transaction ends.
 */
export async function inCurrencies(em: EntityManager, lists: readonly Priced[]): Promise<(Price[] | undefined)[]> {
  const keys = [...new Set(lists.flatMap(({ prices }) => prices?.map(({ market }) => market) ?? []))]
  if (keys.length === 0) return lists.map(({ prices }) => prices)
  const markets = await em.find(
    Market,
    { key: { $in: keys } },
    { orderBy: { id: 'asc' }, lockMode: LockMode.PESSIMISTIC_READ },
  )
  const currencies = new Map(markets.map(({ key, currency }) => [key, currency]))
  return lists.map(({ prices, pointer }) =>
    prices?.map(({ market, currency, amount }, at) => {
      const own = currencies.get(market)
      if (!own) throw invalid(`${pointer}/${at}/market`, 'market_unknown', `There is no market ${market}.`)
      if (currency && currency !== own)
        throw invalid(
          `${pointer}/${at}/currency`,
          'currency_mismatch',
          `The currency of the market ${market} is ${own}.`,
        )
      return { market, currency: own, amount }
    }),
  )
}
