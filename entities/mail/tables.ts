// The tables of mailboxes and e-mails.
import { record, type Tables } from '../kit/table.ts'

export const mailTables = {
  email_templates: { rows: record() },
  mailboxes: { rows: record() },
} satisfies Tables
