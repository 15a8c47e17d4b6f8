// Delivers messages through our SMTP client and nothing else, in a process of its own.
import net from 'node:net'
import { SmtpSession } from '../../activities/providers/smtp.ts'

/** `bytes`: of one message, the final dot included. `perSession`: messages over one connection. */
export type Sending = { port: number; sessions: number; count: number; bytes: number; perSession: number }
/** `each`: of every message, milliseconds after the start. */
export type Sent = { ms: number; each: number[] }

const lineBytes = 78

function messageOf(bytes: number): Buffer {
  const head = 'Message-ID: <floor@sink.example>\r\nContent-Transfer-Encoding: base64\r\n\r\n'
  const lines = Math.max(1, Math.round((bytes - head.length - 3) / lineBytes))
  return Buffer.from(`${head}${`${'QUJD'.repeat(19)}\r\n`.repeat(lines)}.\r\n`)
}

async function send({ port, sessions, count, bytes, perSession }: Sending): Promise<Sent> {
  const message = messageOf(bytes)
  const server = { host: '127.0.0.1', port, security: 'none' as const, username: null, password: null }
  const connect = async () => ({ socket: net.connect(port, '127.0.0.1'), tls: {} })
  const within = () => ({ firstByteBy: performance.now() + 5_000, endBy: performance.now() + 60_000 })
  const each: number[] = []
  let left = count
  const begun = performance.now()
  await Promise.all(
    Array.from({ length: sessions }, async () => {
      while (left > 0) {
        const session = await SmtpSession.open(server, connect, within())
        for (let n = 0; n < perSession && left > 0; n++) {
          left--
          await session.deliver({ from: 'news@bench.example', to: 'reader@sink.example' }, message, within(), {
            isDotted: true,
          })
          each.push(performance.now() - begun)
        }
        session.quit()
      }
    }),
  )
  return { ms: performance.now() - begun, each }
}

process.on('disconnect', () => process.exit())
process.on('message', (job: Sending) => {
  send(job).then(
    (sent) => process.send?.({ sent }),
    (error: Error) => process.send?.({ error: error.stack }),
  )
})
