// Turns of a run of lead research: one about each member, one after the other, then one for each message. What a model
// writes decides nothing but texts, and they are checked.
import type { EntityManager } from '@mikro-orm/postgresql'
import { TOOLS_PER_STEP, toolResult } from '../../rules/agents/tools.ts'
import type { ModelAnswer, ToolCall, ToolResult, Turn } from '../../rules/models/model-formats.ts'
import type { TurnError } from '../../rules/models/turns.ts'
import {
  ANSWERS_AT_ONCE,
  isResearchable,
  PAGES_MAX,
  queuedMs,
  RESEARCH_STEPS_MAX,
  RUNS_AT_ONCE,
} from '../../rules/research/lead-research.ts'
import { pageAddress, withoutOtherLinks } from '../../rules/research/research-addresses.ts'
import { researchPrompt, shortResult } from '../../rules/research/research-prompts.ts'
import { type About, type ResearchInput, researchInput, researchTools } from '../../rules/research/research-tools.ts'
import { nothing, type Sql, sql } from '../kit/database/sql.ts'
import type { Asked, LockOwner, NoAnswer } from '../models/turn-owner.ts'
import { type ResearchTurn, readTurn } from './research-facts.ts'
import { recordInsight } from './research-insights.ts'
import { pageAt, pageShown, pagesOf, type Reader, requestPages, teamAddresses } from './research-sources.ts'
import { discardTurn, endTurn } from './research-steps.ts'
import { memberTask, messageTask } from './research-tasks.ts'

const aboutOf = ({ message }: ResearchTurn): About => (message ? 'message' : 'member')
const readerOf = ({ tenant_id, run, turn_id, member }: ResearchTurn): Reader => ({
  tenant_id,
  run,
  turn_id,
  member_id: member?.member_id ?? null,
})

type Read = Extract<ResearchInput, { name: 'read_page' }>
type Tool = { call: ToolCall; input: ResearchInput | { refused: string } }

const toolsOf = (turn: ResearchTurn, { calls }: ModelAnswer): Tool[] =>
  calls.map((call, n) => ({
    call,
    input:
      n < TOOLS_PER_STEP
        ? researchInput(call, aboutOf(turn))
        : { refused: 'There were too many tool calls in one answer.' },
  }))

/** The addresses that texts of the model may name: pages that were read, and what the team wrote. */
async function knownLinks(em: EntityManager, turn: ResearchTurn): Promise<Set<string>> {
  const pages = (await pagesOf(em, readerOf(turn))).filter(({ status }) => status === 'read')
  return new Set([
    ...pages.flatMap(({ url, final_url }) => [url, final_url ?? url]),
    ...(await teamAddresses(em, readerOf(turn))),
  ])
}

async function record(
  em: EntityManager,
  turn: ResearchTurn,
  { input }: Extract<ResearchInput, { name: 'record_insight' }>,
  now: number,
): Promise<object> {
  const reader = readerOf(turn)
  const member_id = turn.member?.member_id ?? input.member_id?.toLowerCase() ?? ''
  const ofRun: { member_id: string }[] = await em.execute(sql`
    select member_id
    from research_members
    where tenant_id = ${turn.tenant_id} and research_run_id = ${turn.run} and member_id::text = ${member_id}
  `)
  if (ofRun.length === 0) return { error: 'The run has no such member.' }
  return recordInsight(em, { reader, run_id: turn.run_id, member_id, links: await knownLinks(em, turn) }, input, now)
}

/** The results of the tools, once all pages that they need were read. `question`: the turn ends with it. */
async function run(em: EntityManager, turn: ResearchTurn, tools: readonly Tool[], stepsLeft: number, now: number) {
  const reader = readerOf(turn)
  const pages = await pagesOf(em, reader)
  const isFull = pages.filter(({ turn_id }) => turn_id === turn.turn_id).length >= PAGES_MAX
  const results: ToolResult[] = []
  let question: string | null = null
  const left = stepsLeft <= 3 ? { answers_left: stepsLeft } : {}
  for (const { call, input } of tools) {
    const add = (name: string, value: object) =>
      void results.push({ id: call.id, name, content: toolResult({ ...value, ...left }) })
    if ('refused' in input) add('unknown', { error: input.refused })
    else if (input.name === 'read_page') {
      const page = pageAt(pages, turn.turn_id, pageAddress(input.input.url) ?? '')
      add(input.name, await pageShown(em, reader, page, input.input.part, isFull))
    } else if (input.name === 'record_insight') add(input.name, await record(em, turn, input, now))
    else question ??= input.input.question
  }
  return { results, question }
}

const isRead = (tool: Tool): tool is Tool & { input: Read } => 'name' in tool.input && tool.input.name === 'read_page'

/** A text of the model for people, without links to other pages. */
const shown = async (em: EntityManager, turn: ResearchTurn, text: string): Promise<string> =>
  withoutOtherLinks(text, await knownLinks(em, turn)).trim()

function refusalOf({ store_status, audience_status: status, audience_type: type }: ResearchTurn): TurnError | null {
  if (store_status === 'ARCHIVED') return 'store_archived'
  return status && type && isResearchable({ status, type }) ? null : 'audience_not_researchable'
}

/** Messages do not wait for members of other runs: an operator waits for them. */
const waitOf = ({ member, run_status, running, ahead }: ResearchTurn): number | null =>
  run_status === 'queued' && running >= (member ? RUNS_AT_ONCE : ANSWERS_AT_ONCE) ? queuedMs(ahead) : null

async function taskOf(em: EntityManager, turn: ResearchTurn, halvings: number) {
  if (turn.member) return memberTask(em, readerOf(turn), turn.member.member_id, halvings)
  return turn.message ? messageTask(em, readerOf(turn), turn.message, halvings) : null
}

/** What is sent to the model: the task, and what it said before with the results of its tools. */
async function said(em: EntityManager, turn: ResearchTurn, before: readonly Asked[], halvings: number) {
  const task = await taskOf(em, turn, halvings)
  if (!task) return null
  const done = before.flatMap(({ answer, results }): Turn[] => [
    { role: 'assistant', content: answer.text, calls: answer.calls },
    { role: 'tool', results: results.map((one) => ({ ...one, content: shortResult(one.content, halvings) })) },
  ])
  return { system: researchPrompt(turn.goal), turns: [...task, ...done], tools: researchTools(aboutOf(turn)) }
}

/** Common table expressions of the statement that begins the turn: its member or message, and its run, are begun. */
function claimOf({ tenant_id, run: id, run_status, member, message }: ResearchTurn, now: number): Sql {
  const claim = member
    ? sql`
      update research_members m
      set status = 'running', updated_at = ${now}
      from agent_usage
      where m.tenant_id = ${tenant_id} and m.id = ${member.id} and m.status = 'queued'
    `
    : sql`
      update research_messages w
      set status = 'processing', updated_at = ${now}
      from agent_usage
      where w.tenant_id = ${tenant_id} and w.id = ${message?.id ?? null} and w.status = 'waiting'
    `
  const begun =
    run_status === 'queued'
      ? sql`
        , started_runs as (
          update research_runs r
          set status = 'running', updated_at = ${now}
          from agent_usage
          where r.tenant_id = ${tenant_id} and r.id = ${id} and r.status = 'queued'
        )
      `
      : nothing
  return sql`, claimed_work as (${claim})${begun}`
}

/** How many answers the model has given. */
const stepsOf = ({ calls }: ResearchTurn): number => (calls ?? []).at(-1)?.step ?? 0

/** Requests the pages that the tools read, or runs the tools. `read`: pages are awaited. Null: the turn has ended. */
async function runTools(em: EntityManager, turn: ResearchTurn, answer: ModelAnswer, callId: string, now: number) {
  const tools = toolsOf(turn, answer)
  const pages = await pagesOf(em, readerOf(turn))
  // Requested once: a page that was refused is not asked for again when others of the answer have been read.
  const isRequested = pages.some(({ call_id }) => call_id === callId)
  const urls = tools.filter(isRead).map(({ input }) => input.input.url)
  if (!isRequested && urls.length > 0 && (await requestPages(em, readerOf(turn), callId, urls, now)))
    return { read: true as const }
  if (pages.some((page) => page.turn_id === turn.turn_id && page.status === 'requested')) return { read: true as const }
  const { results, question } = await run(em, turn, tools, RESEARCH_STEPS_MAX - stepsOf(turn), now)
  if (question === null) return { results }
  await endTurn(em, turn, { status: 'answered', text: await shown(em, turn, question), is_question: true }, now)
  return null
}

/** The turn ends without an answer, unless it has done its work: an insight of the last answer is recorded. */
async function failed(
  em: EntityManager,
  turn: ResearchTurn,
  end: NoAnswer,
  now: number,
  answer: ModelAnswer | null,
): Promise<void> {
  const { member } = turn
  const last = end.error === 'too_many_steps' && answer ? toolsOf(turn, answer).filter((tool) => !isRead(tool)) : []
  const { question } = last.length > 0 ? await run(em, turn, last, 0, now) : { question: null }
  const hasEnded =
    question !== null ||
    (end.error === 'too_many_steps' && member !== null && (await hasInsight(em, turn, member.member_id)))
  const text = question === null ? '' : await shown(em, turn, question)
  await endTurn(em, turn, hasEnded ? { status: 'answered', text, is_question: question !== null } : end, now)
}

/** The run has recorded what it found out about the member. */
async function hasInsight(em: EntityManager, { tenant_id, run: id }: ResearchTurn, memberId: string): Promise<boolean> {
  const rows: unknown[] = await em.execute(sql`
    select 1
    from lead_insights
    where tenant_id = ${tenant_id} and member_id = ${memberId} and research_run_id = ${id}
  `)
  return rows.length > 0
}

export const lockResearchTurn: LockOwner = async (em, turnId) => {
  const turn = await readTurn(em, turnId)
  if (!turn) return undefined
  return {
    facts: turn,
    discarded: !turn.member && !turn.message,
    steps_max: RESEARCH_STEPS_MAX,
    refused: refusalOf(turn),
    wait_ms: waitOf(turn),
    said: (before, halvings) => said(em, turn, before, halvings),
    taking: (now) => claimOf(turn, now),
    runTools: (answer, callId, now) => runTools(em, turn, answer, callId, now),
    async answered(text, now) {
      await endTurn(em, turn, { status: 'answered', text: await shown(em, turn, text), is_question: false }, now)
    },
    failed: (end, now, answer) => failed(em, turn, end, now, answer),
    discard: (now) => discardTurn(em, turn, now),
  }
}
