// The overview of a store: figures by day of its time zone, what waits, and what is next today. Four statements.
import type { EntityManager } from '@mikro-orm/postgresql'
import { type DayBounds, daysUntil, figuresOf } from '../../rules/overview/overview.ts'
import { Tenant } from '../stores/tenant.ts'
import { backlogOf } from './backlog.ts'
import { figuresByDay } from './figures.ts'
import { nextOf } from './next.ts'

/** The figures of `count` days, the last one the day of `now`, in Unix seconds. */
export async function overviewOf(em: EntityManager, tenantId: string, count: number, now: number) {
  const { timezone } = await em.findOneOrFail(Tenant, { id: tenantId }, { filters: { tenant: false } })
  const days = daysUntil(now, count, timezone)
  const figures = await figuresByDay(em, tenantId, days)
  const byDay = Map.groupBy(figures, ({ day }) => day)
  return {
    timezone,
    days: days.map((day, n) => ({ ...day, ...figuresOf(byDay.get(n + 1) ?? []) })),
    totals: figuresOf(figures),
    backlog: (await backlogOf(em, tenantId)).map((waiting) => ({
      ...waiting,
      oldest_age_s: Math.max(0, Math.floor(now - waiting.oldest_at)),
      oldest_at: Math.floor(waiting.oldest_at),
    })),
    next: await nextOf(em, tenantId, days.at(-1) as DayBounds, now),
  }
}
