// A maintenance script, in slices. Until its end is recorded, no other run of the script can begin.
import { continueAsNew, proxyActivities } from '@temporalio/workflow'
import type * as activities from '../../activities/index.ts'
import { ofSlices, slices } from '../kit/slices.ts'
import { steps } from '../kit/steps.ts'

const { runScript } = proxyActivities<typeof activities>(ofSlices)

export const script = (id: string): Promise<void> =>
  slices(
    () => runScript(id),
    () => steps.failScript(id),
    () => continueAsNew<typeof script>(id),
  )
