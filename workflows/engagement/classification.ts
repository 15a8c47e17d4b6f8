// A question to a model about comments: sent once. An unknown outcome does not fail the workflow: there is nothing to
// judge, and an operator may ask again.
import { continueAsNew } from '@temporalio/workflow'
import { attempts } from '../kit/attempts.ts'
import { steps } from '../kit/steps.ts'

export async function social_classification(id: string): Promise<string> {
  const status = await attempts('social_classification', id, { limitMs: await steps.modelLimitMs() })
  if (status === 'requested') return continueAsNew<typeof social_classification>(id)
  return status
}
