// What a person has to do: the kinds of items, and what each says. The words of each kind are in
// rules/<domain>/attention.ts: they are for people, and name no routes, fields or values of the API. No secrets. Of
// personal data no more than what the other party answered: a mail server may name an address, which the item of an
// e-mail of the installation leaves out.
import { z } from 'zod'
import { type DescribedRow, root } from './descriptions.ts'
import { type EffectName, effectNames } from './effects.ts'
import { spoken } from './error-words.ts'
import { anyMembers } from './open-answers.ts'
import { type ProcessKind, processOf } from './processes.ts'
import { type Evidence, foundText, isDone, type Resolution } from './resolutions.ts'
import { ResolverRole } from './stores/roles.ts'
import type { Subject } from './timeline/subjects.ts'

/**
 * What is done about an item. `outcome`: find out what became of a request, and record it. `money`: return it, or
 * accept what was paid. `dispute`: answer it. `stopped`: mend the cause or complete what is missing, and start it
 * again. `reconnect`: connect the account again.
 */
export const AttentionGroup = z.enum(['outcome', 'money', 'dispute', 'stopped', 'reconnect'])
export type AttentionGroup = z.infer<typeof AttentionGroup>

/**
 * Kinds beside the effects, each of which is a kind by its name. `start`: a workflow of ours that was not started.
 * `readiness`: a store that offers something and cannot sell it.
 */
const others = {
  refund_due: 'money',
  payment: 'money',
  subscription: 'money',
  dispute: 'dispute',
  campaign: 'stopped',
  mailbox: 'stopped',
  webhook: 'stopped',
  start: 'stopped',
  erasure: 'stopped',
  readiness: 'stopped',
  channel: 'reconnect',
  social_connection: 'reconnect',
} as const satisfies Record<string, AttentionGroup>
type OtherKind = keyof typeof others

export const AttentionKind = z.enum([...effectNames, ...(Object.keys(others) as OtherKind[])])
export type AttentionKind = EffectName | OtherKind
export const attentionKinds: readonly AttentionKind[] = AttentionKind.options

export const groupOf = (kind: AttentionKind): AttentionGroup => (kind in others ? others[kind as OtherKind] : 'outcome')

/** `resolved`: a person recorded its outcome, and nothing says otherwise. */
export const AttentionStatus = z.enum(['open', 'resolved'])
export type AttentionStatus = z.infer<typeof AttentionStatus>

/** The roles of a tenant that a kind is shown to, and that may resolve it. */
export const AttentionRole = z.enum(['admin', 'owner'])
export type AttentionRole = z.infer<typeof AttentionRole>

/**
 * What can be recorded under an item. `accepted`: a payment of another amount is kept as it is. `start_again`: what was
 * not started is started.
 */
export const AttentionOutcome = z.enum(['succeeded', 'rejected', 'accepted', 'start_again'])
export type AttentionOutcome = z.infer<typeof AttentionOutcome>
/** Those of all routes that resolve a record. */
export const AttentionChoice = z.enum([...AttentionOutcome.options, 'published', 'completed', 'failed'])
export type AttentionChoice = z.infer<typeof AttentionChoice>

export type Resolving = { path: string; role: ResolverRole; choices: readonly AttentionChoice[] }

/** A request of the API that mends what is wrong, which ends the item or leads to its end. */
export const Mend = z
  .object({
    method: z.enum(['GET', 'POST', 'PUT']).describe('Method of the request.'),
    path: z.string().describe('Path of the request, with the id of what it changes.'),
    role: ResolverRole.describe('The least role that may send it; `platform`: an administrator of the installation.'),
    body: anyMembers()
      .optional()
      .describe('Members of its body that follow from what is wrong; left out if there are none.'),
  })
  .meta({ id: 'Mend', description: 'The request that mends what is wrong.' })
export type Mend = z.infer<typeof Mend>
/** A page of the payment provider's dashboard: of this account, or of the platform's own. */
export type ProviderPage = { account: string | null; path: string }
type Process = { kind: ProcessKind; id: string }

/** What is known. `ids`: what it is looked up by, here and at the provider. */
export type AttentionEvidence = {
  /** Of a request, or the code of what is wrong. */
  status: string | null
  sent_at: number | null
  settled_at: number | null
  error: ({ code: string; message: string } & Record<string, unknown>) | null
  answer: Evidence | null
  late_evidence: Evidence | null
  /** `recorded_by`: the e-mail address of a member of the team; null for anyone else. */
  resolution: (Resolution & { recorded_by?: string | null }) | null
  ids: Record<string, string>
}

/** Amounts in minor units, times in Unix seconds. */
export type ItemText = {
  title: string
  subject: { type: string; id: string; label: string | null }
  amount?: number | null
  currency?: string | null
  /** By when it has to be done. */
  due_at?: number | null
  evidence: AttentionEvidence
  what_to_do: string
  /** Null: the item ends by itself when what is wrong is mended. */
  resolve: Resolving | null
  mend?: Mend | null
  /** What has a timeline of its own, which tells how it came to this. */
  timeline?: Subject | null
  /** The workflow that it is about. */
  process: Process | null
  provider?: ProviderPage | null
}

/** Facts of an effect's row; times in Unix seconds. */
export type EffectFacts = DescribedRow & {
  status: string
  error: AttentionEvidence['error']
  evidence: Evidence | null
  late_evidence: Evidence | null
  resolution: Resolution | null
  sent_at: number | null
  settled_at: number | null
  process_id: string | null
  /** It is in the list of what was resolved. */
  is_resolved: boolean
}

/** Identifiers that are known. */
export const idsOf = (ids: Record<string, string | null | undefined>): Record<string, string> =>
  Object.fromEntries(Object.entries(ids).filter((one): one is [string, string] => one[1] != null))

export const evidenceOf = (
  { status, error, evidence, late_evidence, resolution, sent_at, settled_at }: EffectFacts,
  ids: Record<string, string | null | undefined>,
): AttentionEvidence => ({
  status,
  sent_at,
  settled_at,
  error: spoken(error),
  answer: evidence,
  late_evidence,
  resolution,
  ids: idsOf(ids),
})

/** What is wrong with a record that is no effect. */
export const wrong = (
  error: AttentionEvidence['error'],
  ids: Record<string, string | null | undefined>,
): AttentionEvidence => ({
  ...{ status: error?.code ?? null, sent_at: null, settled_at: null, error: spoken(error) },
  ...{ answer: null, late_evidence: null, resolution: null, ids: idsOf(ids) },
})

type Row = Pick<DescribedRow, 'id' | 'tenant_id' | 'tenant_kind' | 'store'>
/**
 * Recorded under the item: by an owner of its tenant, or by an administrator of the installation for what has no
 * tenant, or is `ofPlatform`.
 */
export const recorded = (row: Row, choices: readonly AttentionOutcome[], ofPlatform = false): Resolving =>
  row.tenant_id && !ofPlatform
    ? { path: `${root(row)}/attention/${row.id}/resolve`, role: 'owner', choices }
    : { path: `/v1/platform/attention/${row.id}/resolve`, role: 'platform', choices }

/** A request of the tenant's own routes; `path` below its root. */
export const mending = (
  row: Pick<DescribedRow, 'tenant_id' | 'tenant_kind'>,
  method: Mend['method'],
  path: string,
  role: ResolverRole = 'admin',
): Mend => ({ method, path: `${root(row)}${path}`, role })

/** `whether`: what was asked for, as the end of "It is not known whether …". */
const titleOf = (whether: string, { resolution, is_resolved }: Pick<EffectFacts, 'resolution' | 'is_resolved'>) => {
  if (!resolution) return `It is not known whether ${whether}.`
  return is_resolved
    ? `An operator found out whether ${whether}: ${isDone(resolution.outcome) ? 'yes' : 'no'}.`
    : `It is uncertain whether ${whether}: evidence contradicts what was recorded.`
}

const isCorrectable = ({ outcome }: Resolution, choices: readonly AttentionChoice[]): boolean =>
  choices.some((one) => one !== outcome)

/**
 * What a person does about a record that later evidence contradicts. `choices`: what can be recorded; without the other
 * outcome nothing came of the request here, even if it was carried out there.
 */
function contradictedWords(resolution: Resolution, choices: readonly AttentionChoice[]): string {
  const other = isDone(resolution.outcome) ? 'rejected' : 'succeeded'
  const correct = isCorrectable(resolution, choices)
    ? `If the evidence is right, record that ${foundText(other)}, in place of what was recorded. `
    : 'What was made there is not used here: remove it there, if it is still shown. '
  return `An operator recorded that ${foundText(resolution.outcome)}, and what became known since says otherwise. Look it up once more. ${correct}To keep what was recorded, record it again against the evidence.`
}

const resolvedWords = (resolution: Resolution, choices: readonly AttentionChoice[]): string =>
  isCorrectable(resolution, choices)
    ? 'There is nothing left to do. If it was recorded by mistake, record the opposite.'
    : 'There is nothing left to do.'

type Said = Pick<ItemText, 'title' | 'what_to_do' | 'resolve' | 'mend'>
type Question = { whether: string; what_to_do: string; resolve: Resolving | null; mend?: Mend | null | undefined }
/** What is said of a request: its outcome is unknown, contradicted by later evidence, or resolved. */
export function outcomeWords(
  row: Pick<EffectFacts, 'resolution' | 'is_resolved'>,
  { whether, what_to_do, resolve, mend = null }: Question,
): Said {
  const { resolution, is_resolved } = row
  const title = titleOf(whether, row)
  if (!resolution) return { title, what_to_do, resolve, mend }
  const choices = resolve?.choices ?? []
  if (!is_resolved) return { title, what_to_do: contradictedWords(resolution, choices), resolve, mend: null }
  return {
    ...{ title, what_to_do: resolvedWords(resolution, choices), mend: null },
    resolve: isCorrectable(resolution, choices) ? resolve : null,
  }
}

type Asks = {
  row: EffectFacts
  ids: Record<string, string | null | undefined>
  effect: EffectName
  /** What the platform charges for a plan is in no timeline of its tenant. */
  timeline?: null | undefined
} & Question &
  Pick<ItemText, 'subject' | 'amount' | 'currency' | 'provider'>

/** An outcome that is unknown, or that a person recorded. */
export const outcomeItem = ({
  row,
  whether,
  what_to_do,
  resolve,
  mend,
  ids,
  effect,
  timeline,
  ...text
}: Asks): ItemText => ({
  ...text,
  ...outcomeWords(row, { whether, what_to_do, resolve, mend }),
  evidence: evidenceOf(row, ids),
  process: row.process_id === null ? null : { kind: processOf(effect), id: row.process_id },
  timeline: timeline === null || !row.tenant_id ? null : { type: effect, id: row.id },
})
