// Examples of workflows, of what they use, and of webhooks.
import { example, ids } from './example.ts'

const mjml =
  '<mjml><mj-body><mj-section><mj-column><mj-text>Welcome, {{ name }}!</mj-text></mj-column></mj-section></mj-body></mjml>'
const edge = (source: string, target: string, output: string) => ({ source, target, output })

export const automation = [
  example('POST /v1/stores/{storeId}/mailboxes', {
    key: 'support',
    email: 'support@linen.example',
    name: 'Linen and Oak',
    smtp: {
      host: 'smtp.linen.example',
      port: 587,
      security: 'starttls',
      username: 'support',
      password: 'the password of the account',
    },
  }),
  example('PUT /v1/stores/{storeId}/mailboxes/{id}', { name: 'Linen and Oak, support' }),
  example('POST /v1/stores/{storeId}/email-templates', { key: 'welcome', subject: 'Welcome, {{ name }}', body: mjml }),
  example('PUT /v1/stores/{storeId}/email-templates/{id}', { subject: 'Good to see you, {{ name }}' }),
  example('POST /v1/stores/{storeId}/email-templates/{id}/preview', { variables: { name: 'Ada' } }),
  example('POST /v1/stores/{storeId}/email-templates/preview', {
    subject: 'Welcome, {{ name }}',
    body: mjml,
    variables: { name: 'Ada' },
  }),
  example('POST /v1/stores/{storeId}/build-hooks', {
    key: 'site',
    type: 'custom',
    url: 'https://builds.linen.example/hooks/abc',
  }),
  example('PUT /v1/stores/{storeId}/build-hooks/{id}', { active: true }),
  example('POST /v1/stores/{storeId}/workflow-connections', {
    key: 'archive',
    type: 's3',
    settings: { bucket: 'linen-archive', region: 'eu-central-1', prefix: 'orders' },
    credentials: {
      access_key_id: 'AKIAIOSFODNN7EXAMPLE',
      secret_access_key: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    },
  }),
  example('PUT /v1/stores/{storeId}/workflow-connections/{id}', { key: 'archive-2030' }),
  example('POST /v1/stores/{storeId}/integrations', {
    key: 'assistant',
    provider: { type: 'llm_a', api_key: 'example-key', model: 'large-4' },
  }),
  example('PUT /v1/stores/{storeId}/integrations/{id}', { provider: { model: 'small-4' } }),
  example('POST /v1/stores/{storeId}/oauth/connect', {
    provider: 'calendar',
    code: '4/0AX4XfWh',
    redirect_uri: 'https://app.linen.example/return',
  }),
  example('POST /v1/stores/{storeId}/oauth/disconnect', { provider: 'calendar' }),
  example('POST /v1/stores/{storeId}/workflows', {
    key: 'welcome-mail',
    nodes: {
      start: { type: 'trigger' },
      look_up: {
        type: 'http',
        method: 'get',
        url: 'https://crm.linen.example/people?email={{input.trigger.email}}',
        retries: 2,
      },
      welcome: {
        type: 'send_email',
        mailbox_id: ids.mailbox,
        template_id: ids.email_template,
        to: '{{nodes.start.output.email}}',
        variables: { name: '{{nodes.start.output.name}}' },
      },
    },
    edges: [edge('start', 'look_up', 'default'), edge('look_up', 'welcome', 'success')],
    schedule: null,
  }),
  example('PUT /v1/stores/{storeId}/workflows/{id}', { schedule: '0 9 * * 1' }),
  example('POST /v1/stores/{storeId}/webhooks', {
    key: 'erp',
    url: 'https://erp.linen.example/tillwright',
    events: [{ event: 'order.created' }, { event: 'order.updated' }],
    headers: {},
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    enabled: true,
  }),
  example('PUT /v1/stores/{storeId}/webhooks/{id}', { enabled: false }),
]
