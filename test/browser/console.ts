// The console in a real browser, as operators use it: what they see, what they type, and what must not happen twice.
import { attentionChecks } from './console/attention.ts'
import { dataChecks } from './console/data.ts'
import { firstViewChecks } from './console/first-view.ts'
import { lookChecks } from './console/looks.ts'
import type { Check } from './console/pages.ts'
import { sessionPageChecks } from './console/sessions.ts'
import { timelineChecks } from './console/timeline.ts'
import { writeChecks } from './console/writes.ts'

/** The first one signs the window in that the others use. */
export const consoleChecks: Check[] = [
  ...firstViewChecks,
  ...attentionChecks,
  ...timelineChecks,
  ...dataChecks,
  ...writeChecks,
  ...sessionPageChecks,
  ...lookChecks,
]
