// The tables of refunds.
import { record, type Tables } from '../kit/table.ts'

export const refundTables = {
  refunds: { rows: record('a refund_id may be sent again') },
} satisfies Tables
