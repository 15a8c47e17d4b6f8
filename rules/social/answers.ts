// Values of networks' answers, which nothing promises: each is read as its type or not at all.
import { cut } from '../excerpts.ts'

export type Fields = Record<string, unknown>

export const objectIn = (value: unknown): Fields =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Fields) : {}
export const listIn = (value: unknown): Fields[] => (Array.isArray(value) ? value.map(objectIn) : [])

/** A text without what PostgreSQL cannot store, cut to `max` characters; null for an empty one. */
export function textIn(value: unknown, max: number): string | null {
  const found = typeof value === 'number' ? String(value) : value
  if (typeof found !== 'string' || found === '') return null
  return cut(found.replaceAll('\0', '\ufffd').toWellFormed(), max)
}

/** An identifier: one that is too long is none, as a cut one would be another. */
export const idIn = (value: unknown): string | null => {
  const found = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value
  return typeof found === 'string' && /^[\x21-\x7e]{1,255}$/.test(found) ? found : null
}

/** An address of the web that can be stored and shown as a link; null for any other text. */
export const addressIn = (value: unknown): string | null =>
  typeof value === 'string' && value.length <= 2_048 && /^https?:\/\/[\x21-\x7e]+$/.test(value) && URL.canParse(value)
    ? value
    : null

/** A count, which some networks write as text. Null if the network does not report it. */
export const countIn = (value: unknown): number | null => {
  const found = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value
  return typeof found === 'number' && Number.isSafeInteger(found) && found >= 0 ? found : null
}

/** Unix seconds of an ISO 8601 time; null if it is none. Graph writes the offset without a colon. */
export const secondsIn = (value: unknown): number | null => {
  if (typeof value !== 'string') return null
  const at = Date.parse(value.replace(/([+-]\d{2})(\d{2})$/, '$1:$2'))
  return Number.isFinite(at) ? Math.floor(at / 1000) : null
}

/** Text as a person reads it: some networks escape the text of their answers. */
export const unescaped = (text: string): string =>
  text.replace(
    /&(amp|lt|gt|quot|#39|#x27);/g,
    (_, name: string) => ({ amp: '&', lt: '<', gt: '>', quot: '"' })[name] ?? "'",
  )

/** The code of a refusal: RFC 6749's text, or the number of Graph's APIs. */
export function refusalCodeOf(body: unknown): string | null {
  if (body === null || typeof body !== 'object') return null
  const { error, code } = body as { error?: unknown; code?: unknown }
  const found = error !== null && typeof error === 'object' ? (error as { code?: unknown }).code : (error ?? code)
  const text = typeof found === 'number' ? String(found) : found
  return typeof text === 'string' && /^[\w.-]{1,64}$/.test(text) ? text : null
}

/** The reasons of an error in Google's format. */
export const reasonsIn = (body: unknown): unknown[] =>
  listIn(objectIn(objectIn(body).error).errors).map(({ reason }) => reason)
