// The timers of a connection: renews tokens that no call renews, and publishes the end of a consent before it comes.
import { continueAsNew } from '@temporalio/workflow'
import { attend } from '../kit/changes.ts'
import { steps } from '../kit/steps.ts'

export const social_connection = (id: string): Promise<void> =>
  attend(() => steps.applySocialConnection(id), {
    summary: 'until tokens are renewed, or a consent ends',
    again: () => continueAsNew<typeof social_connection>(id),
  })
