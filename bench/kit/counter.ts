// A proxy that counts the statements that the API sends to PostgreSQL, begin and commit included.
// Counting runs beside the measurement, never during it.
import net from 'node:net'

/** `values` is null for statements without parameters (begin, commit). `name`: of a prepared statement. */
export type Statement = { text: string; values: (string | null)[] | null; name?: string }

const zero = (bytes: Buffer, from: number) => bytes.indexOf(0, from)

/** Reads one direction of the protocol: first an untyped message, then type, length, content. */
function reader(take: (statement: Statement) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0)
  let begun = false
  const texts = new Map<string, string>()
  let bound: Statement = { text: '', values: [] }

  function bind(content: Buffer): Statement {
    let at = zero(content, 0) + 1
    const nameEnd = zero(content, at)
    const name = content.toString('utf8', at, nameEnd)
    const text = texts.get(name) ?? ''
    at = nameEnd + 1
    at += 2 + 2 * content.readInt16BE(at)
    const count = content.readInt16BE(at)
    at += 2
    const values = Array.from({ length: count }, () => {
      const length = content.readInt32BE(at)
      at += 4
      if (length < 0) return null
      at += length
      return content.toString('utf8', at - length, at)
    })
    return { text, values, ...(name ? { name } : {}) }
  }

  function message(type: string, content: Buffer): void {
    if (type === 'Q') take({ text: content.toString('utf8', 0, zero(content, 0)), values: null })
    else if (type === 'P') {
      const nameEnd = zero(content, 0)
      texts.set(content.toString('utf8', 0, nameEnd), content.toString('utf8', nameEnd + 1, zero(content, nameEnd + 1)))
    } else if (type === 'B') bound = bind(content)
    else if (type === 'E') take(bound)
  }

  return (chunk) => {
    rest = Buffer.concat([rest, chunk])
    for (;;) {
      const head = begun ? 1 : 0
      if (rest.length < head + 4) return
      const end = head + rest.readInt32BE(head)
      if (rest.length < end) return
      if (begun) message(String.fromCharCode(rest[0] as number), rest.subarray(5, end))
      begun = true
      rest = rest.subarray(end)
    }
  }
}

export type Counter = { port: number; take(): Statement[]; stop(): void }

export async function startCounter(port: number): Promise<Counter> {
  let seen: Statement[] = []
  const sockets = new Set<net.Socket>()
  const server = net.createServer((from) => {
    const to = net.connect(port, '127.0.0.1')
    from.on(
      'data',
      reader(({ text, ...statement }) => seen.push({ ...statement, text: text.trimStart() })),
    )
    from.pipe(to)
    to.pipe(from)
    for (const socket of [from, to]) {
      sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('error', () => {})
      socket.on('close', () => [from, to].map((each) => each.destroy()))
    }
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const address = server.address()
  return {
    port: address && typeof address === 'object' ? address.port : 0,
    take() {
      const taken = seen
      seen = []
      return taken
    },
    stop() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
