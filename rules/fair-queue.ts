// Who waits for one of a few hands takes turns by tenant: whoever asks for much waits behind himself, not before the others.

export type Turns<Job> = {
  add(tenant: string, job: Job): void
  next(): Job | undefined
  /** How many wait, of one tenant or of all. */
  waiting(tenant?: string): number
}

export function newTurns<Job>(): Turns<Job> {
  /** The first in the map is the next, and goes behind the others. */
  const queues = new Map<string, Job[]>()
  return {
    add(tenant, job) {
      const jobs = queues.get(tenant)
      if (jobs) jobs.push(job)
      else queues.set(tenant, [job])
    },
    next() {
      for (const [tenant, jobs] of queues) {
        const job = jobs.shift()
        queues.delete(tenant)
        if (jobs.length > 0) queues.set(tenant, jobs)
        return job
      }
      return undefined
    },
    waiting: (tenant) => (tenant === undefined ? [...queues.values()].reduce((sum, { length }) => sum + length, 0) : (queues.get(tenant)?.length ?? 0)),
  }
}
