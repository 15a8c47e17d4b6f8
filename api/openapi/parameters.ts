// Describes parameters once for all operations: path parameters by their path, query parameters by their name, unless
// the route describes them.
import { camel } from '../../rules/spelling.ts'
import { nounOf } from '../kit/nouns.ts'
import type { Route } from '../kit/route.ts'
import { saidBy } from '../kit/surface.ts'

/** Resources with a key. Other resources that are found by text have slugs. */
const keyed = new Set(['audience', 'collection', 'form', 'taxonomy'])

const paths: Record<string, string> = {
  accountId: 'Identifier of the account.',
  audienceId: 'Identifier of the audience.',
  businessId: 'Identifier of the business.',
  channelId: 'Identifier of the channel.',
  contactId: 'Identifier of the contact.',
  countryCode: 'Code of the country, ISO 3166-1 alpha-2, in any case.',
  deliveryId: 'Identifier of the delivery.',
  disputeId: 'Identifier of the dispute.',
  executionId: 'Identifier of the execution.',
  formId: 'Identifier or key of the form.',
  integrationId: 'Identifier of the integration.',
  memberId: 'Identifier of the membership.',
  orderId: 'Identifier of the order.',
  refundId: 'The `refund_id` that the caller made for the refund, or its `id`.',
  sessionId: 'Identifier of the session.',
  secret: 'Secret of the address, as `webhook_url` of the workflow or `inbound_url` of the mailbox shows it.',
  storeId: 'Identifier of the {store}.',
  'config/type': 'Category of the integration: `payment`, `shipping` or `analytics`.',
  'callback/type': 'Type of the connection, such as `network_a_page`.',
  'consent/type': 'Type of the connection, such as `network_a_page`.',
  variant: 'Version of the file: `original`; of an image also `large`, `medium` or `thumbnail`.',
  workflowId: 'Identifier of the workflow.',
}

const queries: Record<string, string> = {
  active: 'Only records that are (`true`) or are not (`false`) active.',
  audience_id: 'Only orders of contacts that have access to this audience.',
  booking_statuses: 'Only orders with a booking in one of these statuses: repeated, or separated by commas.',
  contact_id: 'Only orders of this contact.',
  created_at_from: 'Only records created at or after this time, in Unix seconds.',
  created_at_to: 'Only records created at or before this time, in Unix seconds.',
  cursor:
    'Cursor of the previous page, for the page after it. It belongs to one list of one {store} in one sort order. Left out, empty or `null`: the first page.',
  event_id: 'Only deliveries of this event.',
  ids: 'Identifiers to restrict the list to, 100 at most: repeated, or separated by commas.',
  isNetwork: 'Only {stores} that are (`true`) or are not (`false`) networks.',
  limit: 'Number of records per page, 1 to 100.',
  node: 'Only runs of the node with this id.',
  product_ids: 'Only orders of one of these products: repeated, or separated by commas.',
  product_statuses: 'Only orders with a line of goods in one of these statuses: repeated, or separated by commas.',
  provider_id: 'Only records of this provider.',
  provider_ids: 'Only orders that book one of these providers: repeated, or separated by commas.',
  query: 'Words to search for. Each must be the beginning of a word of the record, in any case.',
  role: 'Only members with this role.',
  service_id: 'Only records of this service.',
  service_ids: 'Only orders that book one of these services: repeated, or separated by commas.',
  sort_direction: '`asc` is ascending, `desc` descending. Ties are sorted by `id`.',
  sort_field: 'Field to sort by.',
  source: 'Only executions that were started this way.',
  status: 'Only records in this status.',
  statuses: 'Only records in one of these statuses: repeated, or separated by commas.',
  type: 'Only records of this type.',
  token: 'Token of the link.',
  verified: 'Only orders whose contact had (`true`) or did not have (`false`) a verified address at checkout.',
}

/**
 * Description of a path parameter; undefined if neither this table nor nouns.ts has it, which
 * test/openapi/document.descriptions.test.ts reports.
 */
export function pathParameterDescription(route: Route, name: string): string | undefined {
  const { path, textParameters } = route
  const said = paths[name] ?? paths[`${path.split('/').at(path.split('/').indexOf(`{${name}}`) - 1)}/${name}`]
  if (said) return saidBy(route, said)
  const noun = nounOf(path, name)
  if (!noun) return undefined
  if (!textParameters.includes(name)) return `Identifier of the ${noun}.`
  return keyed.has(noun)
    ? `Identifier or key of the ${noun}.`
    : `Identifier of the ${noun}, or its slug in any language.`
}

const queriesByName = {
  store: new Map(Object.entries(queries)),
  business: new Map(Object.entries(queries).map(([name, text]) => [camel(name), text])),
}

/** Description of a query parameter: that of its shape, otherwise the one of its name. */
export function queryParameterDescription(
  route: Route,
  name: string,
  schema: { description?: unknown },
): string | undefined {
  const text = typeof schema.description === 'string' ? schema.description : queriesByName[route.surface].get(name)
  return text === undefined ? undefined : saidBy(route, text)
}
