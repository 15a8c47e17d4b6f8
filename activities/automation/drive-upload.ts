// Uploads a file of a drive_upload node to the store's drive: frozen with the drive's settings, one PUT, only below the
// drive's root.
import type { EntityManager } from '@mikro-orm/postgresql'
import { Integration } from '../../entities/automation/integration.ts'
import { Drive, segmentsOf } from '../../rules/automation/drives.ts'
import { NeverSent, type Sending, type Verdict } from '../kit/once.ts'
import { type DriveFile, putOf, upload } from '../providers/drive.ts'
import { EgressError } from '../providers/egress-guard.ts'
import { egress } from '../providers/http.ts'

/** The drive's credentials are in it: stored only in the effect's encrypted `request`. */
export type UploadRequest = DriveFile

/** Bytes of UTF-8. */
const contentMax = 1_048_576

/** Only text is uploaded; a name with another extension is application/octet-stream. */
const contentTypes: Record<string, string> = {
  css: 'text/css',
  csv: 'text/csv',
  htm: 'text/html',
  html: 'text/html',
  ics: 'text/calendar',
  js: 'text/javascript',
  json: 'application/json',
  log: 'text/plain',
  md: 'text/markdown',
  svg: 'image/svg+xml',
  tsv: 'text/tab-separated-values',
  txt: 'text/plain',
  vcf: 'text/vcard',
  xml: 'application/xml',
  yaml: 'application/yaml',
  yml: 'application/yaml',
}

function contentTypeOf(fileName: string): string {
  const type = contentTypes[/\.([a-z]+)$/i.exec(fileName)?.[1]?.toLowerCase() ?? '']
  return type === undefined ? 'application/octet-stream' : type === 'application/json' ? type : `${type}; charset=utf-8`
}

const hopeless = (code: string, message: string) => new NeverSent({ code, message })

/** The text of a template's value: of an object its JSON. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
/** A text or a number may name a file. */
const placeOf = (value: unknown): string[] | null =>
  typeof value === 'string' || typeof value === 'number' ? segmentsOf(`${value}`) : null

/**
 * Prepares the request (`once.prepare`), outside a transaction: the drive's host name is resolved. `content` is text,
 * at most 1 MiB as UTF-8; base64 is not decoded. A file of the same name is replaced. Throws NeverSent:
 * connection_missing, path_invalid, content_invalid, content_too_large, egress_refused; an Error where the host name
 * does not resolve.
 */
export async function prepareUpload(
  em: EntityManager,
  tenantId: string,
  params: { connection_id: string; folder: unknown; file_name: unknown; content: unknown },
): Promise<UploadRequest> {
  const connection = await em.findOne(
    Integration,
    { id: params.connection_id, tenant_id: tenantId, category: 'drive' },
    { filters: { tenant: false } },
  )
  if (!connection) throw hopeless('connection_missing', 'there is no such drive')
  const { type, settings, credentials } = connection
  const drive = Drive.parse({ type, settings, credentials: JSON.parse(credentials as string) })

  const prefix = segmentsOf(drive.type === 's3' ? (drive.settings.prefix ?? '') : '') ?? []
  const folder = placeOf(params.folder)
  const name = placeOf(params.file_name)
  if (!folder || name?.length !== 1 || `${params.file_name}`.endsWith('/'))
    throw hopeless(
      'path_invalid',
      'the folder or the file name is none: absolute, empty, too long, with dots, backslashes or control characters',
    )
  const path = segmentsOf([...prefix, ...folder, ...name].join('/'))
  if (!path) throw hopeless('path_invalid', 'the path is too long or too deep')

  const content = textOf(params.content)
  if (!content.isWellFormed()) throw hopeless('content_invalid', 'the content is no text: it holds half a character')
  if (Buffer.byteLength(content) > contentMax)
    throw hopeless('content_too_large', `the content is longer than ${contentMax} bytes`)

  const request = { drive, path, content, content_type: contentTypeOf(name[0] as string) }
  await egress()
    .check(putOf(request))
    .catch((error) => {
      if (error instanceof EgressError && error.code === 'egress_refused') throw hopeless(error.code, error.message)
      throw error
    })
  return request
}

/**
 * Sends the request (`once.send`), in at most 30 s. `output` is the node's ({path, bytes, url, etag?}), only with the
 * verdict `succeeded`.
 */
export const sendUpload = (
  request: UploadRequest,
  sending: Sending,
): Promise<{ verdict: Verdict; output: Record<string, unknown> | null }> => upload(request, sending)
