// The one signal: a row changed, read it again. It carries no data.
import { defineSignal } from '@temporalio/workflow'

export const changed = defineSignal('changed')
