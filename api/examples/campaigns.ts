// Examples of campaigns and their enrollments.
import { example, ids } from './example.ts'

export const campaigns = [
  example('POST /v1/stores/{storeId}/campaigns', {
    name: 'Spring',
    mailbox_ids: [ids.mailbox],
    steps: [
      { template_id: ids.email_template, variables: { title: 'New teas' } },
      { template_id: ids.email_template, delay_s: 259_200, variables: { title: 'Still in stock' }, in_thread: true },
    ],
    send_window: { days: [1, 2, 3, 4, 5], from: '09:00', to: '17:00' },
  }),
  example('POST /v1/stores/{storeId}/campaigns/{id}/enrollments/import', {
    contact_ids: [ids.contact],
    emails: ['grace@example.com', { email: 'ada@example.com', variables: { first_name: 'Ada' } }],
  }),
  example('PUT /v1/stores/{storeId}/campaigns/{id}', { name: 'Spring teas', reply_to: 'tea@example.com' }),
  example('POST /v1/stores/{storeId}/campaigns/{id}/launch', { scheduled_at: 2_000_000_000 }),
  example('POST /v1/stores/{storeId}/campaigns/{id}/duplicate', { name: 'Summer', copy_enrollments: true }),
]
