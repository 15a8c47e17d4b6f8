// Reads of a connected account: with its token, which is renewed once if the network refuses it, and never while the
// network wants to be left alone.
import { unixNow } from '../../adapters/clock.ts'
import type { AccessToken } from '../../entities/connections/token-requests.ts'
import { QuotaExhausted, spendRead } from '../../entities/social/quota.ts'
import type { NetworkType } from '../../rules/social/networks/network-types.ts'
import { networks } from '../../rules/social/networks/networks.ts'
import type { SocialRequest } from '../../rules/social/networks/request.ts'
import { type ReadError, type ReadVerdict, readError, readVerdict } from '../../rules/social/reads.ts'
import { accessTokenOf, NoToken } from '../connections/token-requests.ts'
import { transaction } from '../kit/database.ts'
import { CallFailed } from '../providers/call.ts'
import { answerTo, type SocialAnswer } from '../providers/social/client.ts'
import { storePause } from './pauses.ts'

const readLimitMs = 10_000

export type Reader = {
  connection: { id: string; tenant_id: string; type: NetworkType }
  token?: AccessToken
  isPaused?: true
}
export type ReadAnswer = {
  verdict: Exclude<ReadVerdict, 'token_refused'> | 'no_token' | 'quota_exhausted'
  error: ReadError | null
  body: unknown
}

/** Sends a read to the network. Null if no answer came. */
async function asked(request: SocialRequest): Promise<SocialAnswer | null> {
  try {
    return await answerTo(request, { timeoutMs: readLimitMs })
  } catch (error) {
    if (!(error instanceof CallFailed)) throw error
    return null
  }
}

async function spent(type: NetworkType, tenantId: string): Promise<boolean> {
  try {
    await transaction((em) => spendRead(em, type, tenantId, unixNow()))
    return true
  } catch (error) {
    if (!(error instanceof QuotaExhausted)) throw error
    return false
  }
}

const codes = {
  limited: 'rate_limited',
  gone: 'gone',
  comments_disabled: 'comments_disabled',
  refused: 'network_refused',
  unavailable: 'network_unavailable',
} as const

/**
 * One read. The reader keeps the token for the next one, and that the network asked for a pause. A pause that the
 * network asks for is stored with the connection.
 */
export async function readAccount(reader: Reader, request: (token: string) => SocialRequest): Promise<ReadAnswer> {
  const { connection } = reader
  const { id, tenant_id, type } = connection
  let refused: number | null = null
  for (;;) {
    try {
      reader.token ??= await accessTokenOf(id, refused)
    } catch (error) {
      if (!(error instanceof NoToken)) throw error
      return error.reason === 'pending'
        ? { verdict: 'unavailable', error: readError('network_unavailable'), body: undefined }
        : { verdict: 'no_token', error: readError('connection_needs_reconnect'), body: undefined }
    }
    if (networks[type].quota && !(await spent(type, tenant_id)))
      return { verdict: 'quota_exhausted', error: readError('quota_exhausted'), body: undefined }
    const answer = await asked(request(reader.token.token))
    if (!answer) return { verdict: 'unavailable', error: readError('network_unavailable'), body: undefined }
    if (await storePause(connection, 'GET', answer)) reader.isPaused = true
    const verdict = readVerdict(type, answer)
    if (verdict === 'read') return { verdict, error: null, body: answer.body }
    if (verdict !== 'token_refused') return { verdict, error: readError(codes[verdict], answer), body: answer.body }
    // Once: a token that was just renewed and is refused is no matter of its age.
    if (refused !== null) return { verdict: 'refused', error: readError('network_refused', answer), body: undefined }
    refused = reader.token.version
    delete reader.token
  }
}
