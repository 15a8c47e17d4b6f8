// Files of a store: how many and how large, what is made of an image, and how a file is given out so that a browser runs none of it.
import { z } from 'zod'
import { bareType } from './media-types.ts'

export const MediaStatus = z.enum(['uploading', 'processing', 'ready', 'failed', 'deleting'])
/** States that the API shows. */
export const VisibleMediaStatus = MediaStatus.extract(['processing', 'ready', 'failed'])

/** (Design: content, Media.) */
export const filesMax = 20
export const fileBytesMax = 50 * 1024 * 1024
/** More than a photo has; decoded, an image of this many pixels is 256 MB. */
export const pixelsMax = 64_000_000

/** The longest side of each in pixels; an image that is smaller stays as small as it is. */
export const sides = { large: 1600, medium: 800, thumbnail: 200 } as const
export const variantNames = ['original', 'large', 'medium', 'thumbnail'] as const
export type VariantName = (typeof variantNames)[number]

/** Of these, variants are made; every other type is kept as it is. */
const images = ['image/jpeg', 'image/png', 'image/apng', 'image/webp', 'image/gif', 'image/avif', 'image/tiff']
export const hasVariants = (mimeType: string): boolean => images.includes(mimeType)

export const nameMax = 255

/** The last part of a path of any system, without what no name holds; null if nothing is left or it is longer than 255 characters. */
export function fileName(given: string): string | null {
  const name = (given.split(/[\\/]/).at(-1) as string)
    .replaceAll(/[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu, '')
    .toWellFormed()
    .trim()
  return name === '' || name === '.' || name === '..' || name.length > nameMax ? null : name
}

/** What is left of a name that is too long, for whoever is told so. */
export const shortName = (given: string): string => (given.length > 60 ? `${given.slice(0, 57)}…` : given)

const shown = [...images, 'image/heic', 'image/heif', 'image/bmp', 'image/x-icon', 'image/jxl', 'application/pdf', 'text/plain', 'text/csv', 'application/json']
/** No browser finds anything to run in it. */
const isShown = (mimeType: string) => shown.includes(mimeType) || /^(audio|video)\//.test(mimeType)

/** (RFC 6266, 4.3; RFC 8187, 3.2.) An old client reads the first name, every other one the second. */
function disposition(kind: 'inline' | 'attachment', name: string): string {
  const plain = name.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_')
  const whole = encodeURIComponent(name.toWellFormed()).replaceAll(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
  return `${kind}; filename="${plain}"; filename*=UTF-8''${whole}`
}

/** `photo.jpg` is `photo-large.webp`. */
const nameOf = (name: string, variant: string) => (variant === 'original' ? name : `${name.replace(/\.[^.]*$/, '') || name}-${variant}.webp`)

/** The headers of a file that anybody may read. What a browser could run is a download, and would run in a sandbox without any rights. */
export function fileHeaders(file: { name: string; mime_type: string; variant: string; digest: string }): Record<string, string> {
  const type = bareType(file.mime_type)
  const safe = isShown(type)
  return {
    'Content-Type': type.startsWith('text/') ? `${type}; charset=utf-8` : type,
    'Content-Disposition': disposition(safe ? 'inline' : 'attachment', nameOf(file.name, file.variant)),
    // A page that shows a PDF shows nothing in a sandbox.
    ...(safe ? {} : { 'Content-Security-Policy': "sandbox; default-src 'none'" }),
    'Cache-Control': 'public, max-age=31536000, immutable',
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'X-Content-Type-Options': 'nosniff',
    'Accept-Ranges': 'bytes',
    'Access-Control-Expose-Headers': 'Accept-Ranges, Content-Range, ETag, X-Request-Id',
    ETag: `"${file.digest}"`,
  }
}
