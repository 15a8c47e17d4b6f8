// The `webhooks` section of the document: the events that the server posts to webhooks, and the answers that it
// expects.
import type { z } from 'zod'
import { type Surface, saidOn } from '../../rules/spelling.ts'
import { businessEventShapes, EventOut, eventData, eventName, eventShapes } from '../../rules/webhooks/event-shapes.ts'
import { businessEvents, type EventType, eventTypes } from '../../rules/webhooks/events.ts'
import { audienceOfEvents } from './audiences.ts'
import type { Json } from './schemas.ts'

const header = (name: string, description: string, schema: Json): Json => ({
  name,
  in: 'header',
  required: true,
  description,
  schema,
})
/** Standard Webhooks 1.0. */
const headers: Json[] = [
  header('webhook-id', 'Identifier of the event, the same in every attempt. Deduplicate by it.', {
    type: 'string',
    format: 'uuid',
  }),
  header('webhook-timestamp', 'Time of this attempt, in Unix seconds. Refuse old values.', { type: 'integer' }),
  header(
    'webhook-signature',
    'One or more of `v1,<base64>`, separated by spaces: HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`. The key is the base64-decoded part of the secret after `whsec_`. For a day after a change of the secret, the previous one signs as well.',
    { type: 'string' },
  ),
]

const responses: Json = {
  '2XX': { description: 'The event is delivered.' },
  410: { description: 'The webhook is disabled.' },
  default: {
    description: 'The delivery is attempted again later, not before `Retry-After`. Redirects are not followed.',
  },
}

const about = (type: EventType): string => eventData[type].about

const operationOf = (name: string, text: string, schema: Json, surface: Surface): Json => ({
  post: {
    operationId: `on${name}`,
    summary: text.split('. ')[0]?.replace(/\.$/, ''),
    description: text,
    'x-audiences': [audienceOfEvents[surface]],
    security: [],
    parameters: headers,
    requestBody: { required: true, content: { 'application/json': { schema } } },
    responses,
  },
})

/** `schemaOf` adds a shape to the components, as the surface spells it, and returns a reference to it. */
export function webhooksOf(schemaOf: (shape: z.ZodType, surface: Surface) => Json): Json {
  schemaOf(EventOut, 'store')
  const ofStores = eventTypes.map((type) => [
    type,
    operationOf(eventName(type), saidOn('store', about(type)), schemaOf(eventShapes[type], 'store'), 'store'),
  ])
  const ofBusinesses = Object.entries(businessEventShapes).map(([name, shape]) => {
    const text = saidOn('business', about(businessEvents[name as keyof typeof businessEvents]))
    return [
      `business ${name}`,
      operationOf(`Business${eventName(name)}`, text, schemaOf(shape, 'business'), 'business'),
    ]
  })
  return Object.fromEntries([...ofStores, ...ofBusinesses])
}
