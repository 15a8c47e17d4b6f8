// Campaigns of a store: drafts, which are launched once.
import type { EntityManager } from '@mikro-orm/postgresql'
import { z } from 'zod'
import { Campaign } from '../../entities/campaigns/campaign.ts'
import { createCampaign, removeCampaign, updateCampaign } from '../../entities/campaigns/campaigns.ts'
import { duplicateCampaign } from '../../entities/campaigns/duplicates.ts'
import { statisticsOf } from '../../entities/campaigns/statistics.ts'
import { CampaignStatus } from '../../rules/campaigns/campaigns.ts'
import { anyCase } from '../../rules/shapes.ts'
import { byIds, filter, listing } from '../kit/answer/listing.ts'
import { reading, removing } from '../kit/answer/record.ts'
import { likeWords, searchText } from '../kit/query.ts'
import { route } from '../kit/route.ts'
import { CampaignFields, CampaignOut, CampaignWithStats } from './campaign-shapes.ts'

const withStatistics = async (em: EntityManager, campaign: Campaign, now: number) => ({
  ...campaign,
  stats: await statisticsOf(em, campaign, now),
})

export const campaigns = [
  listing('GET /v1/stores/{storeId}/campaigns', {
    may: 'admin',
    summary: 'List the campaigns',
    entity: Campaign,
    unmanaged: true,
    item: CampaignOut,
    filters: {
      ...byIds,
      status: filter(anyCase(CampaignStatus), (status) => ({ status })),
      query: filter(searchText().describe('Words that the name contains, in any case.'), (query) =>
        likeWords('name', query),
      ),
    },
  }),
  reading('GET /v1/stores/{storeId}/campaigns/{id}', {
    may: 'admin',
    summary: 'Read a campaign',
    description: 'With statistics that are counted at this moment. 404 `not_found` if there is no such campaign.',
    entity: Campaign,
    out: CampaignWithStats,
    show: (campaign, { em, now }) => withStatistics(em, campaign, now),
  }),
  route('POST /v1/stores/{storeId}/campaigns', {
    may: 'admin',
    summary: 'Create a campaign',
    description:
      'The campaign is a draft: import its enrollments, then launch it. 422 `invalid_input` with `mailbox_unknown` or `template_unknown` for records that the {store} does not have.',
    body: z.object(CampaignFields),
    out: CampaignOut,
    status: 201,
    run: ({ em, tenant_id, body, now }) => createCampaign(em, tenant_id, body, now),
  }),
  route('PUT /v1/stores/{storeId}/campaigns/{id}', {
    may: 'admin',
    refuses: ['campaign_launched', 'in_the_past'],
    summary: 'Update a campaign',
    description:
      'Fields that are left out are kept; `steps`, `variables` and `mailbox_ids` are replaced as a whole. Once the campaign is launched, only `name` and `scheduled_at` can be changed, ' +
      'until it starts; otherwise 409 `campaign_launched`. With `scheduled_at: null`, a scheduled campaign starts at once.',
    body: z.object(CampaignFields).partial(),
    out: CampaignWithStats,
    run: async ({ em, path, body, now }) => withStatistics(em, await updateCampaign(em, path.id, body, now), now),
  }),
  route('POST /v1/stores/{storeId}/campaigns/{id}/duplicate', {
    may: 'admin',
    summary: 'Duplicate a campaign',
    description:
      'Returns a new draft with the setup of the campaign, in any state, without `scheduled_at`. With `copy_enrollments`, its contacts are enrolled by an import, which is listed with the ' +
      'imports of the draft and may still run: not those who unsubscribed, bounced, complained or were cancelled one by one. Messages, replies and history are not copied.',
    body: z.object({
      name: CampaignFields.name.describe('Name of the new campaign.'),
      copy_enrollments: z
        .boolean()
        .default(false)
        .describe('Whether its contacts are enrolled in the new campaign. `false` by default.'),
    }),
    out: CampaignOut,
    status: 201,
    run: ({ em, path, body, now }) => duplicateCampaign(em, path.id, body.name, body.copy_enrollments, now),
  }),
  removing('DELETE /v1/stores/{storeId}/campaigns/{id}', {
    may: 'admin',
    request: { while: ['draft'] },
    refuses: ['campaign_launched'],
    summary: 'Delete a draft of a campaign',
    description: 'Its enrollments are deleted too. 409 `campaign_launched` for any campaign that is not a draft.',
    remove: ({ em, path }) => removeCampaign(em, path.id),
  }),
]
