// Lead research: runs about members of an audience, their messages and the pages that they read. A message is answered
// by one run of the model.
import type { EntityManager } from '@mikro-orm/postgresql'
import { z } from 'zod'
import { condition } from '../../entities/kit/database/condition.ts'
import { sql } from '../../entities/kit/database/sql.ts'
import { findRecord } from '../../entities/kit/find.ts'
import { providerRefusal } from '../../entities/models/model-calls.ts'
import { ResearchMember } from '../../entities/research/research-member.ts'
import { ResearchMessage } from '../../entities/research/research-message.ts'
import { ResearchRun } from '../../entities/research/research-run.ts'
import {
  cancelRun,
  createRun,
  isOpen,
  type MessageOutcome,
  membersOfRuns,
  messageOutcome,
  postMessage,
} from '../../entities/research/research-runs.ts'
import { ResearchSource } from '../../entities/research/research-source.ts'
import { MESSAGE_MAX } from '../../rules/agents/chats.ts'
import { ComparedText } from '../../rules/input/texts.ts'
import {
  GOAL_MAX,
  MEMBERS_MAX,
  OPEN_RUNS_MAX,
  ResearchMessageStatus,
  ResearchRole,
  ResearchStatus,
  SourceError,
  SourceStatus,
} from '../../rules/research/lead-research.ts'
import { anyCase, CreatedAt, Id, UpdatedAt } from '../../rules/shapes.ts'
import { filter, listing } from '../kit/answer/listing.ts'
import { preferHeader, waitMsOf } from '../kit/answer/prefer.ts'
import { reading } from '../kit/answer/record.ts'
import { NotYet, Reply } from '../kit/answer/replies.ts'
import { fingerprintOf } from '../kit/idempotency.ts'
import { route } from '../kit/route.ts'

const statuses =
  '`queued`, `running`; `awaiting_input` if the model has asked a question, which a message answers; `completed`; `failed`; `cancelled`; `unknown` if it cannot be proved whether the ' +
  'model answered: it is not asked again automatically.'
const error = z.string().nullable().describe('Code of the failure; null for none.')

const RunMember = z
  .object({
    member_id: z.string().describe('Identifier of the membership.'),
    status: ResearchStatus.describe(statuses),
    error,
    signals: z.int().describe('Signals of the insight that the run recorded.'),
    signals_dropped: z.int().describe('Signals that were dropped, as their quote does not stand in their source.'),
  })
  .meta({ id: 'ResearchMember' })

const Run = z
  .object({
    id: z.string().describe("Identifier of the run: the caller's `run_id`, or one made by the server."),
    audience_id: z.string().describe('Identifier of the audience.'),
    goal: z.string().describe('What is to be found out.'),
    model_id: z.string().max(255).describe('The model, as it was sent.'),
    status: ResearchStatus.describe(statuses),
    error: error.describe('Code of why the run stopped before its end; null if it did not.'),
    members: z.array(RunMember).describe('The members and their progress, in the order in which they are researched.'),
    input_tokens: z.int().describe('Tokens that the model read.'),
    output_tokens: z.int().describe('Tokens that the model wrote.'),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'ResearchRun', description: 'A run of lead research.' })

const RunWithError = Run.extend({
  provider_error: z
    .string()
    .nullable()
    .describe(
      "The status with which the model's provider refused the last member that failed, and its words; null if it refused none.",
    ),
}).meta({ id: 'ResearchRunWithError' })

const Message = z
  .object({
    id: z.string().describe('Identifier of the message, a UUIDv7 made by the server.'),
    message_id: z.string().describe("The caller's identifier of the message, or the server's."),
    role: ResearchRole.describe('`user` is an operator, `assistant` the model.'),
    content: z.string().describe('Text of the message.'),
    status: ResearchMessageStatus.nullable().describe(
      "Of an operator's message: what became of it; null of the model's.",
    ),
    error: error.describe('Code of why there is no answer; null for none.'),
    member_id: z
      .string()
      .nullable()
      .describe('The member that the model has researched; null if it answers a message, and of operators.'),
    is_question: z.boolean().describe('Whether the model asks, and a message is to answer.'),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'ResearchMessage' })

const Answered = z
  .object({
    message: Message.describe(
      "The operator's message. `answered`, `failed` or `unknown`; `waiting` or `processing` with 202.",
    ),
    reply: Message.nullable().describe('The answer; null if there is none.'),
  })
  .meta({ id: 'ResearchReply' })

const AnsweredWithError = Answered.extend({
  provider_error: z
    .string()
    .nullable()
    .describe(
      "Of a failed message: the status with which the model's provider refused it, and its words; null for none.",
    ),
}).meta({ id: 'ResearchReplyWithError' })

const Source = z
  .object({
    id: z.string().describe('Identifier of the source, which signals name.'),
    member_id: z
      .string()
      .nullable()
      .describe('The member that it was read for; null if it was read to answer a message.'),
    url: z.string().describe('Address that was requested.'),
    final_url: z.string().nullable().describe('Address that answered, after redirects; null if none did.'),
    status: SourceStatus.describe('`requested`, `read` or `failed`.'),
    error: SourceError.nullable().describe('Why it was not read; null if it was.'),
    http_status: z.int().nullable().describe('HTTP status of the page; null without an answer.'),
    title: z.string().nullable().describe('Title of the page; null for none.'),
    read_at: z.int().nullable().describe('Time of the read, in Unix seconds; null before it.'),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'ResearchSource', description: 'A page that a run reads.' })

const SourceWithText = Source.extend({
  content: z
    .string()
    .nullable()
    .describe('Text of the page as the model read it, in which quotes are looked up; null if it was not read.'),
  links: z
    .array(
      z.object({ url: z.string().describe('Address of the link.'), text: z.string().describe('Text of the link.') }),
    )
    .describe('Links of the page that the model could follow.'),
}).meta({ id: 'ResearchSourceWithText' })

/** The row as the API shows it: the run's own id is not. */
async function shown(em: EntityManager, tenantId: string, rows: readonly ResearchRun[]) {
  const members = await membersOfRuns(
    em,
    tenantId,
    rows.map(({ id }) => id),
  )
  return rows.map((row) => ({ ...row, id: row.run_id, members: members.get(row.id) ?? [] }))
}
const shownById = async (em: EntityManager, tenantId: string, id: string) =>
  (await shown(em, tenantId, [await findRecord(em, ResearchRun, { id }, 'run')]))[0] as z.input<typeof Run>

const runsAt = '/v1/stores/{storeId}/lead-research/runs' as const
const runAt = `${runsAt}/{runId}` as const

/** The run of the path. 404. */
const runOf = (em: EntityManager, path: { runId: string }) => findRecord(em, ResearchRun, { run_id: path.runId }, 'run')

type Body = z.input<typeof Answered>
type Pending = { id: string; wait_ms: number; location: string }

const answered = ({ message, reply }: MessageOutcome): Body => ({ message, reply }) as Body
const isSettled = ({ message }: MessageOutcome) => !isOpen({ status: message.status ?? null })

const researchable = '409 `audience_not_researchable` unless the audience is active and `private` or `open`.'

export const leadResearch = [
  listing(`GET ${runsAt}`, {
    may: 'admin',
    operation: 'listLeadResearchRuns',
    summary: 'List the runs of lead research',
    entity: ResearchRun,
    item: Run,
    filters: {
      audience_id: filter(Id.describe('Only runs about members of this audience.'), (audience_id) => ({ audience_id })),
      status: filter(anyCase(ResearchStatus).describe('Only runs with this status.'), (status) => ({ status })),
      member_id: filter(Id.describe('Only runs about this member.'), (member) =>
        condition(
          (rows) => sql`
            ${rows}.id in (
              select m.research_run_id
              from research_members m
              where m.tenant_id = ${rows}.tenant_id and m.member_id = ${member}
            )
          `,
        ),
      ),
    },
    load: (em, rows: ResearchRun[], { tenant_id }) => shown(em, tenant_id, rows),
  }),
  route(`POST ${runsAt}`, {
    may: 'admin',
    active: true,
    operation: 'createLeadResearchRun',
    refuses: [
      'audience_not_researchable',
      'idempotency_conflict',
      'runs_too_many',
      'model_unknown',
      'model_ambiguous',
      'token_limit',
    ],
    summary: 'Begin a run of lead research',
    description:
      "The model researches the members one after the other: it reads public pages and records one insight for each member, which `GET …/audiences/leads` returns. It reads the first pages of the member's " +
      'own domain, addresses in `goal` and in messages, and links of pages that it has read; no other address. Each signal quotes a page; a signal whose quote does not stand there is dropped. The same ' +
      `\`run_id\` and body return the same run. ${researchable} 409 \`runs_too_many\` while ${OPEN_RUNS_MAX} runs of the {store} have not ended. 422 \`model_unknown\` if no AI integration has the model, ` +
      '`model_ambiguous` if several have it. 429 `token_limit` if the tokens of the day are used up.',
    body: z.object({
      run_id: Id.optional().describe('UUID made by the caller: the same id and body return the same run.'),
      audience_id: Id.describe('Identifier of the audience.'),
      member_ids: z
        .array(Id)
        .min(1)
        .max(MEMBERS_MAX)
        .describe(`Identifiers of active members of the audience, 1 to ${MEMBERS_MAX}.`),
      goal: z
        .string()
        .trim()
        .min(1)
        .max(GOAL_MAX)
        .describe('What is to be found out, 1 to 4,000 characters. Addresses in it may be read.'),
      model_id: ComparedText.trim()
        .min(1)
        .max(255)
        .describe('Id or key of an AI integration, or the name of a model that exactly one has.'),
    }),
    out: Run,
    status: [201, 200],
    async run({ em, caller, tenant_id, body, now }) {
      const { run_id = null, ...sent } = body
      const { id, isNew } = await createRun(
        em,
        tenant_id,
        { run_id, ...sent, account_id: caller.account_id, fingerprint: fingerprintOf(sent) },
        now,
      )
      return new Reply(await shownById(em, tenant_id, id), { status: isNew ? 201 : 200 })
    },
  }),
  reading(`GET ${runAt}`, {
    may: 'admin',
    operation: 'getLeadResearchRun',
    summary: 'Read a run of lead research',
    entity: ResearchRun,
    out: RunWithError,
    where: ({ path }) => ({ run_id: path.runId }),
    async show(row, { em, tenant_id }) {
      const [run] = await shown(em, tenant_id, [row])
      const failed = await em.findOne(
        ResearchMember,
        { research_run_id: row.id, status: 'failed', turn_id: { $ne: null } },
        { orderBy: { position: 'desc' } },
      )
      return {
        ...(run as z.input<typeof Run>),
        provider_error: failed?.turn_id ? await providerRefusal(em, tenant_id, failed.turn_id) : null,
      }
    },
  }),
  route(`POST ${runAt}/cancel`, {
    may: 'admin',
    request: { while: ['queued', 'running', 'awaiting_input'] },
    operation: 'cancelLeadResearchRun',
    refuses: ['run_not_open'],
    summary: 'Cancel a run of lead research',
    description:
      'No further member is researched, and messages are refused. A call of the model that was sent is billed, and its answer is discarded. Insights that were recorded stay. Repeating the request ' +
      'returns the run again. 409 `run_not_open` for a run that has ended.',
    out: Run,
    async run({ em, tenant_id, path, now }) {
      return shownById(em, tenant_id, await cancelRun(em, tenant_id, path.runId, now))
    },
  }),
  route(`POST ${runAt}/messages`, {
    may: 'admin',
    active: true,
    operation: 'sendLeadResearchMessage',
    request: { headers: preferHeader },
    refuses: ['audience_not_researchable', 'idempotency_conflict', 'run_cancelled', 'token_limit'],
    summary: 'Send a message to a run of lead research',
    description:
      'Answers a question of the model, or asks about the leads: one run of the model answers it, after those of the members and of earlier messages. Waits for the answer, for 25 seconds unless `Prefer` says ' +
      'otherwise; then 202 with `Location`: read it there, or send the same message again. The same `message_id` and message return the same saved result, and the model is not asked again. A message without an ' +
      `answer is \`failed\` or \`unknown\`; to ask again, send it with a new id. ${researchable} 409 \`run_cancelled\`. 429 \`token_limit\` if the tokens of the day are used up.`,
    status: [200, 202],
    body: z.object({
      message_id: Id.describe('UUID made by the caller: the same id and message return the same saved result.'),
      message: z
        .string()
        .trim()
        .min(1)
        .max(MESSAGE_MAX)
        .describe('Text of the message, 1 to 8,000 characters. Addresses in it may be read.'),
    }),
    out: Answered,
    async run({ em, caller, tenant_id, path, body, headers, now }) {
      const { message_id, message } = body
      const sent = {
        run_id: path.runId,
        message_id,
        content: message,
        account_id: caller.account_id,
        fingerprint: fingerprintOf({ run_id: path.runId.toLowerCase(), message }),
      }
      const id = await postMessage(em, tenant_id, sent, now)
      const outcome = await messageOutcome(em, id)
      if (isSettled(outcome)) return new Reply<Body, Pending>(answered(outcome), {})
      const location = `/v1/stores/${path.storeId}/lead-research/runs/${path.runId}/messages/${message_id}`
      return new Reply<Body, Pending>(answered(outcome), { pending: { id, wait_ms: waitMsOf(headers), location } })
    },
    wait: {
      limit_ms: ({ wait_ms }: Pending) => wait_ms,
      // A turn takes seconds: at most two statements twice a second for each request that waits.
      poll_ms: 500,
      async until({ em, pending }: { em: EntityManager; pending: Pending }) {
        const outcome = await messageOutcome(em, pending.id)
        return isSettled(outcome) ? answered(outcome) : new NotYet(answered(outcome))
      },
      late: (latest: Body, _engineAway: boolean, { location }: Pending) =>
        new Reply<Body>(latest, { status: 202, headers: { Location: location } }),
    },
  }),
  listing(`GET ${runAt}/messages`, {
    may: 'admin',
    operation: 'listLeadResearchMessages',
    summary: 'List the messages of a run of lead research',
    entity: ResearchMessage,
    item: Message,
    byCreation: true,
    scope: async ({ em, path }) => ({ research_run_id: (await runOf(em, path)).id }),
  }),
  reading(`GET ${runAt}/messages/{messageId}`, {
    may: 'admin',
    operation: 'getLeadResearchMessage',
    summary: 'Read a message of a run of lead research with its answer',
    entity: ResearchRun,
    out: AnsweredWithError,
    where: ({ path }) => ({ run_id: path.runId }),
    async show(run, { em, tenant_id, path }) {
      const { id, status, turn_id } = await findRecord(
        em,
        ResearchMessage,
        { research_run_id: run.id, message_id: path.messageId, role: 'user' },
        'message',
      )
      const provider_error = status === 'failed' && turn_id ? await providerRefusal(em, tenant_id, turn_id) : null
      return { ...answered(await messageOutcome(em, id)), provider_error }
    },
  }),
  listing(`GET ${runAt}/sources`, {
    may: 'admin',
    operation: 'listLeadResearchSources',
    summary: 'List the pages that a run of lead research has read',
    entity: ResearchSource,
    item: Source,
    byCreation: true,
    scope: async ({ em, path }) => ({ research_run_id: (await runOf(em, path)).id }),
  }),
  reading(`GET ${runAt}/sources/{sourceId}`, {
    may: 'admin',
    operation: 'getLeadResearchSource',
    summary: 'Read a page of a run of lead research with its text',
    entity: ResearchRun,
    out: SourceWithText,
    where: ({ path }) => ({ run_id: path.runId }),
    async show(run, { em, path }) {
      const source = await findRecord(em, ResearchSource, { research_run_id: run.id, id: path.sourceId }, 'source')
      await em.populate(source, ['content'])
      return source as z.input<typeof SourceWithText>
    },
  }),
]
