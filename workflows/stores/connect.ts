// A store's account at the payment provider: created once, then read, as its events may not report its state.
import { proxyActivities } from '@temporalio/workflow'
import type * as activities from '../../activities/index.ts'
import { attempts, conclude } from '../kit/attempts.ts'
import { listen } from '../kit/changes.ts'

const { readProviderAccount } = proxyActivities<typeof activities>({
  startToCloseTimeout: '15s',
  retry: { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '60s', maximumAttempts: 60 },
})

export async function connect(id: string): Promise<string> {
  const changes = listen()
  const status = await attempts('connect', id)
  if (status === 'succeeded') await changes.repeat(() => readProviderAccount(id))
  return conclude(status)
}
