// A publication: its parts are made ahead, the call that shows it is sent once at its time, and reads prove what the
// answer does not.
import { continueAsNew, proxyActivities, workflowInfo } from '@temporalio/workflow'
import type * as activities from '../../activities/index.ts'
import { attempts, conclude, made } from '../kit/attempts.ts'
import { listen } from '../kit/changes.ts'
import { steps } from '../kit/steps.ts'

/**
 * Hidden work and reads of the network: they repeat. What the network refuses is written to their rows, so that only
 * outages are retried here. After some tries the rows are read again: a part that nothing makes does not hold the
 * publication beyond its time.
 */
const { makeSocialPart, dropSocialPart } = proxyActivities<typeof activities>({
  startToCloseTimeout: '180s',
  heartbeatTimeout: '10s',
  retry: { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '10s', maximumAttempts: 6 },
})
const { findSocialPost, linkSocialPost, refreshSocialToken } = proxyActivities<typeof activities>({
  startToCloseTimeout: '90s',
  retry: { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '10s' },
})

/** What the UI shows beside the timer. */
const waits = {
  time: 'until its time',
  parts: 'until the network has processed its files',
  connection: 'until the account is connected again',
  network: 'until the network accepts calls',
  proof: 'until the network is read again',
}

export async function publication(id: string): Promise<string> {
  const changes = listen()
  for (;;) {
    changes.clear()
    const step = await steps.applyPublication(id)
    switch (step.do) {
      case 'part':
        await Promise.all(step.ids.map((part) => made(makeSocialPart(part))))
        break
      case 'drop':
        await Promise.all(step.ids.map((part) => made(dropSocialPart(part))))
        break
      case 'refresh':
        await refreshSocialToken(step.id, step.token_version)
        break
      case 'reveal':
        await attempts('social_reveal', step.id, { single: true })
        break
      case 'find':
        await findSocialPost(step.id, step.proofs)
        break
      case 'link':
        await linkSocialPost(step.id, step.links)
        break
      case 'wait':
        await changes.wait(step.wait_ms, waits[step.for])
        break
      case 'done':
        if (!changes.signalled) return conclude(step.outcome)
    }
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof publication>(id)
  }
}
