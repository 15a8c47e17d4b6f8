// The tables of promo codes.
import { sql } from '../kit/database/sql.ts'
import { record, type Tables } from '../kit/table.ts'

export const promotionTables = {
  promo_codes: { rows: record() },
  // Those of a subscription move with its membership.
  promo_redemptions: { rows: record(), contact: { contact_id: { moves: { where: sql`order_id is not null` } } } },
} satisfies Tables
