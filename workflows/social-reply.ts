// A reply to a comment: sent once; where its answer does not prove it, its thread is read for ten minutes.
import { continueAsNew, proxyActivities, sleep } from '@temporalio/workflow'
import type * as activities from '../activities/index.ts'
import { proofReadsS } from '../rules/social/replies.ts'
import { attempts, conclude, made } from './attempts.ts'
import { steps } from './steps.ts'

/** Reads of the network: they may repeat. */
const { findSocialReply } = proxyActivities<typeof activities>({
  startToCloseTimeout: '90s',
  heartbeatTimeout: '10s',
  retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '10s', maximumAttempts: 3 },
})

export async function social_reply(id: string): Promise<string> {
  const status = await attempts('social_reply', id)
  if (status === 'requested') return continueAsNew<typeof social_reply>(id)
  let reply = await steps.soughtReply(id)
  for (let n = 0; reply.sought && n < proofReadsS.length; n++) {
    const pauseS = (proofReadsS[n] as number) - (proofReadsS[n - 1] ?? 0)
    if (pauseS > 0) await sleep(pauseS * 1_000, { summary: 'until the thread is read for a reply without an answer' })
    await made(findSocialReply(id, n === proofReadsS.length - 1))
    reply = await steps.soughtReply(id)
  }
  return conclude(reply.status)
}
