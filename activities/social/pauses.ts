// Stores the pause that an answer of a network asks for, or that its usage figures advise, with the connection.
import { unixNow } from '../../adapters/clock.ts'
import { log } from '../../adapters/log.ts'
import { pauseConnection } from '../../entities/connections/connections.ts'
import type { NetworkType } from '../../rules/social/networks/network-types.ts'
import type { SocialRequest } from '../../rules/social/networks/request.ts'
import { pauseAfter } from '../../rules/social/pauses.ts'
import { statement } from '../kit/database.ts'
import type { SocialAnswer } from '../providers/social/client.ts'

type Paused = { id: string; tenant_id: string; type: NetworkType }

/** Whether there is a pause; throws if it cannot be stored. `method`: of the request. */
export async function storePause(
  connection: Paused,
  method: SocialRequest['method'],
  answer: SocialAnswer,
): Promise<boolean> {
  const pause = pauseAfter(connection.type, method, answer, unixNow())
  if (!pause) return false
  await statement((em) => pauseConnection(em, connection, pause))
  return true
}

/**
 * After a call whose answer must not be lost: a pause that cannot be stored is logged, and the network refuses the next
 * call.
 */
export const tryToStorePause = (
  connection: Paused,
  method: SocialRequest['method'],
  answer: SocialAnswer,
): Promise<unknown> =>
  storePause(connection, method, answer).catch((error: Error) =>
    log.warn({ err: { message: error.message } }, 'pause not stored'),
  )
