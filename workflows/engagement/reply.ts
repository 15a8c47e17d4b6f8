// A reply to a comment: sent once; where its answer does not prove it, its thread is read a few times.
import { continueAsNew, proxyActivities, sleep } from '@temporalio/workflow'
import type * as activities from '../../activities/index.ts'
import { attempts, conclude, made } from '../kit/attempts.ts'
import { steps } from '../kit/steps.ts'

/** Reads of the network: they may repeat. */
const { findSocialReply } = proxyActivities<typeof activities>({
  startToCloseTimeout: '90s',
  heartbeatTimeout: '10s',
  retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '10s', maximumAttempts: 3 },
})

export async function social_reply(id: string): Promise<string> {
  const status = await attempts('social_reply', id)
  if (status === 'requested') return continueAsNew<typeof social_reply>(id)
  let reply = await steps.soughtReply(id, 0)
  for (let n = 0; reply.wait_ms !== null; n++) {
    if (reply.wait_ms > 0)
      await sleep(reply.wait_ms, { summary: 'until the thread is read for a reply without an answer' })
    await made(findSocialReply(id))
    reply = await steps.soughtReply(id, n + 1)
  }
  return conclude(reply.status)
}
