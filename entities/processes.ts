// The register of processes: what is known of the rows of every kind. A kind that is missing is an error of types. The
// reconciler, the recount of task slots, `npm run quarantine` and the names of workflows in Temporal's UI go over it.
import { agentProcesses } from './agents/processes.ts'
import { automationProcesses } from './automation/processes.ts'
import { bookingProcesses } from './bookings/processes.ts'
import { campaignProcesses } from './campaigns/processes.ts'
import { connectionProcesses } from './connections/processes.ts'
import { contentProcesses } from './content/processes.ts'
import { engagementProcesses } from './engagement/processes.ts'
import { erasureProcesses } from './erasure/processes.ts'
import { inboxProcesses } from './inbox/processes.ts'
import { complete, type Process } from './kit/process.ts'
import { mailProcesses } from './mail/processes.ts'
import { modelProcesses } from './models/processes.ts'
import { networkProcesses } from './networks/processes.ts'
import { paymentProcesses } from './payments/processes.ts'
import { platformProcesses } from './platform/processes.ts'
import { portalProcesses } from './portal/processes.ts'
import { priceProcesses } from './prices/processes.ts'
import { publicationProcesses } from './publications/processes.ts'
import { refundProcesses } from './refunds/processes.ts'
import { sendingProcesses } from './sending/processes.ts'
import { storeProcesses } from './stores/processes.ts'
import { subscriptionProcesses } from './subscriptions/processes.ts'
import { webhookProcesses } from './webhooks/processes.ts'

/** Money first: the reconciler starts the workflows that were lost in this order. */
const declared = [
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
  ...networkProcesses,
  ...mailProcesses,
  ...contentProcesses,
  ...platformProcesses,
] as const

/** Every kind with its rows, in the order of the register. */
export const registered: readonly Process[] = complete(declared)

type Rows = { readonly [P in (typeof declared)[number] as P['kind']]: P }
export const processRows = Object.fromEntries(declared.map((one) => [one.kind, one])) as Rows
