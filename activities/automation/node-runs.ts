// The runs of nodes that send: a node that mutates is an effect, one that reads is retried.
import { setTimeout as pause } from 'node:timers/promises'
import { config } from '../../config.ts'
import { beginRead, endRead, paramsOf } from '../../entities/automation/executions.ts'
import { nodeRunEffect } from '../../entities/automation/node-run.ts'
import { decrypt } from '../../entities/kit/encrypted.ts'
import { READ_PAUSE_MS } from '../../rules/automation/graph-shapes.ts'
import { statement } from '../kit/database.ts'
import { beating } from '../kit/heartbeat.ts'
import { NeverSent, once } from '../kit/once.ts'
import { readHttp } from './http-node.ts'
import { verdictWithOutput } from './node-outputs.ts'
import { type NodeRequest, prepareRequest, sendRequest } from './node-senders.ts'

/** Prepares a run whose request was not written with its row. */
async function prepare(id: string): Promise<NodeRequest> {
  const row = await statement((em) => paramsOf(em, id))
  if (!row?.params) throw new NeverSent({ code: 'not_asked', message: 'the node has no params' })
  const params = decrypt(row.params)
  return statement((em) => {
    em.setFilterParams('tenant', { tenant: row.tenant_id })
    return prepareRequest(em, row.tenant_id, row.type, params)
  })
}

/** The limit of an attempt is the node's own. */
export const sendNode = once({
  row: nodeRunEffect,
  prepare,
  send: async (request, sending) => verdictWithOutput(await sendRequest(request, sending)),
  laterS: () => config.mailRetryS,
})

/** A GET changes nothing: it is repeated by its own retries, and by another worker after this one died. */
export const readNode = (id: string): Promise<void> =>
  beating(async () => {
    for (let row = await statement((em) => beginRead(em, id)); row; row = await statement((em) => beginRead(em, id))) {
      const { tenant_id } = row
      const { request } = JSON.parse(decrypt(row.request)) as NodeRequest<'http'>
      const { end, mayPass } = await readHttp(request)
      const again_ms = mayPass && row.attempt <= row.retries ? row.retry_delay_ms : undefined
      await statement((em) => endRead(em, tenant_id, id, { ...end, ...(again_ms === undefined ? {} : { again_ms }) }))
      if (again_ms === undefined || again_ms > READ_PAUSE_MS) return
      await pause(again_ms)
    }
  })
