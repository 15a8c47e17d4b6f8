// One logger, without secrets: every redacted path is named here.
import { type Logger, pino } from 'pino'
import { config } from '../config.ts'

const newLogger = (): Logger =>
  pino({
    level: config.logLevel,
    base: null,
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
