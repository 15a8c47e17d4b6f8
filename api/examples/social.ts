// Examples of social networks.
import type { z } from 'zod'
import type { SocialContent } from '../../rules/publications/content.ts'
import { example, ids } from './example.ts'

const content = {
  type: 'network_b_business',
  caption: 'New in the shop: hand-thrown cups.',
  placement: 'feed',
  media_ids: ['0199a0c4-7b1e-7c3a-9d55-2f6e8a1b4c3d'],
} satisfies z.input<typeof SocialContent>

export const social = [
  example('POST /v1/stores/{storeId}/social-connections/oauth/connect', {
    type: 'network_b_business',
    return_url: 'https://shop.example/settings',
  }),
  example('POST /v1/stores/{storeId}/social-publications', { social_connection_id: ids.social_connection, content }),
  example('POST /v1/stores/{storeId}/social-publications/validate', {
    social_connection_id: ids.social_connection,
    content,
  }),
  example('PUT /v1/stores/{storeId}/social-publications/{id}', {
    content: { ...content, caption: 'New in the shop: hand-thrown cups, in blue.' },
  }),
  example('POST /v1/stores/{storeId}/social-publications/engagement/sync', {
    max_publications: 10,
    max_comments_per_publication: 200,
  }),
]
