// A link to the provider's pages: the store's account is made first, once; an account that is ready needs no link.
import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow'
import type * as activities from '../activities/index.ts'
import { attempts, conclude, sending } from './attempts.ts'
import { steps } from './steps.ts'

/** Bounded: a link whose row is gone fails instead of being read for ever. */
const retry = { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '5s', maximumAttempts: 6 }
const { readOnboarding } = proxyLocalActivities<typeof activities>({ startToCloseTimeout: '15s', retry })
const { readProviderAccount } = proxyActivities<typeof activities>({ startToCloseTimeout: '15s', retry })

export async function onboarding_link(id: string): Promise<string> {
  const { payment_provider_id } = await readOnboarding(id)
  const account = await attempts('payment_providers', payment_provider_id, sending.sendConnect)
  const needed = account === 'succeeded' && !(await readProviderAccount(payment_provider_id))
  // Nothing was sent, and nothing will be: the row of the account says why.
  if (!needed) return (await steps.giveUpEffect('onboarding_links', id)) ?? 'failed'
  return conclude(await attempts('onboarding_links', id, sending.sendOnboardingLink))
}
