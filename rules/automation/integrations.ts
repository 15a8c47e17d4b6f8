// Integrations: the types of providers, the category and the fields of each, and which of the fields are secrets.
import { z } from 'zod'
import { ChannelAction } from '../agents/channels.ts'
import { HttpUrl, REDACTED, redacted, SecretUrl, writeOnly } from '../input/write-only.ts'
import { type Fault, invalidInput } from '../refusal.ts'
import { anyCase, Currency } from '../shapes.ts'
import { DriveType } from './drives.ts'

export const IntegrationCategory = z.enum([
  ...([
    'drive',
    'payment',
    'shipping',
    'analytics',
    'oauth',
    'ai',
    'email',
    'messaging',
    'channel',
    'deploy',
    'other',
  ] as const),
])
export type IntegrationCategory = z.infer<typeof IntegrationCategory>

/** Categories of which a tenant has one active integration at most. */
export const ExclusiveCategory = IntegrationCategory.extract(['payment', 'shipping', 'analytics'])

/** The type of the tokens that an exchange of an authorization code got. Its key is the name of the provider. */
export const OAUTH_CONNECTION = 'oauth_connection'
/** The API of an `identity_oauth` without a `base_url`. */
export const OAUTH_BASE_URL = 'https://oauth2.googleapis.com'

/** Printable ASCII, as the value is part of a header. */
const secretText = () =>
  writeOnly(
    z
      .string()
      .regex(/^[\x21-\x7e]+$/, 'Expected printable ASCII without spaces.')
      .max(2048),
  )
const text = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'Expected one line of text without control characters.')

/** Returned as `__redacted__`, and sealed in the table. */
const secretFields = {
  secret_key: secretText().describe('Secret key of a `card_payment` account. Write-only.'),
  webhook_secret: secretText().describe('Secret that signs the events of a `card_payment` account. Write-only.'),
  api_token: secretText().describe('Token of a `shipping_provider`. Write-only.'),
  client_secret: secretText().describe('Secret of the client of an `identity_oauth`. Write-only.'),
  bot_token: writeOnly(
    z
      .string()
      .regex(/^[\w:-]+$/, 'Expected letters, digits, colons, hyphens and underscores.')
      .max(255),
  ).describe('Token of a `chat_bot`. Write-only.'),
  api_key: secretText().describe('API key of an AI, e-mail, messaging or other provider. Write-only.'),
  url: SecretUrl.describe('Address of a deploy hook, http or https. Write-only.'),
}
const publicFields = {
  publishable_key: text(255).describe('Publishable key of a `card_payment` account.'),
  currency: Currency.describe('Currency of a `card_payment` account (ISO 4217).'),
  client_id: text(255).describe('Client id of an `identity_oauth`.'),
  scopes: z.array(text(255)).max(100).describe('Scopes of an `identity_oauth`, 100 at most.'),
  measurement_id: text(255).describe('Measurement id of an `analytics_4`.'),
  action: anyCase(ChannelAction).describe(
    'Who answers messages to a `chat_bot`: the `agent` that serves it, by default; `inbox`: people do.',
  ),
  model: text(255).describe('Model of an `llm_a` or `llm_b`.'),
  base_url: HttpUrl.refine(
    (url) => !/[?#]/.test(url),
    'Expected an address without a query and a fragment: paths are added to its end.',
  ).describe(
    "Address of the provider's API, without a query, if it is not the usual one: of `llm_a`, `llm_b`, `chat_bot` and `identity_oauth`. Another one requires the secret again.",
  ),
}
/** Whether the integration is the active one of its category. */
const flags = {
  active_for_card_payments: z.boolean().describe('Whether the `card_payment` is the active one.'),
  active_for_fulfillment: z.boolean().describe('Whether the `shipping_provider` is the active one.'),
  active_for_tracking: z.boolean().describe('Whether the `analytics_4` is the active one.'),
}

type SecretField = keyof typeof secretFields
type PublicField = keyof typeof publicFields
type Flag = keyof typeof flags
type Kind = {
  category: IntegrationCategory
  required: readonly (SecretField | PublicField)[]
  optional?: readonly (SecretField | PublicField)[]
  flag?: Flag
  needed?: readonly (SecretField | PublicField)[]
}

const llm: Kind = { category: 'ai', required: ['api_key', 'model'], optional: ['base_url'] }
const email: Kind = { category: 'email', required: ['api_key'] }
const messaging: Kind = { category: 'messaging', required: ['api_key'] }
const deployHook: Kind = { category: 'deploy', required: ['url'] }
/** The kind of every type that is not listed. */
const apiKey: Kind = { category: 'other', required: ['api_key'] }

const kinds: Readonly<Record<string, Kind>> = {
  card_payment: {
    category: 'payment',
    required: ['secret_key'],
    optional: ['publishable_key', 'webhook_secret', 'currency'],
    // Without them no payment form is shown, and no event proves a payment.
    needed: ['publishable_key', 'webhook_secret'],
    flag: 'active_for_card_payments',
  },
  shipping_provider: { category: 'shipping', required: ['api_token'], flag: 'active_for_fulfillment' },
  identity_oauth: { category: 'oauth', required: ['client_id', 'client_secret'], optional: ['scopes', 'base_url'] },
  analytics_4: { category: 'analytics', required: ['measurement_id'], flag: 'active_for_tracking' },
  chat_bot: { category: 'channel', required: ['bot_token'], optional: ['action', 'base_url'] },
  ...{ llm_a: llm, llm_b: llm },
  ...{ email_a: email, email_b: email },
  ...{ messaging_a: messaging, messaging_b: messaging, messaging_c: messaging },
  ...{
    host_a_deploy_hook: deployHook,
    host_b_deploy_hook: deployHook,
    host_c_deploy_hook: deployHook,
    custom_deploy_hook: deployHook,
  },
}
const kindOf = (type: string): Kind => (Object.hasOwn(kinds, type) ? kinds[type] : undefined) ?? apiKey

const typeDescription = `Type of the provider, which decides its fields: ${Object.entries(kinds)
  .map(
    ([type, { required, optional = [], flag }]) =>
      `\`${type}\` (${[...required, ...optional, ...(flag ? [flag] : [])].map((name) => `\`${name}\``).join(', ')})`,
  )
  .join(', ')}. Any other type has an \`api_key\`.`
const IntegrationType = z
  .string()
  .regex(
    /^[a-z][a-z0-9_]{1,40}$/,
    'Expected 2 to 41 lower-case letters, digits and underscores, beginning with a letter.',
  )
  .refine((type) => !DriveType.safeParse(type).success, 'Drives are not integrations of this route.')
  .refine((type) => type !== OAUTH_CONNECTION, 'Connect the account with `oauth/connect`.')

type Nullish<F extends Readonly<Record<string, z.ZodType>>> = { [N in keyof F]: z.ZodOptional<z.ZodNullable<F[N]>> }
const nullish = <F extends Readonly<Record<string, z.ZodType>>>(fields: F) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, field.nullish().describe(field.description ?? '')]),
  ) as Nullish<F>
const optional = <F extends Readonly<Record<string, z.ZodType>>>(fields: F) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, field.optional().describe(field.description ?? '')]),
  ) as {
    [N in keyof F]: z.ZodOptional<F[N]>
  }

const sent = { ...nullish(publicFields), ...nullish(secretFields), ...optional(flags) }
/** What is sent when an integration is created: which of the fields its type has is checked by `providerOf`. */
export const IntegrationProvider = z.strictObject({ type: IntegrationType.describe(typeDescription), ...sent }).meta({
  id: 'IntegrationProviderInput',
  description:
    'A provider, and how to reach it. Fields that its type does not have are refused; null is the same as none.',
})
export const IntegrationProviderChange = z
  .strictObject({ type: IntegrationType.optional().describe('Type of the provider. It cannot be changed.'), ...sent })
  .meta({
    id: 'IntegrationProviderChange',
    description: 'Changes of a provider. Fields that are left out are kept; null removes a field that is not required.',
  })
type Sent = z.output<typeof IntegrationProviderChange>

const settings = { type: z.string().describe('Type of the provider.'), ...optional(publicFields), ...optional(flags) }
export const IntegrationConfig = z
  .object(settings)
  .meta({ id: 'IntegrationConfig', description: 'The public fields of a provider.' })
const ofConnection = {
  expires_at: z
    .int()
    .optional()
    .describe('Time at which the access token of an `oauth_connection` expires, in Unix seconds, if it is known.'),
  access_token: z.literal(REDACTED).optional().describe('Access token of an `oauth_connection`.'),
  refresh_token: z.literal(REDACTED).optional().describe('Refresh token of an `oauth_connection`.'),
}
const hidden = Object.fromEntries(
  Object.entries(secretFields).map(([name, field]) => [
    name,
    z
      .literal(REDACTED)
      .optional()
      .describe(field.description ?? ''),
  ]),
) as Record<SecretField, z.ZodOptional<z.ZodLiteral<typeof REDACTED>>>
export const IntegrationProviderOut = z.object({ ...settings, ...hidden, ...ofConnection }).meta({
  id: 'IntegrationProvider',
  description: 'A provider: its public fields, and `__redacted__` for each stored secret.',
})

/**
 * Seconds for which events that the secret before signed are accepted: the provider may deliver them for three days.
 */
const OLDER_SECRET_S = 3 * 86_400

/**
 * The secrets of a `card_payment`. `older_webhook_secret` was replaced at `older_webhook_secret_at`, in Unix seconds.
 */
type CardSecrets = {
  secret_key: string
  webhook_secret?: string
  older_webhook_secret?: string
  older_webhook_secret_at?: string
}

export const cardSecretsOf = (credentials: string): CardSecrets => JSON.parse(credentials) as CardSecrets

/** The secrets whose signatures prove an event of the account. `now` in Unix seconds. */
export function webhookSecretsOf(
  { webhook_secret, older_webhook_secret: older, older_webhook_secret_at: at = '0' }: CardSecrets,
  now: number,
): string[] {
  return [
    ...(webhook_secret ? [webhook_secret] : []),
    ...(webhook_secret && older && now < Number(at) + OLDER_SECRET_S ? [older] : []),
  ]
}

/**
 * Keeps the secret before, if there is another one now: events that it signed are underway. Without `older`, it is
 * dropped. `now` in Unix seconds.
 */
export function rotated(before: CardSecrets, after: CardSecrets, keepsOlder: boolean, now: number): CardSecrets {
  const { older_webhook_secret: _, older_webhook_secret_at: __, ...secrets } = after
  if (!secrets.webhook_secret || !before.webhook_secret || !keepsOlder) return secrets
  if (before.webhook_secret === secrets.webhook_secret) return after
  return { ...secrets, older_webhook_secret: before.webhook_secret, older_webhook_secret_at: String(now) }
}

/** What is stored of a provider; `credentials` are its secrets. */
export type Stored = { settings: Record<string, unknown>; credentials: Record<string, string>; active: boolean }

const isSecret = (name: string): name is SecretField => Object.hasOwn(secretFields, name)
const isFlag = (name: string): name is Flag => Object.hasOwn(flags, name)

/**
 * The provider with what was sent; without `before`, a new one. Stored secrets are sent only to the `base_url` that
 * they were entered for. 422 with every fault: a field that the type lacks, one that it needs.
 */
export function providerOf(
  type: string,
  { type: _, ...changes }: Sent,
  before?: Stored,
): Stored & { category: IntegrationCategory } {
  const { category, required, optional: others = [], flag, needed = [] } = kindOf(type)
  const fields: readonly string[] = [...required, ...others, ...(flag ? [flag] : [])]
  const faults: Fault[] = []
  const stored: Stored = {
    settings: { ...before?.settings },
    credentials: { ...before?.credentials },
    active: before?.active ?? flag === undefined,
  }
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) continue
    if (!fields.includes(name))
      faults.push({
        pointer: `/provider/${name}`,
        code: 'unsupported_field',
        detail: `An integration of type \`${type}\` has no such field.`,
      })
    else if (isFlag(name)) stored.active = value === true
    else {
      const place: Record<string, unknown> = isSecret(name) ? stored.credentials : stored.settings
      if (value === null) delete place[name]
      else place[name] = value
    }
  }
  const isElsewhere = before && stored.settings.base_url !== before.settings.base_url
  for (const name of [...required, ...(stored.active ? needed : [])]) {
    const isLacking = isSecret(name) ? stored.credentials[name] === undefined : stored.settings[name] === undefined
    const detail = isLacking
      ? 'This field is required.'
      : 'Required when `base_url` changes: stored secrets are not sent to another address.'
    if (isLacking || (isElsewhere && isSecret(name) && !changes[name]))
      faults.push({ pointer: `/provider/${name}`, code: 'required', detail })
  }
  if (faults.length > 0) throw invalidInput(faults)
  return { ...stored, category }
}

type Described = { type: string; settings: Record<string, unknown>; active: boolean }
/** The public fields of a provider, with its flag. */
export function configOf({ type, settings, active }: Described) {
  const { flag } = kindOf(type)
  return { ...settings, type, ...(flag ? { [flag]: active } : {}) }
}
export const shownProvider = (described: Described, credentials: Record<string, unknown>) => ({
  ...configOf(described),
  ...redacted(Object.fromEntries(Object.entries(credentials).filter(([name]) => !name.startsWith('older_')))),
})
