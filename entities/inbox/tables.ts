// The tables of mail that came in.
import { deletedWith, type Tables } from '../kit/table.ts'

export const inboxTables = {
  inbound_mails: { rows: deletedWith('campaigns', 'with their enrollment') },
} satisfies Tables
