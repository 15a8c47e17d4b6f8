// What a person does about a store that offers something and cannot sell it: what a checkout would refuse.
import { type ItemText, wrong } from '../attention.ts'
import { type DescribedRow, kindOf } from '../descriptions.ts'
import { isolated } from '../isolated.ts'
import { type CheckId, checks, type MendFacts, mendOfCheck } from './checks.ts'

const noPayment = 'sell what it offers: no method of payment can be used'
/** What each check that fails keeps a store from, in the order in which they are mended. */
const lacking = {
  market: 'sell what it offers: it has no market',
  payment_method: noPayment,
  card_account: noPayment,
  price: 'sell what it offers: nothing has a price in a market',
  location: 'ship what it offers: no location has an address with a country',
  pickup_location: 'hand out what it offers: a location where goods are picked up has no address with a country',
} as const satisfies Partial<Record<CheckId, string>>
export type Lack = keyof typeof lacking
export const lackNames = Object.keys(lacking) as Lack[]

export type ReadinessFacts = DescribedRow & Omit<MendFacts, 'kind' | 'has_service'> & { lacks: Lack[] }

/** `row.lacks` has at least one check. */
export function readinessItem(row: ReadinessFacts): ItemText {
  const kind = kindOf(row)
  const first = row.lacks[0] as Lack
  // It offers a service, if it has no active product.
  const ways = row.lacks.map((id) => mendOfCheck(id, { ...row, kind, has_service: true }, row.id))
  return {
    title: `The ${kind} ${isolated(row.store ?? '')} cannot ${lacking[first]}.`,
    subject: { type: kind, id: row.id, label: row.store },
    evidence: wrong(
      { code: 'not_ready', message: row.lacks.map((id) => `Needed: ${lowered(checks[id].title)}`).join(' ') },
      {},
    ),
    what_to_do: `${ways.map(({ what_to_do }) => what_to_do).join(' ')} The item ends when a checkout is possible.`,
    resolve: null,
    mend: ways[0]?.mend ?? null,
    process: null,
  }
}

const lowered = (sentence: string): string => sentence.slice(0, 1).toLowerCase() + sentence.slice(1)
