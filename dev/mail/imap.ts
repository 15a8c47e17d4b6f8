// An IMAP responder (RFC 3501): the commands by which the new mail of one folder is read. Any user signs in to the
// inbox of the address that is the user name, except with the password `wrong`. It has one folder, INBOX, which is
// never changed by a client.
import { createServer, type Server, type Socket } from 'node:net'
import { type Box, boxOf } from './inboxes.ts'

type Session = { socket: Socket; box: Box | undefined; isOpen: boolean }

/** The arguments of a command: atoms and quoted strings. */
const wordsOf = (text: string): string[] =>
  [...text.matchAll(/"((?:[^"\\]|\\.)*)"|\S+/g)].map(([word, quoted]) =>
    quoted === undefined ? word : quoted.replaceAll(/\\(.)/g, '$1'),
  )

/** `1,4:*` → whether a UID is in it; `*` is the highest one. */
function range(set: string, highest: number): (uid: number) => boolean {
  const number = (text: string) => (text === '*' ? highest : Number(text))
  const parts = set.split(',').map((part) => {
    const [from = '', to = from] = part.split(':')
    return [number(from), number(to)].sort((a, b) => a - b) as [number, number]
  })
  return (uid) => parts.some(([from, to]) => uid >= from && uid <= to)
}

/** The answer to FETCH for the items that it asks for. */
function fetched(items: string, uid: number, raw: Buffer): Buffer {
  const parts: Buffer[] = [Buffer.from(`UID ${uid}`)]
  if (/RFC822\.SIZE/i.test(items)) parts.push(Buffer.from(` RFC822.SIZE ${raw.length}`))
  if (/\bFLAGS\b/i.test(items)) parts.push(Buffer.from(' FLAGS ()'))
  const [, from, length] = /BODY\.PEEK\[\](?:<(\d+)\.(\d+)>)?/i.exec(items) ?? []
  if (/BODY\.PEEK\[\]/i.test(items)) {
    const bytes = from === undefined ? raw : raw.subarray(Number(from), Number(from) + Number(length))
    parts.push(Buffer.from(` BODY[]${from === undefined ? '' : `<${from}>`} {${bytes.length}}\r\n`), bytes)
  }
  return Buffer.concat(parts)
}

function signIn(session: Session, user: string, password: string): string {
  if (password === 'wrong') return 'NO [AUTHENTICATIONFAILED] Invalid credentials'
  session.box = boxOf(user)
  return 'OK signed in'
}

/** Runs one command and returns its tagged answer. */
function run(session: Session, name: string, rest: string): string {
  const say = (line: string) => session.socket.write(`* ${line}\r\n`)
  const { box } = session
  const highest = box?.messages.at(-1)?.uid ?? 0
  const [first = '', second = ''] = wordsOf(rest)
  switch (name) {
    case 'CAPABILITY':
      say('CAPABILITY IMAP4rev1 AUTH=PLAIN SASL-IR')
      return 'OK done'
    case 'NOOP':
      return 'OK done'
    case 'LOGIN':
      return signIn(session, first, second)
    case 'LOGOUT':
      say('BYE goodbye')
      return 'OK done'
    case 'LIST':
    case 'LSUB':
      say(`${name} () "/" ${/INBOX|\*|%/i.test(second) ? 'INBOX' : '""'}`)
      return 'OK done'
    case 'SELECT':
    case 'EXAMINE': {
      if (!box || first.toUpperCase() !== 'INBOX') return 'NO [NONEXISTENT] no such folder'
      session.isOpen = true
      if (box.restless) box.uid_validity++
      for (const line of [
        `${box.messages.length} EXISTS`,
        '0 RECENT',
        'FLAGS ()',
        `OK [UIDVALIDITY ${box.uid_validity}] valid`,
        `OK [UIDNEXT ${box.next}] next`,
      ])
        say(line)
      return name === 'EXAMINE' ? 'OK [READ-ONLY] done' : 'OK [READ-WRITE] done'
    }
    case 'UID SEARCH': {
      if (!box || !session.isOpen) return 'BAD no folder is open'
      const set = /\bUID ([\d,:*]+)/i.exec(rest)?.[1] ?? (/^[\d,:*]+$/.test(first) ? first : '1:*')
      const within = range(set, highest)
      const since = Date.parse(`${/\bSINCE "?([\w-]+)"?/i.exec(rest)?.[1] ?? '1-Jan-1970'} UTC`) / 1_000
      say(
        `SEARCH${box.messages
          .filter(({ uid, at }) => within(uid) && at >= since)
          .map(({ uid }) => ` ${uid}`)
          .join('')}`,
      )
      return 'OK done'
    }
    case 'UID FETCH': {
      if (!box || !session.isOpen) return 'BAD no folder is open'
      const within = range(first, highest)
      for (const [at, { uid, raw }] of box.messages.entries()) {
        if (!within(uid)) continue
        session.socket.write(`* ${at + 1} FETCH (`)
        session.socket.write(fetched(rest, uid, raw))
        session.socket.write(')\r\n')
      }
      return 'OK done'
    }
    default:
      return 'BAD unknown command'
  }
}

function serve(socket: Socket): void {
  const session: Session = { socket, box: undefined, isOpen: false }
  let held = ''
  /** The tag of AUTHENTICATE, while the next line is the client's response. */
  let awaiting: string | undefined
  const authenticate = (tag: string, response: string) => {
    const [, user = '', password = ''] = Buffer.from(response, 'base64').toString().split('\0')
    socket.write(`${tag} ${signIn(session, user, password)}\r\n`)
  }
  const take = (line: string) => {
    if (awaiting !== undefined) {
      authenticate(awaiting, line)
      awaiting = undefined
      return
    }
    const [, tag = '*', command = '', rest = ''] = /^(\S+) ((?:UID )?\S+) ?(.*)$/is.exec(line) ?? []
    const name = command.toUpperCase()
    if (name === 'AUTHENTICATE') {
      const [, response] = wordsOf(rest)
      if (response !== undefined) authenticate(tag, response)
      else {
        awaiting = tag
        socket.write('+ \r\n')
      }
      return
    }
    socket.write(`${tag} ${run(session, name, rest)}\r\n`)
    if (name === 'LOGOUT') socket.end()
  }
  socket.on('data', (bytes: Buffer) => {
    held += bytes.toString('latin1')
    for (;;) {
      const end = held.indexOf('\r\n')
      if (end === -1) return
      const line = held.slice(0, end)
      held = held.slice(end + 2)
      take(line)
    }
  })
  socket.on('error', () => {})
  socket.write('* OK IMAP4rev1 ready\r\n')
}

export const imapServer = (): Server => createServer(serve)
