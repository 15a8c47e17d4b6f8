// Connects or disconnects the bot of a channel as its row says, again if the row changes meanwhile. Without an answer
// the bot API is asked again.
import { continueAsNew, proxyActivities } from '@temporalio/workflow'
import type * as activities from '../../activities/index.ts'
import { attend } from '../kit/changes.ts'

const { applyChannel } = proxyActivities<typeof activities>({
  startToCloseTimeout: '2m',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' },
})

export const channel = (id: string): Promise<void> =>
  attend(() => applyChannel(id), {
    summary: 'until the bot API is asked again',
    leastMs: 1,
    again: () => continueAsNew<typeof channel>(id),
  })
