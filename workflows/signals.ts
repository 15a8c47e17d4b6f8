// The one signal: a row changed, look again. It carries nothing; what changed stands in the row.
import { defineSignal } from '@temporalio/workflow'

export const changed = defineSignal('changed')
