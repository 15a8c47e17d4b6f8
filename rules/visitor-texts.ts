// What visitors read of refusals whose own sentence speaks to operators or developers. The code stays the same. Those
// for a lack of set-up are in rules/readiness/checks.ts.
import type { ProblemCode } from './problems.ts'

export const visitorTexts: Partial<Record<ProblemCode, string>> = {
  audience_not_ready: 'This cannot be joined at the moment. Try again later.',
  email_required: 'Enter your e-mail address first, or sign in.',
  model_outcome_unknown: 'It is not certain whether an answer comes. Send your message again if none does.',
  model_unavailable: 'There is no answer at the moment. Send your message again in a while.',
  token_limit: 'No more messages can be answered today. Write again tomorrow.',
}
