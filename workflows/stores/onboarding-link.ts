// A link to the provider's onboarding pages: the store's account is created first; an account that is complete needs no
// link.
import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow'
import type * as activities from '../../activities/index.ts'
import { attempts, conclude } from '../kit/attempts.ts'
import { steps } from '../kit/steps.ts'

/** Bounded: a link whose row is gone fails instead of being read without end. */
const retry = { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '5s', maximumAttempts: 6 }
const { readOnboarding } = proxyLocalActivities<typeof activities>({ startToCloseTimeout: '15s', retry })
const { readProviderAccount } = proxyActivities<typeof activities>({ startToCloseTimeout: '15s', retry })

export async function onboarding_link(id: string): Promise<string> {
  const { payment_provider_id } = await readOnboarding(id)
  const account = await attempts('connect', payment_provider_id)
  const needed = account === 'succeeded' && !(await readProviderAccount(payment_provider_id))
  // Nothing is sent: the row of the account says why.
  if (!needed) return (await steps.giveUpEffect('onboarding_link', id)) ?? 'failed'
  return conclude(await attempts('onboarding_link', id))
}
