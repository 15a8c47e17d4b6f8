// An operator who imports recipients, launches a campaign, and pauses and resumes it while faults strike.
import { setTimeout as pause } from 'node:timers/promises'
import type { Answer } from '../../kit/shop.ts'
import type { CampaignPlan } from '../plan.ts'
import type { Launched, Round } from './acts.ts'

/** The most addresses of one import. */
const importMax = 10_000

const ask = (c: Round, method: 'GET' | 'POST', at: string, body?: unknown): Promise<Answer> =>
  c.client.ask(method, `/v1/stores/${c.store.shop.store_id}${at}`, {
    headers: c.store.shop.op.headers,
    ...(method === 'GET' ? {} : { body: body ?? {} }),
  })

const wrong = (what: string, { status, body }: Answer) =>
  new Error(`${what} was answered with ${status} ${JSON.stringify(body)}`)

/** An import whose answer was lost is made once more, and enrolls nothing then. */
async function enroll(c: Round, campaign: string, emails: readonly string[]): Promise<void> {
  for (let at = 0; at < emails.length; at += importMax) {
    const made = await ask(c, 'POST', `/campaigns/${campaign}/enrollments/import`, {
      emails: emails.slice(at, at + importMax),
    })
    if (made.status !== 201) throw wrong('an import', made)
  }
  for (;;) {
    const { body } = await ask(c, 'GET', `/campaigns/${campaign}/imports?status=running`)
    if (body.items.length === 0) return
    await pause(200)
  }
}

/** The same request once or, through both processes, twice at once. */
const command = async (
  c: Round,
  campaign: string,
  what: 'launch' | 'pause' | 'resume',
  twice: boolean,
): Promise<Answer> => {
  const answers = await Promise.all(
    Array.from({ length: twice ? 2 : 1 }, () => ask(c, 'POST', `/campaigns/${campaign}/${what}`)),
  )
  return answers.find(({ status }) => status !== 200) ?? (answers[0] as Answer)
}

/** Rejects if a call was never answered. */
export async function sendCampaign(
  c: Round,
  { at_ms, recipients, mailboxes, pauses, twice }: CampaignPlan,
): Promise<void> {
  await pause(at_ms)
  const { mailbox_ids, template_ids, domain } = c.store.post_office
  const steps = template_ids.map((template_id) => ({ template_id }))
  const draft = await ask(c, 'POST', '/campaigns', {
    name: 'News',
    mailbox_ids: mailbox_ids.slice(0, mailboxes),
    steps,
  })
  if (draft.status !== 201) throw wrong('a campaign', draft)
  const { id } = draft.body
  await enroll(
    c,
    id,
    Array.from({ length: recipients }, (_, n) => `reader${n}@d${n % 7}.${domain}`),
  )
  const launched: Launched = { id, steps: steps.length, enrolled: recipients, paused: [] }
  const answer = await command(c, id, 'launch', twice)
  if (answer.status !== 200) throw wrong('a launch', answer)
  c.campaigns.push(launched)
  for (const ms of pauses) {
    await pause(ms)
    const stopped = await command(c, id, 'pause', twice)
    // It may have ended already.
    if (stopped.status !== 200) return
    const from = Date.now()
    await pause(ms)
    const to = Date.now()
    const resumed = await command(c, id, 'resume', twice)
    // The answer to the first request may have been lost, and the campaign may have ended before the second.
    const isOver = resumed.status === 409 && resumed.body.campaign_status === 'completed'
    if (resumed.status !== 200 && !isOver) throw wrong('the end of a pause', resumed)
    launched.paused.push({ from, to })
    if (isOver) return
  }
}
