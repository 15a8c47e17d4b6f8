// The tables whose rows belong to a tenant.
import { Agent } from '../../agents/agent.ts'
import { Channel } from '../../agents/channel.ts'
import { ChannelMessage } from '../../agents/channel-message.ts'
import { Chat } from '../../agents/chat.ts'
import { ChatMessage } from '../../agents/chat-message.ts'
import { Audience } from '../../audiences/audience.ts'
import { AudienceMember } from '../../audiences/audience-member.ts'
import { AudienceOptOut } from '../../audiences/audience-opt-out.ts'
import { AudiencePrice } from '../../audiences/audience-price.ts'
import { AudienceTier } from '../../audiences/audience-tier.ts'
import { LeadInsight } from '../../audiences/lead-insight.ts'
import { MemberToken } from '../../audiences/member-token.ts'
import { BuildHook } from '../../automation/build-hook.ts'
import { Execution } from '../../automation/execution.ts'
import { Graph } from '../../automation/graph.ts'
import { Integration } from '../../automation/integration.ts'
import { NodeRun } from '../../automation/node-run.ts'
import { OauthExchange } from '../../automation/oauth-exchange.ts'
import { Workflow } from '../../automation/workflow.ts'
import { OrderBooking } from '../../bookings/order-booking.ts'
import { Campaign } from '../../campaigns/campaign.ts'
import { CampaignImport } from '../../campaigns/campaign-import.ts'
import { CampaignStat } from '../../campaigns/campaign-stat.ts'
import { CampaignStep } from '../../campaigns/campaign-step.ts'
import { Enrollment } from '../../campaigns/enrollment.ts'
import { Cart } from '../../carts/cart.ts'
import { InventoryLevel } from '../../catalog/inventory-level.ts'
import { Product } from '../../catalog/product.ts'
import { ProductVariant } from '../../catalog/product-variant.ts'
import { Slug } from '../../catalog/slug.ts'
import { Rating } from '../../community/ratings.ts'
import { Reaction } from '../../community/reaction.ts'
import { ReactionCount } from '../../community/reaction-count.ts'
import { ReactionRemoval } from '../../community/reaction-removal.ts'
import { SocialAuthorization } from '../../connections/social-authorization.ts'
import { SocialConnection } from '../../connections/social-connection.ts'
import { SocialTokenRequest } from '../../connections/social-token-request.ts'
import { BlockReference } from '../../content/block-reference.ts'
import { Collection } from '../../content/collection.ts'
import { Entry } from '../../content/entry.ts'
import { Form } from '../../content/form.ts'
import { FormSubmission } from '../../content/form-submission.ts'
import { Media } from '../../content/media.ts'
import { Taxonomy } from '../../content/taxonomy.ts'
import { TaxonomyLink } from '../../content/taxonomy-link.ts'
import { Contact } from '../../crm/contact.ts'
import { ContactChannel } from '../../crm/contact-channel.ts'
import { ContactMerge } from '../../crm/contact-merge.ts'
import { ContactSession } from '../../crm/contact-session.ts'
import { SocialClassification } from '../../engagement/social-classification.ts'
import { SocialComment } from '../../engagement/social-comment.ts'
import { SocialLabel } from '../../engagement/social-label.ts'
import { SocialMetric } from '../../engagement/social-metric.ts'
import { SocialReply } from '../../engagement/social-reply.ts'
import { SocialSync } from '../../engagement/social-sync.ts'
import { SocialSyncItem } from '../../engagement/social-sync-item.ts'
import { InboundMail } from '../../inbox/inbound-mail.ts'
import { EmailTemplate } from '../../mail/email-template.ts'
import { Mailbox } from '../../mail/mailbox.ts'
import { ModelCall } from '../../models/model-call.ts'
import { ModelTurn } from '../../models/model-turn.ts'
import { ModelUsage } from '../../models/model-usage.ts'
import { ListingWalk } from '../../networks/listing-walk.ts'
import { NetworkListing } from '../../networks/network-listing.ts'
import { NetworkMember } from '../../networks/network-member.ts'
import { Order } from '../../orders/order.ts'
import { OrderLine } from '../../orders/order-line.ts'
import { Shipment } from '../../orders/shipment.ts'
import { AuthorizationEnd } from '../../payments/authorization-end.ts'
import { Dispute } from '../../payments/dispute.ts'
import { Payment } from '../../payments/payment.ts'
import { PaymentSession } from '../../payments/payment-session.ts'
import { SessionExpiry } from '../../payments/session-expiry.ts'
import { TaskSlot } from '../../platform/task-slot.ts'
import { TaskSlotCount } from '../../platform/task-slot-count.ts'
import { PortalLink } from '../../portal/portal-link.ts'
import { Coupon } from '../../prices/coupon.ts'
import { PriceProvision } from '../../prices/price-provision.ts'
import { PromoCode } from '../../promotions/promo-code.ts'
import { PromoRedemption } from '../../promotions/promo-redemption.ts'
import { PublicationMedia } from '../../publications/publication-media.ts'
import { SocialPart } from '../../publications/social-part.ts'
import { SocialPublication } from '../../publications/social-publication.ts'
import { SocialReveal } from '../../publications/social-reveal.ts'
import { Refund } from '../../refunds/refund.ts'
import { ResearchMember } from '../../research/research-member.ts'
import { ResearchMessage } from '../../research/research-message.ts'
import { ResearchRun } from '../../research/research-run.ts'
import { ResearchSource } from '../../research/research-source.ts'
import { Provider } from '../../scheduling/provider.ts'
import { ScheduleDay } from '../../scheduling/schedule-day.ts'
import { Service } from '../../scheduling/service.ts'
import { ServiceProvider } from '../../scheduling/service-provider.ts'
import { CampaignMessage } from '../../sending/campaign-message.ts'
import { Counter } from '../../stores/counter.ts'
import { Invitation } from '../../stores/invitation.ts'
import { Location } from '../../stores/location.ts'
import { Market } from '../../stores/market.ts'
import { OnboardingLink } from '../../stores/onboarding-link.ts'
import { PaymentProvider } from '../../stores/payment-provider.ts'
import { TeamMember } from '../../stores/team-member.ts'
import { Tenant } from '../../stores/tenant.ts'
import { Subscription } from '../../subscriptions/subscription.ts'
import { SubscriptionChange } from '../../subscriptions/subscription-change.ts'
import { Delivery } from '../../webhooks/delivery.ts'
import { Event } from '../../webhooks/event.ts'
import { Webhook } from '../../webhooks/webhook.ts'
import { WebhookTest } from '../../webhooks/webhook-test.ts'

export const tenantEntities = [
  Agent,
  Channel,
  ChannelMessage,
  Chat,
  ChatMessage,
  ModelCall,
  ModelTurn,
  ModelUsage,
  Audience,
  AudienceMember,
  AudienceOptOut,
  AudiencePrice,
  AudienceTier,
  BlockReference,
  BuildHook,
  Campaign,
  CampaignImport,
  CampaignMessage,
  CampaignStat,
  CampaignStep,
  Cart,
  Collection,
  Integration,
  Contact,
  ContactChannel,
  ContactMerge,
  ContactSession,
  Counter,
  Coupon,
  Delivery,
  Dispute,
  EmailTemplate,
  Enrollment,
  Entry,
  Event,
  Execution,
  Form,
  FormSubmission,
  Graph,
  InboundMail,
  InventoryLevel,
  Invitation,
  LeadInsight,
  ListingWalk,
  Location,
  Mailbox,
  Market,
  Media,
  MemberToken,
  TeamMember,
  NetworkListing,
  NetworkMember,
  NodeRun,
  OauthExchange,
  OnboardingLink,
  Order,
  OrderBooking,
  OrderLine,
  Payment,
  PaymentProvider,
  PaymentSession,
  PortalLink,
  PriceProvision,
  Product,
  ProductVariant,
  PromoCode,
  PromoRedemption,
  Provider,
  Rating,
  Reaction,
  ReactionCount,
  ReactionRemoval,
  Refund,
  ResearchMember,
  ResearchMessage,
  ResearchRun,
  ResearchSource,
  ScheduleDay,
  Service,
  ServiceProvider,
  SessionExpiry,
  AuthorizationEnd,
  Shipment,
  SocialAuthorization,
  SocialClassification,
  SocialComment,
  SocialConnection,
  SocialLabel,
  SocialMetric,
  SocialPublication,
  PublicationMedia,
  SocialPart,
  SocialReveal,
  SocialReply,
  SocialSync,
  SocialSyncItem,
  SocialTokenRequest,
  Subscription,
  SubscriptionChange,
  Slug,
  TaskSlot,
  TaskSlotCount,
  Taxonomy,
  TaxonomyLink,
  Tenant,
  Webhook,
  WebhookTest,
  Workflow,
]
