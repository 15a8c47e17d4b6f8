// The register of processes: what is known of the rows of every kind. A kind that is missing is an error of types. The
// reconciler, the recount of task slots, `npm run quarantine` and the names of workflows in Temporal's UI go over it.
import type { EffectOf, ProcessKind } from '../rules/processes.ts'
import { agentProcesses } from './agents/processes.ts'
import { automationProcesses } from './automation/processes.ts'
import { bookingProcesses } from './bookings/processes.ts'
import { campaignProcesses } from './campaigns/processes.ts'
import { connectionProcesses } from './connections/processes.ts'
import { lateMedia } from './content/media-rows.ts'
import { engagementProcesses } from './engagement/processes.ts'
import { erasureProcesses } from './erasure/processes.ts'
import { inboxProcesses } from './inbox/processes.ts'
import type { Attention } from './kit/attention.ts'
import { effectEnded, type ProcessRows } from './kit/process.ts'
import { mailAttention, mailboxAttention } from './mail/attention.ts'
import { modelProcesses } from './models/processes.ts'
import { lateWalks } from './networks/listing-walks.ts'
import { paymentProcesses } from './payments/processes.ts'
import { lateScripts } from './platform/script-runs.ts'
import { portalProcesses } from './portal/processes.ts'
import { priceProcesses } from './prices/processes.ts'
import { publicationProcesses } from './publications/processes.ts'
import { refundProcesses } from './refunds/processes.ts'
import { sendingProcesses } from './sending/processes.ts'
import { storeProcesses } from './stores/processes.ts'
import { subscriptionProcesses } from './subscriptions/processes.ts'
import { webhookProcesses } from './webhooks/processes.ts'

/** Money first: the reconciler starts the workflows that were lost in this order. */
export const processRows: { readonly [K in ProcessKind]: ProcessRows & { attention: Attention<EffectOf<K>> } } = {
  ...paymentProcesses,
  ...refundProcesses,
  ...bookingProcesses,
  ...subscriptionProcesses,
  ...portalProcesses,
  ...priceProcesses,
  ...automationProcesses,
  ...modelProcesses,
  ...agentProcesses,
  ...sendingProcesses,
  ...inboxProcesses,
  ...campaignProcesses,
  ...connectionProcesses,
  ...publicationProcesses,
  ...engagementProcesses,
  ...storeProcesses,
  ...erasureProcesses,
  ...webhookProcesses,
  listings: { late: [lateWalks], attention: {} },
  mail: { late: [], slotEnded: effectEnded('mail'), attention: { mail: mailAttention, mailbox: mailboxAttention } },
  media: { late: [lateMedia], attention: {} },
  script: { late: [lateScripts], attention: {} },
}

/** Every kind with its rows, in the order of the register. */
export const registered = Object.entries(processRows) as [ProcessKind, ProcessRows][]
