// The tables whose rows belong to a tenant.
import { BuildHook } from './automation/build-hook.ts'
import { Connection } from './automation/connection.ts'
import { Delivery } from './automation/delivery.ts'
import { EmailTemplate } from './automation/email-template.ts'
import { Event } from './automation/event.ts'
import { Execution } from './automation/execution.ts'
import { Graph } from './automation/graph.ts'
import { Mailbox } from './automation/mailbox.ts'
import { NodeRun } from './automation/node-run.ts'
import { Webhook } from './automation/webhook.ts'
import { WebhookTest } from './automation/webhook-test.ts'
import { Workflow } from './automation/workflow.ts'
import { InventoryLevel } from './catalog/inventory-level.ts'
import { Product } from './catalog/product.ts'
import { ProductVariant } from './catalog/product-variant.ts'
import { Slug } from './catalog/slug.ts'
import { BlockReference } from './content/block-reference.ts'
import { Collection } from './content/collection.ts'
import { Entry } from './content/entry.ts'
import { Form } from './content/form.ts'
import { FormSubmission } from './content/form-submission.ts'
import { Media } from './content/media.ts'
import { Taxonomy } from './content/taxonomy.ts'
import { TaxonomyLink } from './content/taxonomy-link.ts'
import { Contact } from './crm/contact.ts'
import { ContactChannel } from './crm/contact-channel.ts'
import { ContactSession } from './crm/contact-session.ts'
import { Cart } from './orders/cart.ts'
import { Dispute } from './orders/dispute.ts'
import { Order } from './orders/order.ts'
import { OrderBooking } from './orders/order-booking.ts'
import { OrderLine } from './orders/order-line.ts'
import { Payment } from './orders/payment.ts'
import { PaymentSession } from './orders/payment-session.ts'
import { PromoCode } from './orders/promo-code.ts'
import { PromoRedemption } from './orders/promo-redemption.ts'
import { Refund } from './orders/refund.ts'
import { SessionExpiry } from './orders/session-expiry.ts'
import { Shipment } from './orders/shipment.ts'
import { Provider } from './scheduling/provider.ts'
import { ScheduleDay } from './scheduling/schedule-day.ts'
import { Service } from './scheduling/service.ts'
import { ServiceProvider } from './scheduling/service-provider.ts'
import { Counter } from './stores/counter.ts'
import { Location } from './stores/location.ts'
import { Market } from './stores/market.ts'
import { Membership } from './stores/membership.ts'
import { OnboardingLink } from './stores/onboarding-link.ts'
import { PaymentProvider } from './stores/payment-provider.ts'
import { Tenant } from './stores/tenant.ts'
import { TaskSlot } from './task-slot.ts'
import { TaskSlotCount } from './task-slot-count.ts'

export const tenantEntities = [
  BlockReference,
  BuildHook,
  Cart,
  Collection,
  Connection,
  Contact,
  ContactChannel,
  ContactSession,
  Counter,
  Delivery,
  Dispute,
  EmailTemplate,
  Entry,
  Event,
  Execution,
  Form,
  FormSubmission,
  Graph,
  InventoryLevel,
  Location,
  Mailbox,
  Market,
  Media,
  Membership,
  NodeRun,
  OnboardingLink,
  Order,
  OrderBooking,
  OrderLine,
  Payment,
  PaymentProvider,
  PaymentSession,
  Product,
  ProductVariant,
  PromoCode,
  PromoRedemption,
  Provider,
  Refund,
  ScheduleDay,
  Service,
  ServiceProvider,
  SessionExpiry,
  Shipment,
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
