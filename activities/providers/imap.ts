// Reads new mail of an IMAP folder. The folder is opened read-only and bodies are peeked at: nothing is marked, moved
// or deleted.
import type { Socket } from 'node:net'
import tls from 'node:tls'
import { type FetchMessageObject, ImapFlow, type ImapTransport, type SearchObject } from 'imapflow'
import { cut } from '../../rules/excerpts.ts'
import { storable } from '../../rules/input/storable.ts'
import { withoutSources } from './call.ts'
import { EgressError } from './egress-guard.ts'
import { type Egress, egress } from './http.ts'
import { cleanOf, untrusted } from './mail.ts'

export type ImapServer = {
  host: string
  port: number
  security: 'tls' | 'starttls' | 'none'
  username: string
  password: string
  folder: string
}

/**
 * `codes` that an operator sees: `imap_sign_in`, `imap_folder`, `imap_tls`, `imap_failed`, and those of EgressError.
 */
export class ImapError extends Error {
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

export type Folder = {
  /** UIDs are comparable as long as this is the same (RFC 3501, 2.3.1.1). */
  uid_validity: number
  /** All messages have lower UIDs. */
  uid_next: number
  /**
   * The next UIDs above `uid`, ascending, at most `most`. `more`: there may be others. `until`: where none are, the
   * last UID that was looked at.
   */
  after(uid: number, most: number): Promise<{ uids: number[]; more: boolean; until: number }>
  /** The UIDs of messages that came on the day of `at` in UTC or later, by the server's own dates; ascending. */
  since(at: Date): Promise<number[]>
  /** The first `bytes` of a message; null: it was deleted. */
  read(uid: number, bytes: number): Promise<Buffer | null>
}

/** The beginning of a message, and what the server writes around it. Bytes. */
const literalMax = 1_048_576 + 1
const stepMax = literalMax + 65_536
/** UIDs of a search, whose answer is one line, and searches of a read. */
const searchedAtOnce = 50_000
const searchesMax = 20
const socketMs = 20_000

type ImapFailure = Error & {
  code?: string
  authenticationFailed?: boolean
  mailboxMissing?: boolean
  tlsFailed?: boolean
  responseText?: string
}

/** The library's error, without the credentials that a server may repeat. */
function imapError(error: unknown, opening: boolean, clean: (text: string) => string): Error {
  if (error instanceof EgressError || error instanceof ImapError) return error
  const { authenticationFailed, mailboxMissing, tlsFailed, code = '', message, responseText } = error as ImapFailure
  const said = String(storable(cut(withoutSources(clean(responseText || message)), 300)))
  if (authenticationFailed) return new ImapError('imap_sign_in', said)
  if (tlsFailed || untrusted.has(code)) return new ImapError('imap_tls', said)
  return new ImapError(mailboxMissing || opening ? 'imap_folder' : 'imap_failed', said)
}

/** A connection that is open already, as the egress guard checked its address. */
function transportOf(
  { socket, tls: options }: Awaited<ReturnType<Egress['connect']>>,
  encrypted: (socket: tls.TLSSocket) => void,
): ImapTransport {
  const encrypt = (ready: () => void) => {
    const secure = tls.connect({ ...options, socket }, ready)
    encrypted(secure)
    return secure
  }
  return {
    connect({ secure }, ready) {
      if (secure) return encrypt(ready)
      setImmediate(ready)
      return socket
    },
    upgrade: (_plain, _options, ready) => encrypt(ready),
  }
}

/** A client that keeps little of what the server sends. It signs in when it connects. */
const clientOf = ({ host, port, security, username, password }: ImapServer, transport: ImapTransport): ImapFlow =>
  new ImapFlow({
    ...{ host, port, secure: security === 'tls', doSTARTTLS: security === 'starttls', transport },
    ...{ auth: { user: username, pass: password }, clientInfo: { name: 'Tillwright' }, logger: false },
    ...{
      disableAutoIdle: true,
      disableCompression: true,
      disableAutoEnable: true,
      disableIMAP4rev2: true,
      maxLockHoldTime: false,
    },
    ...{ greetingTimeout: socketMs, socketTimeout: socketMs },
    // The usual limits are gigabytes, and a line of small tokens takes fifty times its size.
    ...{ maxLiteralSize: literalMax, maxResponseSize: stepMax, maxLineLength: 1_048_576, maxResponseTokens: 20_000 },
  })

/** A client on an open connection, which is bound in time and in bytes. */
type Session = {
  client: ImapFlow
  /** The result of a step. Throws ImapError, also where the step ends too late, or its answer is too long. */
  within<R>(step: Promise<R>, opening?: boolean): Promise<R>
  /** Resolves also where the server does not answer in time. */
  logout(): Promise<void>
  close(): void
}

/** Connects to the server; nothing is sent yet. Steps end at `endBy` (performance.now()). Throws EgressError. */
async function openSession(server: ImapServer, endBy: number, door: Pick<Egress, 'connect'>): Promise<Session> {
  const clean = cleanOf(server)
  const { host, port, security } = server
  const connection = await door.connect({ protocol: 'imap', host, port, plain: security === 'none' })
  let socket: Socket = connection.socket
  const transport = transportOf(connection, (secure) => {
    socket = secure
  })
  const client = clientOf(server, transport)
  const late = Promise.withResolvers<never>()
  late.promise.catch(() => {})
  // Without a listener, an error of an idle connection would end the process.
  client.on('error', (error: Error) => late.reject(error))
  const timer = setTimeout(
    () => late.reject(new ImapError('imap_failed', 'no answer in time')),
    Math.max(0, endBy - performance.now()),
  )
  // What a server sends unasked is read in the process that sends the mail of all stores.
  let begun = 0
  const isTooMuch = () => socket.bytesRead - begun > stepMax
  const tooMuch = () => new ImapError('imap_failed', 'the server sent more than was asked for')
  const watch = setInterval(() => {
    if (!isTooMuch()) return
    late.reject(tooMuch())
    connection.socket.destroy()
  }, 20)
  return {
    client,
    within(step, opening = false) {
      begun = socket.bytesRead
      // On a busy machine a step may end between two looks of the timer.
      const bounded = step.then((result) => {
        if (isTooMuch()) throw tooMuch()
        return result
      })
      return Promise.race([bounded, late.promise]).catch((error) => {
        throw imapError(error, opening, clean)
      })
    },
    logout: () => Promise.race([client.logout(), late.promise]).catch(() => {}),
    close() {
      clearTimeout(timer)
      clearInterval(watch)
      // The socket would stay open after a logout that failed.
      client.close()
      connection.socket.destroy()
    },
  }
}

/** UIDs in the order of the server. */
const search = async ({ client, within }: Session, query: SearchObject): Promise<number[]> =>
  (await within(client.search(query, { uid: true }))) || []

/** Signs in and opens the folder read-only. Throws ImapError. */
async function openFolder(session: Session, name: string): Promise<Pick<Folder, 'uid_validity' | 'uid_next'>> {
  const { client, within } = session
  await within(client.connect())
  const { uidValidity, uidNext } = await within(client.mailboxOpen(name, { readOnly: true }), true)
  if (
    ![Number(uidValidity), Number(uidNext || 0)].every((one) => Number.isSafeInteger(one) && one >= 0 && one < 2 ** 32)
  )
    throw new ImapError('imap_failed', 'the server names no valid UIDVALIDITY and UIDNEXT')
  // A server need not tell it.
  const next = uidNext > 0 ? uidNext : Math.max(0, ...(await search(session, { uid: '*' }))) + 1
  return { uid_validity: Number(uidValidity), uid_next: next }
}

/** The reads of an open folder. Each throws ImapError. */
const readsOf = (session: Session, next: number): Pick<Folder, 'after' | 'since' | 'read'> => ({
  async after(uid, most) {
    let until = uid
    for (let searches = 0; until < next - 1 && searches < searchesMax; searches++) {
      const [from, to] = [until + 1, Math.min(until + searchedAtOnce, next - 1)]
      const found = await search(session, { uid: `${from}:${to}` })
      const uids = found.filter((one) => one >= from && one <= to).sort((a, b) => a - b)
      if (uids.length > 0) return { uids: uids.slice(0, most), more: uids.length > most || to < next - 1, until }
      until = to
    }
    return { uids: [], more: until < next - 1, until }
  },
  since: async (at) => (await search(session, { since: at })).toSorted((a, b) => a - b),
  async read(uid, bytes) {
    const message: FetchMessageObject | false = await session.within(
      session.client.fetchOne(String(uid), { source: { maxLength: bytes } }, { uid: true }),
    )
    return message ? (message.source ?? null) : null
  },
})

/**
 * Signs in, opens the folder read-only, and works in it until `endBy` (performance.now()) at most. Throws ImapError,
 * EgressError, and what `work` throws.
 */
export async function inFolder<T>(
  server: ImapServer,
  endBy: number,
  work: (folder: Folder) => Promise<T>,
  door: Pick<Egress, 'connect'> = egress(),
): Promise<T> {
  const session = await openSession(server, endBy, door)
  try {
    const names = await openFolder(session, server.folder)
    const found = await work({ ...names, ...readsOf(session, names.uid_next) })
    await session.logout()
    return found
  } finally {
    session.close()
  }
}
