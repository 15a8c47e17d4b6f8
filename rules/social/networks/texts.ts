// Texts of posts, compared with what was sent: networks escape them, shorten links and normalise characters.
import { cut } from '../../excerpts.ts'

/** The form in which two texts are compared. */
export const comparable = (text: string): string =>
  text
    .normalize('NFC')
    .replaceAll(/https?:\/\//gi, '')
    .replaceAll(/\s+/g, ' ')
    .trim()

export const isSameText = (one: string, other: string): boolean => comparable(one) === comparable(other)

/** A text of the network without anything that may be a credential. */
export const withoutSecrets = (text: string): string =>
  cut(text.replaceAll(/[\p{Cc}\p{Z}]+/gu, ' ').replaceAll(/[\w.~+/=-]{40,}/g, '…'), 300).toWellFormed()

/** The first value that is a text with something to read. */
export const firstText = (...values: unknown[]): string | undefined =>
  values.find((value): value is string => typeof value === 'string' && value.trim() !== '')

export const isEmpty = (text: string | null): boolean => text === null || text.trim() === ''
