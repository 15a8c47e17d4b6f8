// Errors of libraries and networks, in words of an operator. What was reported stays beside them as `detail`.

type Reported = { code: string; message: string } & Record<string, unknown>

const byCode: Readonly<Record<string, string>> = {
  grant_ended: 'The network no longer accepts our access to the account.',
}
/** The names that Node.js and its HTTP client give to errors of connections. */
const byMessage: readonly (readonly [reported: RegExp, said: string])[] = [
  [/ECONNRESET|EPIPE|socket hang up|other side closed|UND_ERR_SOCKET/i, 'The connection was closed before an answer.'],
  [/ETIMEDOUT|UND_ERR_\w*TIMEOUT|timed? ?out/i, 'No answer came in time.'],
  [/ECONNREFUSED/, 'The connection was refused: no server accepts connections at this address.'],
  [/ENOTFOUND|EAI_AGAIN/, 'The name of the server was not found.'],
  [/EHOSTUNREACH|ENETUNREACH/, 'There is no way to the server.'],
  [/CERT_|certificate|UNABLE_TO_VERIFY/i, 'The certificate of the server is not valid.'],
]
/** Codes of requests to addresses that a user chose, which stand before the message. */
const prefix = /^egress_\w+: /

/** The error as people read it; the same one if its message is a sentence already. */
export function spoken<E extends Reported | null>(error: E): E {
  if (!error) return error
  const { code, message } = error
  const known = byCode[code] ?? byMessage.find(([reported]) => reported.test(message))?.[1]
  const bare = message.replace(prefix, '')
  const said = known ?? (bare === message ? message : `${bare.charAt(0).toUpperCase()}${bare.slice(1)}.`)
  return said === message ? error : { ...error, message: said, detail: message }
}
