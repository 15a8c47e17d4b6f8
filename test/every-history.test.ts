// What each process costs the Temporal server: the events of a recorded history of it
// (test/kit/effects/record-histories.ts drives each once; test/replay.test.ts proves that today's workflows write
// them). The numbers may only shrink: an event is a write of the server, and three of them are a task for a worker.
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { processKinds } from '../rules/processes.ts'

type Event = { eventType: string; workflowExecutionStartedEventAttributes?: { workflowType: { name: string } } }

const events = (name: string): Event[] =>
  JSON.parse(fs.readFileSync(path.join(import.meta.dirname, `histories/${name}.json`), 'utf8')).events
const kindOf = (all: readonly Event[]) => all[0]?.workflowExecutionStartedEventAttributes?.workflowType.name
const count = (all: readonly Event[], type: string) =>
  all.filter(({ eventType }) => eventType === `EVENT_TYPE_${type}`).length

/**
 * Of each process its usual course: events, workflow tasks, activities of a task queue. Local activities are the
 * markers among the events.
 */
const costs = [
  // Opened, waited for and paid.
  { name: 'checkout-paid', kind: 'checkout', events: 21, tasks: 3, activities: 1 },
  // The card of a booking that has to be approved is captured.
  { name: 'authorization-captured', kind: 'authorization_end', events: 12, tasks: 2, activities: 1 },
  { name: 'refund-succeeded', kind: 'refund', events: 12, tasks: 2, activities: 1 },
  // The account is made, and read because no event says how it stands.
  { name: 'connect-succeeded', kind: 'connect', events: 20, tasks: 3, activities: 2 },
  // The account is made, read and linked to.
  { name: 'onboarding-link-succeeded', kind: 'onboarding_link', events: 25, tasks: 4, activities: 3 },
  { name: 'price-provision-succeeded', kind: 'price_provision', events: 12, tasks: 2, activities: 1 },
  // The account has its configuration.
  { name: 'portal-opened', kind: 'portal', events: 13, tasks: 2, activities: 1 },
  // An invoice was paid: its payment intent is read. A change costs the same.
  { name: 'membership-paid', kind: 'membership', events: 15, tasks: 2, activities: 1 },
  { name: 'mail-succeeded', kind: 'mail', events: 12, tasks: 2, activities: 1 },
  { name: 'campaign-message-succeeded', kind: 'campaign_message', events: 12, tasks: 2, activities: 1 },
  { name: 'deliver-told', kind: 'deliver', events: 12, tasks: 2, activities: 1 },
  { name: 'dispatch-sent', kind: 'dispatch', events: 12, tasks: 2, activities: 1 },
  { name: 'webhook-test-succeeded', kind: 'webhook_test', events: 12, tasks: 2, activities: 1 },
  { name: 'oauth-exchange-succeeded', kind: 'oauth_exchange', events: 12, tasks: 2, activities: 1 },
  { name: 'social-connect-succeeded', kind: 'social_connect', events: 18, tasks: 3, activities: 2 },
  { name: 'social-token-refreshed', kind: 'social_token_request', events: 12, tasks: 2, activities: 1 },
  // Looked at twice: it was disconnected while it waited.
  { name: 'social-connection-ended', kind: 'social_connection', events: 14, tasks: 2, activities: 0 },
  { name: 'social-reply-succeeded', kind: 'social_reply', events: 13, tasks: 2, activities: 1 },
  { name: 'social-classification-succeeded', kind: 'social_classification', events: 12, tasks: 2, activities: 1 },
  // Two pages in one slice.
  { name: 'social-sync-completed', kind: 'social_sync', events: 17, tasks: 2, activities: 1 },
  // A picture: its container is made and read, then it waits for its time, is shown, and its permalink is read.
  { name: 'publication-published', kind: 'publication', events: 52, tasks: 8, activities: 4 },
  // A trigger and a post.
  { name: 'execution-posted', kind: 'execution', events: 13, tasks: 2, activities: 1 },
  // One search, and the answer.
  { name: 'model-turn-answered', kind: 'model_turn', events: 20, tasks: 3, activities: 2 },
  // Its token is checked, and its webhook is set when an agent serves it.
  { name: 'channel-connected', kind: 'channel', events: 22, tasks: 4, activities: 2 },
  { name: 'channel-message-sent', kind: 'channel_message', events: 12, tasks: 2, activities: 1 },
  // Changed four times at once: some changes are signals to one that runs.
  { name: 'schedule-changed', kind: 'schedule', events: 26, tasks: 5, activities: 2 },
  { name: 'scheduled-occurrence', kind: 'scheduled', events: 6, tasks: 1, activities: 0 },
  { name: 'media-variants', kind: 'media', events: 12, tasks: 2, activities: 1 },
  // Read three times.
  { name: 'inbox-read', kind: 'inbox', events: 36, tasks: 6, activities: 3 },
  { name: 'script-succeeded', kind: 'script', events: 11, tasks: 2, activities: 1 },
  { name: 'listings-refreshed', kind: 'listings', events: 12, tasks: 2, activities: 1 },
  // It waits once, until a payment page is closed.
  { name: 'erasure-deleted', kind: 'erasure', events: 22, tasks: 4, activities: 2 },
  { name: 'enrollment-import-completed', kind: 'enrollment_import', events: 11, tasks: 2, activities: 1 },
  // Two slots: the first reminder is sent at once, the second after a timer.
  { name: 'booking-reminder-sent', kind: 'booking_reminder', events: 13, tasks: 2, activities: 0 },
]

test('The table names every kind of process', () => {
  expect(costs.map(({ kind }) => kind).sort()).toEqual([...processKinds].sort())
  expect(costs.map(({ name }) => kindOf(events(name)))).toEqual(costs.map(({ kind }) => kind))
})

describe.each(costs)('$name', ({ name, ...most }) => {
  const all = events(name)
  test.each([
    ['events', most.events, all.length],
    ['workflow tasks', most.tasks, count(all, 'WORKFLOW_TASK_STARTED')],
    ['activities of a task queue', most.activities, count(all, 'ACTIVITY_TASK_SCHEDULED')],
  ])(`A ${most.kind.replaceAll('_', ' ')} costs no more %s than before`, (_, limit, found) =>
    expect(found).toBeLessThanOrEqual(limit),
  )
})
