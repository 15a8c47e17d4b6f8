// Examples of social networks.
import { example } from './example.ts'

export const social = [
  example('POST /v1/stores/{storeId}/social-connections/oauth/connect', { type: 'network_b_business', return_url: 'https://shop.example/settings' }),
]
