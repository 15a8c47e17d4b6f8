// The tables of orders.
import { atOnce, record, type Tables } from '../kit/table.ts'
import { isPayable } from './erasure.ts'

export const orderTables = {
  orders: {
    rows: record(),
    contact: { contact_id: { moves: { locked: true }, counted: { as: 'orders' } } },
    erasure: { awaits: () => isPayable },
  },
  order_lines: { rows: record(), erasure: atOnce },
  shipments: { rows: record(), erasure: atOnce },
} satisfies Tables
