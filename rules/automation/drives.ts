// Drives (S3, WebDAV) and the addresses of files on them. No value that a template inserts makes a path leave the
// folder of the drive.
import { z } from 'zod'
import { HttpUrl, writeOnly } from '../input/write-only.ts'

/** The limit of S3 keys, in bytes of UTF-8. */
const pathBytesMax = 1024
const segmentBytesMax = 255
const depthMax = 16

const bytesOf = (text: string) => new TextEncoder().encode(text).length

/**
 * The segments of a path below a drive's root; '' is the root. Null for an invalid path: absolute, empty segments, `.`
 * and `..`, backslashes (a separator on some drives), control characters, more than 16 segments, 255 bytes per segment
 * or 1024 in all. One trailing slash is accepted.
 */
export function segmentsOf(path: string): string[] | null {
  if (path === '') return []
  const segments = path.replace(/\/$/, '').split('/')
  const wrong = (one: string) =>
    one === '' ||
    one === '.' ||
    one === '..' ||
    /[\\\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(one) ||
    bytesOf(one) > segmentBytesMax
  return segments.length > depthMax || segments.some(wrong) || bytesOf(path) > pathBytesMax ? null : segments
}

export const DriveType = z.enum(['s3', 'webdav'])

const BaseUrl = HttpUrl.refine((text) => !/[?#]/.test(text), 'Expected an address without query and fragment.')

const S3Fields = {
  endpoint: BaseUrl.optional().describe('Address of an S3-compatible service; AWS if it is left out.'),
  // Region and bucket are parts of a host name.
  region: z
    .string()
    .regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, 'Expected 1 to 63 lower-case letters, digits and hyphens.')
    .default('us-east-1')
    .describe('Region of the bucket; `us-east-1` by default.'),
  // Without consecutive dots.
  bucket: z
    .string()
    .min(3)
    .max(63)
    .regex(/^[a-z0-9](\.?[a-z0-9-])*\.?[a-z0-9]$/, 'Expected 3 to 63 lower-case letters, digits, dots and hyphens.')
    .describe('Name of the bucket.'),
  prefix: z
    .string()
    .refine((path) => segmentsOf(path) !== null, 'Expected a relative path without `.` and `..`.')
    .optional()
    .describe('Folder in the bucket below which all files are uploaded.'),
}
const S3Settings = z
  .strictObject({
    ...S3Fields,
    path_style: z
      .boolean()
      .optional()
      .describe(
        'Whether the bucket is part of the path and not of the host name; true by default if `endpoint` is set.',
      ),
  })
  .meta({ id: 'S3Settings' })
const WebdavSettings = z
  .strictObject({ url: BaseUrl.describe('Address of the folder below which all files are uploaded.') })
  .meta({ id: 'WebdavSettings' })

/** Printable ASCII, as the value is part of a header. */
const ascii = (max: number) =>
  writeOnly(
    z
      .string()
      .regex(/^[\x21-\x7e]+$/, 'Expected printable ASCII without spaces.')
      .max(max),
  )
const S3Credentials = z
  .strictObject({
    access_key_id: ascii(256).describe('Access key id. Write-only.'),
    secret_access_key: ascii(1024).describe('Secret access key. Write-only.'),
    session_token: ascii(8192).optional().describe('Session token of temporary credentials. Write-only.'),
  })
  .meta({ id: 'S3Credentials' })
/** The user name has no colon, and neither value has control characters (RFC 7617, 2). */
const WebdavCredentials = z
  .strictObject({
    username: writeOnly(
      z
        .string()
        .max(255)
        .regex(/^[^:\p{Cc}\p{Cs}]+$/u, 'Expected no colon and no control characters.'),
    ).describe('User name. Write-only.'),
    password: writeOnly(
      z
        .string()
        .max(1024)
        .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'Expected no control characters.'),
    ).describe('Password. Write-only.'),
  })
  .meta({ id: 'WebdavCredentials' })

const S3Drive = z.object({
  type: z.literal('s3'),
  settings: S3Settings.transform(({ path_style, ...settings }) => ({
    ...settings,
    path_style: path_style ?? settings.endpoint !== undefined,
  })),
  credentials: S3Credentials,
})
const WebdavDrive = z.object({ type: z.literal('webdav'), settings: WebdavSettings, credentials: WebdavCredentials })

const AnyDrive = z.discriminatedUnion('type', [S3Drive, WebdavDrive])
export type Drive = z.output<typeof AnyDrive>
/** A drive without its credentials. */
type Place = Drive extends infer D ? (D extends Drive ? Pick<D, 'type' | 'settings'> : never) : never

export const Drive = AnyDrive.refine((drive) => URL.canParse(addressOf(drive, ['x'])), {
  path: ['settings'],
  message: '`path_style` must be true for an endpoint that is an IP address.',
})

export const DriveSettings = z.union([S3Settings, WebdavSettings])
export const DriveCredentials = z.union([S3Credentials, WebdavCredentials])

/** Percent-encodes all but the unreserved characters of RFC 3986, as S3 signatures require. */
const encoded = (segment: string) =>
  encodeURIComponent(segment).replaceAll(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)

/** The address of a file or folder. */
export function addressOf({ type, settings }: Place, segments: readonly string[]): string {
  const path = segments.map(encoded).join('/')
  if (type === 'webdav') return `${settings.url.replace(/\/+$/, '')}/${path}`
  const { endpoint, region, bucket, path_style } = settings
  const base = (endpoint ?? `https://s3.${region}.amazonaws.com`).replace(/\/+$/, '')
  return path_style ? `${base}/${bucket}/${path}` : `${base.replace('://', `://${bucket}.`)}/${path}`
}

/** The destination that credentials are sent to. Stored credentials are kept only while it stays the same. */
export const destinationOf = ({ type, settings }: Place): string =>
  type === 's3' ? `s3 ${settings.endpoint ?? ''}` : `webdav ${settings.url}`
