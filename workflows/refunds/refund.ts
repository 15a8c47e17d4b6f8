// A refund: its attempts, and a failed workflow where a cancelled order's payment was not refunded.
import { continueAsNew } from '@temporalio/workflow'
import { attempts, conclude } from '../kit/attempts.ts'
import { listen } from '../kit/changes.ts'
import { steps } from '../kit/steps.ts'

export async function refund(id: string): Promise<string> {
  const changes = listen()
  for (;;) {
    // An event may say that the refund failed while the answer that it succeeded is on its way.
    changes.clear()
    const status = await attempts('refund', id)
    if (status === 'requested') return continueAsNew<typeof refund>(id)
    const ended = status === 'failed' || status === 'rejected'
    const due = ended && (await steps.refundIsDue(id))
    if (!changes.signalled) return conclude(status, due)
  }
}
