// Build hooks: addresses that workflows call to build and publish a site. Addresses and header values are write-only.
import { LockMode } from '@mikro-orm/core'
import { z } from 'zod'
import { BuildHook } from '../../entities/automation/build-hook.ts'
import { decryptIfPossible } from '../../entities/kit/encrypted.ts'
import { findRecord } from '../../entities/kit/find.ts'
import { newId } from '../../entities/kit/ids.ts'
import { flushKeyed } from '../../entities/kit/keys.ts'
import { BuildHookType } from '../../rules/automation/build-hooks.ts'
import { Key } from '../../rules/input/identities.ts'
import { keepHeadersAtOrigin, REDACTED, redacted, SecretHeaders, SecretUrl } from '../../rules/input/write-only.ts'
import { anyCase, CreatedAt, UpdatedAt } from '../../rules/shapes.ts'
import { byIdsAlone, filter, listing } from '../kit/answer/listing.ts'
import { reading, removing } from '../kit/answer/record.ts'
import { flag } from '../kit/query.ts'
import { route } from '../kit/route.ts'

const typeDescription =
  'Label of the hosting service that the {store} uses: `host_a`, `host_b` and `host_c` stand for three services of its choice, `custom` for any other. Every type is called in the same way.'

const BuildHookOut = z
  .object({
    id: z.string().describe('Identifier of the build hook, a UUIDv7 made by the server.'),
    key: z.string().describe('Name of the build hook, unique in the {store}.'),
    type: BuildHookType.describe(typeDescription),
    url: z.literal(REDACTED).describe('Always `__redacted__`: the address is a secret and is never returned.'),
    headers: z
      .record(z.string(), z.literal(REDACTED))
      .describe('Names of the headers that are sent; every value is `__redacted__`.'),
    active: z.boolean().describe('Whether deploy nodes may call the hook.'),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({
    id: 'BuildHook',
    description: 'An address that deploy nodes post to. `url` and header values are write-only.',
  })

const fields = {
  key: Key.describe('Name of the build hook, unique in the {store}, of 1 to 255 printable characters.'),
  type: anyCase(BuildHookType).describe(typeDescription),
  url: SecretUrl.describe(
    'Address that a deploy node posts to, http or https. Write-only: returned as `__redacted__`.',
  ),
  headers: SecretHeaders.optional().describe(
    'Headers to send with every call. Write-only: each value is returned as `__redacted__`. The map replaces the stored one.',
  ),
  active: z.boolean().optional().describe('Whether deploy nodes may call the hook; true by default.'),
}

const shown = (hook: BuildHook) => ({ ...hook, url: REDACTED, headers: redacted(JSON.parse(hook.headers as string)) })

export const buildHooks = [
  listing('GET /v1/stores/{storeId}/build-hooks', {
    may: 'admin',
    summary: 'List the build hooks',
    entity: BuildHook,
    item: BuildHookOut,
    sorts: ['key'],
    idsAlone: true,
    filters: {
      ...byIdsAlone,
      type: filter(anyCase(BuildHookType), (type) => ({ type })),
      active: filter(flag, (active) => ({ active })),
    },
    unmanaged: true,
    load: async (_em, rows: BuildHook[]) =>
      rows.map((row) => shown({ ...row, headers: decryptIfPossible(row.headers as string) ?? '{}' })),
  }),
  reading('GET /v1/stores/{storeId}/build-hooks/{id}', {
    may: 'admin',
    summary: 'Read a build hook',
    entity: BuildHook,
    out: BuildHookOut,
    show: shown,
  }),
  route('POST /v1/stores/{storeId}/build-hooks', {
    may: 'admin',
    refuses: ['key_taken'],
    summary: 'Create a build hook',
    description:
      'A `deploy_webhook` node sends one POST without a body to it. Whether the address is public is checked at that time. 409 `key_taken` if another build hook has the key.',
    body: z.object(fields),
    out: BuildHookOut,
    status: 201,
    async run({ em, tenant_id, body: { headers = {}, active = true, ...body }, now }) {
      const row = { id: newId(), tenant_id, created_at: now, updated_at: now }
      const hook = em.create(BuildHook, { ...row, ...body, headers: JSON.stringify(headers), active })
      await flushKeyed(em, 'build hook')
      return shown(hook)
    },
  }),
  route('PUT /v1/stores/{storeId}/build-hooks/{id}', {
    may: 'admin',
    refuses: ['key_taken', 'required'],
    summary: 'Update a build hook',
    description:
      'Fields that are left out are kept. `headers` replaces the whole map; if headers are stored, it is required with a `url` of another origin (422 `required`). A call that was ' +
      'claimed before is sent with the previous values. 409 `key_taken` if another build hook has the key.',
    body: z.object(fields).partial(),
    out: BuildHookOut,
    async run({ em, path, body: { headers, ...body }, now }) {
      const hook = await findRecord(em, BuildHook, { id: path.id }, 'build hook', {
        lockMode: LockMode.PESSIMISTIC_WRITE,
      })
      keepHeadersAtOrigin(JSON.parse(hook.headers as string), hook.url as string, { ...body, headers })
      em.assign(hook, { ...body, ...(headers ? { headers: JSON.stringify(headers) } : {}), updated_at: now })
      await flushKeyed(em, 'build hook')
      return shown(hook)
    },
  }),
  removing('DELETE /v1/stores/{storeId}/build-hooks/{id}', {
    may: 'admin',
    summary: 'Delete a build hook',
    description: 'Nodes that still refer to it fail with `build_hook_missing`.',
    entity: BuildHook,
  }),
]
