// Revocations of tokens, as rows: the requests to the network after an account was disconnected here.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Held } from '../../rules/connections/requests.ts'
import { insertRow } from '../kit/database/insert.ts'
import { newId } from '../kit/ids.ts'
import { start } from '../kit/outbox.ts'
import type { SocialConnection } from './social-connection.ts'
import { SocialTokenRequest } from './social-token-request.ts'

export type Tokened = Pick<SocialConnection, 'id' | 'tenant_id' | 'type' | 'token_version'>

/** A row without its kind. */
export const tokenRequest = (
  { id: social_connection_id, tenant_id, type, token_version }: Tokened,
  held: Held,
  now: number,
) => ({
  ...{
    id: newId(),
    tenant_id,
    created_at: now,
    updated_at: now,
    type,
    social_connection_id,
    token_version,
    held: JSON.stringify(held),
    fingerprint: '',
  },
})

export async function requestRevocation(
  em: EntityManager,
  connection: Tokened,
  held: Held,
  now: number,
): Promise<void> {
  const row = { ...tokenRequest(connection, held, now), tenant_id: connection.tenant_id, kind: 'revoke' as const }
  await insertRow(em, SocialTokenRequest, row)
  await start(em, 'social_token_request', row.id, { tenant_id: connection.tenant_id })
}
