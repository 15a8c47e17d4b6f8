// A store's account at the provider: made once, and read again where its events do not say how it stands.
import { patched, proxyActivities, setHandler } from '@temporalio/workflow'
import type * as activities from '../activities/index.ts'
import { attempts, conclude, sending } from './attempts.ts'
import { changed } from './signals.ts'

const { readProviderAccount } = proxyActivities<typeof activities>({
  startToCloseTimeout: '15s',
  retry: { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '60s', maximumAttempts: 60 },
})

export async function connect(id: string): Promise<string> {
  let woken = false
  setHandler(changed, () => {
    woken = true
  })
  const status = await attempts('payment_providers', id, sending.sendConnect)
  if (status === 'succeeded' && patched('account_read'))
    do {
      // What woke us before is in what is read now.
      woken = false
      await readProviderAccount(id)
    } while (woken)
  return conclude(status)
}
