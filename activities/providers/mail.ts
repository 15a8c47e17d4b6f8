// SMTP: before the final dot of DATA nothing was sent; after it, without an answer, the outcome is unknown.
import { createHash } from 'node:crypto'
import net from 'node:net'
import addressparser from 'nodemailer/lib/addressparser'
import MailComposer from 'nodemailer/lib/mail-composer'
import { config } from '../../config.ts'
import type { EffectError } from '../../entities/kit/effect-columns.ts'
import { cut } from '../../rules/excerpts.ts'
import { isEmailAddress } from '../../rules/input/email-addresses.ts'
import { proved, providerIdOf, type Stage, textOf } from '../../rules/mail/smtp.ts'
import type { Sending, Verdict } from '../kit/once.ts'
import { withoutSources } from './call.ts'
import { type Egress, egress } from './http.ts'
import { type Connect, type DeliveryOptions, type Envelope, SmtpError, type SmtpServer, SmtpSession } from './smtp.ts'

export type EmailMessage = { to: string; subject: string; text: string; html: string }

/** Sent through the account of a store. The password is in it: it is never logged, and stored only encrypted. */
export type StoreEmail = EmailMessage & {
  from: { address: string; name: string }
  reply_to: string | null
  smtp: {
    host: string
    port: number
    security: 'tls' | 'starttls' | 'none'
    username: string | null
    password: string | null
  }
}

/**
 * Node's names of what is wrong with a certificate (Node.js documentation, TLS, X509 certificate error codes): the next
 * attempt would see the same one.
 */
export const untrusted = new Set([
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
export type Clean = (text: string) => string

/** The codes that an operator sees, by the stage of the session. */
const codes: Record<Stage, string> = {
  ...{ connect: 'ETLS', starttls: 'ETLS', greeting: 'ECONNECTION', ehlo: 'EPROTOCOL', auth: 'EAUTH' },
  ...{ mail: 'EENVELOPE', rcpt: 'EENVELOPE', data: 'EMESSAGE', dot: 'EMESSAGE' },
}

function errorOf(error: unknown, clean: Clean): EffectError {
  const message = cut(withoutSources(clean((error as Error).message)), 300)
  if (!(error instanceof SmtpError)) return { code: (error as { code?: string }).code ?? 'ECONNECTION', message }
  return { code: codes[error.stage], message, ...(error.reply ? { provider_status: error.reply.code } : {}) }
}

/** What an operator sees of it, without the credentials of the server. */
export const readableError = (error: unknown, server: Pick<SmtpServer, 'username' | 'password'>): EffectError =>
  errorOf(error, cleanOf(server))

/** `once`: a message that is deferred in reply to its final dot is rejected, as its body was handed over. */
function verdictOf(error: unknown, clean: Clean, once: boolean): Verdict {
  const why = errorOf(error, clean)
  if (!(error instanceof SmtpError)) return { kind: 'not_sent', error: why }
  const { stage, reply, cause } = error
  const evidence = { command: stage === 'dot' ? 'DATA' : stage.toUpperCase() }
  const rejected: Verdict = { kind: 'rejected', evidence: { status: reply?.code, ...evidence }, error: why }
  switch (proved(stage, reply?.code)) {
    case 'rejected':
      return rejected
    case 'later':
      return once && stage === 'dot' ? rejected : { kind: 'not_sent', error: why, later: true }
    case 'unknown':
      return { kind: 'unknown', evidence, error: why }
    default:
      return untrusted.has((cause as { code?: string } | undefined)?.code ?? '')
        ? { kind: 'not_sent', error: why, final: true }
        : { kind: 'not_sent', error: why }
  }
}

type Composed = ConstructorParameters<typeof MailComposer>[0]

/**
 * One attempt, on a connection of its own. `compose` makes the message, before the connection is opened. `campaign`: of
 * a campaign message, whose body is handed over once, and whose row keeps the server's name of it.
 */
async function deliverOnce(
  {
    server,
    connect,
    options,
    campaign = false,
  }: { server: SmtpServer; connect: Connect; options?: DeliveryOptions; campaign?: boolean },
  envelope: Envelope,
  compose: () => Promise<Buffer>,
  sending: Sending,
): Promise<Verdict> {
  const { endBy } = sending
  const clean = cleanOf(server)
  let session: SmtpSession | undefined
  try {
    const message = await compose()
    if (performance.now() > sending.firstByteBy)
      return { kind: 'not_sent', error: { code: 'too_late', message: 'too late to send' } }
    session = await SmtpSession.open(server, connect, sending)
    const reply = await session.deliver(envelope, message, { firstByteBy: endBy, endBy }, options)
    return {
      kind: 'succeeded',
      evidence: { response: cut(clean(textOf(reply)), 200) },
      ...(campaign ? { columns: { provider_message_id: providerIdOf(reply) } } : {}),
    }
  } catch (error) {
    return verdictOf(error, clean, campaign)
  } finally {
    session?.quit()
  }
}

const sendEmail = (
  server: SmtpServer,
  connect: Connect,
  from: string,
  mail: Composed & { to: string },
  sending: Sending,
): Promise<Verdict> => {
  const composed = { ...mail, to: { name: '', address: mail.to }, disableFileAccess: true, disableUrlAccess: true }
  return deliverOnce(
    { server, connect },
    { from, to: mail.to },
    () => new MailComposer(composed).compile().build(),
    sending,
  )
}

/** The same id in every attempt, so that a receiver can recognise a duplicate. */
const messageIdOf = (id: string, domain: string) =>
  `<${createHash('sha256').update(id).digest('hex').slice(0, 32)}@${domain}>`

/** The server of SMTP_URL. */
function platformServer(): SmtpServer {
  const { protocol, hostname, port, username, password } = new URL(config.smtpUrl)
  const isTls = protocol === 'smtps:'
  return {
    ...{
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port) || (isTls ? 465 : 587),
      security: isTls ? 'tls' : 'offered',
    },
    ...{
      username: username ? decodeURIComponent(username) : null,
      password: password ? decodeURIComponent(password) : null,
    },
  }
}

/** The operator of the installation named the host: it is connected to without the egress guard. */
async function connectTo({ host, port }: SmtpServer): Promise<Awaited<ReturnType<Connect>>> {
  const socket = net.connect({ host, port, autoSelectFamily: true, timeout: 10_000 })
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  socket.once('connect', resolve)
  socket.once('error', reject)
  socket.once('timeout', () => socket.destroy(new Error('no connection in time')))
  await promise
  socket.setTimeout(0)
  return { socket, tls: { servername: net.isIP(host) ? '' : host, host } }
}

/** The installation's own e-mail, through SMTP_URL. */
export function sendPlatformEmail({ to, subject, text, html }: EmailMessage, sending: Sending): Promise<Verdict> {
  const server = platformServer()
  const messageId = messageIdOf(sending.id, new URL(config.publicUrl).hostname)
  const mail = {
    from: config.mailFrom,
    to,
    subject,
    text,
    html,
    messageId,
    headers: { 'Auto-Submitted': 'auto-generated' },
  }
  return sendEmail(server, () => connectTo(server), addressOf(config.mailFrom), mail, sending)
}

const addressOf = (sender: string): string =>
  (addressparser(sender, { flatten: true })[0] as { address?: string } | undefined)?.address ?? sender

/** Redacts the credentials in a server's reply. */
export function cleanOf({ username, password }: Pick<SmtpServer, 'username' | 'password'>): Clean {
  if (!password) return (text) => text
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  const secrets = [password, base64(password), base64(`\0${username}\0${password}`)]
  return (text) => secrets.reduce((cleaned, secret) => cleaned.replaceAll(secret, '[redacted]'), text)
}

/** A user gave the host: it is connected to through the egress guard. */
const connectFor = ({ host, port, security }: SmtpServer, door: Pick<Egress, 'connect'>) =>
  door.connect({ protocol: 'smtp', host, port, plain: security === 'none' })

/**
 * Bytes as they are written after DATA, with their final dot, through the account of a store. Reports of a failed
 * delivery name `sending.id`, and the verdict has the server's name of the message as the column `provider_message_id`.
 * `compose` is called before the connection is opened.
 */
export const sendComposed = (
  smtp: StoreEmail['smtp'],
  envelope: Envelope,
  compose: () => Promise<Buffer>,
  sending: Sending,
): Promise<Verdict> =>
  deliverOnce(
    {
      server: smtp,
      connect: () => connectFor(smtp, egress()),
      options: { envid: sending.id, isDotted: true },
      campaign: true,
    },
    envelope,
    compose,
    sending,
  )

/**
 * A store's e-mail, through its own account: a user gave the host, so it is connected to through the egress guard, and
 * where encryption is required, nothing is sent without it. `output` only with `succeeded`.
 */
export async function sendStoreEmail(
  email: StoreEmail,
  sending: Sending,
  door: Pick<Egress, 'connect'> = egress(),
): Promise<{ verdict: Verdict; output: { message_id: string; accepted: string[]; response: string } | null }> {
  const { smtp, from, reply_to, to, subject, text, html } = email
  // nodemailer parses addresses: a comma or a line break in one would make two.
  if (![from.address, to, ...(reply_to === null ? [] : [reply_to])].every(isEmailAddress))
    return {
      verdict: {
        kind: 'not_sent',
        error: { code: 'address_invalid', message: 'an address is not one e-mail address' },
        final: true,
      },
      output: null,
    }
  const messageId = messageIdOf(sending.id, from.address.slice(from.address.lastIndexOf('@') + 1))
  const mail = {
    from,
    to,
    subject,
    text,
    html,
    messageId,
    ...(reply_to === null ? {} : { replyTo: { name: '', address: reply_to } }),
  }
  const connect = () => connectFor(smtp, door)
  const verdict = await sendEmail(smtp, connect, from.address, mail, sending)
  if (verdict.kind !== 'succeeded') return { verdict, output: null }
  return {
    verdict,
    output: { message_id: messageId, accepted: [to], response: String(verdict.evidence?.response ?? '') },
  }
}
