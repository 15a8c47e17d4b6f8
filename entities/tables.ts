// The register of tables: what each declares beside its columns. Retention, the merge of contacts and the erasure of a
// tenant iterate over it. Its order is that in which retention runs its jobs and a merge locks rows.
// `test/retention.test.ts` fails with the name of a table that is missing.
import { effects, sweptTables } from '../rules/effects.ts'
import { accountTables } from './accounts/tables.ts'
import { agentTables } from './agents/tables.ts'
import { audienceTables } from './audiences/tables.ts'
import { automationTables } from './automation/tables.ts'
import { bookingTables } from './bookings/tables.ts'
import { campaignTables } from './campaigns/tables.ts'
import { cartTables } from './carts/tables.ts'
import { catalogTables } from './catalog/tables.ts'
import { communityTables } from './community/tables.ts'
import { connectionTables } from './connections/tables.ts'
import { contentTables } from './content/tables.ts'
import { crmTables } from './crm/tables.ts'
import { engagementTables } from './engagement/tables.ts'
import { inboxTables } from './inbox/tables.ts'
import { inFlight } from './kit/erasure-conditions.ts'
import { settled } from './kit/expiry.ts'
import { type ContactColumn, record, swept, type Tables } from './kit/table.ts'
import { mailTables } from './mail/tables.ts'
import { modelTables } from './models/tables.ts'
import { networkTables } from './networks/tables.ts'
import { orderTables } from './orders/tables.ts'
import { paymentTables } from './payments/tables.ts'
import { platformTables } from './platform/tables.ts'
import { portalTables } from './portal/tables.ts'
import { priceTables } from './prices/tables.ts'
import { promotionTables } from './promotions/tables.ts'
import { publicationTables } from './publications/tables.ts'
import { refundTables } from './refunds/tables.ts'
import { researchTables } from './research/tables.ts'
import { schedulingTables } from './scheduling/tables.ts'
import { sendingTables } from './sending/tables.ts'
import { storeTables } from './stores/tables.ts'
import { subscriptionTables } from './subscriptions/tables.ts'
import { webhookTables } from './webhooks/tables.ts'

/** The table of an effect needs no line: `keep_days` in rules/effects.ts says how long a settled row is kept. */
const effectTables: Tables = {
  ...Object.fromEntries(
    Object.values(effects).map(({ table }) => [
      table,
      { rows: record('kept with the record that it belongs to'), erasure: inFlight },
    ]),
  ),
  ...Object.fromEntries(sweptTables.map((table) => [table, { rows: swept(table, settled()), erasure: inFlight }])),
}

export const tables: Tables = {
  ...effectTables,
  ...cartTables,
  ...orderTables,
  ...bookingTables,
  ...promotionTables,
  ...refundTables,
  ...paymentTables,
  ...subscriptionTables,
  ...priceTables,
  ...portalTables,
  ...modelTables,
  ...agentTables,
  ...contentTables,
  ...audienceTables,
  ...campaignTables,
  ...sendingTables,
  ...inboxTables,
  ...communityTables,
  ...researchTables,
  ...crmTables,
  ...accountTables,
  ...automationTables,
  ...catalogTables,
  ...mailTables,
  ...networkTables,
  ...platformTables,
  ...schedulingTables,
  ...connectionTables,
  ...publicationTables,
  ...engagementTables,
  ...storeTables,
  ...webhookTables,
}

/** Every column that names a contact, or could by its name, in the order in which a merge locks rows. */
export const contactColumns = Object.entries(tables).flatMap(([table, { contact = {} }]) =>
  Object.entries(contact).map(([column, becomes]): ContactColumn & { table: string; column: string } => ({
    table,
    column,
    ...becomes,
  })),
)
