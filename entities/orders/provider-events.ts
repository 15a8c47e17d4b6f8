// An event of the provider is stored once; the second delivery finds it there. Provider events belong to no tenant.
import type { EntityManager } from '@mikro-orm/postgresql'

export async function insertProviderEvent(
  em: EntityManager,
  event: { id: string; type: string; account?: string; created: number },
  now: number,
): Promise<boolean> {
  const rows: unknown[] = await em.execute(
    'insert into provider_events (id, type, account, event_at, received_at) values (?, ?, ?, ?, ?) on conflict (id) do nothing returning id',
    [event.id, event.type, event.account ?? null, event.created, now],
  )
  return rows.length > 0
}

export const noteOutcome = (em: EntityManager, id: string, outcome: string) => em.execute('update provider_events set outcome = ? where id = ?', [outcome, id])
