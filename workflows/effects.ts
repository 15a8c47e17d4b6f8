// One line per effect that is a process of its own.
import { continueAsNew, patched } from '@temporalio/workflow'
import { attempts, conclude, sending } from './attempts.ts'
import { steps } from './steps.ts'

export async function refund(id: string): Promise<string> {
  const status = await attempts('refunds', id, sending.sendRefund)
  if (status === 'requested') return continueAsNew<typeof refund>(id)
  const ended = status === 'failed' || status === 'rejected'
  return conclude(status, ended && patched('refund_due') && (await steps.refundIsDue(id)))
}
export const mail = async (id: string) => conclude(await attempts('mails', id, sending.sendMail))
export const webhook_test = async (id: string) => conclude(await attempts('webhook_tests', id, sending.sendWebhookTest))
