// A store's account at the payment provider: created once, then read, as its events may not report its state.
import { proxyActivities, setHandler } from '@temporalio/workflow'
import type * as activities from '../../activities/index.ts'
import { attempts, conclude } from '../kit/attempts.ts'
import { changed } from '../kit/signals.ts'

const { readProviderAccount } = proxyActivities<typeof activities>({
  startToCloseTimeout: '15s',
  retry: { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '60s', maximumAttempts: 60 },
})

export async function connect(id: string): Promise<string> {
  let woken = false
  setHandler(changed, () => {
    woken = true
  })
  const status = await attempts('connect', id)
  if (status === 'succeeded')
    do {
      // A change signalled before this read is in what it reads.
      woken = false
      await readProviderAccount(id)
    } while (woken)
  return conclude(status)
}
