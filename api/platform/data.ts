// Key-value data of the installation, for platform administrators: written, read by key or by prefix, and deleted.
import { z } from 'zod'
import { dataAt, putDatum, removeDatum } from '../../entities/platform/platform-data.ts'
import { DataKey, DataValue } from '../../rules/platform/platform-data.ts'
import { invalid } from '../../rules/refusal.ts'
import { whole } from '../kit/query.ts'
import { route } from '../kit/route.ts'

const Done = z.object({ ok: z.literal(true).describe('Always true: a call that fails returns a problem instead.') })
const done = { ok: true as const }

export const platformData = [
  route('POST /v1/platform/data', {
    operation: 'putPlatformData',
    may: 'platform',
    summary: 'Write the value of a key',
    description:
      'The latest write wins. The value of `previous_key` is deleted in the same transaction, unless it is the same key.',
    body: z.object({
      key: DataKey.describe('Key to write, 1 to 512 bytes of UTF-8.'),
      value: DataValue.describe('Value to store: any JSON of at most 256 KiB, null included.'),
      previous_key: DataKey.optional().describe(
        'Key that the value had until now; it is deleted in the same transaction.',
      ),
    }),
    out: Done,
    async run({ em, body: { key, value, previous_key }, now }) {
      await putDatum(em, { key, value }, previous_key, now)
      return done
    },
  }),
  route('GET /v1/platform/data', {
    may: 'platform',
    summary: 'Read the value of a key, or of all keys that begin with it',
    description: 'No character of a key is a wildcard.',
    query: z.object({
      key: DataKey.describe(
        'Key to read, 1 to 512 bytes of UTF-8. If it has no value: the beginning of the keys to read.',
      ),
      limit: whole(1, 100).default(20).describe('Number of values to return, 1 to 100.'),
    }),
    out: z.object({
      value: z
        .array(
          z.object({
            key: z.string().describe('Key of the value.'),
            value: z.unknown().describe('The stored JSON value.'),
          }),
        )
        .describe(
          'The value of the key; if it has none, the values of all keys that begin with it, in the order of their bytes.',
        ),
    }),
    run: async ({ em, query: { key, limit } }) => ({ value: await dataAt(em, key, limit) }),
  }),
  route('DELETE /v1/platform/data', {
    may: 'platform',
    refuses: ['differs_from_query', 'required'],
    summary: 'Delete the value of a key',
    description: 'Send `key` in the query or in the body. Deleting a key without a value succeeds.',
    query: z.object({ key: DataKey.optional().describe('Key to delete; it may be sent in the body instead.') }),
    body: z.object({ key: DataKey.optional().describe('Key to delete; it may be sent in the query instead.') }),
    out: Done,
    async run({ em, query, body }) {
      const key = query.key ?? body.key
      if (key === undefined) throw invalid('key', 'required', 'Required in the query or in the body.')
      if (body.key !== undefined && body.key !== key)
        throw invalid('/key', 'differs_from_query', 'Must equal the query parameter `key`.')
      await removeDatum(em, key)
      return done
    },
  }),
]
