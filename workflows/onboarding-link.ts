// A link to the provider's pages: the store's account is made first, once; an account that is ready needs no link.
import { proxyActivities } from '@temporalio/workflow'
import type * as activities from '../activities/index.ts'
import { attempts, conclude, giveUpEffect, sending } from './attempts.ts'

const { readOnboarding, readProviderAccount } = proxyActivities<typeof activities>({
  startToCloseTimeout: '15s',
  retry: { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '5s', maximumAttempts: 6 },
})

export async function onboarding_link(id: string): Promise<string> {
  const { payment_provider_id } = await readOnboarding(id)
  const account = await attempts('payment_providers', payment_provider_id, sending.sendConnect)
  const needed = account === 'succeeded' && !(await readProviderAccount(payment_provider_id))
  // Nothing was sent, and nothing will be: the row of the account says why.
  if (!needed) return (await giveUpEffect('onboarding_links', id)) ?? 'failed'
  return conclude(await attempts('onboarding_links', id, sending.sendOnboardingLink))
}
