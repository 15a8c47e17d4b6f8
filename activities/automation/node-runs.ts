// The nodes of a graph that send: a node that mutates is an effect, one that reads is retried.
import { setTimeout as pause } from 'node:timers/promises'
import { config } from '../../config.ts'
import { beginRead, endRead, paramsOf } from '../../entities/automation/executions.ts'
import { nodeRunEffect } from '../../entities/automation/node-run.ts'
import { decrypt } from '../../entities/kit/encrypted.ts'
import { READ_PAUSE_MS } from '../../rules/automation/graph-shapes.ts'
import { isSuccess } from '../../rules/http-verdicts.ts'
import { statement } from '../kit/database.ts'
import { beating } from '../kit/heartbeat.ts'
import { NeverSent, once, type Sending, type Verdict } from '../kit/once.ts'
import { EgressError, egress, type HttpAnswer, type HttpRequest } from '../providers/http.ts'
import { type StoreEmail, sendStoreEmail } from '../providers/mail.ts'
import { prepareBuildHook } from './build-hook.ts'
import { prepareUpload, sendUpload, type UploadRequest } from './drive-upload.ts'
import { given, NodeError } from './graph-nodes.ts'
import { prepareEmail } from './send-email.ts'

/** Frozen in a run's row. */
export type NodeRequest =
  | { type: 'http' | 'deploy_webhook'; request: HttpRequest }
  | { type: 'send_email'; request: StoreEmail }
  | { type: 'drive_upload'; request: UploadRequest }

/** An http node's request is written with its row (activities/automation/graph-nodes.ts); the others are prepared from their params. */
async function prepare(id: string): Promise<NodeRequest> {
  const row = await statement((em) => paramsOf(em, id))
  if (!row?.params) throw new NeverSent({ code: 'not_asked', message: 'the node has no params' })
  const params = JSON.parse(decrypt(row.params))
  return statement(async (em): Promise<NodeRequest> => {
    em.setFilterParams('tenant', { tenant: row.tenant_id })
    if (row.type === 'send_email') return { type: row.type, request: await prepareEmail(em, row.tenant_id, params) }
    if (row.type === 'drive_upload') return { type: row.type, request: await prepareUpload(em, row.tenant_id, params) }
    if (row.type === 'deploy_webhook')
      return { type: row.type, request: await prepareBuildHook(em, row.tenant_id, params.build_hook_id) }
    throw new NeverSent({ code: 'not_asked', message: 'a node of this type is not sent' })
  })
}

type Sent = { verdict: Verdict; output: unknown }

/** What later nodes read of an answer. */
const outputOf = ({ status, headers, body }: HttpAnswer) => ({ status, headers, body })

async function sendHttp(request: HttpRequest, sending: Sending): Promise<Sent> {
  const { verdict, answer } = await egress().send(request, sending)
  return { verdict, output: answer && outputOf(answer) }
}

function send({ type, request }: NodeRequest, sending: Sending): Promise<Sent> {
  if (type === 'send_email') return sendStoreEmail(request as StoreEmail, sending)
  if (type === 'drive_upload') return sendUpload(request as UploadRequest, sending)
  return sendHttp(request as HttpRequest, sending)
}

/** The verdict, with the output in the same write. */
function withOutput({ verdict, output }: Sent): Verdict {
  if (verdict.kind === 'not_sent' || output === null) return verdict
  try {
    const { output: value, output_bytes } = given(output)
    return { ...verdict, columns: { ...verdict.columns, output: JSON.stringify(value), output_bytes } }
  } catch (error) {
    if (!(error instanceof NodeError)) throw error
    return { ...verdict, error: { code: error.code, message: error.message } }
  }
}

/** The limit of an attempt is the node's own. */
export const sendNode = once({
  row: nodeRunEffect,
  prepare,
  send: async (request, sending) => withOutput(await send(request, sending)),
  laterS: () => config.mailRetryS,
})

const mayPass = (status: number | undefined) =>
  status === undefined || status === 408 || status === 429 || status >= 500

type Read =
  | { answer: HttpAnswer }
  | { error: { code: string; message: string; provider_status?: number }; again: boolean }

async function readOnce(request: HttpRequest): Promise<Read> {
  try {
    return { answer: await egress().request(request, { redirects: 3 }) }
  } catch (error) {
    if (!(error instanceof EgressError)) throw error
    const { code, message, status } = error
    return {
      error: { code, message, ...(status === undefined ? {} : { provider_status: status }) },
      again: code !== 'egress_refused' && mayPass(status),
    }
  }
}

const answered = (answer: HttpAnswer): Parameters<typeof endRead>[3] => {
  const { status } = answer
  const ok = isSuccess(status)
  const error = ok
    ? null
    : { code: 'http_status', message: `the address answered with status ${status}`, provider_status: status }
  try {
    return { status: ok ? 'succeeded' : 'rejected', error, ...given(outputOf(answer)) }
  } catch (thrown) {
    if (!(thrown instanceof NodeError)) throw thrown
    return { status: 'rejected', error: { code: thrown.code, message: thrown.message } }
  }
}

/** A GET changes nothing: it is repeated by its own retries, and by another worker after this one died. */
export const readNode = (id: string): Promise<void> =>
  beating(async () => {
    for (let row = await statement((em) => beginRead(em, id)); row; row = await statement((em) => beginRead(em, id))) {
      const { tenant_id } = row
      const { request } = JSON.parse(decrypt(row.request)) as { request: HttpRequest }
      const read = await readOnce(request)
      const passes = 'error' in read ? read.again : mayPass(read.answer.status) && read.answer.status >= 300
      const again_ms = passes && row.attempt <= row.retries ? row.retry_delay_ms : undefined
      const end: Parameters<typeof endRead>[3] =
        'error' in read ? { status: 'failed', error: read.error } : answered(read.answer)
      await statement((em) => endRead(em, tenant_id, id, { ...end, ...(again_ms === undefined ? {} : { again_ms }) }))
      if (again_ms === undefined || again_ms > READ_PAUSE_MS) return
      await pause(again_ms)
    }
  })
