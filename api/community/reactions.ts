// Reactions to the records of a business, for its operators and its visitors at the same paths.
import type { ReactionRow } from '../../entities/community/shown-reactions.ts'
import { listing } from '../kit/answer/listing.ts'
import { route } from '../kit/route.ts'
import {
  asOperator,
  deleting,
  edit,
  editing,
  listed,
  listText,
  moderate,
  moderating,
  moderationText,
  ofNewVisitors,
  reading,
  refusalsOf,
  remove,
  scopeOf,
  send,
  sending,
  sendingText,
  shownTo,
  showTo,
  summarize,
  summarizing,
  visitorText,
} from './reaction-routes.ts'
import { BusinessReactionOut } from './reaction-shapes.ts'

export const reactions = [
  route('POST /v1/businesses/{businessId}/reactions', {
    may: 'customer',
    contact: 'created',
    ...sending,
    request: ofNewVisitors,
    refuses: [...new Set([...refusalsOf.visitors, ...refusalsOf.operators])],
    summary: 'React to a record',
    description:
      'Creates a visitor if the request has no visitor token; the new token is in the header `X-Service-Visitor-Token`. An operator reacts for the {store}. ' +
      `${sendingText} ${visitorText}`,
    out: BusinessReactionOut,
    run: (call) => send(call, call.caller),
  }),
  route('GET /v1/businesses/{businessId}/reactions/summary', {
    operation: 'summarizeBusinessReactions',
    may: 'customer',
    contact: 'optional',
    ...summarizing,
    run: (call) => summarize(call, call.caller),
  }),
  listing('GET /v1/businesses/{businessId}/reactions', {
    may: 'customer',
    contact: 'optional',
    summary: 'List reactions',
    description: listText,
    ...listed,
    item: BusinessReactionOut,
    scope: ({ caller, tenant_id, query }) => scopeOf(tenant_id, caller, query),
    load: (em, rows: ReactionRow[], { caller, tenant_id }) => showTo(em, tenant_id, rows, caller),
  }),
  listing('GET /v1/businesses/{businessId}/reactions/admin', {
    operation: 'listAllBusinessReactions',
    may: 'admin',
    summary: 'List all reactions for moderation',
    description: moderationText,
    ...listed,
    item: BusinessReactionOut,
    scope: ({ caller, tenant_id, query }) => scopeOf(tenant_id, asOperator(caller), query),
    load: (em, rows: ReactionRow[], { caller, tenant_id }) => showTo(em, tenant_id, rows, asOperator(caller)),
  }),
  route('GET /v1/businesses/{businessId}/reactions/{id}', {
    may: 'customer',
    contact: 'optional',
    ...reading,
    out: BusinessReactionOut,
    run: ({ em, caller, tenant_id, path }) => shownTo(em, tenant_id, path.id, caller),
  }),
  route('PUT /v1/businesses/{businessId}/reactions/{id}', {
    may: 'customer',
    ...editing,
    out: BusinessReactionOut,
    run: (call) => edit(call, call.caller),
  }),
  route('DELETE /v1/businesses/{businessId}/reactions/{id}', {
    may: 'customer',
    ...deleting,
    run: (call) => remove(call, call.caller),
  }),
  route('POST /v1/businesses/{businessId}/reactions/{id}/moderate', {
    operation: 'moderateBusinessReaction',
    ...moderating,
    out: BusinessReactionOut,
    run: moderate,
  }),
]
