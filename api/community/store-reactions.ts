// Reactions to the records of a store, for its operators, who answer and moderate.
import type { ReactionRow } from '../../entities/community/shown-reactions.ts'
import { listing } from '../kit/answer/listing.ts'
import { route } from '../kit/route.ts'
import {
  asOperator,
  deleting,
  edit,
  editing,
  listed,
  moderate,
  moderating,
  moderationText,
  reading,
  refusalsOf,
  remove,
  scopeOf,
  send,
  sending,
  sendingText,
  shownTo,
  showTo,
} from './reaction-routes.ts'
import { ReactionOut } from './reaction-shapes.ts'

export const storeReactions = [
  listing('GET /v1/stores/{storeId}/reactions', {
    may: 'admin',
    summary: 'List all reactions for moderation',
    description: moderationText,
    ...listed,
    item: ReactionOut,
    scope: ({ caller, tenant_id, query }) => scopeOf(tenant_id, asOperator(caller), query),
    load: (em, rows: ReactionRow[], { caller, tenant_id }) => showTo(em, tenant_id, rows, asOperator(caller)),
  }),
  route('POST /v1/stores/{storeId}/reactions', {
    may: 'admin',
    ...sending,
    refuses: refusalsOf.operators,
    summary: 'React to a record for the {store}',
    description: `Operators answer and comment: 403 \`customers_only\` for stars and reviews. ${sendingText}`,
    out: ReactionOut,
    run: (call) => send(call, asOperator(call.caller)),
  }),
  route('GET /v1/stores/{storeId}/reactions/{id}', {
    may: 'admin',
    ...reading,
    out: ReactionOut,
    run: ({ em, caller, tenant_id, path }) => shownTo(em, tenant_id, path.id, asOperator(caller)),
  }),
  route('PUT /v1/stores/{storeId}/reactions/{id}', {
    may: 'admin',
    ...editing,
    out: ReactionOut,
    run: (call) => edit(call, asOperator(call.caller)),
  }),
  route('DELETE /v1/stores/{storeId}/reactions/{id}', {
    may: 'admin',
    ...deleting,
    run: (call) => remove(call, asOperator(call.caller)),
  }),
  route('POST /v1/stores/{storeId}/reactions/{id}/moderate', { ...moderating, out: ReactionOut, run: moderate }),
]
