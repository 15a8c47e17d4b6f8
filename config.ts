// Reads every setting from the environment, once. A missing or wrong setting stops the process with one line that names
// it.
import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { z } from 'zod'
import { keepDays, type SweptTable, sweptTables } from './rules/effects.ts'
import { emailForm } from './rules/input/email-addresses.ts'
import { isLoopback } from './rules/input/return-url.ts'
import { type NetworkType, networkLetters, networkTypes } from './rules/social/networks/network-types.ts'
import type { App } from './rules/social/networks/request.ts'
import { Plans } from './rules/subscriptions/plans.ts'

const whole = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/, `must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((n) => n >= min && n <= max, `must be a whole number from ${min} to ${max}`)

const address = (...schemes: string[]) =>
  z
    .string()
    .refine(
      (text) => URL.canParse(text) && schemes.includes(new URL(text).protocol.slice(0, -1)),
      `must be an address that begins with ${schemes.join(':// or ')}://`,
    )

const list = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
)

/** An entry of EGRESS_ALLOW: an address, a network with its prefix length, or a host name. */
function reachable(entry: string): boolean {
  const [base = '', length, ...rest] = entry.split('/')
  const family = net.isIP(base)
  if (length === undefined) return family > 0 || /^[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?$/i.test(entry)
  return rest.length === 0 && family > 0 && /^\d{1,3}$/.test(length) && Number(length) <= (family === 4 ? 32 : 128)
}

/** A retention period in days; 0 keeps rows without limit. */
const days = (usual: number) => whole(0, 36_500).default(usual)

const keepSetting = <T extends SweptTable>(table: T) => `KEEP_${table.toUpperCase() as Uppercase<T>}_DAYS` as const
/** One for each effect whose rows are deleted after some days. */
const keepSettings = Object.fromEntries(
  sweptTables.map((table) => [keepSetting(table), days(keepDays[table])]),
) as Record<ReturnType<typeof keepSetting<SweptTable>>, ReturnType<typeof days>>

/** Keys of 32 bytes, as 64 hexadecimal digits or as base64. Messages never repeat a value: it may be a secret. */
const keys = list.transform((texts, ctx) => {
  const found = texts.map((text) => Buffer.from(text, /^[0-9a-f]{64}$/i.test(text) ? 'hex' : 'base64'))
  if (found.length > 0 && found.every((key) => key.length === 32)) return found
  ctx.addIssue({
    code: 'custom',
    message:
      'must be 32 bytes in hexadecimal or base64 (several with commas, the first encrypts): openssl rand -base64 32',
  })
  return z.NEVER
})

/** Comma-separated seconds; fractions are allowed. */
const delays = list.transform((items, ctx) => {
  const seconds = items.map(Number)
  if (
    items.length > 0 &&
    items.length <= 20 &&
    items.every((item) => /^\d+(\.\d+)?$/.test(item)) &&
    seconds.every((s) => s <= 7 * 86_400)
  )
    return seconds
  ctx.addIssue({ code: 'custom', message: 'must be 1 to 20 numbers of seconds with commas, each a week at most' })
  return z.NEVER
})

const file = z.string().transform((path, ctx) => {
  try {
    return fs.readFileSync(path)
  } catch {
    ctx.addIssue({ code: 'custom', message: 'must name a file that can be read' })
    return z.NEVER
  }
})

/** The plans of stores, as JSON. The message names the first fault by its place. */
const plans = z.string().transform((text, ctx) => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    ctx.addIssue({ code: 'custom', message: 'must be JSON' })
    return z.NEVER
  }
  const read = Plans.safeParse(value)
  if (read.success) return read.data
  const [first] = read.error.issues
  ctx.addIssue({
    code: 'custom',
    message: `must be a list of plans: ${first?.path.join('.') || 'the list'}: ${first?.message}`,
  })
  return z.NEVER
})

type AppSetting = `SOCIAL_${(typeof networkLetters)[NetworkType]}_CLIENT_${'ID' | 'SECRET'}`
const appSetting = (type: NetworkType, of: 'ID' | 'SECRET'): AppSetting => `SOCIAL_${networkLetters[type]}_CLIENT_${of}`
/** The app of the installation at each network. */
const appSettings = Object.fromEntries(
  networkTypes.flatMap((type) =>
    (['ID', 'SECRET'] as const).map((of) => [appSetting(type, of), z.string().optional()]),
  ),
) as Record<AppSetting, z.ZodOptional<z.ZodString>>

const settings = z.object({
  NODE_ENV: z.string().default('none'),
  PORT: whole(0, 65_535).default(8080),
  HOST: z.string().default('127.0.0.1'),
  PUBLIC_URL: address('https', 'http').optional(),
  TRUSTED_PROXIES: whole(0, 10).default(0),
  CONSOLE: z.enum(['true', 'false']).default('true'),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  DATABASE_URL: address('postgres', 'postgresql'),
  DATABASE_POOL: whole(1, 1000).default(10),
  SECRETS_KEY: keys,
  TEMPORAL_ADDRESS: z.string().regex(/^[^\s:/]+:\d+$|^\[[^\]]+\]:\d+$/, 'must be host:port'),
  TEMPORAL_NAMESPACE: z.string().default('default'),
  TEMPORAL_TASK_SLOTS: whole(2, 10_000).default(100),
  TEMPORAL_UI_URL: address('https', 'http').optional(),
  TEMPORAL_TLS: z.enum(['true', 'false']).default('false'),
  TEMPORAL_TLS_CA: file.optional(),
  TEMPORAL_TLS_CERT: file.optional(),
  TEMPORAL_TLS_KEY: file.optional(),
  TEMPORAL_TLS_SERVER_NAME: z.string().optional(),
  STRIPE_SECRET_KEY: z.string(),
  STRIPE_PUBLISHABLE_KEY: z.string(),
  STRIPE_WEBHOOK_SECRET: list.refine(
    (secrets) => secrets.length > 0 && secrets.length <= 10,
    'must be 1 to 10 secrets with commas',
  ),
  STRIPE_API_BASE: address('https', 'http').default('https://api.stripe.com'),
  SMTP_URL: address('smtp', 'smtps'),
  INVITATION_URL: address('https', 'http').optional(),
  MAIL_FROM: z.string().default('Tillwright <no-reply@localhost>'),
  EGRESS_ALLOW: list
    .refine(
      (entries) => entries.every(reachable),
      'must be addresses, networks (10.0.0.0/8) and host names, with commas',
    )
    .default([]),
  SUPER_EMAIL: list.transform((emails) => emails.map(emailForm)).default([]),
  HEADERS_LIMIT_MS: whole(100, 120_000).default(10_000),
  BODY_LIMIT_MS: whole(100, 600_000).default(30_000),
  BODY_BUDGET_MIB: whole(4, 65_536).default(64),
  ANSWER_WAIT_MS: whole(0, 120_000).default(10_000),
  SEND_LIMIT_MS: whole(100, 120_000).default(15_000),
  MODEL_LIMIT_MS: whole(100, 600_000).default(90_000),
  MODEL_TOKENS_PER_DAY: whole(1, 1_000_000_000_000).default(5_000_000),
  CHAT_WAIT_MS: whole(0, 60_000).default(25_000),
  DELIVERY_RETRY_S: delays.default([0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400]),
  MAIL_LIMIT_MS: whole(100, 600_000).default(120_000),
  CAMPAIGN_RETRY_S: delays.default([60, 300, 1_800, 7_200, 21_600, 86_400]),
  MAIL_RETRY_S: delays.default([60, 300, 900, 1_800, 3_600, 7_200, 14_400]),
  DELIVERY_TIMEOUT_MS: whole(100, 120_000).default(20_000),
  STORE_PLANS: plans.prefault('[{"id":"free","name":"Free"}]'),
  CHECKOUT_HOLD_MINUTES: z
    .string()
    .regex(/^\d+(\.\d+)?$/, 'must be a number of minutes; fractions are allowed')
    .transform(Number)
    .refine((minutes) => minutes > 0 && minutes <= 1380, 'must be more than 0 and at most 1380 minutes')
    .default(30),
  RECONCILE_EVERY_MS: whole(100, 3_600_000).default(30_000),
  SANDBOX_THREADS: whole(1, 64).default(2),
  MEDIA_DIR: z.string().default('media'),
  S3_ENDPOINT: address('https', 'http').optional(),
  S3_BUCKET: z
    .string()
    .regex(/^[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]$/i, 'must be the name of a bucket')
    .optional(),
  S3_REGION: z
    .string()
    .regex(/^[a-z0-9-]+$/i, 'must be the name of a region, such as eu-central-1')
    .optional(),
  S3_ACCESS_KEY_ID: z.string().optional(),
  S3_SECRET_ACCESS_KEY: z.string().optional(),
  ...appSettings,
  SOCIAL_API_BASE: address('https', 'http').optional(),
  SOCIAL_GRAPH_VERSION: z
    .string()
    .regex(/^v\d{1,3}\.\d$/, 'must be a version such as v25.0')
    .default('v25.0'),
  SOCIAL_AHEAD_S: whole(0, 86_400).default(900),
  SOCIAL_LATE_MAX_S: whole(1, 86_400).default(3_600),
  SOCIAL_PROOF_S: delays.default([0, 5, 30, 120, 600]),
  WORKFLOW_BUNDLE: z.string().optional(),
  FAILPOINTS: z.string().optional(),
  DEVELOPMENT_PAGE: z.string().optional(),
  SESSION_MAX_DAYS: whole(1, 36_500).default(90),
  VISITOR_IDLE_DAYS: whole(1, 36_500).default(90),
  VISITOR_MAX_DAYS: whole(1, 36_500).default(365),
  KEEP_EVENTS_DAYS: days(90),
  KEEP_EXECUTIONS_DAYS: days(90),
  KEEP_CARTS_DAYS: days(90),
  // The provider may repeat an event for 30 days. If its record were deleted before, it would be applied again.
  KEEP_PROVIDER_EVENTS_DAYS: whole(0, 36_500)
    .refine(
      (n) => n === 0 || n > 30,
      'must be 0 (no limit) or more than 30 days: the provider may repeat its events until then',
    )
    .default(60),
  KEEP_CAMPAIGNS_DAYS: days(365),
  KEEP_CHATS_DAYS: days(365),
  KEEP_RESEARCH_DAYS: days(180),
  KEEP_SESSIONS_DAYS: days(30),
  KEEP_SCRIPT_RUNS_DAYS: days(30),
  KEEP_CHALLENGES_DAYS: days(1),
  KEEP_INVITATIONS_DAYS: days(30),
  KEEP_ERASURES_DAYS: days(365),
  KEEP_REMOVED_REACTIONS_DAYS: days(90),
  KEEP_COMMENTS_DAYS: days(30),
  KEEP_SOCIAL_SYNCS_DAYS: days(30),
  ...keepSettings,
  RATE_CODES_PER_EMAIL: whole(1, 1_000_000).default(5),
  RATE_CODES_PER_IP: whole(1, 1_000_000).default(20),
  RATE_CODES_WINDOW_S: whole(1, 86_400).default(900),
  RATE_CODES_PER_TENANT: whole(1, 1_000_000_000).default(5_000),
  RATE_MAILS_PER_EMAIL: whole(1, 1_000_000).default(20),
  RATE_MAILS_PER_TENANT: whole(1, 1_000_000_000).default(500),
  RATE_MAILS_PER_ACCOUNT: whole(1, 1_000_000_000).default(1_000),
  RATE_TENANTS_PER_ACCOUNT: whole(1, 1_000_000).default(10),
  RATE_MEMBERS_PER_ACCOUNT: whole(1, 1_000_000).default(50),
  RATE_CHAT_PER_CONTACT: whole(1, 1_000_000).default(20),
  RATE_CHAT_PER_IP: whole(1, 1_000_000).default(60),
  RATE_VISITOR_PER_S: whole(1, 1_000_000).default(20),
  RATE_VISITORS_PER_IP: whole(1, 1_000_000).default(600),
  RATE_FAILED_AUTH_PER_MINUTE: whole(1, 1_000_000).default(300),
  RATE_TRIGGER_PER_S: whole(1, 1_000_000).default(500),
  RATE_REACTION_CONTENT_PER_CONTACT: whole(1, 1_000_000).default(5),
  RATE_REACTION_CONTENT_PER_IP: whole(1, 1_000_000).default(20),
  RATE_REACTION_VISITORS_PER_IP: whole(1, 1_000_000).default(60),
  RATE_SOCIAL_SYNCS_PER_MINUTE: whole(1, 1_000_000).default(10),
})

/** The names of all settings. */
export const settingNames: readonly string[] = Object.keys(settings.shape)

function temporalTls(env: z.output<typeof settings>) {
  const { TEMPORAL_TLS_CA: ca, TEMPORAL_TLS_CERT: crt, TEMPORAL_TLS_KEY: key, TEMPORAL_TLS_SERVER_NAME: name } = env
  if (env.TEMPORAL_TLS === 'false' && !ca && !crt) return null
  return {
    ...(ca ? { serverRootCACertificate: ca } : {}),
    ...(crt && key ? { clientCertPair: { crt, key } } : {}),
    ...(name ? { serverNameOverride: name } : {}),
  }
}

/** Null unless a bucket is named; an incomplete set is refused below. */
const bucketOf = (env: z.output<typeof settings>) => {
  const {
    S3_BUCKET: name,
    S3_ENDPOINT: endpoint,
    S3_REGION: region = 'us-east-1',
    S3_ACCESS_KEY_ID: accessKeyId,
    S3_SECRET_ACCESS_KEY: secretAccessKey,
  } = env
  if (!name) return null
  return {
    name,
    /** Null: AWS. */
    endpoint: endpoint?.replace(/\/+$/, '') ?? null,
    region,
    /** Null: the default chain of the AWS SDK finds them. */
    credentials: accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : null,
  }
}

/** Null: the installation has no app at this network. */
const appOf = (env: z.output<typeof settings>, type: NetworkType): App | null => {
  const [client_id, client_secret] = [env[appSetting(type, 'ID')], env[appSetting(type, 'SECRET')]]
  return client_id && client_secret ? { client_id, client_secret } : null
}

const complete = settings
  .superRefine((env, ctx) => {
    const refuse = (name: keyof typeof env, message: string) => ctx.addIssue({ code: 'custom', path: [name], message })
    const together = (one: keyof typeof env, other: keyof typeof env) => {
      if (!env[one] !== !env[other]) refuse(env[one] ? other : one, 'is missing')
    }
    for (const name of ['S3_ENDPOINT', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const)
      if (env[name] && !env.S3_BUCKET) refuse(name, 'needs S3_BUCKET, the name of a bucket')
    together('S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY')
    // AWS serves a bucket in its own region only; other servers accept any name.
    if (env.S3_BUCKET && !env.S3_ENDPOINT && !env.S3_REGION) refuse('S3_REGION', 'is missing')
    for (const type of networkTypes) together(appSetting(type, 'ID'), appSetting(type, 'SECRET'))
  })
  .refine((env) => env.NODE_ENV !== 'production' || env.PUBLIC_URL, { path: ['PUBLIC_URL'], message: 'is missing' })
  .refine((env) => !env.TEMPORAL_TLS_CERT === !env.TEMPORAL_TLS_KEY, {
    path: ['TEMPORAL_TLS_KEY'],
    message: 'belongs together with TEMPORAL_TLS_CERT',
  })
  .transform((env) => ({
    production: env.NODE_ENV === 'production',
    /**
     * Undeclared problem codes are answered with 500. Set by `npm start` and the tests. Without NODE_ENV neither this
     * nor `production` is true.
     */
    development: env.NODE_ENV === 'development',
    port: env.PORT,
    host: env.HOST,
    publicUrl: (env.PUBLIC_URL ?? `http://127.0.0.1:${env.PORT}`).replace(/\/+$/, ''),
    trustedProxies: env.TRUSTED_PROXIES,
    console: env.CONSOLE === 'true',
    logLevel: env.LOG_LEVEL,
    databaseUrl: env.DATABASE_URL,
    databasePool: env.DATABASE_POOL,
    secretsKeys: env.SECRETS_KEY,
    temporal: {
      address: env.TEMPORAL_ADDRESS,
      namespace: env.TEMPORAL_NAMESPACE,
      taskSlots: env.TEMPORAL_TASK_SLOTS,
      /** Null: items of `attention` have no link to their workflow. */
      uiUrl: env.TEMPORAL_UI_URL?.replace(/\/+$/, '') ?? null,
      tls: temporalTls(env),
    },
    stripe: {
      secretKey: env.STRIPE_SECRET_KEY,
      publishableKey: env.STRIPE_PUBLISHABLE_KEY,
      webhookSecrets: env.STRIPE_WEBHOOK_SECRET,
      apiBase: env.STRIPE_API_BASE,
    },
    smtpUrl: env.SMTP_URL,
    mailFrom: env.MAIL_FROM,
    /** Null: e-mails show the token of an invitation. */
    invitationUrl: env.INVITATION_URL ?? null,
    egressAllow: env.EGRESS_ALLOW,
    superEmail: env.SUPER_EMAIL,
    headersLimitMs: env.HEADERS_LIMIT_MS,
    bodyLimitMs: env.BODY_LIMIT_MS,
    /** Bytes of bodies that one API process holds at once. */
    bodyBudget: env.BODY_BUDGET_MIB * 1024 * 1024,
    answerWaitMs: env.ANSWER_WAIT_MS,
    sendLimitMs: env.SEND_LIMIT_MS,
    modelLimitMs: env.MODEL_LIMIT_MS,
    modelTokensPerDay: env.MODEL_TOKENS_PER_DAY,
    chatWaitMs: env.CHAT_WAIT_MS,
    deliveryRetryS: env.DELIVERY_RETRY_S,
    mailLimitMs: env.MAIL_LIMIT_MS,
    campaignRetryS: env.CAMPAIGN_RETRY_S,
    mailRetryS: env.MAIL_RETRY_S,
    deliveryTimeoutMs: env.DELIVERY_TIMEOUT_MS,
    storePlans: env.STORE_PLANS,
    checkoutHoldMinutes: env.CHECKOUT_HOLD_MINUTES,
    reconcileEveryMs: env.RECONCILE_EVERY_MS,
    sandboxThreads: env.SANDBOX_THREADS,
    mediaDir: path.resolve(env.MEDIA_DIR),
    /** Null: files are stored in `mediaDir`. */
    s3: bucketOf(env),
    social: {
      apps: Object.fromEntries(networkTypes.map((type) => [type, appOf(env, type)])) as Record<NetworkType, App | null>,
      /** Null: the networks themselves. */
      apiBase: env.SOCIAL_API_BASE?.replace(/\/+$/, '') ?? null,
      graphVersion: env.SOCIAL_GRAPH_VERSION,
      aheadS: env.SOCIAL_AHEAD_S,
      lateMaxS: env.SOCIAL_LATE_MAX_S,
      proofS: env.SOCIAL_PROOF_S,
      /** Whether networks can fetch our files: a real one reaches no address of this machine. */
      fetchable:
        env.SOCIAL_API_BASE !== undefined || !isLoopback(new URL(env.PUBLIC_URL ?? 'http://localhost').hostname),
    },
    /** Of operators: seconds from the sign-in to the end of a session, however often it is refreshed. */
    sessions: { maxS: env.SESSION_MAX_DAYS * 86_400 },
    /**
     * Seconds without a use, and since the sign-in or, without one, the first use, after which the token of a visitor
     * is refused.
     */
    visitors: { idleS: env.VISITOR_IDLE_DAYS * 86_400, maxS: env.VISITOR_MAX_DAYS * 86_400 },
    workflowBundle: env.WORKFLOW_BUNDLE,
    failpoints: env.NODE_ENV === 'production' ? undefined : env.FAILPOINTS,
    /** Null: / leads to the console. */
    developmentPage: (env.NODE_ENV === 'development' && env.DEVELOPMENT_PAGE) || null,
    /** Days; 0: no limit. */
    keep: {
      events: env.KEEP_EVENTS_DAYS,
      executions: env.KEEP_EXECUTIONS_DAYS,
      carts: env.KEEP_CARTS_DAYS,
      provider_events: env.KEEP_PROVIDER_EVENTS_DAYS,
      campaigns: env.KEEP_CAMPAIGNS_DAYS,
      chats: env.KEEP_CHATS_DAYS,
      research: env.KEEP_RESEARCH_DAYS,
      sessions: env.KEEP_SESSIONS_DAYS,
      script_runs: env.KEEP_SCRIPT_RUNS_DAYS,
      challenges: env.KEEP_CHALLENGES_DAYS,
      invitations: env.KEEP_INVITATIONS_DAYS,
      erasures: env.KEEP_ERASURES_DAYS,
      removed_reactions: env.KEEP_REMOVED_REACTIONS_DAYS,
      comments: env.KEEP_COMMENTS_DAYS,
      social_syncs: env.KEEP_SOCIAL_SYNCS_DAYS,
      ...(Object.fromEntries(sweptTables.map((table) => [table, env[keepSetting(table)]])) as Record<
        SweptTable,
        number
      >),
    },
    rate: {
      codesPerEmail: env.RATE_CODES_PER_EMAIL,
      codesPerIp: env.RATE_CODES_PER_IP,
      codesWindowS: env.RATE_CODES_WINDOW_S,
      codesPerTenant: env.RATE_CODES_PER_TENANT,
      mailsPerEmail: env.RATE_MAILS_PER_EMAIL,
      mailsPerTenant: env.RATE_MAILS_PER_TENANT,
      mailsPerAccount: env.RATE_MAILS_PER_ACCOUNT,
      tenantsPerAccount: env.RATE_TENANTS_PER_ACCOUNT,
      membersPerAccount: env.RATE_MEMBERS_PER_ACCOUNT,
      chatPerContact: env.RATE_CHAT_PER_CONTACT,
      chatPerIp: env.RATE_CHAT_PER_IP,
      visitorPerS: env.RATE_VISITOR_PER_S,
      visitorsPerIp: env.RATE_VISITORS_PER_IP,
      failuresPerMinute: env.RATE_FAILED_AUTH_PER_MINUTE,
      triggerPerS: env.RATE_TRIGGER_PER_S,
      reactions: {
        contentPerContact: env.RATE_REACTION_CONTENT_PER_CONTACT,
        contentPerIp: env.RATE_REACTION_CONTENT_PER_IP,
        visitorsPerIp: env.RATE_REACTION_VISITORS_PER_IP,
      },
      socialSyncsPerMinute: env.RATE_SOCIAL_SYNCS_PER_MINUTE,
    },
  }))

export type Config = z.output<typeof complete>

/**
 * Throws an error whose message names every missing or wrong setting in one line. An empty setting counts as missing.
 */
export function readConfig(env: Record<string, string | undefined>): Config {
  const given = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value.trim() !== ''),
  )
  const read = complete.safeParse(given)
  if (read.success) return read.data
  const complaints = read.error.issues.map(
    ({ path, message }) =>
      `${String(path[0])} ${path[0] && given[String(path[0])] === undefined ? 'is missing' : message}`,
  )
  throw new Error(`settings: ${[...new Set(complaints)].join('; ')} (.env.example describes each one)`)
}

let known: Config | undefined

function knownOrStop(): Config {
  try {
    known ??= readConfig(process.env)
    return known
  } catch (error) {
    fs.writeSync(2, `${error instanceof Error ? error.message : error}\n`)
    process.exit(1)
  }
}

/** Read at the first use, so that importing types or routes needs no settings. */
export const config: Config = new Proxy({} as Config, { get: (_, name) => Reflect.get(knownOrStop(), name) })
