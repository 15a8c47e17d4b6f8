// The tables of campaign messages.
import { inFlight } from '../kit/erasure-conditions.ts'
import { deletedWith, type Tables } from '../kit/table.ts'

export const sendingTables = {
  campaign_messages: { rows: deletedWith('campaigns', 'with their enrollment'), erasure: inFlight },
} satisfies Tables
