// Checkout by card, until the payment page is open.

import { lanesOf, type Path } from '../kit/path.ts'
import { checkout } from './cash-checkout.ts'

export const card = { payment_method_key: 'credit_card', return_url: 'http://127.0.0.1:3000/thanks' }

export const cardCheckout: Path = {
  name: 'card-checkout',
  floor: 'workflow',
  once: 800,
  lanes: async (shop, clients, each) =>
    lanesOf(await shop.buyers(clients * each), clients, (buyer) => checkout(buyer, card)),
}
