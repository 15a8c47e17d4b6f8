// Enrollments of campaigns: listed, read and cancelled.
import { z } from 'zod'
import { Campaign } from '../../entities/campaigns/campaign.ts'
import { Enrollment } from '../../entities/campaigns/enrollment.ts'
import { cancelEnrollment, cancelledOf, shownStatus, storedStatuses } from '../../entities/campaigns/enrollments.ts'
import { asRow } from '../../entities/kit/database/row.ts'
import { findRecord } from '../../entities/kit/find.ts'
import { EnrollmentStatus } from '../../rules/campaigns/campaigns.ts'
import { addressPrefix } from '../../rules/input/email-addresses.ts'
import { anyCase, CreatedAt, Id, UpdatedAt } from '../../rules/shapes.ts'
import { unixSecondsOf } from '../../rules/unix-seconds.ts'
import { filter, listing } from '../kit/answer/listing.ts'
import { reading } from '../kit/answer/record.ts'
import { searchText, whole } from '../kit/query.ts'
import { route } from '../kit/route.ts'

const EnrollmentOut = z
  .object({
    id: z.string().describe('Identifier of the enrollment, a UUIDv7 made by the server.'),
    campaign_id: z.string().describe('Identifier of the campaign.'),
    contact_id: z.string().describe('Identifier of the contact.'),
    member_id: z
      .string()
      .nullable()
      .describe('Identifier of the membership that it was enrolled by; null: the contact or the address was named.'),
    audience_id: z.string().nullable().describe('Identifier of the audience of that membership.'),
    address: z.string().describe('Address that its messages are sent to, as it was when it was enrolled.'),
    variables: z.record(z.string(), z.unknown()).describe('Values that the templates read for this recipient.'),
    status: EnrollmentStatus.describe(
      '`active` until the last step; `completed` after it. `failed`: a message was refused, or never sent. `unknown`: a message may or may not have been sent, and what follows depends on it.',
    ),
    step: z.int().describe('Position of its next step, from 0.'),
    due_at: z.int().nullable().describe('When its next step is due, in Unix seconds; null if none is.'),
    mailbox_id: z
      .string()
      .nullable()
      .describe('Identifier of the mailbox that sends all its messages; null before the first.'),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'CampaignEnrollment', description: 'A contact enrolled in a campaign.' })

const shown = (row: Enrollment, isCancelled: boolean): z.input<typeof EnrollmentOut> => {
  const status = shownStatus(row.status, isCancelled)
  return {
    ...asRow(row),
    status,
    due_at: status === 'active' ? unixSecondsOf(row.due_at) : null,
  }
}

/** The condition that an address begins with the text. */
const beginning = (text: string): Record<string, unknown> => ({
  address: { $like: `${addressPrefix(text).replaceAll(/[\\%_]/g, '\\$&')}%` },
})

export const enrollments = [
  listing('GET /v1/stores/{storeId}/campaigns/{id}/enrollments', {
    operation: 'listCampaignEnrollments',
    may: 'admin',
    summary: 'List the enrollments of a campaign',
    description: 'Returns one page, sorted by creation time, newest first or oldest first.',
    byCreation: true,
    entity: Enrollment,
    item: EnrollmentOut,
    filters: {
      // Its condition depends on the campaign: see `scope`.
      status: filter(anyCase(EnrollmentStatus).describe('Only enrollments that are shown in this status.'), () => ({})),
      step: filter(whole(0, 20).describe('Only enrollments whose next step is at this position.'), (step) => ({
        step,
      })),
      contact_id: filter(Id.describe('Only the enrollment of this contact.'), (contact_id) => ({ contact_id })),
      query: filter(searchText(254).describe('Beginning of the address, in any case.'), beginning),
    },
    async scope({ em, path, query }) {
      const campaign = await findRecord(em, Campaign, { id: path.id }, 'campaign')
      const { status } = query as { status?: EnrollmentStatus }
      const stored = status && storedStatuses(status, campaign.status === 'cancelled')
      return { campaign_id: path.id, ...(stored ? { status: stored.length === 1 ? stored[0] : { $in: stored } } : {}) }
    },
    async load(em, rows: Enrollment[], { path, tenant_id }) {
      const isCancelled = (await cancelledOf(em, tenant_id, [path.id])).size > 0
      return rows.map((row) => shown(row, isCancelled))
    },
  }),
  reading('GET /v1/stores/{storeId}/campaign-enrollments/{id}', {
    operation: 'getCampaignEnrollment',
    may: 'admin',
    summary: 'Read an enrollment',
    entity: Enrollment,
    out: EnrollmentOut,
    show: async (row, { em, tenant_id }) =>
      shown(row, (await cancelledOf(em, tenant_id, [String(row.campaign_id)])).size > 0),
  }),
  route('POST /v1/stores/{storeId}/campaign-enrollments/{id}/cancel', {
    operation: 'cancelCampaignEnrollment',
    may: 'admin',
    request: { while: ['active', 'unknown'] },
    refuses: ['enrollment_not_active'],
    summary: 'End an enrollment',
    description:
      'Once this is answered, no further message of the campaign is handed to a mail server for it. One whose sending began within two seconds before, or whose body is being handed over, may still arrive. ' +
      'A cancelled enrollment is returned as it is. ' +
      '409 `enrollment_not_active` with `enrollment_status` if it ended in another way.',
    out: EnrollmentOut,
    async run({ em, tenant_id, path, now }) {
      const { row, isCancelled } = await cancelEnrollment(em, tenant_id, path.id, now)
      return shown(row, isCancelled)
    },
  }),
]
