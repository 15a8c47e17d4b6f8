// SMTP: before the final dot of DATA nothing was sent; after it, without an answer, the outcome is unknown.
import { createHash } from 'node:crypto'
import nodemailer from 'nodemailer'
import { config } from '../../config.ts'
import { Email } from '../../rules/input/identities.ts'
import type { Sending, Verdict } from '../once.ts'
import { withoutSources } from './call.ts'
import { type Egress, egress } from './http.ts'

export type EmailMessage = { to: string; subject: string; text: string; html: string }

/** Sent through the account of a store. The password is in it: it is never logged, and stored only encrypted. */
export type StoreEmail = EmailMessage & {
  from: { address: string; name: string }
  reply_to: string | null
  smtp: { host: string; port: number; security: 'tls' | 'starttls' | 'none'; username: string | null; password: string | null }
}

/** `originalCode`: of the error that nodemailer gave a code of its own. */
type SmtpError = Error & { code?: string; originalCode?: string; command?: string; responseCode?: number }
/** Node's names of what is wrong with a certificate (Node.js documentation, TLS, X509 certificate error codes): the next attempt would see the same one. */
const untrusted = new Set([
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'HOSTNAME_MISMATCH',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_DECRYPT_CERT_SIGNATURE',
  'UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY',
  'CERT_SIGNATURE_FAILURE',
  'CERT_NOT_YET_VALID',
  'CERT_HAS_EXPIRED',
  'CERT_CHAIN_TOO_LONG',
  'CERT_REVOKED',
  'CERT_UNTRUSTED',
  'CERT_REJECTED',
  'ERROR_IN_CERT_NOT_BEFORE_FIELD',
  'ERROR_IN_CERT_NOT_AFTER_FIELD',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'INVALID_CA',
  'INVALID_PURPOSE',
  'PATH_LENGTH_EXCEEDED',
])
/** A server's reply may repeat the credentials it received. */
type Clean = (text: string) => string

/** nodemailer reports every broken connection as CONN, whatever was sent on it: the phase is recorded here. */
function verdictOf(error: SmtpError, handedOver: boolean, clean: Clean): Verdict {
  const { code, originalCode, command, responseCode } = error
  const why = { code: code ?? 'smtp', message: withoutSources(clean(error.message)).slice(0, 300), ...(responseCode ? { provider_status: responseCode } : {}) }
  const evidence = { command: command ?? null }
  // A reply code is an answer: the server did not accept the message (RFC 5321, 4.2.1), also in reply to the final dot (4.2.5). 5yz refuses it; after
  // 4yz (greylisting, a full disk) the client keeps the message and tries again later, at least minutes apart (4.5.4.1). A farewell on a closing
  // connection (421, or any reply outside DATA) answers nothing once the message is under way.
  if (responseCode && responseCode >= 400 && (!handedOver || (command === 'DATA' && responseCode !== 421)))
    return responseCode < 500
      ? { kind: 'not_sent', error: why, later: true }
      : { kind: 'rejected', evidence: { status: responseCode, ...evidence }, error: why }
  if (handedOver) return { kind: 'unknown', evidence, error: why }
  return untrusted.has(originalCode ?? '') ? { kind: 'not_sent', error: why, final: true } : { kind: 'not_sent', error: why }
}

const tooLate = () => Object.assign(new Error('too late to send'), { code: 'too_late' })

/** One attempt. `account`: nodemailer's options that say where to and as whom. */
async function sendEmail(account: object, mail: object, { firstByteBy, endBy }: Sending, clean: Clean): Promise<Verdict> {
  const transport = nodemailer.createTransport({
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    dnsTimeout: 5_000,
    disableFileAccess: true,
    disableUrlAccess: true,
    ...account,
  } as never)
  if (performance.now() > firstByteBy) return { kind: 'not_sent', error: { code: 'too_late', message: 'too late to send' } }
  const over = new AbortController()
  const timer = setTimeout(() => over.abort(), endBy - performance.now())
  let handedOver = false
  // The message is piped into the connection after the server said 354, and not before.
  transport.use('stream', (mail, done) => {
    const { message: node } = mail
    const streamOf = node.createReadStream.bind(node)
    node.createReadStream = (options) => {
      const stream = streamOf(options)
      const pipe = stream.pipe.bind(stream)
      stream.pipe = (into, how) => {
        // The worker was paused until after the deadline: the row is settled as unknown by now.
        if (over.signal.aborted || performance.now() > endBy) {
          over.abort()
          return into
        }
        handedOver = true
        return pipe(into, how)
      }
      return stream
    }
    done()
  })
  try {
    const { response } = await transport.sendMail({ ...mail, signal: over.signal } as never)
    return { kind: 'succeeded', evidence: { response: clean(String(response)).slice(0, 200) } }
  } catch (error) {
    return verdictOf(error as SmtpError, handedOver, clean)
  } finally {
    clearTimeout(timer)
    transport.close()
  }
}

/** The same id in every attempt, so that a receiver can recognise a duplicate. */
const messageIdOf = (id: string, domain: string) => `<${createHash('sha256').update(id).digest('hex').slice(0, 32)}@${domain}>`

/** The installation's own e-mail, through SMTP_URL. */
export const sendPlatformEmail = (message: EmailMessage, sending: Sending): Promise<Verdict> =>
  sendEmail(
    { url: config.smtpUrl },
    {
      from: config.mailFrom,
      ...message,
      messageId: messageIdOf(sending.id, new URL(config.publicUrl).hostname),
      headers: { 'Auto-Submitted': 'auto-generated' },
    },
    sending,
    (text) => text,
  )

/** Redacts the credentials in a server's reply. */
function cleanOf({ username, password }: StoreEmail['smtp']): Clean {
  if (!password) return (text) => text
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  const secrets = [password, base64(password), base64(`\0${username}\0${password}`)]
  return (text) => secrets.reduce((cleaned, secret) => cleaned.replaceAll(secret, '[redacted]'), text)
}

/**
 * A store's e-mail, through its own account: a user gave the host, so it is connected to through the egress guard, and where encryption is required, nothing is
 * sent without it. `output` only with `succeeded`.
 */
export async function sendStoreEmail(
  email: StoreEmail,
  sending: Sending,
  door: Pick<Egress, 'connect'> = egress(),
): Promise<{ verdict: Verdict; output: { message_id: string; accepted: string[]; response: string } | null }> {
  const { smtp, from, reply_to, to, subject, text, html } = email
  const { host, port, security, username, password } = smtp
  // nodemailer parses addresses: a comma or a line break in one would make two.
  if (![from.address, to, ...(reply_to === null ? [] : [reply_to])].every((address) => Email.safeParse(address).success))
    return { verdict: { kind: 'not_sent', error: { code: 'address_invalid', message: 'an address is not one e-mail address' }, final: true }, output: null }
  const messageId = messageIdOf(sending.id, from.address.slice(from.address.lastIndexOf('@') + 1))
  const getSocket = (_: unknown, done: (error: Error | null, options?: object) => void) => {
    door.connect({ host, port, plain: security === 'none' }).then(
      ({ socket, tls }) => {
        if (performance.now() <= sending.firstByteBy) return done(null, { connection: socket, tls })
        socket.destroy()
        done(tooLate())
      },
      (error: Error) => done(error),
    )
  }
  const account = {
    host,
    port,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    getSocket,
    ...(username === null ? {} : { auth: { user: username, pass: password }, forceAuth: true }),
  }
  const one = (address: string) => ({ name: '', address })
  const verdict = await sendEmail(
    account,
    { from, to: one(to), ...(reply_to === null ? {} : { replyTo: one(reply_to) }), envelope: { from: from.address, to: [to] }, subject, text, html, messageId },
    sending,
    cleanOf(smtp),
  )
  if (verdict.kind !== 'succeeded') return { verdict, output: null }
  return { verdict, output: { message_id: messageId, accepted: [to], response: String(verdict.evidence?.response ?? '') } }
}
