// Raw bytes on a connection, as no HTTP client would send them, and everything that comes back until the other side
// ends it.
//   const { status, text } = await onWire(api(), ['GET /health HTTP/1.1\r\nhost: a\r\n', 'x: y\r\n\r\n'])
import net from 'node:net'

export type Heard = {
  text: string /** Of the first answer; 0 where there was none. */
  status: number /** How many answers. */
  answers: number
  closed: boolean
}

/** An answer begins where the body of the one before ends, without a line between them. */
const answersIn = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)]

/**
 * Sends pieces, or more of them while the connection is open, until the other side closes or has sent so many answers.
 */
export function onWire(
  base: string,
  pieces: readonly string[],
  o: { answers?: number; trickle?: string; withinMs?: number } = {},
): Promise<Heard> {
  const { hostname, port } = new URL(base)
  const { promise, resolve, reject } = Promise.withResolvers<Heard>()
  const socket = net.connect(Number(port), hostname)
  let text = ''
  let timer: NodeJS.Timeout | undefined
  const over = (closed: boolean) => {
    clearTimeout(late)
    clearInterval(timer)
    socket.destroy()
    const answers = answersIn(text)
    resolve({ text, status: Number(answers[0]?.[1] ?? 0), answers: answers.length, closed })
  }
  const late = setTimeout(() => {
    clearInterval(timer)
    socket.destroy()
    reject(new Error(`the connection is still open; received: ${text.slice(0, 500)}`))
  }, o.withinMs ?? 10_000)
  socket.on('connect', () => {
    for (const piece of pieces) socket.write(piece, 'latin1')
    if (o.trickle) timer = setInterval(() => socket.writable && socket.write(o.trickle as string), 50)
  })
  socket.on('data', (data) => {
    text += data.toString('latin1')
    if (o.answers && answersIn(text).length >= o.answers && text.includes('\r\n\r\n')) over(false)
  })
  socket.on('error', () => {})
  socket.on('close', () => over(true))
  return promise
}
