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

export const noteOutcome = (em: EntityManager, id: string, outcome: string) =>
  em.execute('update provider_events set outcome = ?, payment_intent = null, facts = null where id = ?', [outcome, id])

export const waiting = 'waits for its payment'

/** An event that comes before the payment that it is about is kept until that payment takes it, or for as long as provider events are kept. */
export const keepForPayment = (em: EntityManager, id: string, paymentIntent: string, facts: object) =>
  em.execute('update provider_events set outcome = ?, payment_intent = ?, facts = ? where id = ?', [waiting, paymentIntent, JSON.stringify(facts), id])

/** The events that wait for a payment of an account, in the order in which the provider made them. */
export const waitingEvents = (em: EntityManager, account: string, paymentIntent: string): Promise<{ id: string; type: string; facts: unknown }[]> =>
  em.execute('select id, type, facts from provider_events where account = ? and payment_intent = ? order by event_at, received_at, id', [
    account,
    paymentIntent,
  ])
