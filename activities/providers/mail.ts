// SMTP: before the final dot of DATA nothing was sent; after it, without an answer, nobody can know.
import { createHash } from 'node:crypto'
import nodemailer from 'nodemailer'
import { config } from '../../config.ts'
import type { Sending, Verdict } from '../once.ts'

export type Message = { to: string; subject: string; text: string; html: string }

type SmtpError = Error & { code?: string; command?: string; responseCode?: number; response?: string }

/** (Design: effects, Verdicts, Mail.) */
function verdictOf(error: SmtpError): Verdict {
  const { code, command, responseCode } = error
  const why = { code: code ?? 'smtp', message: error.message.slice(0, 300), ...(responseCode ? { provider_status: responseCode } : {}) }
  // A reply code is an answer, whatever it answers: 4xx and 5xx say that it was not taken.
  if (responseCode && responseCode >= 400) return { kind: 'rejected', evidence: { status: responseCode, command: command ?? null }, error: why }
  // nodemailer names the command it was at: CONN, EHLO, STARTTLS, AUTH, MAIL FROM, RCPT TO come before the message, DATA is the message itself.
  if (command && command !== 'DATA') return { kind: 'not_sent', error: why }
  return { kind: 'unknown', evidence: { command: command ?? null }, error: why }
}

export async function sendMessage(message: Message, { id, limitMs, firstByteBy }: Sending): Promise<Verdict> {
  const transport = nodemailer.createTransport({
    url: config.smtpUrl,
    connectionTimeout: 5_000,
    greetingTimeout: 5_000,
    socketTimeout: limitMs,
    dnsTimeout: 5_000,
  } as never)
  if (performance.now() > firstByteBy) return { kind: 'not_sent', error: { code: 'too_late', message: 'too late to send' } }
  try {
    const { response } = await transport.sendMail({
      from: config.mailFrom,
      ...message,
      // The same id in every attempt: what was taken twice after all is seen to be one.
      messageId: `<${createHash('sha256').update(id).digest('hex').slice(0, 32)}@${new URL(config.publicUrl).hostname}>`,
      headers: { 'Auto-Submitted': 'auto-generated' },
    })
    return { kind: 'succeeded', evidence: { response: String(response).slice(0, 200) } }
  } catch (error) {
    return verdictOf(error as SmtpError)
  } finally {
    transport.close()
  }
}
