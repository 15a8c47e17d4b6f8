// Uploads a file to a drive: one PUT through the egress client, signed for S3 or with a password for WebDAV; the
// verdict follows its phase and status.
import aws4 from 'aws4'
import { addressOf, type Drive } from '../../rules/automation/drives.ts'
import { apiProof, isSuccess } from '../../rules/http-verdicts.ts'
import type { Sending, Verdict } from '../kit/once.ts'
import { EgressError } from './egress-guard.ts'
import { egress, type HttpAnswer, type HttpRequest } from './http.ts'

/** `path`: its segments below the drive's root. Holds the credentials. */
export type DriveFile = { drive: Drive; path: string[]; content: string; content_type: string }

/** Milliseconds for the whole. */
const uploadLimitMs = 30_000

/** Signed when it is sent, not when it is frozen: a signature expires after 15 minutes (AWS, Signature Version 4). */
function signed({ drive, path, content, content_type }: DriveFile & { drive: { type: 's3' } }): HttpRequest {
  const url = new URL(addressOf(drive, path))
  const { access_key_id, secret_access_key, session_token } = drive.credentials
  const { headers } = aws4.sign(
    {
      service: 's3',
      region: drive.settings.region,
      method: 'PUT',
      path: url.pathname,
      body: content,
      headers: { Host: url.host, 'Content-Type': content_type },
    },
    {
      accessKeyId: access_key_id,
      secretAccessKey: secret_access_key,
      ...(session_token ? { sessionToken: session_token } : {}),
    },
  )
  // The HTTP client sets these two itself.
  const { Host, 'Content-Length': length, ...rest } = headers as Record<string, string>
  return { url: url.href, method: 'PUT', headers: rest, body: content, timeout_ms: uploadLimitMs }
}

const basic = ({ username, password }: { username: string; password: string }) => ({
  authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
})

/** The PUT as it would be sent now. */
export function putOf(file: DriveFile): HttpRequest {
  const { drive, path, content, content_type } = file
  if (drive.type === 's3') return signed({ ...file, drive })
  return {
    url: addressOf(drive, path),
    method: 'PUT',
    headers: { ...basic(drive.credentials), 'content-type': content_type },
    body: content,
    timeout_ms: uploadLimitMs,
  }
}

/** The final status, even where the rest of the answer was lost; else rejects with EgressError. */
const statusOf = (answer: Promise<HttpAnswer>): Promise<number> =>
  answer.then(
    ({ status }) => status,
    (error) => (error instanceof EgressError && error.status !== undefined ? error.status : Promise.reject(error)),
  )

/**
 * A WebDAV server creates no parent folders (RFC 4918, 9.7.1). MKCOL answers 405 where the folder exists, so it may be
 * repeated and is no effect of its own; the PUT's status decides the outcome. The deepest folder first: usually it
 * exists.
 */
async function makeFolders(drive: Drive & { type: 'webdav' }, folders: string[], firstByteBy: number): Promise<void> {
  const parentMissing = async (depth: number): Promise<boolean> => {
    const url = `${addressOf(drive, folders.slice(0, depth))}/`
    const timeout_ms = Math.max(1, firstByteBy - performance.now())
    const status = await statusOf(
      egress().request({ url, method: 'MKCOL', headers: basic(drive.credentials), timeout_ms }, { firstByteBy }),
    )
    return status === 409 || status === 404
  }
  let depth = folders.length
  while (depth > 0 && (await parentMissing(depth))) depth--
  while (depth > 0 && depth < folders.length) await parentMissing(++depth)
}

/**
 * 409 is a conflicting write at S3, which may have happened; of WebDAV it means that the parent is missing and nothing
 * was written (RFC 4918, 9.7.1).
 */
const certainRefusal = (status: number, { type }: Drive): boolean =>
  apiProof(status) === 'refused' || (status === 409 && type === 'webdav')

/** Judges an answer. Only the code of an S3 error document is stored: the rest may repeat the signed request. */
function decided(drive: Drive, status: number, body: unknown): Verdict {
  if (isSuccess(status)) return { kind: 'succeeded', evidence: { status } }
  const code = typeof body === 'string' ? /<Code>([A-Za-z0-9]{1,64})<\/Code>/.exec(body)?.[1] : undefined
  const error = {
    code: 'drive_status',
    message: `the drive answered with status ${status}`,
    provider_status: status,
    ...(code ? { provider_code: code } : {}),
  }
  return { kind: certainRefusal(status, drive) ? 'rejected' : 'unknown', evidence: { status }, error }
}

export type Uploaded = { path: string; bytes: number; url: string; etag?: string }

/** Makes at most one PUT. Failures are verdicts; `output` only with `succeeded`. */
export async function upload(
  file: DriveFile,
  { firstByteBy, endBy }: Sending,
): Promise<{ verdict: Verdict; output: Uploaded | null }> {
  const { drive, path, content } = file
  const uploaded = (etag?: unknown): Uploaded => ({
    path: path.join('/'),
    bytes: Buffer.byteLength(content),
    url: addressOf(drive, path),
    ...(typeof etag === 'string' ? { etag: etag.slice(0, 200) } : {}),
  })
  let putting = false
  try {
    if (drive.type === 'webdav') await makeFolders(drive, path.slice(0, -1), firstByteBy)
    const put = putOf(file)
    putting = true
    const { status, headers, body } = await egress().request(
      { ...put, timeout_ms: Math.min(put.timeout_ms, endBy - performance.now()) },
      { firstByteBy },
    )
    const verdict = decided(drive, status, body)
    return { verdict, output: verdict.kind === 'succeeded' ? uploaded(headers.etag) : null }
  } catch (error) {
    if (!(error instanceof EgressError)) throw error
    const why = { code: error.code, message: error.message }
    const refused = error.code === 'egress_refused' ? { final: true as const } : {}
    if (error.phase === 'not_sent') return { verdict: { kind: 'not_sent', error: why, ...refused }, output: null }
    // No PUT without its folder; the next attempt finds a folder that was created.
    if (!putting) return { verdict: { kind: 'not_sent', error: { ...why, code: 'folder_not_made' } }, output: null }
    if (error.status === undefined) return { verdict: { kind: 'unknown', evidence: {}, error: why }, output: null }
    const verdict = decided(drive, error.status, null)
    return { verdict, output: verdict.kind === 'succeeded' ? uploaded() : null }
  }
}
