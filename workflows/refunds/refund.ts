// A refund: its attempts, and a failed workflow where a cancelled order's payment was not refunded.
import { continueAsNew, setHandler } from '@temporalio/workflow'
import { attempts, conclude } from '../kit/attempts.ts'
import { changed } from '../kit/signals.ts'
import { steps } from '../kit/steps.ts'

export async function refund(id: string): Promise<string> {
  let woken = false
  setHandler(changed, () => {
    woken = true
  })
  for (;;) {
    // A change signalled before this read is in what it reads: an event may say that the refund failed while the answer that it succeeded is on its way.
    woken = false
    const status = await attempts('refund', id)
    if (status === 'requested') return continueAsNew<typeof refund>(id)
    const ended = status === 'failed' || status === 'rejected'
    const due = ended && (await steps.refundIsDue(id))
    if (!woken) return conclude(status, due)
  }
}
