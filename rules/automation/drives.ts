// What a drive is and what a place on it is called: a path stays below the folder that the drive was given, whatever a template made of it.
import { z } from 'zod'
import { HttpUrl, writeOnly } from '../input/write-only.ts'

/** As S3 allows a key, UTF-8. */
const pathBytesMax = 1024
const segmentBytesMax = 255
const depthMax = 16

const bytesOf = (text: string) => new TextEncoder().encode(text).length

/**
 * The segments of a path below a drive's root, or null where it is none: absolute, empty segments, `.` and `..`, backslashes (a separator to some
 * drives), control characters, more than 16 deep, 255 bytes a segment or 1024 in all. One slash at the end is forgiven; '' is the root.
 */
export function segmentsOf(path: string): string[] | null {
  if (path === '') return []
  const segments = path.replace(/\/$/, '').split('/')
  const wrong = (one: string) => one === '' || one === '.' || one === '..' || /[\\\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(one) || bytesOf(one) > segmentBytesMax
  return segments.length > depthMax || segments.some(wrong) || bytesOf(path) > pathBytesMax ? null : segments
}

export const DriveType = z.enum(['s3', 'webdav'])

const BaseUrl = HttpUrl.refine((text) => !/[?#]/.test(text), 'an address of a drive has neither query nor fragment')

const S3Fields = {
  endpoint: BaseUrl.optional().describe('Address of an S3-compatible service; left out: AWS.'),
  // Both are parts of a host name.
  region: z
    .string()
    .regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, 'Expected 1 to 63 lower-case letters, digits and hyphens.')
    .default('us-east-1')
    .describe('Region of the bucket; `us-east-1` by default.'),
  // No two dots beside each other.
  bucket: z
    .string()
    .min(3)
    .max(63)
    .regex(/^[a-z0-9](\.?[a-z0-9-])*\.?[a-z0-9]$/, '3 to 63 lower-case letters, digits, dots and hyphens')
    .describe('Name of the bucket.'),
  prefix: z
    .string()
    .refine((path) => segmentsOf(path) !== null, 'not a path below the bucket')
    .optional()
    .describe('Folder in the bucket below which all files are uploaded.'),
}
const S3Settings = z
  .strictObject({
    ...S3Fields,
    path_style: z.boolean().optional().describe('Whether the bucket is part of the path and not of the host name; true by default if `endpoint` is set.'),
  })
  .meta({ id: 'S3Settings' })
const WebdavSettings = z.strictObject({ url: BaseUrl.describe('Address of the folder below which all files are uploaded.') }).meta({ id: 'WebdavSettings' })

/** Printable ASCII: it stands in a header. */
const ascii = (max: number) =>
  writeOnly(
    z
      .string()
      .regex(/^[\x21-\x7e]+$/, 'printable ASCII without spaces')
      .max(max),
  )
const S3Credentials = z
  .strictObject({
    access_key_id: ascii(256).describe('Access key id. Write-only.'),
    secret_access_key: ascii(1024).describe('Secret access key. Write-only.'),
    session_token: ascii(8192).optional().describe('Session token of temporary credentials. Write-only.'),
  })
  .meta({ id: 'S3Credentials' })
/** (RFC 7617, 2: a user-id holds no colon, neither holds control characters.) */
const WebdavCredentials = z
  .strictObject({
    username: writeOnly(
      z
        .string()
        .max(255)
        .regex(/^[^:\p{Cc}\p{Cs}]+$/u, 'no colon and no control characters'),
    ).describe('User name. Write-only.'),
    password: writeOnly(
      z
        .string()
        .max(1024)
        .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'no control characters'),
    ).describe('Password. Write-only.'),
  })
  .meta({ id: 'WebdavCredentials' })

const S3Drive = z.object({
  type: z.literal('s3'),
  settings: S3Settings.transform(({ path_style, ...settings }) => ({ ...settings, path_style: path_style ?? settings.endpoint !== undefined })),
  credentials: S3Credentials,
})
const WebdavDrive = z.object({ type: z.literal('webdav'), settings: WebdavSettings, credentials: WebdavCredentials })

const AnyDrive = z.discriminatedUnion('type', [S3Drive, WebdavDrive])
export type Drive = z.output<typeof AnyDrive>
/** What is known of a drive without its credentials. */
type Place = Drive extends infer D ? (D extends Drive ? Pick<D, 'type' | 'settings'> : never) : never

export const Drive = AnyDrive.refine((drive) => URL.canParse(addressOf(drive, ['x'])), {
  path: ['settings'],
  message: 'with an endpoint that is an IP address, path_style is true',
})

export const DriveSettings = z.union([S3Settings, WebdavSettings])
export const DriveCredentials = z.union([S3Credentials, WebdavCredentials])

/** Every byte but the unreserved ones of RFC 3986: S3 signs the path in just this spelling. */
const encoded = (segment: string) => encodeURIComponent(segment).replaceAll(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)

/** Of a file or a folder of that name. */
export function addressOf({ type, settings }: Place, segments: readonly string[]): string {
  const path = segments.map(encoded).join('/')
  if (type === 'webdav') return `${settings.url.replace(/\/+$/, '')}/${path}`
  const { endpoint, region, bucket, path_style } = settings
  const base = (endpoint ?? `https://s3.${region}.amazonaws.com`).replace(/\/+$/, '')
  return path_style ? `${base}/${bucket}/${path}` : `${base.replace('://', `://${bucket}.`)}/${path}`
}

/** Whom the credentials are shown to: kept ones are shown to nobody else. */
export const destinationOf = ({ type, settings }: Place): string => (type === 's3' ? `s3 ${settings.endpoint ?? ''}` : `webdav ${settings.url}`)
