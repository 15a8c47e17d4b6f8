// An SMTP server without storage: it keeps a ledger of the messages that it was given with their final dot, and replies
// as its rules say.
//   const sink = await startMailSink()
//   sink.rule = ({ to, tries }) => (tries === 1 ? { at: 'rcpt', reply: '450 4.2.0 later' } : undefined)
import net, { type AddressInfo } from 'node:net'

type Point = 'greeting' | 'auth' | 'mail' | 'rcpt' | 'data' | 'dot'
/** Instead of the usual reply; `cut`: the connection is reset; `hang`: no reply. */
export type Answer = { at: Point; reply: string } | { at: Point; do: 'cut' | 'hang' }
/** `tries`: how often the recipient was tried, this time included; 0 before there is one. */
type Asked = { to: string; tries: number }
export type Received = { id: string; to: string; from: string; at: number; text: string; reply: string }

const usual: Record<Point, string> = {
  ...{
    greeting: '220 sink',
    auth: '235 2.7.0 welcome',
    mail: '250 2.1.0 ok',
    rcpt: '250 2.1.5 ok',
    data: '354 go on',
    dot: '250 2.0.0 queued as ABCDEF',
  },
}

export async function startMailSink() {
  const received: Received[] = []
  const tries = new Map<string, number>()
  const sockets = new Set<net.Socket>()
  const sink = {
    port: 0,
    received,
    /** Connections that were opened, and those that are open. */
    connected: 0,
    open: () => sockets.size,
    delayMs: 0,
    rule: (_asked: Asked): Answer | undefined => undefined,
    /** The bodies of each recipient. */
    copies: (): Map<string, number> => {
      const counts = new Map<string, number>()
      for (const { to } of received) counts.set(to, (counts.get(to) ?? 0) + 1)
      return counts
    },
    stop: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((done) => server.close(done))
    },
  }

  function converse(socket: net.Socket): void {
    sockets.add(socket)
    sink.connected++
    let buffer = ''
    let inBody = false
    let [from, to] = ['', '']
    socket.on('close', () => sockets.delete(socket)).on('error', () => {})
    const answer = (at: Point): string | undefined => {
      const rule = sink.rule({ to, tries: tries.get(to) ?? 0 })
      if (!rule || rule.at !== at) return usual[at]
      if ('reply' in rule) return rule.reply
      if (rule.do === 'cut') socket.resetAndDestroy()
      return undefined
    }
    const say = (lines: (string | undefined)[]) => {
      const text = lines.flatMap((line) => (line === undefined ? [] : [`${line}\r\n`])).join('')
      if (text === '') return
      if (sink.delayMs === 0) socket.write(text)
      else setTimeout(() => socket.write(text), sink.delayMs)
    }
    function command(line: string): string | undefined {
      if (line.startsWith('EHLO')) return '250-sink\r\n250-PIPELINING\r\n250-AUTH PLAIN\r\n250 SIZE 10000000'
      if (line.startsWith('AUTH')) return answer('auth')
      if (line.startsWith('MAIL')) {
        from = /<(.*?)>/.exec(line)?.[1] ?? ''
        to = ''
        return answer('mail')
      }
      if (line.startsWith('RCPT')) {
        to = /<(.*?)>/.exec(line)?.[1] ?? ''
        tries.set(to, (tries.get(to) ?? 0) + 1)
        const reply = answer('rcpt')
        if (!reply?.startsWith('2')) to = ''
        return reply
      }
      if (line === 'DATA') {
        const reply = to === '' ? '503 5.5.1 no recipient' : answer('data')
        inBody = reply?.startsWith('354') ?? false
        return reply
      }
      if (line === 'QUIT') return '221 bye'
      return '250 ok'
    }
    say([answer('greeting')])
    socket.on('data', (bytes) => {
      buffer += bytes.toString('latin1')
      const replies: (string | undefined)[] = []
      for (;;) {
        const end = inBody ? buffer.indexOf('\r\n.\r\n') : buffer.indexOf('\r\n')
        if (end < 0) break
        const text = buffer.slice(0, end)
        buffer = buffer.slice(end + (inBody ? 5 : 2))
        if (!inBody) {
          replies.push(command(text))
          continue
        }
        inBody = false
        const reply = answer('dot')
        received.push({
          id: /^X-Campaign-Message: (\S+)/m.exec(text)?.[1] ?? '',
          to,
          from,
          at: Date.now(),
          text,
          reply: reply ?? 'none',
        })
        replies.push(reply)
      }
      say(replies)
    })
  }

  const server = net.createServer(converse)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  sink.port = (server.address() as AddressInfo).port
  return sink
}
export type MailSink = Awaited<ReturnType<typeof startMailSink>>
