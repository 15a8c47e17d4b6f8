// The id of this worker process in task_workers: the slots that it holds are freed when its heartbeat stops.
import { newId } from '../../entities/kit/ids.ts'

export const workerId: string = newId()
