// A mail server that stores every message, delivers none, and can refuse, stall or disconnect at every step. What comes
// back is read from it by IMAP.
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { AddressInfo, Socket } from 'node:net'
import PostalMime from 'postal-mime'
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server'
import { keep, ledger, record } from './mail/caught.ts'
import { type Done, goesOn, greylist, refuseData, sockets, strike, takeFault } from './mail/faults.ts'
import { imapServer } from './mail/imap.ts'
import { serve } from './mail/web.ts'
import { keptServer } from './sim/kept-server.ts'

const { MAIL_SMTP_PORT = '0', MAIL_HTTP_PORT = '0', MAIL_IMAP_PORT = '0' } = process.env

const recipients = (session: SMTPServerSession) => session.envelope.rcptTo.map(({ address }) => address.toLowerCase())

const smtp = new SMTPServer({
  authOptional: true,
  allowInsecureAuth: true,
  disabledCommands: ['STARTTLS'],
  disableReverseLookup: true,
  onAuth: (auth, session, done) => {
    const fault = takeFault('auth', [])
    if (fault) strike(fault, session, (error) => done(error))
    else done(null, { user: auth.username ?? 'anybody' })
  },
  onConnect: (session, done) => {
    const fault = takeFault('connect', [])
    if (fault) strike(fault, session, done)
    else done()
  },
  onMailFrom: (_address, session, done) => {
    const fault = takeFault('mail', [])
    if (fault) strike(fault, session, done)
    else done()
  },
  onRcptTo: ({ address }, session, done) => {
    const fault = takeFault('rcpt', [address.toLowerCase()])
    if (fault?.action === 'greylist') greylist(fault, session, address.toLowerCase(), done)
    else if (fault) strike(fault, session, done)
    else done()
  },
  onData: (stream, session, done) => {
    const fault = takeFault('data', recipients(session))
    const go = () => void receive(stream, session, done).catch(done)
    if (!fault) go()
    else if (goesOn(fault)) strike(fault, session, go)
    else refuseData(fault, session)
  },
})
smtp.on('error', (error: Error) => console.error(JSON.stringify({ msg: 'smtp', error: error.message })))
smtp.server.on('connection', (socket: Socket) => {
  const port = socket.remotePort ?? 0
  sockets.set(port, socket)
  socket.once('close', () => sockets.delete(port))
})

async function receive(stream: SMTPServerDataStream, session: SMTPServerSession, done: Done): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk as Buffer)
  const raw = Buffer.concat(chunks)
  const fault = takeFault('after_data', recipients(session))
  const parsed = await PostalMime.parse(raw)
  const id = `m${ledger.length + 1}`
  const time = Date.now() / 1000
  const from = session.envelope.mailFrom ? session.envelope.mailFrom.address : ''
  const to = recipients(session)
  const subject = parsed.subject ?? ''
  const accepted = fault?.action !== 'reject'
  const digest = createHash('sha256').update(raw).digest('hex')
  const answered = fault === undefined || !accepted || goesOn(fault)
  record({ id, time, message_id: parsed.messageId ?? null, from, to, subject, digest, accepted, answered })
  // Like Amazon SES, whose reply names the part before the at sign.
  const renamed = fault?.action === 'rename' ? `${randomBytes(8).toString('hex')}-${randomUUID()}-000000` : null
  if (accepted) {
    const headers = Object.fromEntries(parsed.headers.map(({ key, value }) => [key, value]))
    if (renamed) headers['message-id'] = `<${renamed}@provider.tillwright.test>`
    keep({
      id,
      time,
      from,
      to,
      subject,
      text: parsed.text?.trimEnd() ?? '',
      html: parsed.html?.trimEnd() ?? '',
      headers,
    })
  }
  // smtp-server takes the second argument as the text of its reply.
  if (renamed) (done as (error: null, text: string) => void)(null, `Ok ${renamed}`)
  else if (fault) strike(fault, session, done)
  else done()
}

const web = keptServer((req, res) => {
  serve(req, res).catch((error: Error) => {
    if (!res.headersSent)
      res.writeHead(error instanceof SyntaxError ? 400 : 500, { 'content-type': 'application/json' })
    res.end(JSON.stringify({ error: { message: error.message } }))
  })
})
const imap = imapServer()

const listen = (server: { listen(port: number, host: string, done: () => void): unknown }, port: string) =>
  new Promise<void>((resolve) => {
    server.listen(Number(port), '127.0.0.1', resolve)
  })

await listen(smtp, MAIL_SMTP_PORT)
await listen(web, MAIL_HTTP_PORT)
await listen(imap, MAIL_IMAP_PORT)
const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port
console.log(JSON.stringify({ msg: 'listening', smtp: portOf(smtp.server), http: portOf(web), imap: portOf(imap) }))
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(0))
