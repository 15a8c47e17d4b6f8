// Renders the messages of one step and writes them before they are sent. A campaign whose first messages all fail to
// render is paused.
import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { unixNow } from '../../adapters/clock.ts'
import { log } from '../../adapters/log.ts'
import { EmailError } from '../../adapters/mail-renderer.ts'
import { sql } from '../../entities/kit/database/sql.ts'
import type { EffectError } from '../../entities/kit/effect-columns.ts'
import { encrypt } from '../../entities/kit/encrypted.ts'
import { newId } from '../../entities/kit/ids.ts'
import { bytesOf, packBytes } from '../../entities/sending/content.ts'
import type { OpenCampaign } from '../../entities/sending/dispatch.ts'
import * as rows from '../../entities/sending/leasing.ts'
import { readRecipients } from '../../entities/sending/recipients.ts'
import { pauseCampaigns } from '../../entities/sending/stops.ts'
import { RENDERED_FIRST, reasons } from '../../rules/sending/breakers.ts'
import { messageVariables } from '../../rules/sending/variables.ts'
import { statement, transaction } from '../kit/database.ts'
import { enqueue, lookRestMs, type MessageTask, type Preparation, readTokens, stepOf } from './preparation.ts'
import { renderMessages } from './rendering.ts'

/** E-mails of one task of the renderer. */
const renderedAtOnce = 50

/** `bytes`: the content outside of the heap: strings that wait to be sent would be collected again and again. */
type Rendering = { subject: string; bytes: Buffer } | { error: EffectError }
/** `variables`: as JSON. */
type RenderedTask = MessageTask & { variables: string; rendering: Rendering }

type RenewedMessage = Parameters<typeof rows.renewMessages>[2][number]
/** `contents`: those that are to be sent, by the id of the message. */
type StepMessages = {
  fresh: rows.NewMessage[]
  renewed: RenewedMessage[]
  contents: Map<string, { task: RenderedTask; bytes: Buffer }>
}

export const chunks = <T>(all: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, n) => all.slice(n * size, (n + 1) * size))

const isFailed = ({ rendering }: RenderedTask): boolean => 'error' in rendering

/** Renders up to `renderedAtOnce` messages. Repeated while the renderer is busy, until the drain ends. */
async function renderPart(
  state: Pick<Preparation, 'mailbox' | 'isEnding'>,
  step: rows.Step,
  variables: Record<string, unknown>[],
): Promise<Rendering[]> {
  for (let tries = 1; ; tries++) {
    try {
      const { account_id, tenant_id } = state.mailbox()
      const results = await renderMessages(step, variables, { account: account_id, tenant: tenant_id })
      return results.map((one) => ('error' in one ? one : { subject: one.subject, bytes: bytesOf(one) }))
    } catch (error) {
      if (!(error instanceof EmailError) || tries === 20 || state.isEnding) throw error
      await pause(500)
    }
  }
}

/** Leaves out recipients that do not exist any more. Throws EmailError template_busy: nothing was rendered. */
async function renderStep(
  state: Pick<Preparation, 'mailbox' | 'isEnding'>,
  tasks: readonly MessageTask[],
  step: rows.Step,
  campaign: OpenCampaign,
): Promise<RenderedTask[]> {
  const { tenant_id, store } = state.mailbox()
  const ids = tasks.map(({ enrollment_id }) => enrollment_id)
  const recipients = await statement((em) => readRecipients(em, tenant_id, ids))
  const given = tasks.flatMap((task) => {
    const recipient = recipients.get(task.enrollment_id)
    return recipient ? [{ task, variables: messageVariables({ store, campaign, step }, recipient) }] : []
  })
  const parts = chunks(
    given.map(({ variables }) => variables),
    renderedAtOnce,
  )
  const renderings = (await Promise.all(parts.map((part) => renderPart(state, step, part)))).flat()
  return given.map(({ task, variables }, n) => ({
    ...task,
    variables: JSON.stringify(variables),
    rendering: renderings[n] as Rendering,
  }))
}

/** The dictionary of a step is its first message. */
async function pack({ mailbox }: Pick<Preparation, 'mailbox'>, step: rows.Step, bytes: Buffer): Promise<Buffer> {
  step.dictionary ??= await statement((em) => rows.setDictionary(em, mailbox().tenant_id, step, bytes))
  return packBytes(bytes, step.dictionary)
}

/** The rows to write. A message that was written before and cannot be rendered any more stays as it is. */
async function messagesOf(
  state: Pick<Preparation, 'mailbox'>,
  tasks: readonly RenderedTask[],
  step: rows.Step,
): Promise<StepMessages> {
  const messages: StepMessages = { fresh: [], renewed: [], contents: new Map() }
  for (const task of tasks) {
    const { enrollment_id, campaign_id, address, message_id, variables, rendering } = task
    const id = message_id ?? newId()
    const row = {
      ...{ id, enrollment_id, campaign_id, address, variables, step: task.step, template_id: step.template_id },
      fingerprint: createHash('sha256').update(`${enrollment_id}/${task.step}/${variables}`).digest('hex'),
    }
    if ('error' in rendering) {
      if (!message_id) messages.fresh.push({ ...row, subject: null, content: null, error: rendering.error })
      continue
    }
    const { subject, bytes } = rendering
    const content = await pack(state, step, bytes)
    messages.contents.set(id, { task, bytes })
    if (message_id) messages.renewed.push({ id, variables: encrypt(variables), subject, content })
    else messages.fresh.push({ ...row, subject, content, error: null })
  }
  return messages
}

/** Enqueues renewed messages and the new ones that were inserted: an enrollment has one message of a step and try. */
async function writeMessages(state: Preparation, { fresh, renewed, contents }: StepMessages): Promise<void> {
  const { mailbox } = state
  const inserted =
    fresh.length > 0 ? await statement((em) => rows.insertMessages(em, mailbox(), fresh, unixNow())) : new Set<string>()
  if (renewed.length > 0) await statement((em) => rows.renewMessages(em, mailbox(), renewed, unixNow()))
  await readTokens(
    state,
    [...contents.values()].map(({ task }) => task.enrollment_id),
  )
  for (const [id, { task, bytes }] of contents) if (task.message_id || inserted.has(id)) enqueue(state, task, id, bytes)
  state.woken()
}

/** Leased enrollments are due again; those that have a message stay as they are. */
export const releaseTasks = ({ mailbox }: Pick<Preparation, 'mailbox'>, tasks: readonly MessageTask[]) =>
  statement((em) =>
    rows.releaseEnrollments(
      em,
      mailbox(),
      tasks.filter(({ message_id }) => message_id === null),
    ),
  )

/** False if the first messages of the step have all failed to render: its campaign has to be paused. */
async function preparePart(
  state: Preparation,
  part: readonly MessageTask[],
  step: rows.Step,
  campaign: OpenCampaign,
): Promise<boolean> {
  const tasks = await renderStep(state, part, step, campaign)
  const isRendered = state.rendered.has(step.id) || !tasks.every(isFailed)
  await writeMessages(state, await messagesOf(state, tasks, step))
  // Counted once they are written: recipients of a write that failed are leased again.
  const failures = (state.failures.get(step.id) ?? 0) + tasks.filter(({ message_id }) => message_id === null).length
  if (isRendered) state.rendered.add(step.id)
  else state.failures.set(step.id, failures)
  // What was written before and cannot be rendered any more is sent as it is, if the recipient may still get it.
  const renewed = new Set(tasks.flatMap((task) => (isFailed(task) ? [] : [task.message_id])))
  for (const task of part)
    if (task.message_id !== null && !renewed.has(task.message_id)) enqueue(state, task, task.message_id, null)
  return isRendered || failures < RENDERED_FIRST
}

/** Prepares the messages of one step. If the first ones all fail to render, its campaign is paused; the others wait. */
export async function prepareStep(state: Preparation, tasks: readonly MessageTask[]): Promise<void> {
  const { mailbox } = state
  const [first] = tasks as [MessageTask]
  const campaign = mailbox().campaigns.find(({ id }) => id === first.campaign_id)
  const step = stepOf(state, first)
  if (!campaign || !step) {
    if (campaign) log.warn({ campaign_id: campaign.id, step: first.step }, 'there is no such step')
    // Its campaign was paused since the lease. Once it is resumed, its recipients wait for the next look.
    state.lookAt = performance.now() + lookRestMs.most
    return void (await releaseTasks(state, tasks))
  }
  let rest = tasks
  while (rest.length > 0) {
    const part = state.rendered.has(step.id) ? rest : rest.slice(0, RENDERED_FIRST - (state.failures.get(step.id) ?? 0))
    rest = rest.slice(part.length)
    if (await preparePart(state, part, step, campaign)) continue
    await transaction((em) =>
      pauseCampaigns(em, mailbox().tenant_id, sql`${campaign.id}::uuid`, reasons.rendering_failed),
    )
    state.failures.delete(step.id)
    state.paused.add(campaign.id)
    return void (await releaseTasks(state, rest))
  }
}
