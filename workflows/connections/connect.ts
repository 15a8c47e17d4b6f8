// A consent: sends its code once, then reads which accounts it names.
import { proxyActivities } from '@temporalio/workflow'
import type * as activities from '../../activities/index.ts'
import { attempts, conclude, made } from '../kit/attempts.ts'
import { steps } from '../kit/steps.ts'

/** Reads of the network: they may repeat. After the last attempt, some two minutes later, the consent is given up. */
const { readSocialAccounts } = proxyActivities<typeof activities>({
  startToCloseTimeout: '60s',
  retry: { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '30s', maximumAttempts: 10 },
})

export async function social_connect(id: string): Promise<string> {
  const status = await attempts('social_connect', id)
  if (status === 'succeeded' && !(await made(readSocialAccounts(id)))) await steps.dropSocialAccounts(id)
  return conclude(status)
}
