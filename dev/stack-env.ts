// The settings of a stack. They are the same in every process and at every start, so encrypted columns stay readable.
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { settingNames } from '../config.ts'
import { networkLetters } from '../rules/social/networks/network-types.ts'

/** A free plan, and one that the platform charges for. */
const plans = [
  { id: 'free', name: 'Free', features: ['One store'] },
  {
    ...{ id: 'pro', name: 'Pro', features: ['One store', 'Priority support'], interval: { period: 'month', count: 1 } },
    prices: [
      { market: 'us', currency: 'USD', amount: 2_900 },
      { market: 'eu', currency: 'EUR', amount: 2_900 },
    ],
  },
]

/** What the page at / shows (dev/web/first-page.ts), in the folder of the stack. */
export const firstPageFile = 'first-page.json'

export type Ports = {
  api: number
  postgres: number
  temporal: number
  ui: number
  stripe: number
  stripe_control: number
  smtp: number
  mail: number
  imap: number
  social: number
  chat_bot: number
  models: number
  receiver: number
  receiver_control: number
  shop: number
}

const networkApps = Object.values(networkLetters).flatMap((letter) =>
  ['ID', 'SECRET'].map((of) => `SOCIAL_${letter}_CLIENT_${of}`),
)
/** Unless the environment names an app at a real network. */
export const hasSimulatedNetworks = (outside: NodeJS.ProcessEnv): boolean => !networkApps.some((name) => outside[name])

/** Generated once per folder: a constant key would be public. */
function secretsOf(dir: string): Record<string, string> {
  const file = path.join(dir, 'keys.json')
  const before: Record<string, string> = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : {}
  // A folder of an earlier version lacks some.
  if (networkApps.some((name) => !before[name])) {
    const random = () => randomBytes(24).toString('hex')
    const made = {
      SECRETS_KEY: randomBytes(32).toString('base64'),
      STRIPE_SECRET_KEY: `sk_test_${random()}`,
      STRIPE_PUBLISHABLE_KEY: `pk_test_${random()}`,
      // Of the endpoint for connected accounts, and of the platform's own.
      STRIPE_WEBHOOK_SECRET: `whsec_${random()},whsec_${random()}`,
      ...Object.fromEntries(networkApps.map((name) => [name, random()])),
      ...before,
    }
    fs.writeFileSync(file, JSON.stringify(made, null, 2), { mode: 0o600 })
  }
  return JSON.parse(fs.readFileSync(file, 'utf8'))
}

/**
 * Deletes every setting from the environment, so that a stack of a test or bench never uses a server or limit of the
 * environment.
 */
export function forgetSettings(): void {
  for (const name of settingNames) delete process.env[name]
}

/** Tests pass an empty `outside`: they must never use a real database or provider. */
export function stackEnv(dir: string, ports: Ports, outside: NodeJS.ProcessEnv): Record<string, string> {
  const env: Record<string, string> = {
    PUBLIC_URL: `http://127.0.0.1:${ports.api}`,
    HOST: '127.0.0.1',
    LOG_LEVEL: 'info',
    DATABASE_URL: `postgres://postgres@127.0.0.1:${ports.postgres}/tillwright`,
    TEMPORAL_ADDRESS: `127.0.0.1:${ports.temporal}`,
    TEMPORAL_NAMESPACE: 'default',
    TEMPORAL_UI_URL: `http://127.0.0.1:${ports.ui}`,
    STRIPE_API_BASE: `http://127.0.0.1:${ports.stripe}`,
    STORE_PLANS: JSON.stringify(plans),
    SMTP_URL: `smtp://127.0.0.1:${ports.smtp}`,
    // A post that nothing proves is `unknown` after ten seconds instead of ten minutes.
    SOCIAL_PROOF_S: '0,1,2,4,10',
    SOCIAL_API_BASE: `http://127.0.0.1:${ports.social}`,
    MAIL_FROM: 'Tillwright <no-reply@tillwright.test>',
    ...secretsOf(dir),
    MEDIA_DIR: path.join(dir, 'media'),
    // Empty, so that the environment's values are not used.
    S3_ENDPOINT: '',
    S3_BUCKET: '',
    S3_REGION: '',
    S3_ACCESS_KEY_ID: '',
    S3_SECRET_ACCESS_KEY: '',
    EGRESS_ALLOW: '127.0.0.0/8,::1,localhost',
    SUPER_EMAIL: 'demo@tillwright.test',
    DEVELOPMENT_PAGE: path.join(dir, firstPageFile),
    RATE_CODES_PER_EMAIL: '10000',
    RATE_CODES_PER_IP: '100000',
    RATE_CODES_PER_TENANT: '1000000',
    RATE_MAILS_PER_EMAIL: '100000',
    RATE_MAILS_PER_TENANT: '1000000',
    RATE_MAILS_PER_ACCOUNT: '1000000',
    RATE_TENANTS_PER_ACCOUNT: '100000',
    RATE_MEMBERS_PER_ACCOUNT: '100000',
    RATE_CHAT_PER_CONTACT: '100000',
    RATE_CHAT_PER_IP: '1000000',
    RATE_VISITOR_PER_S: '10000',
    RATE_VISITORS_PER_IP: '1000000',
    RATE_FAILED_AUTH_PER_MINUTE: '1000000',
    RATE_TRIGGER_PER_S: '10000',
    RATE_REACTION_CONTENT_PER_CONTACT: '10000',
    RATE_REACTION_CONTENT_PER_IP: '100000',
    RATE_REACTION_VISITORS_PER_IP: '100000',
    RATE_SOCIAL_SYNCS_PER_MINUTE: '100000',
  }
  for (const name of Object.keys(env)) env[name] = outside[name] || (env[name] ?? '')
  if (outside.STRIPE_SECRET_KEY && !outside.STRIPE_API_BASE) delete env.STRIPE_API_BASE
  // Its UI is elsewhere.
  if (outside.TEMPORAL_ADDRESS && !outside.TEMPORAL_UI_URL) delete env.TEMPORAL_UI_URL
  if (!hasSimulatedNetworks(outside))
    for (const name of ['SOCIAL_API_BASE', ...networkApps]) env[name] = outside[name] ?? ''
  return { NODE_ENV: 'development', ...env }
}

/** As a file for `node --env-file`, where an explicit variable wins over the file. */
export const envFile = (env: Record<string, string>): string =>
  Object.entries(env)
    .map(([name, value]) => `${name}=${value.includes("'") ? `"${value}"` : `'${value}'`}\n`)
    .join('')
