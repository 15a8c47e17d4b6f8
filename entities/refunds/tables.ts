// The tables of refunds.
import { record, type Tables } from '../kit/table.ts'
import { refundWait } from './erasure.ts'

export const refundTables = {
  refunds: { rows: record('a caller may repeat a refund_id'), erasure: refundWait },
} satisfies Tables
