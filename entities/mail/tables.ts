// The tables of mailboxes and e-mails.
import { atOnce, record, type Tables } from '../kit/table.ts'

export const mailTables = {
  email_templates: { rows: record(), erasure: atOnce },
  mailboxes: { rows: record(), erasure: atOnce },
} satisfies Tables
