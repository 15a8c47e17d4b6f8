// SMTP: before the final dot of DATA nothing was sent; after it, without an answer, nobody can know.
import { createHash } from 'node:crypto'
import nodemailer from 'nodemailer'
import { config } from '../../config.ts'
import type { Sending, Verdict } from '../once.ts'

export type Message = { to: string; subject: string; text: string; html: string }

type SmtpError = Error & { code?: string; command?: string; responseCode?: number; response?: string }

/** (Design: effects, Verdicts, Mail.) nodemailer calls every broken connection CONN, whatever was sent on it: the phase is our own. */
function verdictOf(error: SmtpError, handedOver: boolean): Verdict {
  const { code, command, responseCode } = error
  const why = { code: code ?? 'smtp', message: error.message.slice(0, 300), ...(responseCode ? { provider_status: responseCode } : {}) }
  // A reply code is an answer, whatever it answers: 4xx and 5xx say that it was not taken. A farewell on a closing connection answers nothing.
  if (responseCode && responseCode >= 400 && (!handedOver || command === 'DATA'))
    return { kind: 'rejected', evidence: { status: responseCode, command: command ?? null }, error: why }
  return handedOver ? { kind: 'unknown', evidence: { command: command ?? null }, error: why } : { kind: 'not_sent', error: why }
}

export async function sendMessage(message: Message, { id, firstByteBy, endBy }: Sending): Promise<Verdict> {
  const transport = nodemailer.createTransport({
    url: config.smtpUrl,
    connectionTimeout: 5_000,
    greetingTimeout: 5_000,
    dnsTimeout: 5_000,
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
        // Paused on the way here: whoever settled it meanwhile called it unknown.
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
    const { response } = await transport.sendMail({
      from: config.mailFrom,
      ...message,
      // The same id in every attempt: what was taken twice after all is seen to be one.
      messageId: `<${createHash('sha256').update(id).digest('hex').slice(0, 32)}@${new URL(config.publicUrl).hostname}>`,
      headers: { 'Auto-Submitted': 'auto-generated' },
      signal: over.signal,
    } as never)
    return { kind: 'succeeded', evidence: { response: String(response).slice(0, 200) } }
  } catch (error) {
    return verdictOf(error as SmtpError, handedOver)
  } finally {
    clearTimeout(timer)
    transport.close()
  }
}
