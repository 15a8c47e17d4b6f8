// One logger, without secrets: what is logged is named here and nowhere else.
import { pino } from 'pino'
import { config } from '../config.ts'

export const log = pino({
  level: config.logLevel,
  base: null,
  timestamp: pino.stdTimeFunctions.isoTime,
  // The database's details repeat the whole row that it refused.
  redact: { paths: ['err.detail', 'err.where', '*.authorization', '*.token', '*.secret', '*.password', '*.client_secret'], censor: '[redacted]' },
  ...(process.stdout.isTTY && !config.production ? { transport: { target: 'pino-pretty' } } : {}),
})
