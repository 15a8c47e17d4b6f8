// Shapes of social records that the API and events return.
import { z } from 'zod'
// Backwards: the resources of a publication show its content.
import { SocialContent, severities } from '../publications/content.ts'
import { CreatedAt, UpdatedAt } from '../shapes.ts'
import { NetworkType } from './networks/network-types.ts'
import { networkTypeText } from './networks/networks.ts'

export const SocialConnectionStatus = z.enum(['active', 'needs_reconnect', 'disconnected'])
export type SocialConnectionStatus = z.infer<typeof SocialConnectionStatus>

export const SocialPublicationStatus = z.enum([
  'draft',
  'scheduled',
  'publishing',
  'published',
  'failed',
  'unknown',
  'cancelled',
])
export type SocialPublicationStatus = z.infer<typeof SocialPublicationStatus>

/** How an unknown publication ended, as an operator found. */
export const PublicationOutcome = SocialPublicationStatus.extract(['published', 'failed'])
export type PublicationOutcome = z.infer<typeof PublicationOutcome>

export const SocialConnectionOut = z
  .object({
    id: z
      .string()
      .describe(
        'Identifier of the connection, a UUIDv7 made by the server. Connecting the same account again keeps it.',
      ),
    type: NetworkType.describe(networkTypeText),
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
    paused_until: z
      .int()
      .nullable()
      .describe(
        'Time until which the network accepts no more calls for the account, in Unix seconds; null if it accepts them.',
      ),
    reads_paused_until: z
      .int()
      .nullable()
      .describe(
        'Time until which nothing is read for the account, as a limit of the network is nearly used up, in Unix seconds; null without one. Publications go on.',
      ),
    connected_by: z.string().describe('Identifier of the operator account that connected it last.'),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({
    id: 'SocialConnection',
    description: 'An account of the {store} at a social network. Its tokens are stored encrypted and never returned.',
  })

/** An issue of validation: rules/publications/content.ts. */
export const SocialIssue = z
  .object({
    pointer: z.string().describe('JSON pointer to the place, such as `/content/caption`.'),
    code: z.string().describe('Stable code.'),
    detail: z.string().describe('What is wrong and what is expected.'),
    severity: z.enum(severities).describe('With an `error` the content cannot be scheduled.'),
    limit: z.number().optional().describe('The limit that is exceeded, if it is one.'),
    actual: z.number().optional().describe('What was counted.'),
  })
  .meta({ id: 'SocialIssue', description: 'What a network would refuse, or what an operator should know before.' })

const PublicationFailure = z.object({
  code: z
    .string()
    .describe(
      'Stable code. `too_late`: it could not be published within the time that the installation allows; `network_refused` and `media_refused`: in `message`, in the words of the network; `outcome_unknown`: whether it is visible cannot be proved.',
    ),
  message: z.string().describe('For people.'),
  provider_code: z.string().optional().describe("The network's own code, if it sent one."),
  pointer: z
    .string()
    .optional()
    .describe('JSON pointer to the part of the publication that it is about, such as `/content/media_ids/4`.'),
  media_id: z.string().optional().describe('Identifier of the file that it is about.'),
})

const time = (what: string) => z.int().nullable().describe(`${what}, in Unix seconds; null until then.`)

export const SocialPublicationOut = z
  .object({
    id: z.string().describe('Identifier of the publication, a UUIDv7 made by the server.'),
    social_connection_id: z.string().describe('Identifier of the connection that publishes it.'),
    type: NetworkType.describe(networkTypeText),
    content: SocialContent,
    status: SocialPublicationStatus.describe(
      '`scheduled`: it waits for its time. `publishing`: the call that shows it is made, or its outcome is being proved. `unknown`: it may or may not be visible at the network; it is not sent again, ' +
        'and can be checked and resolved. `failed`: it is not visible, and `error` says why.',
    ),
    scheduled_at: z
      .int()
      .nullable()
      .describe('Time at which it is published, in Unix seconds; null if it was never scheduled.'),
    published_at: time('Time at which it became visible'),
    provider_post_id: z.string().nullable().describe("The network's id of the post; null until it is known."),
    permalink: z.string().nullable().describe('Address of the post; null until it is known.'),
    error: PublicationFailure.nullable().describe('Why it failed, is unknown, or is a draft again; null otherwise.'),
    issues: z
      .array(SocialIssue)
      .describe('What validation reported when the content was saved last. With an `error`, it cannot be scheduled.'),
    created_by: z.string().describe('Identifier of the operator account that created it.'),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({
    id: 'SocialPublication',
    description: 'A post of the {store} on a connected account. It becomes visible once at most.',
  })
