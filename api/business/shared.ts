// What a business has as a store has it: the same routes under /v1/businesses/{businessId}.
import { attention } from '../attention/attention.ts'
import { integrations } from '../automation/integrations.ts'
import { oauth } from '../automation/oauth.ts'
import { inventory } from '../catalog/inventory.ts'
import { products } from '../catalog/products.ts'
import { collections } from '../content/collections.ts'
import { entries } from '../content/entries.ts'
import { forms } from '../content/forms.ts'
import { media } from '../content/media.ts'
import { submissions } from '../content/submissions.ts'
import { taxonomies } from '../content/taxonomies.ts'
import { orderLines } from '../orders/order-lines.ts'
import { orders } from '../orders/orders.ts'
import { shipments } from '../orders/shipments.ts'
import { overview } from '../overview/overview.ts'
import { payments } from '../payments/payments.ts'
import { promoCodes } from '../promotions/promo-codes.ts'
import { readiness } from '../readiness/readiness.ts'
import { businessRefunds, refunds } from '../refunds/refunds.ts'
import { locations } from '../stores/locations.ts'
import { markets } from '../stores/markets.ts'
import { businessPlans, storeSubscriptions } from '../stores/subscription.ts'
import { members } from '../stores/team-members.ts'
import { timelines } from '../timeline/timeline.ts'
import { businessDeliveries } from '../webhooks/deliveries.ts'
import { businessWebhooks, businessWebhookTests } from '../webhooks/webhooks.ts'
import { twins } from './twins.ts'

const catalog = [...products, ...inventory, ...promoCodes]
const content = [...collections, ...entries, ...taxonomies, ...forms, ...submissions, ...media]

export const businessTwins = twins(
  [
    ...members,
    ...markets,
    ...locations,
    ...catalog,
    ...content,
    ...orders,
    ...orderLines,
    ...payments,
    ...refunds,
    ...attention,
    ...timelines,
    ...readiness,
    ...overview,
    ...shipments,
    ...integrations,
    ...oauth,
    ...businessWebhooks,
    ...storeSubscriptions,
    ...businessDeliveries,
  ],
  { without: ['POST /v1/stores/{storeId}/subscription/portal'] },
)

/** What the business surface has in a form of its own. */
export const businessOwn = [...businessPlans, ...businessRefunds, ...businessWebhookTests]
