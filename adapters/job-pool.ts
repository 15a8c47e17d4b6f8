// A pool of processes or threads that do one job at a time. Accounts and their tenants take turns
// (rules/fair-queue.ts), and a member that exceeds a limit is ended.
import { newTurns, type Owner } from '../rules/fair-queue.ts'

/** A process or a thread. */
export type Member<Task> = {
  send(task: Task): void
  end(): void
  /** Whether it keeps our own process running. */
  hold(on: boolean): void
}

/**
 * What a member reports. `isLast`: it takes no further job, and is ended. `gone`: it ended, or could not be started;
 * the error is that of its job.
 */
export type Reports<Reply> = { ready(): void; reply(reply: Reply, isLast?: boolean): void; gone(error: Error): void }

type Options<Task, Reply, M extends Member<Task>> = {
  /** The most members at a time. */
  size: number
  start(reports: Reports<Reply>): M
  /** Limits a job that was sent: `exceeded` ends the member and fails the job. The returned function ends the watch. */
  watch(member: M, exceeded: (error: Error) => void): () => void
  /** Milliseconds after which a member that is not ready is ended: the machine is too busy. */
  startMs: number
  /** The error of jobs that wait when no member starts in time. They may succeed later. */
  late(): Error
  /**
   * Milliseconds without a job after which a member is ended. Null: all members are started with the first job, stay,
   * and are replaced when they are lost.
   */
  idleMs: number | null
}

export type JobPool<Task, Reply> = {
  /** Rejects with the error of the limit, or of a member that could not be started. */
  run(owner: Owner, task: Task): Promise<Reply>
  /** Jobs of the tenant that no member has begun. */
  waiting(owner: Owner): number
}

/** Returns the function that clears it. It does not keep the process running. */
function after(ms: number, work: () => void): () => void {
  const timer = setTimeout(work, ms).unref()
  return () => clearTimeout(timer)
}

export function newJobPool<Task, Reply, M extends Member<Task>>({
  size,
  start,
  watch,
  startMs,
  late,
  idleMs,
}: Options<Task, Reply, M>): JobPool<Task, Reply> {
  type Job = { task: Task; resolve(reply: Reply): void; reject(error: Error): void }
  type Place = { member: M; ready: boolean; job: Job | undefined; clear: () => void }
  const places = new Set<Place>()
  const turns = newTurns<Job>()

  function add(): void {
    const member = start({
      ready: () => rest(place),
      reply(reply, isLast = false) {
        place.job?.resolve(reply)
        place.job = undefined
        if (isLast) lose(place, new Error('it takes no further job'))
        else rest(place)
      },
      gone: (error) => lose(place, error),
    })
    const place: Place = {
      member,
      ready: false,
      job: undefined,
      clear: after(startMs, () => lose(place, late())),
    }
    places.add(place)
  }

  function rest(place: Place): void {
    place.clear()
    place.ready = true
    place.job = undefined
    if (idleMs !== null) place.clear = after(idleMs, () => lose(place, new Error('idle')))
    work()
  }

  function lose(place: Place, error: Error): void {
    if (!places.delete(place)) return
    place.clear()
    place.member.end()
    place.job?.reject(error)
    if (idleMs === null && place.ready) add()
    // A member that failed to start would fail again: waiting jobs are rejected.
    if (!place.ready && ![...places].some(({ ready }) => ready))
      for (let job = turns.next(); job; job = turns.next()) job.reject(error)
    work()
  }

  function work(): void {
    for (const place of places) {
      if (!place.ready || place.job) continue
      const job = turns.next()
      if (!job) break
      place.clear()
      place.job = job
      place.clear = watch(place.member, (error) => lose(place, error))
      place.member.send(job.task)
    }
    const waiting = turns.waiting()
    const starting = [...places].filter(({ ready }) => !ready).length
    for (let more = Math.min(waiting - starting, size - places.size); more > 0; more--) add()
    // Idle members do not keep the process running.
    const busy = waiting > 0 || [...places].some(({ job }) => job)
    for (const { member } of places) member.hold(busy)
  }

  return {
    run(owner, task) {
      const { promise, resolve, reject } = Promise.withResolvers<Reply>()
      turns.add(owner, { task, resolve, reject })
      if (idleMs === null) while (places.size < size) add()
      work()
      return promise
    },
    waiting: (owner) => turns.waiting(owner),
  }
}
