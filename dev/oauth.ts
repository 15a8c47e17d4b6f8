// An authorization server that records every request in a ledger: it exchanges codes, each once (RFC 6749, RFC 7636),
// and revokes tokens (RFC 7009).
//   OAUTH_PORT, OAUTH_CLIENT (id:secret).
//   POST /_sim/codes {code, redirect_uri, challenge?, refresh?}, POST /_sim/faults {path, answer? or reset} and
//   GET /_sim/ledger are its control.
import { createHash, randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { answerFreely, type FreeAnswer } from './sim/free-answer.ts'
import { keptServer } from './sim/kept-server.ts'

/** `refresh`: whether the answer has a refresh token, as it has by default. */
type Code = { code: string; redirect_uri: string; challenge?: string; refresh?: boolean }
/** The next request for the path is answered so, or its connection is reset after it had its effect. */
type Fault = { path: string; answer?: FreeAnswer; reset?: true }
/** Without the client's secret. */
type Entry = { path: string; fields: Record<string, string>; status: number; tokens: string[] }

const { OAUTH_PORT = '0', OAUTH_CLIENT = '' } = process.env
const codes = new Map<string, Code>()
const used = new Map<string, string[]>()
const revoked = new Set<string>()
const ledger: Entry[] = []
let faults: Fault[] = []

type Given = { status: number; body: Record<string, unknown>; tokens?: string[] }
const refuse = (status: number, error: string): Given => ({ status, body: { error } })

function exchange({ grant_type, code = '', redirect_uri, code_verifier }: Record<string, string>): Given {
  if (grant_type !== 'authorization_code') return refuse(400, 'unsupported_grant_type')
  // A code that comes twice was stolen: what it got is revoked (RFC 6749, 4.1.2).
  for (const token of used.get(code) ?? []) revoked.add(token)
  const given = codes.get(code)
  codes.delete(code)
  if (!given || given.redirect_uri !== redirect_uri) return refuse(400, 'invalid_grant')
  const challenge =
    code_verifier === undefined ? undefined : createHash('sha256').update(code_verifier).digest('base64url')
  if (given.challenge !== challenge) return refuse(400, 'invalid_grant')
  const [access_token, refresh_token] = [
    `at_${randomBytes(16).toString('hex')}`,
    `rt_${randomBytes(16).toString('hex')}`,
  ]
  const tokens = given.refresh === false ? { access_token } : { access_token, refresh_token }
  used.set(code, Object.values(tokens))
  return {
    status: 200,
    body: { ...tokens, token_type: 'Bearer', expires_in: 3600, scope: 'email calendar' },
    tokens: Object.values(tokens),
  }
}

function revoke({ token = '' }: Record<string, string>): Given {
  revoked.add(token)
  return { status: 200, body: {} }
}

const server = keptServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const [text, path] = [Buffer.concat(chunks).toString(), request.url ?? '/']
  if (path === '/_sim/codes') {
    const code = JSON.parse(text) as Code
    codes.set(code.code, code)
    return answerFreely(response, { body: {} })
  }
  if (path === '/_sim/faults') {
    faults.push(JSON.parse(text) as Fault)
    return answerFreely(response, { body: {} })
  }
  if (path === '/_sim/ledger') return answerFreely(response, { body: { requests: ledger, revoked: [...revoked] } })
  const { client_id, client_secret, ...fields } = Object.fromEntries(new URLSearchParams(text)) as Record<
    string,
    string
  >
  const fault = faults.find((one) => one.path === path)
  faults = faults.filter((one) => one !== fault)
  const isClient = `${client_id}:${client_secret}` === OAUTH_CLIENT
  const act = path === '/token' ? exchange : path === '/revoke' ? revoke : () => refuse(404, 'not_found')
  const {
    status,
    body,
    tokens = [],
  } = fault?.answer
    ? { status: fault.answer.status ?? 200, body: {} }
    : isClient
      ? act(fields)
      : refuse(401, 'invalid_client')
  ledger.push({ path, fields, status, tokens })
  if (fault?.reset) return void request.socket.resetAndDestroy()
  await answerFreely(response, fault?.answer ?? { status, body })
})
server.listen(Number(OAUTH_PORT), '127.0.0.1', () => console.log(`listening ${(server.address() as AddressInfo).port}`))
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => process.exit())
