// Rows of paid orders and their refunds, written directly: states of earlier versions, or states that no request can
// produce.
import { newId } from '../../../entities/kit/ids.ts'

type Row = Record<string, unknown>
/** Runs a statement whose values stand at `?`. */
type Execute = (sql: string, values: unknown[]) => Promise<unknown>
export type PaidRow = { order_id: string; payment_id: string }

let number = 0

export function paymentRows(execute: Execute) {
  const tenant_id = newId()
  async function insert(table: string, row: Row): Promise<string> {
    const full: Row = { id: newId(), tenant_id, created_at: 1, updated_at: 1, ...row }
    const names = Object.keys(full)
    await execute(
      `insert into ${table} (${names.join(', ')}) values (${names.map(() => '?').join(', ')})`,
      Object.values(full),
    )
    return full.id as string
  }
  return {
    tenant_id,
    insert,
    /** An order of this status, with 50.00 USD captured. */
    async paid(status: string, payment: Row = {}): Promise<PaidRow> {
      const order_id = await insert('orders', {
        ...{
          number: ++number,
          status,
          fulfillment_status: 'none',
          contact_id: newId(),
          verified: false,
          source_cart_id: newId(),
          payment_id: newId(),
        },
        ...{ market: 'us', money: '{}', forms: '[]' },
      })
      const payment_id = await insert('payments', {
        ...{
          order_id,
          type: 'card',
          status: 'paid',
          currency: 'USD',
          amount: 5000,
          captured_amount: 5000,
          provider_account_id: `acct_${tenant_id}`,
          ...payment,
        },
      })
      return { order_id, payment_id }
    },
    refund: (of: PaidRow, status: string, amount: number, more: Row = {}) =>
      insert('refunds', {
        ...of,
        refund_id: newId(),
        amount,
        currency: 'USD',
        origin: 'operator',
        fingerprint: '',
        attempt: 0,
        status,
        ...more,
      }),
  }
}
