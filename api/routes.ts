// Every route of the API, in the order of the document: set up a store, sell, publish, automate.
import { accounts } from './accounts/accounts.ts'
import { apiTokens } from './accounts/api-tokens.ts'
import { auth } from './accounts/auth.ts'
import { erasures } from './accounts/erasures.ts'
import { memberships } from './accounts/memberships.ts'
import { sessions } from './accounts/sessions.ts'
import { agents } from './agents/agents.ts'
import { channelUpdates } from './agents/channel-updates.ts'
import { chats } from './agents/chats.ts'
import { agentMessages } from './agents/messages.ts'
import { allAttention, attention } from './attention/attention.ts'
import { audiences } from './audiences/audiences.ts'
import { confirmPage } from './audiences/confirm-page.ts'
import { memberLinks } from './audiences/member-links.ts'
import { memberPayments } from './audiences/member-payments.ts'
import { audienceMembers } from './audiences/members.ts'
import { paymentMethods } from './audiences/payment-method.ts'
import { storefrontAudiences } from './audiences/storefront.ts'
import { tiers } from './audiences/tiers.ts'
import { buildHooks } from './automation/build-hooks.ts'
import { executions } from './automation/executions.ts'
import { integrationConfigs, integrations } from './automation/integrations.ts'
import { oauth } from './automation/oauth.ts'
import { triggers } from './automation/triggers.ts'
import { connections } from './automation/workflow-connections.ts'
import { workflows } from './automation/workflows.ts'
import { bookings } from './business/bookings.ts'
import { businesses } from './business/businesses.ts'
import { invitations } from './business/invitations.ts'
import { businessLinks } from './business/links.ts'
import { businessProviders } from './business/providers.ts'
import { businessServices } from './business/services.ts'
import { businessOwn, businessTwins } from './business/shared.ts'
import { campaigns } from './campaigns/campaigns.ts'
import { enrollments } from './campaigns/enrollments.ts'
import { campaignImports } from './campaigns/imports.ts'
import { campaignPreviews } from './campaigns/previews.ts'
import { campaignStates } from './campaigns/states.ts'
import { carts } from './carts/carts.ts'
import { inventory } from './catalog/inventory.ts'
import { products } from './catalog/products.ts'
import { storefrontCatalog } from './catalog/storefront.ts'
import { reactions } from './community/reactions.ts'
import { storeReactions } from './community/store-reactions.ts'
import { storefrontReactions } from './community/storefront.ts'
import { socialCallback } from './connections/callback.ts'
import { socialConnections } from './connections/connections.ts'
import { socialConsent } from './connections/consent.ts'
import { collections } from './content/collections.ts'
import { entries } from './content/entries.ts'
import { files } from './content/files.ts'
import { forms } from './content/forms.ts'
import { media } from './content/media.ts'
import { storefrontContent } from './content/storefront.ts'
import { storefrontForms } from './content/storefront-forms.ts'
import { storefrontTaxonomies } from './content/storefront-taxonomies.ts'
import { submissions } from './content/submissions.ts'
import { taxonomies } from './content/taxonomies.ts'
import { channels } from './crm/channels.ts'
import { contactSessions } from './crm/contact-sessions.ts'
import { contacts } from './crm/contacts.ts'
import { visitors } from './crm/visitors.ts'
import { socialComments } from './engagement/comments.ts'
import { socialEngagement } from './engagement/engagement.ts'
import { socialReplies } from './engagement/replies.ts'
import { inboundMail } from './inbox/inbound.ts'
import { campaignReplies } from './inbox/replies.ts'
import type { Route } from './kit/route.ts'
import { emailTemplates } from './mail/email-templates.ts'
import { mailboxes } from './mail/mailboxes.ts'
import { platformNetworks } from './networks/networks.ts'
import { networkSearch } from './networks/search.ts'
import { checkouts } from './orders/checkout.ts'
import { orderLines } from './orders/order-lines.ts'
import { orders } from './orders/orders.ts'
import { shipments } from './orders/shipments.ts'
import { storefrontOrders } from './orders/storefront.ts'
import { overview } from './overview/overview.ts'
import { disputes } from './payments/disputes.ts'
import { payments } from './payments/payments.ts'
import { stripeEvents } from './payments/stripe-events.ts'
import { platformCountries } from './platform/countries.ts'
import { platformData } from './platform/data.ts'
import { platformScripts } from './platform/scripts.ts'
import { promoCodes } from './promotions/promo-codes.ts'
import { socialPublications } from './publications/publications.ts'
import { socialValidation } from './publications/validation.ts'
import { readiness } from './readiness/readiness.ts'
import { refunds } from './refunds/refunds.ts'
import { leadResearch } from './research/lead-research.ts'
import { availabilities } from './scheduling/availability.ts'
import { providers } from './scheduling/providers.ts'
import { serviceProviders } from './scheduling/service-providers.ts'
import { services } from './scheduling/services.ts'
import { storefrontScheduling } from './scheduling/storefront.ts'
import { campaignMessages } from './sending/messages.ts'
import { socialCapabilities } from './social/capabilities.ts'
import { locations } from './stores/locations.ts'
import { markets } from './stores/markets.ts'
import { paymentProviders } from './stores/payment-providers.ts'
import { storefrontStore } from './stores/storefront.ts'
import { storefrontLocations } from './stores/storefront-locations.ts'
import { stores } from './stores/stores.ts'
import { storeSubscriptions } from './stores/subscription.ts'
import { members } from './stores/team-members.ts'
import { timelines } from './timeline/timeline.ts'
import { deliveries } from './webhooks/deliveries.ts'
import { webhooks } from './webhooks/webhooks.ts'

/** Declared one by one, with their types. */
export const declared = [
  ...auth,
  ...accounts,
  ...memberships,
  ...sessions,
  ...apiTokens,
  ...erasures,
  // The plans first: `/stores/plans` must not match `/stores/{storeId}`.
  ...storeSubscriptions,
  ...stores,
  ...members,
  ...markets,
  ...locations,
  ...paymentProviders,
  ...products,
  ...inventory,
  // Before the services: `/services/availability` must not match `/services/{id}`.
  ...availabilities,
  ...services,
  ...providers,
  ...serviceProviders,
  // The members first: `/audiences/leads` must not match `/audiences/{id}`.
  ...audienceMembers,
  ...audiences,
  ...tiers,
  ...memberLinks,
  ...confirmPage,
  ...memberPayments,
  ...paymentMethods,
  ...leadResearch,
  ...campaigns,
  ...campaignStates,
  ...campaignImports,
  ...enrollments,
  ...campaignMessages,
  ...campaignPreviews,
  ...campaignReplies,
  ...promoCodes,
  ...storefrontStore,
  ...storefrontLocations,
  ...storefrontCatalog,
  ...storefrontScheduling,
  ...visitors,
  ...storefrontAudiences,
  ...carts,
  ...checkouts,
  ...storefrontOrders,
  ...orders,
  ...orderLines,
  ...payments,
  ...refunds,
  ...attention,
  ...timelines,
  ...readiness,
  ...overview,
  ...disputes,
  ...shipments,
  ...stripeEvents,
  // Before the contacts: `/contacts/channels` must not match `/contacts/{id}`.
  ...channels,
  ...contacts,
  ...contactSessions,
  ...collections,
  ...entries,
  ...taxonomies,
  ...forms,
  ...submissions,
  ...media,
  ...files,
  ...storefrontContent,
  ...storefrontTaxonomies,
  ...storefrontForms,
  ...storefrontReactions,
  ...storeReactions,
  // The capabilities first: they must not match `/social-connections/{id}`.
  ...socialCapabilities,
  ...socialConnections,
  ...socialConsent,
  ...socialCallback,
  ...socialPublications,
  ...socialValidation,
  ...socialEngagement,
  ...socialComments,
  ...socialReplies,
  ...workflows,
  ...executions,
  ...triggers,
  ...connections,
  ...integrations,
  ...oauth,
  ...buildHooks,
  ...mailboxes,
  ...inboundMail,
  ...emailTemplates,
  ...webhooks,
  ...deliveries,
  // The plans first, as those of stores.
  ...businessOwn,
  ...businesses,
  ...invitations,
  ...businessServices,
  ...businessProviders,
  ...businessLinks,
  ...integrationConfigs,
  ...bookings,
  ...reactions,
  ...agents,
  ...agentMessages,
  ...channelUpdates,
  ...chats,
  ...networkSearch,
  ...platformCountries,
  ...platformNetworks,
  ...platformData,
  ...platformScripts,
  ...allAttention,
]

/** Every route of the API: those of businesses that are like a store's come last. */
export const routes: readonly Route[] = [...declared, ...businessTwins]
