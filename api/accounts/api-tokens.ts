// API tokens: credentials for an operator's programs. The value is returned once; only its digest is stored.
import { z } from 'zod'
import { ApiToken } from '../../entities/accounts/api-token.ts'
import { findRecord } from '../../entities/kit/find.ts'
import { newId } from '../../entities/kit/ids.ts'
import { invalid, notFound } from '../../rules/refusal.ts'
import { CreatedAt, UnixSeconds, UpdatedAt } from '../../rules/shapes.ts'
import { listing } from '../kit/answer/listing.ts'
import { removing } from '../kit/answer/record.ts'
import { digest, newToken } from '../kit/caller.ts'
import { route } from '../kit/route.ts'

export const ApiTokenOut = z
  .object({
    id: z.string().describe('Identifier of the API token, a UUIDv7 made by the server.'),
    name: z.string().describe('Name that tells the tokens of an account apart.'),
    expires_at: z
      .int()
      .nullable()
      .describe('Time from which the token is refused, in Unix seconds; null for a token that does not expire.'),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'ApiToken' })
export const ApiTokenMade = ApiTokenOut.extend({
  value: z
    .string()
    .describe(
      'The token itself, sent as `Authorization: Bearer …`. Only its digest is stored, so no other call returns it.',
    ),
}).meta({ id: 'ApiTokenMade' })

const name = z.string().trim().min(1).max(255)
const expires_at = UnixSeconds.nullish()

function mustBeAhead(at: number | null | undefined, now: number): void {
  if (at !== null && at !== undefined && at <= now)
    throw invalid('/expires_at', 'in_the_past', 'Must be in the future, or null for a token that does not expire.')
}

export const apiTokens = [
  listing('GET /v1/accounts/me/api-tokens', {
    operation: 'listApiTokens',
    may: 'account',
    summary: 'List your API tokens',
    entity: ApiToken,
    item: ApiTokenOut,
    scope: ({ caller }) => ({ account_id: caller.account_id }),
  }),
  route('POST /v1/accounts/me/api-tokens', {
    operation: 'createApiToken',
    may: 'account',
    refuses: ['in_the_past'],
    summary: 'Create an API token',
    description:
      'The token has the rights of your account. Its value is returned by this call only. 422 `in_the_past` if `expires_at` is not in the future.',
    body: z.object({
      name: name.describe('Name that tells the tokens of an account apart.'),
      expires_at: expires_at.describe(
        'Time from which the token is refused, in Unix seconds and in the future; null or left out: it does not expire.',
      ),
    }),
    out: ApiTokenMade,
    status: 201,
    run({ em, caller, body, now }) {
      mustBeAhead(body.expires_at, now)
      const value = newToken('till_sk')
      const row = {
        id: newId(),
        created_at: now,
        updated_at: now,
        name: body.name,
        expires_at: body.expires_at ?? null,
      }
      em.create(ApiToken, { ...row, account_id: caller.account_id, digest: digest(value) })
      return { ...row, value }
    },
  }),
  route('PUT /v1/accounts/me/api-tokens/{id}', {
    operation: 'updateApiToken',
    may: 'account',
    refuses: ['in_the_past'],
    summary: 'Update an API token',
    body: z.object({
      name: name.optional().describe('Name that tells the tokens of an account apart. Left out, it is kept.'),
      expires_at: expires_at.describe(
        'Time from which the token is refused, in Unix seconds and in the future; null: it does not expire. Left out, it is kept.',
      ),
    }),
    out: ApiTokenOut,
    async run({ em, caller, path, body, now }) {
      const token = await findRecord(em, ApiToken, { id: path.id, account_id: caller.account_id }, 'API token')
      // An unchanged `expires_at` is accepted even in the past, so that an expired token can be renamed.
      if (body.expires_at !== token.expires_at) mustBeAhead(body.expires_at, now)
      return em.assign(token, {
        name: body.name ?? token.name,
        expires_at: body.expires_at === undefined ? token.expires_at : body.expires_at,
        updated_at: now,
      })
    },
  }),
  removing('DELETE /v1/accounts/me/api-tokens/{id}', {
    operation: 'deleteApiToken',
    may: 'account',
    summary: 'Revoke an API token',
    async remove({ em, caller, path }) {
      if ((await em.nativeDelete(ApiToken, { id: path.id, account_id: caller.account_id })) === 0)
        throw notFound('API token')
    },
  }),
]
