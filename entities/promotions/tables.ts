// The tables of promo codes.
import { sql } from '../kit/database/sql.ts'
import { atOnce, record, type Tables } from '../kit/table.ts'

export const promotionTables = {
  promo_codes: { rows: record(), erasure: atOnce },
  // Those of a subscription move with its membership.
  promo_redemptions: {
    rows: record(),
    contact: { contact_id: { moves: { where: sql`order_id is not null` } } },
    erasure: atOnce,
  },
} satisfies Tables
