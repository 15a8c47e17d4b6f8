// A mailbox of a store sends through an independent mail server with STARTTLS and AUTH, and greylisting does not lose
// the email.
import { call, edge, workflow } from '../kit/automation/automations.ts'
import { until } from '../kit/codes.ts'
import { newShop, type Shop, unique } from '../kit/shop.ts'
import type { Case } from './outcome.ts'
import { versions } from './tools.ts'
import { mailRetryS, there } from './world.ts'

async function sendTo(shop: Shop, smtp: Record<string, unknown>, to: string) {
  const { body: mailbox } = await shop.asOperator('POST', '/mailboxes', {
    key: unique(),
    email: 'shop@example.com',
    name: 'Shop',
    smtp,
  })
  const template = { key: unique(), format: 'html', subject: 'Hello {{ name }}', body: '<p>Grüße, {{ name }}</p>' }
  const { body: saved } = await shop.asOperator('POST', '/email-templates', template)
  const mail = { type: 'send_email', mailbox_id: mailbox.id, template_id: saved.id, to, variables: { name: 'Ada' } }
  const { id, webhook_url } = await workflow(shop, {
    nodes: { start: { type: 'trigger' }, mail },
    edges: [edge('start', 'default', 'mail')],
  })
  const { body: execution } = await call(webhook_url)
  return async () => {
    const { body } = await shop.asOperator('GET', `/workflows/${id}/executions/${execution.id}/runs?node=mail`)
    return body.items?.[0] as { status: string; error: unknown } | undefined
  }
}

export const mail: Case = {
  name: 'SMTP',
  with: `aiosmtpd ${versions.aiosmtpd}`,
  async run(world) {
    const { port, username, password, lines } = there(world.mail)
    const shop = await newShop()
    const smtp = { host: 'localhost', port, security: 'starttls', username, password }
    const faults: string[] = []
    const accepted = (to: string) => lines.find((line) => line.message !== undefined && line.to?.includes(to))

    const plain = `ada-${unique()}@example.com`
    const run = await sendTo(shop, smtp, plain)
    await until(async () => (await run())?.status === 'completed', 20_000).catch(async () =>
      faults.push(`a mail with STARTTLS and AUTH was not sent: ${JSON.stringify(await run())}`),
    )
    const message = accepted(plain)
    if (message && !(message.tls && /^Subject: Hello Ada$/m.test(message.message ?? '')))
      faults.push('the mail did not arrive as it was rendered, over TLS')
    const wrong = await sendTo(shop, { ...smtp, password: 'wrong' }, `bob-${unique()}@example.com`)
    await until(async () => (await wrong())?.status === 'failed', 20_000).catch(async () =>
      faults.push(`a wrong password did not fail the node: ${JSON.stringify(await wrong())}`),
    )

    // A real greylisting server refuses an immediate retry, and an engine that gives up loses the email.
    const grey = `grey-${unique()}@example.com`
    const later = await sendTo(shop, smtp, grey)
    const refused = await until(async () => lines.find((line) => line.rcpt === grey && line.answer === 451), 20_000)
    await until(async () => (await later())?.status === 'completed', 40_000).catch(() => {})
    const { status, error } = (await later()) ?? {}
    const tries = lines.filter((line) => line.rcpt === grey).length
    const waitedS = (accepted(grey)?.at ?? 0) - (refused.at ?? 0)
    if (status !== 'completed' || tries !== 2 || waitedS < mailRetryS - 1)
      faults.push(
        `a greylisted mail is ${status} after ${tries} attempts, ${waitedS.toFixed(1)} s later: ${JSON.stringify(error)}`,
      )
    const ended = `accepted by the second attempt, ${waitedS.toFixed(0)} s later`
    return { shown: `STARTTLS, AUTH, wrong password; greylisted mail ${ended}`, faults }
  },
}
