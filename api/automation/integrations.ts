// Drives that graphs upload to: their credentials go in and never come out, and are shown to nobody but the drive that they were given for.
import { LockMode } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { z } from 'zod'
import { Integration } from '../../entities/automation/integration.ts'
import { newId } from '../../entities/kit/ids.ts'
import { flushKeyed } from '../../entities/kit/keys.ts'
import { Drive, DriveCredentials, DriveSettings, DriveType, destinationOf } from '../../rules/automation/drives.ts'
import { Key } from '../../rules/input/identities.ts'
import { faultsOf } from '../../rules/input/validation-errors.ts'
import { REDACTED, redacted } from '../../rules/input/write-only.ts'
import { invalid, invalidInput, notFound } from '../../rules/refusal.ts'
import { anyCase, CreatedAt, Id, UpdatedAt } from '../../rules/shapes.ts'
import { declaredAs } from '../kit/declared.ts'
import { filter, listing } from '../kit/listing.ts'
import { many } from '../kit/query.ts'
import { route } from '../kit/route.ts'
import { Success, success } from '../kit/shapes.ts'

const ConnectionOut = z
  .object({
    id: z.string().describe('Identifier of the connection, a UUIDv7 made by the server.'),
    key: z.string().describe('Name of the connection, unique in the store.'),
    type: DriveType.describe('Kind of drive: S3 or compatible, or WebDAV. It decides the fields of `settings` and `credentials`.'),
    settings: DriveSettings.describe('Where the drive is; its fields depend on `type`.'),
    credentials: z.record(z.string(), z.literal(REDACTED)).describe('Names of the stored credentials; every value is `__redacted__`.'),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'WorkflowConnection', description: 'A drive that workflows upload to. `credentials` are write-only.' })

/** Which fields there are is the type's to say: `driveOf` checks them. */
const fields = {
  key: Key.describe('Name of the connection, unique in the store, of 1 to 255 printable characters.'),
  type: anyCase(DriveType).describe('Kind of drive: S3 or compatible, or WebDAV. It decides the fields of `settings` and `credentials`.'),
  settings: declaredAs(z.looseObject({}), DriveSettings).describe(
    'Where the drive is. Of `s3`: `bucket`, `region` (default `us-east-1`), `endpoint` (default AWS), `path_style`, `prefix`. Of `webdav`: `url`.',
  ),
  credentials: declaredAs(z.looseObject({}), DriveCredentials).describe(
    'How to sign in to the drive. Write-only. Of `s3`: `access_key_id`, `secret_access_key`, optional `session_token`. Of `webdav`: `username`, `password`.',
  ),
}

/** The drive that was described, defaults filled in; 422 with the places of what is wrong. */
function driveOf(described: { type: string; settings: unknown; credentials: unknown }): Drive {
  const read = Drive.safeParse(described)
  if (!read.success) throw invalidInput(faultsOf(read.error.issues, described))
  return read.data
}

const columnsOf = ({ type, settings, credentials }: Drive) => ({ type, settings, credentials: JSON.stringify(credentials) })

const shown = (connection: Integration) => ({
  ...connection,
  settings: connection.settings as Drive['settings'],
  credentials: redacted(JSON.parse(connection.credentials as string)),
})

const connectionOf = (em: EntityManager, id: string, lockMode?: LockMode.PESSIMISTIC_WRITE) =>
  em.findOneOrFail(Integration, { id }, { ...(lockMode ? { lockMode } : {}), failHandler: () => notFound('connection') })

export const connections = [
  listing('GET /v1/stores/{storeId}/workflow-connections', {
    may: 'admin',
    summary: 'List the connections to drives',
    entity: Integration,
    item: ConnectionOut,
    sorts: ['key'],
    idsAlone: true,
    filters: {
      ids: filter(
        many(Id).describe('Identifiers to restrict the list to, 100 at most: repeated, or separated by commas. Other filters are ignored then.'),
        (ids) => ({ id: { $in: ids } }),
      ),
      type: filter(anyCase(DriveType), (type) => ({ type })),
    },
    load: async (_em, rows: Integration[]) => rows.map(shown),
  }),
  route('GET /v1/stores/{storeId}/workflow-connections/{id}', {
    may: 'admin',
    summary: 'Read a connection to a drive',
    out: ConnectionOut,
    run: async ({ em, path }) => shown(await connectionOf(em, path.id)),
  }),
  route('POST /v1/stores/{storeId}/workflow-connections', {
    may: 'admin',
    refuses: ['key_taken'],
    summary: 'Create a connection to a drive',
    description: 'Nothing is asked of the drive now: what it thinks of the credentials is told by the first upload.',
    body: z.object(fields),
    out: ConnectionOut,
    status: 201,
    async run({ em, tenant_id, body: { key, ...described }, now }) {
      const row = { id: newId(), tenant_id, created_at: now, updated_at: now, key }
      const connection = em.create(Integration, { ...row, ...columnsOf(driveOf(described)) })
      await flushKeyed(em, 'connection')
      return shown(connection)
    },
  }),
  route('PUT /v1/stores/{storeId}/workflow-connections/{id}', {
    may: 'admin',
    refuses: ['key_taken', 'required'],
    summary: 'Update a connection to a drive',
    description:
      'Fields that are left out are kept; `settings` and `credentials` are complete. Another endpoint or url needs the credentials again: kept ones go nowhere else.',
    body: z.object(fields).partial(),
    out: ConnectionOut,
    async run({ em, path, body: { key, ...described }, now }) {
      const connection = await connectionOf(em, path.id, LockMode.PESSIMISTIC_WRITE)
      const { type, settings } = connection
      const before = { type, settings, credentials: JSON.parse(connection.credentials as string) }
      const again = invalid('/credentials', 'required', 'Another drive needs its credentials.')
      if (!described.credentials && (described.type ?? type) !== type) throw again
      const drive = driveOf({ ...before, ...described })
      if (!described.credentials && destinationOf(drive) !== destinationOf(driveOf(before))) throw again
      em.assign(connection, { ...(key === undefined ? {} : { key }), ...columnsOf(drive), updated_at: now })
      await flushKeyed(em, 'connection')
      return shown(connection)
    },
  }),
  route('DELETE /v1/stores/{storeId}/workflow-connections/{id}', {
    may: 'admin',
    summary: 'Delete a connection to a drive',
    description: 'Nodes that still name it fail with `connection_missing`.',
    out: Success,
    async run({ em, path }) {
      em.remove(await connectionOf(em, path.id))
      await em.flush()
      return success
    },
  }),
]
