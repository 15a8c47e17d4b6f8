// The nodes of a graph that send, one row for each type: how the request is made, how it is sent, and how long one
// attempt may take.
import type { EntityManager } from '@mikro-orm/postgresql'
import { config } from '../../config.ts'
import type { NewRun } from '../../entities/automation/executions.ts'
import { encrypt } from '../../entities/kit/encrypted.ts'
import type { GraphNode, NodeOf } from '../../rules/automation/graph-shapes.ts'
import { resolve, type Scope } from '../../rules/automation/templates.ts'
import { NeverSent, type Sending } from '../kit/once.ts'
import type { HttpRequest } from '../providers/http.ts'
import { type StoreEmail, sendStoreEmail } from '../providers/mail.ts'
import { prepareBuildHook } from './build-hook.ts'
import { prepareUpload, sendUpload, type UploadRequest } from './drive-upload.ts'
import { renderHttp, sendHttp } from './http-node.ts'
import type { Sent } from './node-outputs.ts'
import { prepareEmail } from './send-email.ts'

/** What is sent, by the type of the node. */
type Requests = {
  http: HttpRequest
  deploy_webhook: HttpRequest
  send_email: StoreEmail
  drive_upload: UploadRequest
}
export type SendingType = keyof Requests
type SendingNode = NodeOf<SendingType>

/** Frozen in a run's row. */
export type NodeRequest<T extends SendingType = SendingType> = { [N in T]: { type: N; request: Requests[N] } }[T]

/** The fields of a node, rendered. An id holds no template; any other text may have become any value. */
type Params<T extends SendingType> = {
  [F in Exclude<keyof NodeOf<T>, 'type' | 'delay_ms'>]: F extends `${string}_id`
    ? string
    : NodeOf<T>[F] extends string
      ? unknown
      : NodeOf<T>[F]
}

type NodeSender<T extends SendingType> = {
  /** Milliseconds for one attempt. */
  limitMs(node: NodeOf<T>): number
  /** The node changes nothing: `readNode` repeats its request, which is one of HTTP, instead of sending it once. */
  reads?(node: NodeOf<T>): boolean
  send(request: Requests[T], sending: Sending): Promise<Sent>
} & (
  | {
      /** Makes the request when the run begins, from the templates alone; it is written with the row. */
      render(node: NodeOf<T>, scope: Scope): Requests[T]
      prepare?: never
    }
  | {
      /** Makes the request when the row is claimed, from its params and other rows of the store. Throws NeverSent. */
      prepare(em: EntityManager, tenantId: string, params: Params<T>): Promise<Requests[T]>
      render?: never
    }
)

/** Uploads and builds take longer than e-mail. */
const longMs = () => 30_000

const nodeSenders: { readonly [T in SendingType]: NodeSender<T> } = {
  http: {
    limitMs: ({ timeout_ms }) => timeout_ms,
    reads: ({ method }) => method === 'get',
    render: renderHttp,
    send: sendHttp,
  },
  deploy_webhook: {
    limitMs: longMs,
    prepare: (em, tenantId, { build_hook_id }) => prepareBuildHook(em, tenantId, build_hook_id),
    send: sendHttp,
  },
  send_email: { limitMs: () => config.sendLimitMs, prepare: prepareEmail, send: sendStoreEmail },
  drive_upload: { limitMs: longMs, prepare: prepareUpload, send: sendUpload },
}

const isSendingType = (type: string): type is SendingType => Object.hasOwn(nodeSenders, type)

/** Runs of such a node hold a slot of the queue. */
export const sends = (node: GraphNode | undefined): node is SendingNode =>
  node !== undefined && isSendingType(node.type)

// Each takes the type beside the node or its params, so that the row of the table fits them.
const limitMsAs = <T extends SendingType>(type: T, node: NodeOf<T>) => nodeSenders[type].limitMs(node)
const readsAs = <T extends SendingType>(type: T, node: NodeOf<T>) => nodeSenders[type].reads?.(node) ?? false
const renderAs = <T extends SendingType>(type: T, node: NodeOf<T>, scope: Scope) =>
  nodeSenders[type].render?.(node, scope)
const prepareAs = <T extends SendingType>(type: T, em: EntityManager, tenantId: string, params: Params<T>) =>
  nodeSenders[type].prepare?.(em, tenantId, params)

/** Milliseconds for one attempt. */
export const limitMsOf = (node: SendingNode): number => limitMsAs(node.type, node)

/** Whether the node is repeated instead of sent once. */
export const reads = (node: SendingNode): boolean => readsAs(node.type, node)

/**
 * The row of a node that sends: its request, or the params from which it is prepared when the row is claimed. Throws
 * NodeError and TemplateError.
 */
export function requestedRun(node: SendingNode, scope: Scope): Pick<NewRun, 'request' | 'params' | 'delay_ms'> {
  const seal = (value: unknown) => encrypt(JSON.stringify(value))
  const delay = 'delay_ms' in node ? { delay_ms: node.delay_ms } : {}
  const request = renderAs(node.type, node, scope)
  if (request) return { request: seal({ type: node.type, request }), ...delay }
  const { type: _, delay_ms: __, ...params } = resolve(node, scope) as Record<string, unknown>
  return { params: seal(params), ...delay }
}

/** `params`: the JSON that `requestedRun` sealed. Throws NeverSent. */
export async function prepareRequest(
  em: EntityManager,
  tenantId: string,
  type: string,
  params: string,
): Promise<NodeRequest> {
  const request = isSendingType(type) ? await prepareAs(type, em, tenantId, JSON.parse(params)) : undefined
  if (!request) throw new NeverSent({ code: 'not_asked', message: 'a node of this type is not sent' })
  // `prepareAs` made it for this type, which the type of its result does not say.
  return { type, request } as NodeRequest
}

export const sendRequest = <T extends SendingType>(
  { type, request }: NodeRequest<T>,
  sending: Sending,
): Promise<Sent> => nodeSenders[type].send(request, sending)
