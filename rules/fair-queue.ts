// Fair queue: accounts take turns, and so do the tenants of an account. One with many jobs, or with many tenants, does
// not delay the jobs of others.

/** Whom a job is for. `account`: the one that created the tenant. */
export type Owner = { account: string; tenant: string }

export type Turns<Job> = {
  add(owner: Owner, job: Job): void
  /** The next job; `may`: those of other accounts wait. */
  next(may?: (account: string) => boolean): Job | undefined
  /** Number of queued jobs, of one tenant or of all. */
  waiting(owner?: Owner): number
}

export function newTurns<Job>(): Turns<Job> {
  /**
   * The tenants of each account in the order of turns: the account whose job was taken moves to the end, and so does
   * the tenant among those of its account.
   */
  const accounts = new Map<string, Map<string, Job[]>>()
  let count = 0
  return {
    add({ account, tenant }, job) {
      const tenants = accounts.get(account) ?? new Map<string, Job[]>()
      const jobs = tenants.get(tenant)
      if (jobs) jobs.push(job)
      else tenants.set(tenant, [job])
      accounts.set(account, tenants)
      count++
    },
    next(may = () => true) {
      for (const [account, tenants] of accounts) {
        if (!may(account)) continue
        const [tenant, jobs] = tenants.entries().next().value as [string, Job[]]
        const job = jobs.shift()
        tenants.delete(tenant)
        if (jobs.length > 0) tenants.set(tenant, jobs)
        accounts.delete(account)
        if (tenants.size > 0) accounts.set(account, tenants)
        count--
        return job
      }
      return undefined
    },
    waiting: (owner) => (owner ? (accounts.get(owner.account)?.get(owner.tenant)?.length ?? 0) : count),
  }
}
