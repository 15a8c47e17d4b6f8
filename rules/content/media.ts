// Files of a store: limits, variants of images, and the headers with which a file is served so that browsers do not
// execute it.
import { z } from 'zod'
import { shortened } from '../excerpts.ts'
import { textForm } from '../input/texts.ts'
import { bareType } from './media-types.ts'

export const MediaStatus = z.enum(['uploading', 'processing', 'ready', 'failed', 'deleting'])
/** States that the API shows. */
export const VisibleMediaStatus = MediaStatus.extract(['processing', 'ready', 'failed'])

/** The most files of an upload, and bytes of a file. */
export const filesMax = 20
export const fileBytesMax = 50 * 1024 * 1024
/** Decoded, an image of this many pixels takes 256 MB. */
export const pixelsMax = 64_000_000

/** The longest side in pixels. Smaller images are not enlarged. */
export const sides = { large: 1600, medium: 800, thumbnail: 200 } as const
/** Made when a social network needs it, and not with the others. */
export const jpegSide = 1_440
export const variantNames = ['original', 'large', 'medium', 'thumbnail', 'jpeg'] as const
export type VariantName = (typeof variantNames)[number]

/** The size of an image whose longest side has at most so many pixels. */
export function scaledTo(
  side: number,
  { width, height }: { width: number; height: number },
): { width: number; height: number } {
  const scale = Math.min(1, side / Math.max(width, height))
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}

/** Types of which variants are made. */
const images = ['image/jpeg', 'image/png', 'image/apng', 'image/webp', 'image/gif', 'image/avif', 'image/tiff']
export const hasVariants = (mimeType: string): boolean => images.includes(mimeType)

export const nameMax = 255

/**
 * The last segment of a path in Unicode NFC, without control and direction characters; null if it is empty or longer
 * than 255 characters.
 */
export function fileName(given: string): string | null {
  const name = (textForm(given).split(/[\\/]/).at(-1) as string)
    .replaceAll(/[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu, '')
    .toWellFormed()
    .trim()
  return name === '' || name === '.' || name === '..' || name.length > nameMax ? null : name
}

/** A name for error messages, at most 60 characters. */
export const shortName = (given: string): string => shortened(given, 60)

const inlineTypes = [
  ...images,
  'image/heic',
  'image/heif',
  'image/bmp',
  'image/x-icon',
  'image/jxl',
  'application/pdf',
  'text/plain',
  'text/csv',
  'application/json',
]
/** Types that browsers display without executing anything. */
const isInline = (mimeType: string) => inlineTypes.includes(mimeType) || /^(audio|video)\//.test(mimeType)

/** Old clients use the first name, all others the second (RFC 6266, 4.3; RFC 8187, 3.2). */
function disposition(kind: 'inline' | 'attachment', name: string): string {
  const ascii = name.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_')
  const whole = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${kind}; filename="${ascii}"; filename*=UTF-8''${whole}`
}

/** `photo.jpg`, `large` → `photo-large.webp` */
const nameOf = (name: string, variant: string) => {
  const plain = name.replace(/\.[^.]*$/, '') || name
  return variant === 'original' ? name : variant === 'jpeg' ? `${plain}.jpg` : `${plain}-${variant}.webp`
}

/**
 * The headers of a public file. Types that a browser could execute are sent as attachments and in a sandbox without
 * permissions.
 */
export function fileHeaders(file: {
  name: string
  mime_type: string
  variant: string
  digest: string
}): Record<string, string> {
  const type = bareType(file.mime_type)
  const safe = isInline(type)
  return {
    'Content-Type': type.startsWith('text/') ? `${type}; charset=utf-8` : type,
    'Content-Disposition': disposition(safe ? 'inline' : 'attachment', nameOf(file.name, file.variant)),
    // Browsers do not display a PDF in a sandbox.
    ...(safe ? {} : { 'Content-Security-Policy': "sandbox; default-src 'none'" }),
    'Cache-Control': 'public, max-age=31536000, immutable',
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'X-Content-Type-Options': 'nosniff',
    'Accept-Ranges': 'bytes',
    'Access-Control-Expose-Headers': 'Accept-Ranges, Content-Range, ETag, X-Request-Id',
    ETag: `"${file.digest}"`,
  }
}
