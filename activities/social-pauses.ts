// Stores the pause that an answer of a network asks for with its connection. It never fails the call: without the pause, the network refuses the next one, too.
import { unixNow } from '../adapters/clock.ts'
import { log } from '../adapters/log.ts'
import { pauseConnection } from '../entities/social/connections.ts'
import type { NetworkType } from '../rules/social/networks.ts'
import { pauseAfter } from '../rules/social/pauses.ts'
import type { SocialRequest } from '../rules/social/requests.ts'
import { statement } from './database.ts'
import type { SocialAnswer } from './providers/social/client.ts'

type Paused = { id: string; tenant_id: string; type: NetworkType }

/** Whether the answer asks for a pause. `method`: of the request. */
export async function storePause(connection: Paused, method: SocialRequest['method'], answer: SocialAnswer): Promise<boolean> {
  const pause = pauseAfter(connection.type, method, answer, unixNow())
  if (!pause) return false
  await statement((em) => pauseConnection(em, connection, pause)).catch((error: Error) => log.warn({ err: { message: error.message } }, 'pause not stored'))
  return true
}
