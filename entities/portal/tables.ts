// The tables of the provider's customer portal.
import { settled } from '../kit/expiry.ts'
import { record, swept, type Tables } from '../kit/table.ts'

export const portalTables = {
  portal_configurations: { rows: record('one per account; links share it') },
  portal_links: { rows: swept('portal_links', settled(), 'one per visit of the portal') },
} satisfies Tables
