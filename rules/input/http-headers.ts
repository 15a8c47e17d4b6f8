// Headers of an HTTP request that a caller defines: names and values, without those that the connection sets.
import { z } from 'zod'

const forbiddenHeaders = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

export const Headers = z
  .record(
    z
      .string()
      .max(128)
      .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'Expected a header name (RFC 9110).')
      .refine((name) => !forbiddenHeaders.has(name.toLowerCase()), 'The header is reserved: the connection sets it.'),
    z
      .string()
      .max(8192)
      .regex(/^[^\0\r\n]*$/, 'Expected a value of one line.'),
  )
  .refine((headers) => Object.keys(headers).length <= 100, 'Expected at most 100 headers.')
