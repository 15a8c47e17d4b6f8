// Limits the visitors that one network creates, over all processes: a visitor is a person to reactions, carts and
// chats, and costs nothing to make.
import { config } from '../../config.ts'
import { countVisitor } from '../../entities/accounts/rate-windows.ts'
import type { Orm } from '../../entities/kit/database/orm.ts'
import { type Headers, headerOf, isOperator } from '../kit/caller.ts'
import type { Route } from '../kit/route.ts'
import { look } from '../kit/unit.ts'
import { networkOf } from './networks.ts'
import { limit, refuseAbove } from './rate.ts'

const windowS = 600

type Asked = { headers: Headers; ip: string; now: number }

/**
 * Counts a visitor that the request will create, for each store: those behind one address have limits of their own.
 * Before the transaction, which would keep the next requests from that address waiting for its end. 429
 * too_many_requests.
 */
export async function admitVisitor(
  orm: Orm,
  { contact, request: { newVisitors } }: Route,
  { headers, ip, now }: Asked,
): Promise<void> {
  const key = headerOf(headers, 'x-service-publishable-key')
  if (contact !== 'created' || !key || headerOf(headers, 'x-service-visitor-token') || isOperator(headers)) return
  await look(orm, async (em) => {
    const counted = await countVisitor(em, key, networkOf(ip), windowS, now)
    if (!counted) return
    refuseAbove(config.rate.visitorsPerIp, counted, now)
    if (!newVisitors) return
    const { name, ...most } = newVisitors()
    await limit(em, `visitors:${name}:${networkOf(ip)}`, most, now)
  })
}
