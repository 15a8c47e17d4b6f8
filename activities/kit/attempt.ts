// Which attempt of an activity runs.
import { asyncLocalStorage } from '@temporalio/activity'

/** From 1; 1 outside of an activity. */
export const attemptNow = (): number => asyncLocalStorage.getStore()?.info.attempt ?? 1
