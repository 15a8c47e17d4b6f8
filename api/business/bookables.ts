// What services and providers of a business have in common. Visitors find those that are active and public.
import { z } from 'zod'
import { Id, Visibility } from '../../rules/shapes.ts'
import type { Customer } from '../kit/caller.ts'

const network_ids = 'Identifiers of the networks that list the record; empty for all networks of the business.'
const node_ids = 'Identifiers of entries ("nodes") that the record belongs to, 500 at most. They may be deleted independently.'
const access = '`public` records are found and booked by visitors; `private` ones by operators only.'

export const listedOut = {
  access: Visibility.describe(access),
  node_ids: z.array(z.string()).describe(node_ids),
  network_ids: z.array(z.string()).describe(network_ids),
}

const Ids = z.array(Id).max(500)
export const listedFields = {
  access: Visibility.optional().describe(`${access} \`public\` by default.`),
  node_ids: Ids.optional().describe(node_ids),
  network_ids: Ids.optional().describe(network_ids),
}

/** The records that the caller finds. */
export const visibleTo = ({ kind }: Pick<Customer, 'kind'>) => (kind === 'visitor' ? ({ status: 'active', access: 'public' } as const) : {})
