// The tables of the provider's customer portal.
import { inFlight } from '../kit/erasure-conditions.ts'
import { settled } from '../kit/expiry.ts'
import { record, swept, type Tables } from '../kit/table.ts'

export const portalTables = {
  portal_configurations: { rows: record('one per account; links share it'), erasure: inFlight },
  portal_links: { rows: swept('portal_links', settled(), 'one per visit of the portal'), erasure: inFlight },
} satisfies Tables
