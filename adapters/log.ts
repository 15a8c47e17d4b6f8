// One logger, without secrets: every redacted path is named here.
import { DriverException } from '@mikro-orm/core'
import { type Logger, pino } from 'pino'
import { config } from '../config.ts'

/** Constant texts of `pg` and its pool for errors of the connection, which have no code. */
const connectionError =
  /timeout exceeded when trying to connect|Connection terminated(?: unexpectedly| due to connection timeout)?|Client has encountered a connection error|Query read timeout/

/**
 * What is logged of an error. The message and stack of a database error may hold the statement and its values, which may be personal or secret: only its
 * code, its constraint and the frames of its stack are kept, also where it is the cause of another error.
 */
export function errorFields(error: Error): object {
  const chain: Error[] = []
  for (let at: unknown = error; at instanceof Error && chain.length < 10; at = at.cause) chain.push(at)
  const found = chain.find((one) => one instanceof DriverException) as (DriverException & { code?: string; constraint?: string }) | undefined
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

const newLogger = (): Logger =>
  pino({
    level: config.logLevel,
    base: null,
    serializers: { err: (error) => (error instanceof Error ? errorFields(error) : error) },
    timestamp: pino.stdTimeFunctions.isoTime,
    // The database's details repeat the whole row that it refused.
    redact: { paths: ['err.detail', 'err.where', '*.authorization', '*.token', '*.secret', '*.password', '*.client_secret'], censor: '[redacted]' },
    ...(process.stdout.isTTY && !config.production ? { transport: { target: 'pino-pretty' } } : {}),
  })

let known: Logger | undefined

/** Created at its first use, as the settings are: importing a file that logs reads none. */
export const log: Logger = new Proxy({} as Logger, {
  get(_, name) {
    known ??= newLogger()
    const value = Reflect.get(known, name)
    return typeof value === 'function' ? value.bind(known) : value
  },
})
