// The controls of the simulator, all under /_sim. The networks have none of them.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { addFault, BadFault, clearFaults, listFaults } from '../sim/faults.ts'
import { commit } from '../sim/journal.ts'
import { bytesOf } from '../sim/server.ts'
import { ledger } from './ledger.ts'
import { newCode } from './oauth.ts'
import { accountNamed, type Network, networks, now, revocations, revoke, tokens } from './state.ts'

type Body = Record<string, unknown>

const networkIn = (body: Body): Network => {
  const found = networks.find((one) => one === body.network)
  if (!found) throw new BadFault(`network: must be one of ${networks.join(', ')}`)
  return found
}
const textIn = (body: Body, name: string): string => {
  const value = body[name]
  if (typeof value !== 'string') throw new BadFault(`${name}: must be a text`)
  return value
}

/** Tokens of an account by its name; all of them end in `seconds` from now. */
function expire(body: Body) {
  const { id } = accountNamed(networkIn(body), textIn(body, 'account'))
  const held = tokens.all().filter(({ account, kind }) => account === id && kind !== 'refresh')
  for (const token of held) tokens.save({ ...token, expires_at: now() + Number(body.seconds ?? 0) })
  return { expired: held.length }
}
/** The owner of the account removes the app. */
function remove(body: Body) {
  const { id } = accountNamed(networkIn(body), textIn(body, 'account'))
  for (const { family } of tokens.all().filter(({ account }) => account === id)) revoke(family, 'removed by the owner')
  return {}
}

const routes: Record<string, (body: Body, query: URLSearchParams) => unknown> = {
  'GET /_sim/ledger': (_, query) =>
    ledger({ host: query.get('host') ?? undefined, path: query.get('path') ?? undefined, match: query.get('match') ?? undefined }),
  'GET /_sim/revocations': () => revocations(),
  'GET /_sim/faults': () => listFaults(),
  'POST /_sim/faults': (body) => addFault(body),
  'DELETE /_sim/faults': () => clearFaults(),
  'POST /_sim/expire': expire,
  'POST /_sim/remove': remove,
  /** A code of the caller's own, as a consent page makes one. */
  'POST /_sim/codes': (body) =>
    newCode(
      accountNamed(networkIn(body), textIn(body, 'account')),
      textIn(body, 'redirect_uri'),
      (body.challenge as string | undefined) ?? null,
      textIn(body, 'code'),
    ),
  /** A token of the caller's own. */
  'POST /_sim/tokens': (body) => {
    const { network, id } = accountNamed(networkIn(body), textIn(body, 'account'))
    const token = textIn(body, 'token')
    return tokens.save({
      token,
      kind: body.kind === 'access' ? 'access' : 'refresh',
      network,
      account: id,
      family: token,
      page: null,
      expires_at: null,
      used: false,
    })
  },
}

export async function control(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const url = new URL(req.url ?? '/', 'http://sim')
  const sent = (await bytesOf(req)).toString()
  const answer = (status: number, body: unknown) => void res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  try {
    const run = routes[`${req.method} ${url.pathname}`]
    if (!run) return answer(404, { error: { message: `no such control: ${req.method} ${url.pathname}` } })
    const result = await run(sent ? (JSON.parse(sent) as Body) : {}, url.searchParams)
    commit()
    return answer(200, result ?? { ok: true })
  } catch (error) {
    if (!(error instanceof BadFault || error instanceof SyntaxError)) throw error
    return answer(400, { error: { message: error.message } })
  }
}
