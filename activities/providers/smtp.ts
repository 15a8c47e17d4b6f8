// One SMTP session: every reply belongs to one command, and nothing is repeated inside. Whether a message was handed
// over is known exactly.
//   const session = await SmtpSession.open(server, connect, endBy)
//   await session.deliver(envelope, bytes, sending)   // again while session.isOpen()
//   session.quit()

import net from 'node:net'
import { hostname } from 'node:os'
import tls from 'node:tls'
import { dotted, extensionsOf, newReplyReader, type Reply, type Stage, textOf } from '../../rules/mail/smtp.ts'

/** `tls` from the first byte; `starttls` is required; `offered`: STARTTLS if the server offers it. */
export type SmtpServer = {
  host: string
  port: number
  security: 'tls' | 'starttls' | 'offered' | 'none'
  username: string | null
  password: string | null
}
export type Envelope = { from: string; to: string }
/**
 * `envid`: reports of a failed delivery name it, if the server offers them (RFC 3461). `isDotted`: the message is as it
 * is written, with its final dot. `isWanted`: asked when the server awaits the body; if it is not, the session is
 * closed, which is the only way to send none.
 */
export type DeliveryOptions = { envid?: string; isDotted?: boolean; isWanted?: () => true | Promise<boolean> }
/** A connection on which nothing was written yet, and its TLS options. */
export type Connect = () => Promise<{ socket: net.Socket; tls: tls.ConnectionOptions }>
/** Times by performance.now(). */
export type Deadlines = { firstByteBy: number; endBy: number }
/** The body is handed over no later than `bodyBy`. */
type DeliveryDeadlines = Deadlines & { bodyBy?: number }

const greetingMs = 10_000

/** `reply`: the server's, if it replied. `cause`: of the socket or of TLS. */
export class SmtpError extends Error {
  readonly stage: Stage
  readonly reply: Reply | undefined
  constructor(stage: Stage, what: string | Reply, cause?: unknown) {
    super(typeof what === 'string' ? what : textOf(what), { cause })
    this.stage = stage
    this.reply = typeof what === 'string' ? undefined : what
  }
}

type Waiting = PromiseWithResolvers<Reply>

export class SmtpSession {
  /** Where the session is; `dot` from the moment in which the message was handed to the connection. */
  stage: Stage = 'greeting'
  private socket: net.Socket
  private reader = newReplyReader()
  private extensions = new Map<string, string>()
  /** Commands whose replies have not arrived, in their order. */
  private readonly waiting: Waiting[] = []
  private broken: Error | undefined
  /** A reply to no command. */
  private stray: Reply | undefined
  /** The refusal of this message ended nothing but the message. */
  private staysOpen = false

  private constructor(socket: net.Socket) {
    this.socket = socket
    this.listen()
  }

  /** Connects, upgrades to TLS and signs in. Throws SmtpError; the errors of `connect` as they are. */
  static async open(server: SmtpServer, connect: Connect, { firstByteBy, endBy }: Deadlines): Promise<SmtpSession> {
    const { socket, tls: options } = await connect()
    const session = new SmtpSession(socket)
    return session.within(Math.min(endBy, performance.now() + 2 * greetingMs), async () => {
      if (performance.now() > firstByteBy) throw session.failed('too late to send')
      if (server.security === 'tls') await session.encrypt(options)
      session.accepted(await session.next())
      await session.greet()
      if (server.security === 'starttls' || (server.security === 'offered' && session.extensions.has('STARTTLS'))) {
        session.stage = 'starttls'
        session.accepted(await session.say('STARTTLS'))
        await session.encrypt(options)
        await session.greet()
      }
      if (server.username !== null) await session.signIn(server.username, server.password ?? '')
      return session
    })
  }

  /** Nothing is outstanding, and the next message may be sent. */
  isOpen(): boolean {
    return !this.broken && !this.stray && this.waiting.length === 0
  }

  /**
   * Hands over one message, once. Returns the reply that accepted it; throws SmtpError. The session stays open only
   * after a reply that says so.
   */
  async deliver(
    envelope: Envelope,
    message: Buffer,
    { firstByteBy, endBy, bodyBy = endBy }: DeliveryDeadlines,
    { envid, isDotted, isWanted = () => true }: DeliveryOptions = {},
  ): Promise<Reply> {
    const bytes = isDotted ? message : dotted(message)
    const lastBodyBy = Math.min(bodyBy, endBy)
    await this.within(lastBodyBy, async () => {
      this.stage = 'mail'
      if (performance.now() > firstByteBy) throw this.failed('too late to send')
      await this.propose(envelope, bytes.length, envid)
      if (this.strayed()) throw this.failed('the server sent a reply to no command')
      const wanted = isWanted()
      if (wanted !== true && !(await wanted)) throw this.failed('it is no longer wanted')
      // The worker was paused until after the deadline: the row is settled as unknown by now.
      if (performance.now() > lastBodyBy) throw this.failed('too late to send')
    })
    return this.within(endBy, async () => {
      this.stage = 'dot'
      // Only what arrives after the last octet was written is a reply to the final dot.
      await this.write(bytes)
      const reply = await this.next()
      if (this.strayed(421)) throw this.failed('the server sent two replies to one message')
      // A message that was refused has ended as well.
      this.staysOpen = reply.code >= 400 && reply.code !== 421 && this.isOpen()
      return this.accepted(reply)
    })
  }

  /** MAIL, RCPT and DATA. A session whose envelope was refused is reset. */
  private async propose({ from, to }: Envelope, size: number, envid: string | undefined): Promise<void> {
    const limit = Number(this.extensions.get('SIZE'))
    if (limit > 0 && size > limit) {
      this.staysOpen = this.isOpen()
      throw new SmtpError('mail', {
        code: 552,
        lines: [`the message has ${size} octets, and the server accepts ${limit}`],
      })
    }
    const reports = envid !== undefined && this.extensions.has('DSN')
    const declared = `${this.extensions.has('SIZE') ? ` SIZE=${size}` : ''}${reports ? ` RET=HDRS ENVID=${envid}` : ''}`
    const commands = [`MAIL FROM:<${from}>${declared}`, `RCPT TO:<${to}>${reports ? ' NOTIFY=FAILURE' : ''}`, 'DATA']
    const replies = this.extensions.has('PIPELINING') ? this.sayAll(commands) : undefined
    // All are read before one is judged: one reply too many belongs to another command than it seems to.
    const read = replies ? await Promise.allSettled(replies) : []
    if (this.strayed()) throw this.failed('the server sent a reply to no command')
    try {
      for (const [n, stage] of (['mail', 'rcpt', 'data'] as const).entries()) {
        this.stage = stage
        const reply = await (replies ? replies[n] : this.say(commands[n] as string))
        if (stage === 'data') this.expect(reply as Reply, 354)
        else this.accepted(reply as Reply)
      }
    } catch (error) {
      // A server that waits for a message although it refused the envelope.
      const expects = read.some((one) => one.status === 'fulfilled' && one.value.code === 354)
      if (error instanceof SmtpError && error.reply && !expects) await this.reset(error.reply)
      throw error
    }
  }

  /** After a refusal: the session continues if the server agrees. */
  private async reset({ code }: Reply): Promise<void> {
    if (code === 421 || code < 400 || !this.isOpen()) return
    const { stage } = this
    const reply = await this.say('RSET').catch(() => undefined)
    this.stage = stage
    this.staysOpen = reply?.code === 250 && this.isOpen()
  }

  /** Says goodbye and closes. */
  quit(): void {
    if (!this.broken) this.socket.end('QUIT\r\n')
    this.broken ??= new Error('the session has ended')
    // A server that does not close keeps the socket for a while at most.
    setTimeout(() => this.socket.destroy(), 1_000).unref()
  }

  close(): void {
    this.broken ??= new Error('the session has ended')
    this.socket.destroy()
  }

  private failed(message: string, cause?: unknown): SmtpError {
    return new SmtpError(this.stage, message, cause)
  }

  /** `farewell`: the code of a reply that may follow any other one. */
  private strayed(farewell?: number): boolean {
    return this.stray !== undefined && this.stray.code !== farewell
  }

  private expect(reply: Reply, code: number): void {
    if (reply.code !== code) throw new SmtpError(this.stage, reply)
  }

  private accepted(reply: Reply): Reply {
    if (reply.code < 200 || reply.code > 299) throw new SmtpError(this.stage, reply)
    return reply
  }

  private listen(): void {
    const { socket } = this
    socket.setNoDelay(true)
    socket.on('data', (bytes: Buffer) => this.read(bytes))
    socket.on('error', (error) => this.end(error))
    socket.on('close', () => this.end(new Error('the connection was closed')))
    socket.on('end', () => this.end(new Error('the server closed the connection')))
  }

  private read(bytes: Buffer): void {
    for (const reply of this.reader.feed(bytes)) {
      const command = this.waiting.shift()
      if (command) command.resolve(reply)
      else this.stray ??= reply
    }
    const error = this.reader.error()
    if (error !== undefined) this.end(new Error(error))
    if (this.stray && this.waiting.length === 0 && this.stage !== 'dot')
      this.broken ??= new Error(`the server sent a reply to no command: ${textOf(this.stray)}`)
  }

  /** No reply arrives any more. */
  private end(error: Error): void {
    this.broken ??= error
    for (const command of this.waiting.splice(0)) command.reject(this.broken)
    this.socket.destroy()
  }

  private next(): Promise<Reply> {
    const command: Waiting = Promise.withResolvers()
    if (this.stray) command.reject(new Error(`the server sent a reply to no command: ${textOf(this.stray)}`))
    else if (this.broken) command.reject(this.broken)
    else this.waiting.push(command)
    // The first refusal of pipelined commands ends the session.
    command.promise.catch(() => {})
    return command.promise
  }

  private sayAll(commands: readonly string[]): Promise<Reply>[] {
    if (this.stray || this.broken) return commands.map(() => this.next())
    const replies = commands.map(() => this.next())
    this.socket.write(`${commands.join('\r\n')}\r\n`)
    return replies
  }

  private say(command: string): Promise<Reply> {
    return this.sayAll([command])[0] as Promise<Reply>
  }

  private write(bytes: Buffer): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    if (this.broken) reject(this.broken)
    else this.socket.write(bytes, (error) => (error ? reject(error) : resolve()))
    return promise
  }

  private async greet(): Promise<void> {
    this.stage = 'ehlo'
    const name = ownName(this.socket)
    const reply = await this.say(`EHLO ${name}`)
    this.extensions = reply.code === 250 ? extensionsOf(reply) : new Map()
    // A server that does not know EHLO (RFC 5321, 4.1.1.1).
    if (reply.code !== 250) this.accepted([500, 502, 504].includes(reply.code) ? await this.say(`HELO ${name}`) : reply)
  }

  private async encrypt(options: tls.ConnectionOptions): Promise<void> {
    this.stage = this.stage === 'greeting' ? 'connect' : 'starttls'
    // What came in clear text behind the reply would be read as if it had come encrypted.
    if (this.reader.isPartial() || this.strayed()) throw this.failed('the server sent more than its reply to STARTTLS')
    const plain = this.socket
    plain.removeAllListeners('data').removeAllListeners('end').removeAllListeners('close').removeAllListeners('error')
    const secure = tls.connect({ ...options, socket: plain })
    this.socket = secure
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    secure.once('secureConnect', resolve)
    secure.on('error', reject)
    secure.once('close', () => reject(new Error('the connection was closed')))
    plain.on('error', reject)
    await promise
    this.reader = newReplyReader()
    this.extensions = new Map()
    if (this.stage === 'connect') this.stage = 'greeting'
    this.listen()
  }

  private async signIn(username: string, password: string): Promise<void> {
    this.stage = 'auth'
    const base64 = (text: string) => Buffer.from(text).toString('base64')
    const mechanisms = this.extensions.get('AUTH')?.split(/\s+/) ?? []
    // RFC 4954; a server that names no mechanism may still accept one.
    if (mechanisms.includes('PLAIN') || !mechanisms.includes('LOGIN')) {
      this.expect(await this.say(`AUTH PLAIN ${base64(`\0${username}\0${password}`)}`), 235)
      return
    }
    this.expect(await this.say('AUTH LOGIN'), 334)
    this.expect(await this.say(base64(username)), 334)
    this.expect(await this.say(base64(password)), 235)
  }

  /** Every failure closes the session unless it stays open, and says where it was. */
  private async within<T>(endBy: number, work: () => Promise<T>): Promise<T> {
    const timer = setTimeout(() => this.end(new Error('no answer in time')), Math.max(0, endBy - performance.now()))
    try {
      return await work()
    } catch (error) {
      if (!this.staysOpen) this.close()
      this.staysOpen = false
      if (error instanceof SmtpError) throw error
      throw this.failed((error as Error).message, error)
    } finally {
      clearTimeout(timer)
    }
  }
}

/** What a client calls itself: its name, or the address of its connection (RFC 5321, 4.1.3). */
function ownName({ localAddress = '127.0.0.1' }: net.Socket): string {
  const name = hostname()
  if (/^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$/.test(name)) return name
  const address = localAddress.replace(/^::ffff:/, '')
  return net.isIPv6(address) ? `[IPv6:${address}]` : `[${address}]`
}
