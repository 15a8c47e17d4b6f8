// One logger, without secrets: every redacted path is named here.
import fs from 'node:fs'
import { DriverException } from '@mikro-orm/core'
import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino'
import { config } from '../config.ts'

/** Constant texts of `pg` and its pool for errors of the connection, which have no code. */
const connectionError =
  /timeout exceeded when trying to connect|Connection terminated(?: unexpectedly| due to connection timeout)?|Client has encountered a connection error|Query read timeout/

/**
 * What is logged of an error. The message and stack of a database error may hold the statement and its values, which
 * may be personal or secret: only its code, its constraint and the frames of its stack are kept, also where it is the
 * cause of another error.
 */
export function errorFields(error: Error): object {
  const chain: Error[] = []
  for (let at: unknown = error; at instanceof Error && chain.length < 10; at = at.cause) chain.push(at)
  const found = chain.find((one) => one instanceof DriverException) as
    | (DriverException & { code?: string; constraint?: string })
    | undefined
  if (!found) return pino.stdSerializers.err(error)
  // A line of a message may look like a frame.
  const text = chain.reduce((all, { message }) => (message ? all.replaceAll(message, '') : all), error.stack ?? '')
  const stack = text.split('\n').filter((line) => /^\s+at .*:\d+:\d+\)?$/.test(line))
  return {
    type: found.constructor.name,
    message: `database error ${found.code ?? connectionError.exec(found.message)?.[0] ?? 'without a code'}`,
    code: found.code,
    constraint: found.constraint,
    stack: stack.join('\n'),
  }
}

const gatherMs = 20
/** Characters. */
const gatherMax = 16_000
const errorLevel = 50
/** Characters of lines whose reader does not keep up. Those that come then are lost, and counted. */
const waitingMax = 4_000_000
/** Between two tries to write to a reader that does not keep up. */
const againMs = 20

/**
 * Writes to the standard output, and returns what is left where its reader does not keep up. What cannot be written at
 * all, as the reader is gone or the disk is full, is lost: the process works without its log. The destination of pino
 * (sonic-boom 4.2) would repeat such a write without end, and block the process meanwhile.
 */
function written(bytes: Buffer): Buffer {
  let at = 0
  while (at < bytes.length)
    try {
      at += fs.writeSync(1, bytes, at)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return bytes.subarray(at)
      return Buffer.alloc(0)
    }
  return Buffer.alloc(0)
}

/**
 * Lines are written together, at most 20 ms after the first of them: a system call for each line took a tenth of a
 * request's processor time. An error, and the end of the process, write them at once. The process never waits for a
 * reader but for its last second.
 */
function gathered(): DestinationStream {
  let lines: string[] = []
  let length = 0
  let lost = 0
  let rest: Buffer = Buffer.alloc(0)
  let timer: NodeJS.Timeout | undefined
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    // Lines wait until those before them are written.
    if (rest.length === 0) {
      if (lost > 0) lines.push(`${JSON.stringify({ level: errorLevel, lost, msg: 'lines of the log were lost' })}\n`)
      rest = Buffer.from(lines.join(''))
      lost = 0
      lines = []
      length = 0
    }
    rest = written(rest)
    if (rest.length > 0) timer = setTimeout(flush, againMs).unref()
    else if (lines.length > 0) flush()
  }
  process.on('exit', () => {
    const end = performance.now() + 1_000
    const nap = new Int32Array(new SharedArrayBuffer(4))
    for (flush(); rest.length > 0 && performance.now() < end; flush()) Atomics.wait(nap, 0, 0, 5)
  })
  const stream = {
    // pino sets it before each line, for a stream that asks for metadata.
    lastLevel: 0,
    [Symbol.for('pino.metadata')]: true,
    write(line: string) {
      if (length > waitingMax) {
        lost++
        return
      }
      lines.push(line)
      length += line.length
      if (rest.length > 0) return
      if (stream.lastLevel >= errorLevel || length >= gatherMax) flush()
      else timer ??= setTimeout(flush, gatherMs).unref()
    },
  }
  return stream
}

/** `plain`: of lines that have nothing to redact. */
type Loggers = { redacting: Logger; plain: Logger }

const newLoggers = (): Loggers => {
  const pretty = process.stdout.isTTY && !config.production
  const options: LoggerOptions = {
    level: config.logLevel,
    base: null,
    serializers: { err: (error) => (error instanceof Error ? errorFields(error) : error) },
    timestamp: pino.stdTimeFunctions.isoTime,
  }
  // The database's details repeat the whole row that it refused.
  const paths = ['err.detail', 'err.where', '*.authorization', '*.token', '*.secret', '*.password', '*.client_secret']
  const redacting: LoggerOptions = { ...options, redact: { paths, censor: '[redacted]' } }
  if (pretty) {
    const logger = pino({ ...redacting, transport: { target: 'pino-pretty' } })
    return { redacting: logger, plain: logger }
  }
  const stream = gathered()
  return { redacting: pino(redacting, stream), plain: pino(options, stream) }
}

let known: Loggers | undefined
/** Created at their first use, as the settings are: importing a file that logs reads none. */
const loggers = (): Loggers => {
  known ??= newLoggers()
  return known
}

export const log: Logger = new Proxy({} as Logger, {
  get(_, name) {
    const { redacting } = loggers()
    const value = Reflect.get(redacting, name)
    return typeof value === 'function' ? value.bind(redacting) : value
  },
})

/** Fields of which none can be a secret. Looking for those to redact would take longer than writing the line. */
type RequestFields = {
  request_id: string
  method: string
  route: string
  status: number
  ms: number
  tenant: string | null | undefined
}

export const logRequest = (fields: RequestFields): void => loggers().plain.info(fields, 'request')
