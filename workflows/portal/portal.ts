// A link to the provider's customer portal: the account's configuration is created first, once.
import { proxyActivities } from '@temporalio/workflow'
import type * as activities from '../../activities/index.ts'
import { attempts, conclude } from '../kit/attempts.ts'
import { steps } from '../kit/steps.ts'

/** Reads the provider: it may repeat. Bounded, because the caller asks for another link. */
const { findPortalConfiguration } = proxyActivities<typeof activities>({
  startToCloseTimeout: '15s',
  retry: { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '5s', maximumAttempts: 6 },
})

export async function portal(id: string): Promise<string> {
  const { configuration } = await steps.readPortalLink(id)
  if (configuration !== null) {
    const status = await attempts('portal_configuration', configuration)
    const isMade =
      status === 'succeeded' ||
      (status === 'unknown' &&
        (await findPortalConfiguration.executeWithOptions(
          { summary: 'search for a configuration whose creation is unknown' },
          [configuration],
        )))
    // Nothing is sent: the row of the configuration says why.
    if (!isMade) return (await steps.giveUpEffect('portal_link', id)) ?? 'failed'
  }
  return conclude(await attempts('portal_link', id))
}
