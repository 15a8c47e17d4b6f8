// Every effect, declared once: one row for each kind of request that leaves the building at most once. Its process,
// queue, settings, retention and tests follow from the row; what is missing elsewhere (its columns, its sender, its row
// in the tests) is a type error or a failing test that names the effect.
import type { HostProcess } from './host-processes.ts'
import type { QueueName } from './queues.ts'

/** The states of an effect; all but the first two are final. */
export const effectStatuses = ['requested', 'processing', 'succeeded', 'rejected', 'failed', 'unknown'] as const
export type EffectStatus = (typeof effectStatuses)[number]
/**
 * How a request ends that was sent. A person may replace `unknown`, and what a person recorded, by one of the others.
 */
export const sentOutcomes = ['succeeded', 'rejected', 'unknown'] as const satisfies readonly EffectStatus[]
export const isTerminal = (status: EffectStatus): boolean => status !== 'requested' && status !== 'processing'

type Effect = {
  table: string
  /**
   * Days from the settlement of a row to its deletion, the default of the setting `KEEP_<TABLE>_DAYS`; a row whose
   * outcome is unknown is never deleted.
   * Null: a row is kept as long as the record that it belongs to.
   */
  keep_days: number | null
} & (
  | {
      /**
       * The task queue of the effect's own process, whose kind is the effect's name. Its workflow is
       * workflows/kit/effect.ts unless workflows/index.ts exports another.
       */
      queue: QueueName
      /** The meaning is that of rules/processes.ts. */
      signalled?: true | 'again'
    }
  | {
      /** The process that sends it among its other steps. */
      host: HostProcess
    }
)

export const effects = {
  refund: { table: 'refunds', queue: 'money', signalled: 'again', keep_days: null },
  payment_session: { table: 'payment_sessions', host: 'checkout', keep_days: null },
  session_expiry: { table: 'session_expiries', host: 'checkout', keep_days: null },
  coupon: { table: 'coupons', host: 'checkout', keep_days: null },
  authorization_end: { table: 'authorization_ends', queue: 'money', keep_days: null },
  connect: { table: 'payment_providers', queue: 'money', signalled: true, keep_days: null },
  onboarding_link: { table: 'onboarding_links', queue: 'money', keep_days: 30 },
  price_provision: { table: 'price_provisions', queue: 'money', keep_days: null },
  portal_configuration: { table: 'portal_configurations', host: 'portal', keep_days: null },
  portal_link: { table: 'portal_links', host: 'portal', keep_days: 30 },
  mail: { table: 'mails', queue: 'mail', signalled: 'again', keep_days: 30 },
  campaign_message: { table: 'campaign_messages', queue: 'campaigns', signalled: 'again', keep_days: null },
  webhook_test: { table: 'webhook_tests', queue: 'deliveries', keep_days: 30 },
  subscription_change: { table: 'subscription_changes', host: 'membership', keep_days: null },
  oauth_exchange: { table: 'oauth_exchanges', queue: 'default', keep_days: 30 },
  social_connect: { table: 'social_authorizations', queue: 'social', keep_days: 1 },
  social_token_request: { table: 'social_token_requests', queue: 'social', keep_days: 30 },
  social_reveal: { table: 'social_reveals', host: 'publication', keep_days: null },
  social_reply: { table: 'social_replies', queue: 'social', keep_days: null },
  social_classification: { table: 'social_classifications', queue: 'agents', keep_days: 30 },
  model_call: { table: 'model_calls', host: 'model_turn', keep_days: 30 },
  channel_message: { table: 'channel_messages', queue: 'agents', signalled: 'again', keep_days: 30 },
  node_run: { table: 'node_runs', host: 'execution', keep_days: null },
} as const satisfies Record<string, Effect>

type Effects = typeof effects
export type EffectName = keyof Effects
export const effectNames = Object.keys(effects) as EffectName[]

/** Effects with a process of their own. */
export type OwnProcess = { [N in EffectName]: Effects[N] extends { queue: QueueName } ? N : never }[EffectName]
export const ownProcesses = effectNames.filter((name) => 'queue' in effects[name]) as OwnProcess[]

/** Tables whose settled rows are deleted after some days. */
export type SweptTable = {
  [N in EffectName]: Effects[N] extends { keep_days: number } ? Effects[N]['table'] : never
}[EffectName]
const swept = Object.values(effects).filter((row) => row.keep_days !== null)
export const sweptTables = swept.map(({ table }) => table) as SweptTable[]
export const keepDays = Object.fromEntries(swept.map(({ table, keep_days }) => [table, keep_days])) as Record<
  SweptTable,
  number
>
