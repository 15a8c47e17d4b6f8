// The demo store's campaign: two e-mails to the newsletter, as a draft that `npm run demo` duplicates and launches.
import type { Call } from './call.ts'

export const springName = 'Spring'

const page = (text: string) =>
  `<mjml><mj-body><mj-section><mj-column><mj-text>${text}</mj-text><mj-text><a href="{{ unsubscribe_url }}">Unsubscribe</a></mj-text></mj-column></mj-section></mj-body></mjml>`

const templates = [
  { key: 'spring', subject: 'Spring at {{ store.name }}', body: page('Hello {{ name }}, the spring teas are here.') },
  { key: 'spring-again', subject: 'Have you tried the spring teas?', body: page('There are some left, {{ name }}.') },
]

/** Keeps existing records: an earlier start may have been interrupted. */
export async function announce(call: Call, storeId: string, smtp: URL): Promise<void> {
  const path = { storeId }
  const { items: campaigns } = await call('GET /v1/stores/{storeId}/campaigns', { path, query: { query: springName } })
  if (campaigns.length > 0) return
  const { items: mailboxes } = await call('GET /v1/stores/{storeId}/mailboxes', { path })
  const server = { host: smtp.hostname, port: Number(smtp.port), security: 'none' as const }
  const mailbox =
    mailboxes.find(({ key }) => key === 'news') ??
    (await call('POST /v1/stores/{storeId}/mailboxes', {
      path,
      body: {
        key: 'news',
        email: 'news@tillwright.test',
        name: 'Demo store',
        smtp: server,
        limits: { per_second: 20, connections: 2 },
      },
    }))
  const { items: made } = await call('GET /v1/stores/{storeId}/email-templates', { path })
  const steps: { template_id: string; delay_s: number; in_thread: boolean }[] = []
  for (const { key, subject, body } of templates) {
    const template =
      made.find((one) => one.key === key) ??
      (await call('POST /v1/stores/{storeId}/email-templates', {
        path,
        body: { key, type: 'campaign', format: 'mjml', subject, body },
      }))
    steps.push({ template_id: template.id, delay_s: 5 * steps.length, in_thread: steps.length > 0 })
  }
  await call('POST /v1/stores/{storeId}/campaigns', {
    path,
    body: { name: springName, mailbox_ids: [mailbox.id], steps, variables: { name: 'tea lover' } },
  })
}
