// Values of the installation under keys, for whoever runs it: written, read by key or by how keys begin, and deleted.
import { z } from 'zod'
import { dataAt, putDatum, removeDatum } from '../../entities/platform/platform-data.ts'
import { DataKey, DataValue } from '../../rules/platform-data.ts'
import { invalid } from '../../rules/refusal.ts'
import { whole } from '../kit/query.ts'
import { route } from '../kit/route.ts'

const Done = z.object({ ok: z.literal(true) })
const done = { ok: true as const }

export const platformData = [
  route('POST /v1/platform/data', {
    operation: 'putPlatformData',
    may: 'platform',
    summary: 'Write a value under a key, whether there is one or not',
    description:
      'The last one wins. Whatever stands under `previous_key` goes in the same write, unless it is the same key. The fields of an object have no order.',
    body: z.object({ key: DataKey, value: DataValue, previous_key: DataKey.optional() }),
    out: Done,
    async run({ em, body: { key, value, previous_key }, now }) {
      await putDatum(em, { key, value }, previous_key, now)
      return done
    },
  }),
  route('GET /v1/platform/data', {
    may: 'platform',
    summary: 'Read the value of a key; if there is none, the values of the keys that begin with it, in the order of their bytes',
    description: 'No character of a key has a meaning of its own.',
    query: z.object({ key: DataKey, limit: whole(1, 100).default(20) }),
    out: z.object({ value: z.array(z.object({ key: z.string(), value: z.unknown() })) }),
    run: async ({ em, query: { key, limit } }) => ({ value: await dataAt(em, key, limit) }),
  }),
  route('DELETE /v1/platform/data', {
    may: 'platform',
    summary: 'Delete the value of a key; that there is none is fine',
    description: '`key` comes in the query or in the body.',
    query: z.object({ key: DataKey.optional() }),
    body: z.object({ key: DataKey.optional() }),
    out: Done,
    async run({ em, query, body }) {
      const key = query.key ?? body.key
      if (key === undefined) throw invalid('key', 'required', 'Name the key, in the query or in the body.')
      if (body.key !== undefined && body.key !== key) throw invalid('/key', 'differs_from_query', 'It differs from the query.')
      await removeDatum(em, key)
      return done
    },
  }),
]
