// Connections to drives that workflows upload to. Credentials are write-only and are sent only to the drive that they
// were entered for.
import { LockMode } from '@mikro-orm/core'
import { z } from 'zod'
import { Integration } from '../../entities/automation/integration.ts'
import { decryptIfPossible } from '../../entities/kit/encrypted.ts'
import { findRecord } from '../../entities/kit/find.ts'
import { newId } from '../../entities/kit/ids.ts'
import { flushKeyed } from '../../entities/kit/keys.ts'
import { Drive, DriveCredentials, DriveSettings, DriveType, destinationOf } from '../../rules/automation/drives.ts'
import { Key } from '../../rules/input/identities.ts'
import { faultsOf } from '../../rules/input/validation-errors.ts'
import { REDACTED, redacted } from '../../rules/input/write-only.ts'
import { invalid, invalidInput, notFound } from '../../rules/refusal.ts'
import { anyCase, CreatedAt, UpdatedAt } from '../../rules/shapes.ts'
import { byIdsAlone, filter, listing } from '../kit/answer/listing.ts'
import { reading, removing } from '../kit/answer/record.ts'
import { declaredAs } from '../kit/declared.ts'
import { route } from '../kit/route.ts'

const ConnectionOut = z
  .object({
    id: z.string().describe('Identifier of the connection, a UUIDv7 made by the server.'),
    key: z.string().describe('Name of the connection, unique in the {store}.'),
    type: DriveType.describe(
      'Kind of drive: S3 or compatible, or WebDAV. It decides the fields of `settings` and `credentials`.',
    ),
    settings: DriveSettings.describe('Where the drive is; its fields depend on `type`.'),
    credentials: z
      .record(z.string(), z.literal(REDACTED))
      .describe('Names of the stored credentials; every value is `__redacted__`.'),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'WorkflowConnection', description: 'A drive that workflows upload to. `credentials` are write-only.' })

/** The fields of `settings` and `credentials` depend on `type`: `driveOf` checks them. */
const fields = {
  key: Key.describe('Name of the connection, unique in the {store}, of 1 to 255 printable characters.'),
  type: anyCase(DriveType).describe(
    'Kind of drive: S3 or compatible, or WebDAV. It decides the fields of `settings` and `credentials`.',
  ),
  settings: declaredAs(z.looseObject({}), DriveSettings).describe(
    'Where the drive is. Of `s3`: `bucket`, `region` (default `us-east-1`), `endpoint` (default AWS), `path_style`, `prefix`. Of `webdav`: `url`.',
  ),
  credentials: declaredAs(z.looseObject({}), DriveCredentials).describe(
    'How to sign in to the drive. Write-only. Of `s3`: `access_key_id`, `secret_access_key`, optional `session_token`. Of `webdav`: `username`, `password`.',
  ),
}

/** The drive with its defaults; 422 with every invalid field. */
function driveOf(described: { type: string; settings: unknown; credentials: unknown }): Drive {
  const read = Drive.safeParse(described)
  if (!read.success) throw invalidInput(faultsOf(read.error.issues, described))
  return read.data
}

const columnsOf = ({ type, settings, credentials }: Drive) => ({
  type,
  settings,
  credentials: JSON.stringify(credentials),
})

const shown = (connection: Integration) => ({
  ...connection,
  type: connection.type as Drive['type'],
  settings: connection.settings as Drive['settings'],
  credentials: redacted(JSON.parse(connection.credentials as string)),
})

export const connections = [
  listing('GET /v1/stores/{storeId}/workflow-connections', {
    may: 'admin',
    summary: 'List the connections to drives',
    entity: Integration,
    item: ConnectionOut,
    sorts: ['key'],
    idsAlone: true,
    filters: {
      ...byIdsAlone,
      type: filter(anyCase(DriveType), (type) => ({ type })),
    },
    scope: () => ({ category: 'drive' }),
    unmanaged: true,
    load: async (_em, rows: Integration[]) =>
      rows.map((row) => shown({ ...row, credentials: decryptIfPossible(row.credentials as string) ?? '{}' })),
  }),
  reading('GET /v1/stores/{storeId}/workflow-connections/{id}', {
    may: 'admin',
    summary: 'Read a connection to a drive',
    entity: Integration,
    out: ConnectionOut,
    where: ({ path }) => ({ id: path.id, category: 'drive' as const }),
    show: shown,
  }),
  route('POST /v1/stores/{storeId}/workflow-connections', {
    may: 'admin',
    refuses: ['key_taken'],
    summary: 'Create a connection to a drive',
    description:
      'The drive is not contacted: wrong credentials show at the first upload. 409 `key_taken` if another connection has the key.',
    body: z.object(fields),
    out: ConnectionOut,
    status: 201,
    async run({ em, tenant_id, body: { key, ...described }, now }) {
      const row = { id: newId(), tenant_id, created_at: now, updated_at: now, key }
      const connection = em.create(Integration, {
        ...row,
        ...columnsOf(driveOf(described)),
        category: 'drive',
        active: true,
      })
      await flushKeyed(em, 'connection')
      return shown(connection)
    },
  }),
  route('PUT /v1/stores/{storeId}/workflow-connections/{id}', {
    may: 'admin',
    refuses: ['key_taken', 'required'],
    summary: 'Update a connection to a drive',
    description:
      'Fields that are left out are kept. `settings` and `credentials` are replaced as a whole. Another `type`, `endpoint` or `url` requires `credentials` (422 `required`): ' +
      'stored credentials are sent only to the drive that they were entered for. 409 `key_taken` if another connection has the key.',
    body: z.object(fields).partial(),
    out: ConnectionOut,
    async run({ em, path, body: { key, ...described }, now }) {
      const connection = await findRecord(em, Integration, { id: path.id, category: 'drive' }, 'connection', {
        lockMode: LockMode.PESSIMISTIC_WRITE,
      })
      const { settings } = connection
      const type = connection.type as Drive['type']
      const before = { type, settings, credentials: JSON.parse(connection.credentials as string) }
      const missing = invalid(
        '/credentials',
        'required',
        'Required when the drive changes: stored credentials are not sent to another drive.',
      )
      if (!described.credentials && (described.type ?? type) !== type) throw missing
      const drive = driveOf({ ...before, ...described })
      if (!described.credentials && destinationOf(drive) !== destinationOf(driveOf(before))) throw missing
      em.assign(connection, { ...(key === undefined ? {} : { key }), ...columnsOf(drive), updated_at: now })
      await flushKeyed(em, 'connection')
      return shown(connection)
    },
  }),
  removing('DELETE /v1/stores/{storeId}/workflow-connections/{id}', {
    may: 'admin',
    summary: 'Delete a connection to a drive',
    description: 'Nodes that still refer to it fail with `connection_missing`.',
    remove: async ({ em, path }) => {
      if ((await em.nativeDelete(Integration, { id: path.id, category: 'drive' })) === 0) throw notFound('connection')
    },
  }),
]
