// A refund: its attempts, and a failed workflow where a cancelled order's payment was not refunded.
import { continueAsNew } from '@temporalio/workflow'
import { attempts, conclude } from './attempts.ts'
import { steps } from './steps.ts'

export async function refund(id: string): Promise<string> {
  const status = await attempts('refund', id)
  if (status === 'requested') return continueAsNew<typeof refund>(id)
  const ended = status === 'failed' || status === 'rejected'
  return conclude(status, ended && (await steps.refundIsDue(id)))
}
