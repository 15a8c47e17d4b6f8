// The tables of mail that came in.
import { atOnce, deletedWith, type Tables } from '../kit/table.ts'

export const inboxTables = {
  inbound_mails: { rows: deletedWith('campaigns', 'with their enrollment'), erasure: atOnce },
} satisfies Tables
