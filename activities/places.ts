// Places of a process for work that holds a slot of a queue for long: `count` in all, `each` of one tenant.

/** `enter` returns a function that leaves the place, or null if there is none for the tenant now. */
export function newPlaces(count: number, each: number) {
  let taken = 0
  const byTenant = new Map<string, number>()
  return {
    enter(tenant: string): (() => void) | null {
      const own = byTenant.get(tenant) ?? 0
      if (taken >= count || own >= each) return null
      taken++
      byTenant.set(tenant, own + 1)
      return () => {
        taken--
        const left = (byTenant.get(tenant) ?? 1) - 1
        if (left > 0) byTenant.set(tenant, left)
        else byTenant.delete(tenant)
      }
    },
  }
}
