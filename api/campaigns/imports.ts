// Imports of enrollments into drafts of campaigns: members of audiences, contacts, and addresses.
import { z } from 'zod'
import { Campaign } from '../../entities/campaigns/campaign.ts'
import { CampaignImport } from '../../entities/campaigns/campaign-import.ts'
import { requestImport } from '../../entities/campaigns/imports.ts'
import type { EntityManager } from '../../entities/kit/database/orm.ts'
import { asRow } from '../../entities/kit/database/row.ts'
import { mustExist } from '../../entities/kit/find.ts'
import { ImportStatus } from '../../rules/campaigns/campaigns.ts'
import { FAILED_MAX, FailureCode, SOURCES_MAX } from '../../rules/campaigns/imports.ts'
import { WrittenAddress } from '../../rules/input/email-addresses.ts'
import { anyCase, CreatedAt, Id, UpdatedAt } from '../../rules/shapes.ts'
import { filter, listing } from '../kit/answer/listing.ts'
import { reading } from '../kit/answer/record.ts'
import { NotYet, Reply } from '../kit/answer/replies.ts'
import { route } from '../kit/route.ts'
import { Variables } from './campaign-shapes.ts'

const ImportOut = z
  .object({
    id: z.string().describe('Identifier of the import, a UUIDv7 made by the server.'),
    campaign_id: z.string().describe('Identifier of the campaign.'),
    status: ImportStatus.describe(
      '`running` until every source was read; `failed` if it was given up: what it enrolled stays.',
    ),
    enrolled: z.int().describe('Contacts that it enrolled.'),
    already_enrolled: z.int().describe('Contacts and addresses that were enrolled before, or named twice.'),
    skipped: z
      .record(z.string(), z.int())
      .describe(
        'Numbers of those who get no mail, by reason: `unsubscribed`, `bounced` and `complained` (the membership; of a copy also the copied enrollment), `cancelled`, `no_access`, `no_address`, ' +
          '`suppressed` (the address bounced, reported spam or withdrew its consent), `no_contact` (of a copy: merged into another contact).',
      ),
    failed: z
      .array(
        z.object({
          value: z.string().describe('What the request named.'),
          code: FailureCode.describe('`contact_missing`: the contact was deleted or merged after the request.'),
        }),
      )
      .describe(`The first ${FAILED_MAX} that could not be enrolled.`),
    error: z
      .object({ code: z.string().describe('Stable code.'), message: z.string().describe('The reason, for people.') })
      .nullable()
      .describe('Why it failed; null if it did not.'),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'CampaignImport', description: 'An import of enrollments into a draft of a campaign.' })

const Ids = z.array(Id).max(SOURCES_MAX).default([])

const Recipient = z.union([
  WrittenAddress.min(1).transform((email) => ({ email, variables: {} })),
  z.strictObject({
    email: WrittenAddress.min(1).describe('Address of the recipient.'),
    variables: Variables.default({}).describe(
      'Values that the templates read for this recipient. They replace those of the campaign and of its steps.',
    ),
  }),
])

const importWait = {
  async until({ em, pending: id }: { em: EntityManager; pending: string }) {
    const row = asRow(await em.findOneOrFail(CampaignImport, { id }))
    return row.status === 'running' ? new NotYet(row) : row
  },
}

export const campaignImports = [
  route('POST /v1/stores/{storeId}/campaigns/{id}/enrollments/import', {
    operation: 'importCampaignEnrollments',
    may: 'admin',
    refuses: ['campaign_not_draft'],
    summary: 'Enroll recipients in a draft of a campaign',
    description:
      `Names audiences, contacts and addresses, ${SOURCES_MAX} of each at most. Of an audience, members with access whose e-mail is not unsubscribed are enrolled; ` +
      'contacts and addresses that are named are enrolled unless they bounced, complained or withdrew their consent, also those that opted out of an audience. An address that no contact ' +
      'owns becomes a contact. A contact is enrolled once, and an address is. Data that is enrolled is never read again; later imports add to it. Returns the import, completed if it ends in time; ' +
      'otherwise read it until it is not `running`. 409 `campaign_not_draft` after the launch. 422 `invalid_input` with `audience_unknown` or `contact_unknown` for records that the {store} does not have.',
    body: z.object({
      audience_ids: Ids.describe('Audiences of any type whose members are enrolled.'),
      contact_ids: Ids.describe('Contacts that are enrolled, each at the address that is used for it.'),
      emails: z
        .array(Recipient)
        .max(SOURCES_MAX)
        .default([])
        .describe('Addresses that are enrolled, as text or with variables.'),
    }),
    out: ImportOut,
    status: 201,
    async run({ em, path, body, now }) {
      const row = await requestImport(em, path.id, body, now)
      return new Reply(asRow(row), { pending: row.id })
    },
    wait: importWait,
  }),
  listing('GET /v1/stores/{storeId}/campaigns/{id}/imports', {
    operation: 'listCampaignImports',
    may: 'admin',
    summary: 'List the imports of a campaign',
    entity: CampaignImport,
    item: ImportOut,
    filters: { status: filter(anyCase(ImportStatus), (status) => ({ status })) },
    async scope({ em, path }) {
      await mustExist(em, Campaign, { id: path.id }, 'campaign')
      return { campaign_id: path.id }
    },
  }),
  reading('GET /v1/stores/{storeId}/campaigns/{id}/imports/{importId}', {
    operation: 'getCampaignImport',
    may: 'admin',
    summary: 'Read an import of enrollments',
    entity: CampaignImport,
    out: ImportOut,
    where: ({ path }) => ({ id: path.importId, campaign_id: path.id }),
  }),
]
