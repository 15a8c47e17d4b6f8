// The shapes of campaigns in requests and answers.
import { z } from 'zod'
import {
  CampaignStatus,
  CampaignWait,
  DELAY_MAX_S,
  type EnrollmentStatus,
  MAILBOXES_MAX,
  STEPS_MAX,
} from '../../rules/campaigns/campaigns.ts'
import { EmailAddress } from '../../rules/input/email-addresses.ts'
import { CreatedAt, Id, UnixSeconds, UpdatedAt } from '../../rules/shapes.ts'
import { Name } from '../audiences/audiences.ts'

/** Characters of its JSON. */
const VARIABLES_MAX = 65_536

export const Variables = z
  .record(z.string().min(1).max(255), z.unknown())
  .refine((variables) => JSON.stringify(variables).length <= VARIABLES_MAX, {
    message: `Expected at most ${VARIABLES_MAX} characters of JSON.`,
    params: { code: 'too_big' },
  })

const once = (values: readonly unknown[]) => new Set(values).size === values.length

const Step = z
  .strictObject({
    template_id: Id.describe('E-mail template of the type `campaign` that the step sends.'),
    delay_s: z
      .int()
      .min(0)
      .max(DELAY_MAX_S)
      .default(0)
      .describe(
        'Seconds after the step before, 90 days at most. 0 by default, and for the first step: see `scheduled_at`.',
      ),
    variables: Variables.default({}).describe(
      "Values that the template's Liquid expressions read. They replace those of the campaign; those of an enrollment replace them.",
    ),
    in_thread: z
      .boolean()
      .default(false)
      .describe(
        'Whether the message is a reply to the first one, so that mail programs show both as one conversation. `false` by default.',
      ),
  })
  .meta({ id: 'CampaignStepSetup' })

const SendWindow = z
  .strictObject({
    days: z
      .array(z.int().min(0).max(6))
      .min(1)
      .max(7)
      .refine(once, 'Expected each day once.')
      .describe('Days on which messages are sent: 0 is Sunday, 6 is Saturday.'),
    from: z
      .string()
      .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'Expected HH:MM, from 00:00 to 23:59.')
      .describe("Start, HH:MM in the {store}'s time zone."),
    to: z
      .string()
      .regex(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/, 'Expected HH:MM, from 00:00 to 24:00.')
      .describe("End, HH:MM in the {store}'s time zone, up to 24:00; later than `from`."),
  })
  .refine(({ from, to }) => from < to, { error: 'Must be later than `from`.', path: ['to'] })
  .meta({ id: 'SendWindow', description: 'The hours of the week in which a campaign sends.' })

const MailboxIds = z.array(Id).min(1).max(MAILBOXES_MAX).refine(once, 'Expected each mailbox once.')

/** The fields of a campaign; an update may leave any of them out. */
export const CampaignFields = {
  name: Name.describe('Name of the campaign for people.'),
  mailbox_ids: MailboxIds.describe(
    'Mailboxes that send the campaign, 1 to 20. All messages to a contact are sent by the same one.',
  ),
  steps: z
    .array(Step)
    .max(STEPS_MAX)
    .refine(([first]) => !first?.delay_s, {
      error: 'Must be 0: the first step is sent at the start. Use `scheduled_at`.',
      path: [0, 'delay_s'],
    })
    .optional()
    .describe('E-mails of the sequence, in order, 20 at most. A launch needs at least one.'),
  variables: Variables.optional().describe('Values that the Liquid expressions of all steps read.'),
  reply_to: EmailAddress.nullish().describe('Address for replies; if null, that of the mailbox.'),
  stop_on_reply: z
    .boolean()
    .optional()
    .describe('Whether a reply ends the sequence for its sender. `true` by default.'),
  send_window: SendWindow.nullish().describe('When messages are sent; null for any time.'),
  scheduled_at: UnixSeconds.nullish().describe(
    'When a launched campaign starts, in Unix seconds; null: at its launch.',
  ),
}

const campaign = {
  id: z.string().describe('Identifier of the campaign, a UUIDv7 made by the server.'),
  name: z.string().describe('Name of the campaign for people.'),
  status: CampaignStatus.describe(
    '`draft` until it is launched; `scheduled` until `scheduled_at`; `running` while messages are sent; `paused` by an operator or for `paused_reason`; `completed` when no enrollment is active; `cancelled` for good.',
  ),
  mailbox_ids: z.array(z.string()).describe('Mailboxes that send the campaign.'),
  steps: z
    .array(
      z.object({
        template_id: z
          .string()
          .describe(
            'E-mail template of the step. Once the campaign is launched, later edits of the template change nothing.',
          ),
        delay_s: z.int().describe('Seconds after the step before.'),
        variables: z.record(z.string(), z.unknown()).describe('Values that the template reads.'),
        in_thread: z.boolean().describe('Whether the message is a reply to the first one.'),
      }),
    )
    .describe('E-mails of the sequence, in order.'),
  variables: z.record(z.string(), z.unknown()).describe('Values that the templates of all steps read.'),
  reply_to: z.string().nullable().describe('Address for replies; if null, that of the mailbox.'),
  stop_on_reply: z.boolean().describe('Whether a reply ends the sequence for its sender.'),
  send_window: z
    .object({
      days: z.array(z.int()).describe('Days of the week: 0 is Sunday.'),
      from: z.string().describe("Start, HH:MM in the {store}'s time zone."),
      to: z.string().describe("End, HH:MM in the {store}'s time zone."),
    })
    .nullable()
    .describe('When messages are sent; null for any time.'),
  scheduled_at: z.int().nullable().describe('When it starts, in Unix seconds; null: at its launch.'),
  launched_at: z.int().nullable().describe('When it was launched, in Unix seconds; null for a draft.'),
  ended_at: z.int().nullable().describe('When it was completed or cancelled, in Unix seconds; null before.'),
  paused_reason: z
    .object({
      code: z.string().describe('Stable code of the reason.'),
      message: z.string().describe('The reason, for people.'),
    })
    .nullable()
    .describe('Why it is paused; null if it is not.'),
  created_at: CreatedAt,
  updated_at: UpdatedAt,
}

export const CampaignOut = z
  .object(campaign)
  .meta({ id: 'Campaign', description: 'E-mails in steps, sent to the contacts that were enrolled before the launch.' })

const enrollmentCounts = {
  active: 'further messages are to be sent',
  completed: 'all steps were sent',
  replied: 'ended by a reply',
  unsubscribed: 'ended by an opt-out',
  bounced: 'ended by a bounce',
  complained: 'ended by a report as spam',
  failed: 'a step was refused or could not be sent',
  unknown: 'it cannot be proved whether a step was sent',
  cancelled: 'cancelled, or active in a cancelled campaign',
} as const satisfies Record<EnrollmentStatus, string>

const messageCounts = {
  requested: 'Messages whose outcome is not decided yet.',
  sent: 'Messages that a mail server accepted (status `succeeded`).',
  rejected: 'Messages that a mail server refused.',
  failed: 'Messages that were not sent.',
  unknown: 'Messages of which it cannot be proved whether they were sent.',
}
const described = <Name extends string>(names: Record<Name, string>, sentence: (text: string) => string) =>
  z.object(
    Object.fromEntries(
      Object.entries<string>(names).map(([name, text]) => [name, z.int().describe(sentence(text))]),
    ) as Record<Name, z.ZodInt>,
  )

const Enrollments = described(enrollmentCounts, (text) => `Number of enrollments with this status: ${text}.`).meta({
  id: 'EnrollmentCounts',
})
const counts = {
  messages: described(messageCounts, (text) => text)
    .meta({ id: 'CampaignMessageCounts' })
    .describe('Messages of the steps by status.'),
  bounced: z.int().describe('Messages that bounced.'),
  complained: z.int().describe('Messages that were reported as spam.'),
  replied: z.int().describe('Messages that were answered.'),
}
const Stats = z
  .object({
    enrolled: z.int().describe('Number of enrollments.'),
    enrollments: Enrollments.describe('Enrollments by status.'),
    ...counts,
    steps: z
      .array(
        z.object({
          position: z.int().describe('Position of the step, from 0.'),
          enrollments: Enrollments.describe('Enrollments whose next step this is, by status.'),
          ...counts,
        }),
      )
      .describe('The same for each step.'),
    waits_for: z
      .object({
        code: CampaignWait.describe(
          '`send_window`: it is closed. `mailboxes`: each of them, or those that all recipients who are left stay with, waits to try its server again (its `sending_error` says why), or for its limit of the day.',
        ),
        until: z
          .int()
          .nullable()
          .describe(
            'When messages are sent again, or their servers and limits are looked at again, in Unix seconds; null if the window never opens.',
          ),
      })
      .nullable()
      .describe('What a running campaign waits for; null if messages that are due are sent.'),
    per_minute: z
      .int()
      .describe('Messages sent per minute, of the newest messages of the last ten minutes; 0 if it is not running.'),
    estimated_end_at: z
      .int()
      .nullable()
      .describe(
        'When the last message will be sent at this pace, in Unix seconds, with the delays of the steps, without `send_window` and daily limits; null if nothing is sent.',
      ),
  })
  .meta({ id: 'CampaignStats' })

export const CampaignWithStats = z
  .object({ ...campaign, stats: Stats.describe('Progress and outcomes.') })
  .meta({ id: 'CampaignWithStats', description: 'A campaign with its statistics.' })
