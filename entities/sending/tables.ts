// The tables of campaign messages.
import { deletedWith, type Tables } from '../kit/table.ts'

export const sendingTables = {
  campaign_messages: { rows: deletedWith('campaigns', 'with their enrollment') },
} satisfies Tables
