// Fair queue: round-robin over tenants. A tenant with many jobs does not delay the jobs of others.

export type Turns<Job> = {
  add(tenant: string, job: Job): void
  next(): Job | undefined
  /** Number of queued jobs, of one tenant or of all. */
  waiting(tenant?: string): number
}

export function newTurns<Job>(): Turns<Job> {
  /** In the order of turns: the tenant whose job was taken moves to the end. */
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
