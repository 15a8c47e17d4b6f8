// Reactions to the records of a store, for its visitors: they like, rate, review and discuss what they see.
import type { ReactionRow } from '../../entities/community/shown-reactions.ts'
import { listing } from '../kit/answer/listing.ts'
import { route } from '../kit/route.ts'
import {
  asVisitor,
  deleting,
  edit,
  editing,
  listed,
  listText,
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
import { ReactionOut } from './reaction-shapes.ts'

export const storefrontReactions = [
  route('POST /v1/storefront/reactions', {
    may: 'visitor',
    contact: 'created',
    ...sending,
    request: ofNewVisitors,
    refuses: ['not_found', ...refusalsOf.visitors],
    summary: 'React to a record',
    description:
      'Creates a visitor if the request has no visitor token; the new token is in the header `X-Service-Visitor-Token`. ' +
      `${sendingText} ${visitorText}`,
    out: ReactionOut,
    run: (call) => send(call, asVisitor(call.caller)),
  }),
  route('GET /v1/storefront/reactions/summary', {
    operation: 'summarizeStorefrontReactions',
    may: 'visitor',
    refuses: ['not_found'],
    contact: 'optional',
    ...summarizing,
    run: (call) => summarize(call, asVisitor(call.caller)),
  }),
  listing('GET /v1/storefront/reactions', {
    may: 'visitor',
    contact: 'optional',
    summary: 'List reactions',
    description: listText,
    ...listed,
    item: ReactionOut,
    scope: ({ caller, tenant_id, query }) => scopeOf(tenant_id, asVisitor(caller), query),
    load: (em, rows: ReactionRow[], { caller, tenant_id }) => showTo(em, tenant_id, rows, asVisitor(caller)),
  }),
  route('GET /v1/storefront/reactions/{id}', {
    may: 'visitor',
    contact: 'optional',
    ...reading,
    out: ReactionOut,
    run: ({ em, caller, tenant_id, path }) => shownTo(em, tenant_id, path.id, asVisitor(caller)),
  }),
  route('PUT /v1/storefront/reactions/{id}', {
    may: 'visitor',
    ...editing,
    out: ReactionOut,
    run: (call) => edit(call, asVisitor(call.caller)),
  }),
  route('DELETE /v1/storefront/reactions/{id}', {
    may: 'visitor',
    ...deleting,
    run: (call) => remove(call, asVisitor(call.caller)),
  }),
]
