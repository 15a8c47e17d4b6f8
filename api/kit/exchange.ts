// A request as it was read, and the answer that is written.
import type { IncomingMessage } from 'node:http'
import type { Headers } from './caller.ts'

export type Incoming = {
  found: Record<string, string>
  search: URLSearchParams
  headers: Headers
  bytes: Buffer
  ip: string
  now: number
  request: IncomingMessage
}
export type Outgoing = { status: number; headers: Record<string, string>; body: unknown; tenant_id: string | null }
