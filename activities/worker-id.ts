// This worker process, as task_workers knows it: what it holds is given back when it is no longer seen.
import { newId } from '../entities/kit/ids.ts'

export const workerId: string = newId()
