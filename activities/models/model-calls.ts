// Sends a question to a model, once. The key is read when it is sent, and is frozen nowhere.
import { unixNow } from '../../adapters/clock.ts'
import { log } from '../../adapters/log.ts'
import { config } from '../../config.ts'
import { Integration } from '../../entities/automation/integration.ts'
import { anyTenant, unitOf } from '../../entities/kit/database/orm.ts'
import { encrypt } from '../../entities/kit/encrypted.ts'
import { modelCallEffect, type ProviderRefusal } from '../../entities/models/model-calls.ts'
import * as turns from '../../entities/models/model-turns.ts'
import { turnOwners } from '../../entities/turn-owners.ts'
import {
  isTooLong,
  MODEL_BASE_URLS,
  type ModelRequest,
  modelAnswer,
  modelHeaders,
  modelPost,
  modelProof,
  refusalWords,
} from '../../rules/models/model-formats.ts'
import { attemptNow } from '../kit/attempt.ts'
import { database, isOfData, transaction } from '../kit/database.ts'
import { NeverSent, once, type Sending, type Verdict } from '../kit/once.ts'
import { EgressError } from '../providers/egress-guard.ts'
import { egress, type HttpAnswer, type HttpRequest } from '../providers/http.ts'

type Request = turns.FrozenRequest
export type Post<R = ModelRequest & { reserved_tokens: number }> = { request: R; key: string }

export const integrationChanged = () =>
  new NeverSent({ code: 'integration_changed', message: 'The integration of the model was changed or deleted.' })

const stepTries = 5
/** What a model wrote cannot be computed or stored: no other try would have another result. */
const isPermanent = (error: unknown): boolean =>
  isOfData(error) || error instanceof RangeError || error instanceof TypeError || error instanceof SyntaxError

/**
 * One step of a turn. One that fails by what the model wrote ends the turn after some tries: repeated without end, it
 * would block the chat. `attempt`: of the activity.
 */
export async function advanceTurn(turnId: string, attempt = attemptNow()): Promise<turns.TurnWork> {
  try {
    return await transaction((em) => turns.advanceTurn(em, turnOwners, turnId, unixNow()))
  } catch (error) {
    if (attempt < stepTries || !isPermanent(error)) throw error
    log.error({ turn: turnId, err: error }, 'the step of a turn fails; the turn is ended')
    return transaction((em) => turns.failTurn(em, turnOwners, turnId, unixNow()))
  }
}

const postOf = ({ request, key }: Post<ModelRequest>, id: string): HttpRequest => ({
  ...modelPost(request),
  method: 'POST',
  headers: {
    ...modelHeaders(request.provider, key),
    'content-type': 'application/json',
    accept: 'application/json',
    'idempotency-key': id,
  },
  timeout_ms: config.modelLimitMs,
})

const secondsIn = (header: string | string[] | undefined): number | null => {
  const text = [header].flat()[0] ?? ''
  return /^\d{1,6}$/.test(text) ? Number(text) : null
}

/** Judges an answer with a final status line. A success without a usable answer is one all the same: it was billed. */
function verdictOf(
  { request, key }: Post,
  sent: Exclude<Verdict, { kind: 'not_sent' }>,
  status: number,
  answer: HttpAnswer | null,
): Verdict {
  const proof = modelProof(status, answer?.body)
  const evidence = { status }
  if (proof === 'done') {
    const read = answer ? modelAnswer(request.provider, answer.body) : null
    // Without usage, what was reserved counts.
    const [input, output] =
      read?.input_tokens == null || read.output_tokens === null
        ? [request.reserved_tokens, 0]
        : [read.input_tokens, read.output_tokens]
    const sealed = read ? encrypt(JSON.stringify(read)) : null
    return {
      ...sent,
      columns: {
        answer: sealed,
        input_tokens: input,
        output_tokens: output,
        provider_request_id: read?.request_id ?? null,
      },
    }
  }
  const error = {
    code: 'model_refused',
    message: `the model's provider answered with status ${status}`,
    provider_status: status,
  }
  if (proof === 'unknown') return { kind: 'unknown', evidence, error: { ...error, code: 'outcome_unknown' } }
  const words = refusalWords(answer?.body, key)
  const sealed = words === null ? null : encrypt(JSON.stringify({ refusal: words } satisfies ProviderRefusal))
  const columns = {
    answer: sealed,
    too_long: isTooLong(status, answer?.body) ? 'true' : 'false',
    retry_after: secondsIn(answer?.headers['retry-after']),
  }
  return { kind: 'rejected', evidence, error, columns }
}

/**
 * A request with the key of its integration, which is sent only to the API that it was entered for. Throws NeverSent if
 * that was changed.
 */
export async function withModelKey<R extends ModelRequest & { tenant_id: string; integration_id: string }>(
  request: R,
): Promise<Post<R>> {
  const { integration_id: id, tenant_id, provider, base_url } = request
  const integration = await unitOf(await database(), null).findOne(Integration, { id, tenant_id }, anyTenant)
  const { type, settings = {}, credentials = '{}' } = integration ?? {}
  if (!integration || type !== provider || (settings.base_url ?? MODEL_BASE_URLS[provider]) !== base_url)
    throw integrationChanged()
  const { api_key = '' } = JSON.parse(credentials as string) as { api_key?: string }
  const post = { request, key: api_key }
  try {
    await egress().check(postOf(post, ''))
  } catch (error) {
    if (error instanceof EgressError && error.code === 'egress_refused')
      throw new NeverSent({ code: error.code, message: error.message })
    throw error
  }
  return post
}

/** One question to a model. */
export async function askModel(post: Post, sending: Sending): Promise<Verdict> {
  const { verdict, answer } = await egress().send(postOf(post, sending.id), sending)
  if (verdict.kind === 'not_sent') return verdict
  const status = answer?.status ?? verdict.error?.provider_status
  return status === undefined ? verdict : verdictOf(post, verdict, status, answer)
}

export const sendModelCall = once({
  row: modelCallEffect,
  // The request is frozen when the row is written.
  prepare: async (): Promise<Request> => {
    throw integrationChanged()
  },
  unlock: withModelKey<Request>,
  send: askModel,
})
