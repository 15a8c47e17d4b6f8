// The controls of a simulator, all under /_sim/: those of faults that every simulator has, and its own. What it
// simulates has none of them.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { addFault, BadFault, clearFaults, listFaults } from './faults.ts'
import { answerFreely } from './free-answer.ts'
import { commit } from './journal.ts'
import { closeReused } from './reused.ts'
import { bytesOf } from './server.ts'

/** By method and path: `POST /_sim/posts`. What a control returns is answered as JSON. */
export type Controls = Readonly<Record<string, (body: Record<string, unknown>, query: URLSearchParams) => unknown>>

const shared: Controls = {
  'GET /_sim/faults': () => listFaults(),
  'POST /_sim/faults': (body) => addFault(body),
  'DELETE /_sim/faults': (_, query) => clearFaults(query.get('owner'), query.get('label')),
  'POST /_sim/reused': ({ closes }) => closeReused(closes),
}

/** 400 for a body that is wrong, 404 for a control that does not exist. */
export async function serveControls(own: Controls, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://sim')
  const name = `${request.method} ${pathname}`
  const sent = (await bytesOf(request)).toString()
  const refuse = (status: number, message: string) => answerFreely(response, { status, body: { error: { message } } })
  const control = own[name] ?? shared[name]
  if (!control) return refuse(404, `no such control: ${name}`)
  try {
    const result = await control(sent === '' ? {} : JSON.parse(sent), searchParams)
    commit()
    return answerFreely(response, { body: result ?? { ok: true } })
  } catch (error) {
    if (!(error instanceof BadFault || error instanceof SyntaxError)) throw error
    return refuse(400, error.message)
  }
}
