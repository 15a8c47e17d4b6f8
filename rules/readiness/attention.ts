// What a person does about a store that offers something and cannot take money for it.
import { type ItemText, wrong } from '../attention.ts'
import { type DescribedRow, kindOf, root } from '../descriptions.ts'

export const readinessItem = (row: DescribedRow): ItemText => ({
  title: `The ${kindOf(row)} ${row.store} cannot sell what it offers: no method of payment can be used.`,
  subject: { type: kindOf(row), id: row.id, label: row.store },
  evidence: wrong({ code: 'not_ready', message: 'No market takes cash, nor cards that an account may charge.' }, {}),
  what_to_do: `\`GET ${root(row)}/readiness\` lists what is missing, and the request that mends each. The item ends when something can be paid for.`,
  resolve: null,
  process: null,
})
