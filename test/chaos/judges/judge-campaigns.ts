// Campaigns: one message for each enrollment and step, statistics that equal their rows, and nothing stamped between a
// pause and its end. That no body is given twice is judged with all other effects.
import type { CampaignRow, History } from '../history.ts'

/** Given to a server, or perhaps. */
const mayHaveLeft = ({ status }: CampaignRow['messages'][number]) => status !== 'rejected' && status !== 'failed'
const triesMax = 3

const byStep = ({ messages }: CampaignRow) =>
  Map.groupBy(messages, ({ enrollment_id, step }) => `${enrollment_id}, step ${step}`)

export const besideAnother = (h: History): string[] =>
  h.campaigns.flatMap((campaign) =>
    [...byStep(campaign)].flatMap(([place, all]) => {
      const left = all.filter(mayHaveLeft)
      return [
        ...(left.length > 1
          ? [
              `enrollment ${place}, has ${left.length} messages: ${left.map(({ id, status }) => `${id} ${status}`).join(', ')}`,
            ]
          : []),
        ...(all.length > triesMax ? [`enrollment ${place}, was tried ${all.length} times`] : []),
      ]
    }),
  )

/** What the messages of an enrollment prove about it; null if nothing is wrong. */
function contradiction({ steps }: CampaignRow, status: string, own: CampaignRow['messages']): string | null {
  const last = own.toSorted((a, b) => a.step - b.step || a.try - b.try).at(-1)
  const sent = own.filter((message) => message.status === 'succeeded').length
  if (status === 'completed') return sent === steps ? null : `${sent} of ${steps} steps were sent`
  if (status === 'unknown') return last?.status === 'unknown' ? null : `its last message is ${last?.status}`
  if (status === 'failed' || status === 'bounced')
    return last?.status === 'failed' || last?.status === 'rejected' ? null : `its last message is ${last?.status}`
  return null
}

export const misenrolled = (h: History): string[] =>
  h.campaigns.flatMap((campaign) => {
    const { id, status, enrolled, enrollments, messages } = campaign
    const own = Map.groupBy(messages, ({ enrollment_id }) => enrollment_id)
    return [
      ...(enrollments.length === enrolled
        ? []
        : [`campaign ${id} has ${enrollments.length} enrollments, and its imports told of ${enrolled}`]),
      ...enrollments.flatMap((one) => {
        const wrong =
          one.status === 'active' && status === 'completed'
            ? 'its campaign has ended'
            : contradiction(campaign, one.status, own.get(one.id) ?? [])
        return wrong === null ? [] : [`enrollment ${one.id} of campaign ${id} is ${one.status}, and ${wrong}`]
      }),
    ]
  })

const counters = ['succeeded', 'rejected', 'failed', 'unknown'] as const

export const miscounted = (h: History): string[] =>
  h.campaigns.flatMap(({ id, steps, messages, counted }) =>
    Array.from({ length: steps }, (_, step) => step).flatMap((step) => {
      const of = messages.filter((message) => message.step === step)
      const told = counted.find((one) => one.step === step)
      const pending = of.filter(({ status }) => status === 'requested' || status === 'processing').length
      const real: [string, number, number | undefined][] = [
        ...counters.map((name): [string, number, number | undefined] => [
          name,
          of.filter(({ status }) => status === name).length,
          told?.[name],
        ]),
        ['requested', pending, told?.requested],
      ]
      return real.flatMap(([name, rows, count]) =>
        rows === (count ?? 0)
          ? []
          : [`campaign ${id}, step ${step}: ${rows} messages are ${name}, and its statistics say ${count}`],
      )
    }),
  )

export const stampedWhilePaused = (h: History): string[] =>
  h.campaigns.flatMap(({ id, paused, messages }) =>
    messages.flatMap(({ id: message, sent_at }) => {
      const within = sent_at !== null && paused.some(({ from, to }) => sent_at > from && sent_at < to)
      return within ? [`message ${message} of campaign ${id} was stamped while it was paused`] : []
    }),
  )
