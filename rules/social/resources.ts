// Shapes of social records that the API and events return.
import { z } from 'zod'
import { CreatedAt, UpdatedAt } from '../shapes.ts'
import { NetworkType } from './networks.ts'

export const SocialConnectionStatus = z.enum(['active', 'needs_reconnect', 'disconnected'])
export type SocialConnectionStatus = z.infer<typeof SocialConnectionStatus>

export const SocialPublicationStatus = z.enum(['draft', 'scheduled', 'publishing', 'published', 'failed', 'unknown', 'cancelled'])
export type SocialPublicationStatus = z.infer<typeof SocialPublicationStatus>

/** Why a publication failed, is unknown, or became a draft again. `provider_code`: the network's own. */
export type PublicationError = { code: string; message: string; provider_code?: string | undefined }

export const SocialConnectionOut = z
  .object({
    id: z.string().describe('Identifier of the connection, a UUIDv7 made by the server. Connecting the same account again keeps it.'),
    type: NetworkType.describe('Network and kind of account.'),
    provider_account_id: z.string().describe("The network's id of the account, page or channel."),
    name: z.string().describe('Name of the account at the network.'),
    username: z.string().nullable().describe('Name by which the network addresses the account; null if it has none.'),
    scopes: z.array(z.string()).describe('What the owner of the account consented to, in the words of the network.'),
    status: SocialConnectionStatus.describe(
      '`needs_reconnect`: the network does not accept the tokens any more, and the account has to be connected again. `disconnected`: an operator removed it.',
    ),
    reason: z
      .object({ code: z.string().describe('Stable code.'), message: z.string().describe('For people.') })
      .nullable()
      .describe('Why the connection is not active; null if it is.'),
    reconnect_by: z
      .int()
      .nullable()
      .describe(
        'Time by which the account has to be connected again, in Unix seconds; null if the network sets none. `social_connection.expiring` is published a week before.',
      ),
    connected_by: z.string().describe('Identifier of the operator account that connected it last.'),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'SocialConnection', description: 'An account of the store at a social network. Its tokens are stored encrypted and never returned.' })
