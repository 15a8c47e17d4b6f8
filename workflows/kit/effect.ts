// The workflow of every effect with a process of its own and no other step than its attempts. Its type is the effect's
// name.
import { continueAsNew, workflowInfo } from '@temporalio/workflow'
import { ownProcesses } from '../../rules/effects.ts'
import { attempts, conclude } from './attempts.ts'
import { listen } from './changes.ts'

export async function effect(id: string): Promise<string> {
  const { workflowType } = workflowInfo()
  const name = ownProcesses.find((one) => one === workflowType)
  // Fails the task, not the workflow: a worker of a newer version may know the type.
  if (!name) throw new Error(`There is no workflow ${workflowType}.`)
  const status = await attempts(name, id, { changes: listen() })
  if (status === 'requested') return continueAsNew<typeof effect>(id)
  return conclude(status)
}
