// An import of enrollments into a campaign, in slices.
import { continueAsNew, proxyActivities } from '@temporalio/workflow'
import type * as activities from '../../activities/index.ts'
import { ofSlices, slices } from '../kit/slices.ts'
import { steps } from '../kit/steps.ts'

const { importEnrollments } = proxyActivities<typeof activities>(ofSlices)

export const enrollment_import = (id: string): Promise<void> =>
  slices(
    () => importEnrollments(id),
    () => steps.failImport(id),
    () => continueAsNew<typeof enrollment_import>(id),
  )
