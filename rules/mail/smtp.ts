// Replies of SMTP servers (RFC 5321, 4.2), and what a session that broke proves about its message.

/** `lines`: the texts after the code. */
export type Reply = { code: number; lines: string[] }

/**
 * Octets of a line and lines of a reply that are read. RFC 5321, 4.5.3.1.5 allows 512 octets; some servers send longer
 * ones.
 */
const lineMax = 4_096
const linesMax = 256
const replyLine = /^([2-5]\d\d)(?:([ -])(.*))?$/s

/**
 * Reads replies from pieces of a stream, however it is cut. `feed` returns those that are complete; `error`: after them
 * came what is no reply, or more than a client has to read.
 */
export function newReplyReader() {
  let rest = ''
  let open: Reply | undefined
  let error: string | undefined

  /** The reply that this line completes. */
  function take(line: string): Reply | undefined {
    const [, code, separator, text = ''] = replyLine.exec(line) ?? []
    if (line.length > lineMax) error = 'a line of a reply is too long'
    else if (code === undefined) error = 'the server sent a line that is no reply'
    else if (open && open.code !== Number(code)) error = 'the lines of a reply have two codes'
    else if (open && open.lines.length >= linesMax) error = 'a reply has too many lines'
    if (error !== undefined) return
    open ??= { code: Number(code), lines: [] }
    open.lines.push(Buffer.from(text, 'latin1').toString('utf8'))
    if (separator === '-') return
    const reply = open
    open = undefined
    return reply
  }

  return {
    feed(bytes: Buffer): Reply[] {
      const lines = (rest + bytes.toString('latin1')).split('\n')
      rest = lines.pop() as string
      const replies: Reply[] = []
      for (const line of lines) {
        if (error !== undefined) break
        const reply = take(line.endsWith('\r') ? line.slice(0, -1) : line)
        if (reply) replies.push(reply)
      }
      if (rest.length > lineMax) error ??= 'a line of a reply is too long'
      return replies
    },
    error: () => error,
    /** A reply has begun and is not complete. */
    isPartial: () => rest !== '' || open !== undefined,
  }
}

export const textOf = ({ code, lines }: Reply): string => `${code} ${lines.join(' ')}`

/** After the codes: what Postfix, Exim, Exchange and Amazon SES name a message that they accepted. */
const queueIds = [
  /\bqueued as <?([\w.@-]+)/i,
  /\bid=([\w.-]+)/,
  /^(?:2\.\d\.\d )?<([!-;=?-~]+@[!-;=?-~]+)>/,
  /^Ok ([0-9a-f]{16}-[\w-]+)$/i,
]

/**
 * What the server calls the message that it accepted with this reply, at most 255 characters; null where the reply does
 * not say so.
 */
export function providerIdOf({ lines }: Reply): string | null {
  const said = lines.join(' ').trim()
  for (const pattern of queueIds) {
    const id = pattern.exec(said)?.[1]
    if (id !== undefined && id.length <= 255) return id
  }
  return null
}

/** What the server offers in its reply to EHLO (RFC 5321, 4.1.1.1): keywords in upper case, with their parameters. */
export const extensionsOf = ({ lines }: Reply): Map<string, string> =>
  new Map(
    lines.slice(1).map((line) => {
      // Some servers write AUTH=PLAIN.
      const [, keyword = '', value = ''] = /^([A-Za-z0-9-]+)[ =]?(.*)$/s.exec(line.trim()) ?? []
      return [keyword.toUpperCase(), value.toUpperCase()]
    }),
  )

/** Where a session is. `dot`: the message was handed to the connection, and its reply is awaited. */
export type Stage = 'connect' | 'greeting' | 'ehlo' | 'starttls' | 'auth' | 'mail' | 'rcpt' | 'data' | 'dot'

/**
 * What is proved about a message whose session ended at `stage`, with the server's reply to it or without one. Before
 * the message was handed over it was not sent.
 * After that, only a complete reply to the final dot proves anything: 421 announces the end of the connection, and
 * answers nothing (RFC 5321, 3.8). A 5yz reply refuses the message; after 4yz the client keeps it and tries again later
 * (4.2.1, 4.5.4.1).
 */
export function proved(stage: Stage, code: number | undefined): 'sent' | 'not_sent' | 'later' | 'rejected' | 'unknown' {
  if (code === undefined || code === 354) return stage === 'dot' ? 'unknown' : 'not_sent'
  if (stage === 'dot' && (code === 421 || (code >= 300 && code < 400))) return 'unknown'
  if (code >= 500) return 'rejected'
  if (code >= 400) return 'later'
  return stage === 'dot' && code < 300 ? 'sent' : 'not_sent'
}

/** A message with CRLF line ends, its lines that begin with a dot doubled, and the final dot (RFC 5321, 4.5.2). */
export function dotted(message: Buffer): Buffer {
  // latin1 keeps every octet.
  const text = message
    .toString('latin1')
    .replace(/\r\n|\r|\n/g, '\r\n')
    .replace(/^\./gm, '..')
  return Buffer.from(`${text}${text.endsWith('\r\n') || text === '' ? '' : '\r\n'}.\r\n`, 'latin1')
}
