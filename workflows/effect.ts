// The workflow of every effect with a process of its own and no other step than its attempts. Its type is the effect's name.
import { ApplicationFailure, continueAsNew, workflowInfo } from '@temporalio/workflow'
import { ownProcesses } from '../rules/effects.ts'
import { attempts, conclude } from './attempts.ts'

export async function effect(id: string): Promise<string> {
  const { workflowType } = workflowInfo()
  const name = ownProcesses.find((one) => one === workflowType)
  if (!name) throw ApplicationFailure.nonRetryable(`There is no workflow ${workflowType}.`, 'NoSuchWorkflow')
  const status = await attempts(name, id)
  if (status === 'requested') return continueAsNew<typeof effect>(id)
  return conclude(status)
}
