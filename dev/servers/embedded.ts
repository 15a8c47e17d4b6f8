// The parts of a stack that run on this machine, unless the environment names a server.
import path from 'node:path'
import type { ChildOptions } from '../child.ts'
import { foreign, type Part, part, script } from '../parts.ts'
import { hasSimulatedNetworks, type Ports } from '../stack-env.ts'
import { startPostgres } from './postgres.ts'
import { forgetTemporal, startTemporal } from './temporal.ts'
import { temporalCommand } from './temporal-cli.ts'

export type Embedded = {
  postgres: Part
  temporal: Part & { replaceByEmpty(): Promise<void> }
  stripe: Part
  mail: Part
  social: Part
  chat_bot: Part
  models: Part
  receiver: Part
  migrate(): Promise<void>
}

/** The key that the simulator of models takes: an integration of the demo business has it. */
export const modelsKey = 'demo-key'

export function embedded(o: {
  dir: string
  /** The folder of a stopped stack. The database starts as a copy of its database. */
  copyOf: string | undefined
  ports: Ports
  env: Record<string, string>
  outside: NodeJS.ProcessEnv
  fast: boolean
  ui: boolean
  say: (line: string) => void
  /** Options of a process of this stack: its log, its settings, its death handler. */
  options(name: string, env?: Record<string, string>): ChildOptions
}): Embedded {
  const { dir, ports, env, outside, fast } = o
  const copyOf = o.copyOf && path.join(o.copyOf, 'pg')

  const postgres = outside.DATABASE_URL
    ? foreign('PostgreSQL')
    : part(
        async () =>
          (
            await startPostgres({
              ...o.options('postgres'),
              dir: path.join(dir, 'pg'),
              copyOf,
              port: ports.postgres,
              fast,
            })
          ).child,
      )

  const db = path.join(dir, 'temporal.db')
  const server = outside.TEMPORAL_ADDRESS
    ? foreign('Temporal')
    : part(async () => {
        const command = await temporalCommand(o.say)
        return (
          await startTemporal({
            ...o.options('temporal'),
            command,
            port: ports.temporal,
            uiPort: o.ui ? ports.ui : undefined,
            db,
            fast,
          })
        ).child
      })

  const simulator = (
    name: 'stripe' | 'mail' | 'social' | 'chat-bot' | 'models' | 'receiver',
    more: Record<string, string>,
  ) =>
    part(async () => {
      const child = script(`dev/${name}.ts`, [], o.options(name, more))
      await child.said(/listening/)
      return child
    })
  const stripe = outside.STRIPE_SECRET_KEY
    ? foreign('Stripe')
    : simulator('stripe', {
        STRIPE_SIM_PORT: String(ports.stripe),
        STRIPE_SIM_CONTROL_PORT: String(ports.stripe_control),
        STRIPE_SIM_DIR: path.join(dir, 'stripe'),
        STRIPE_SIM_WEBHOOK_URL: `http://127.0.0.1:${ports.api}/v1/webhooks/stripe`,
        STRIPE_SIM_WEBHOOK_SECRET: String(env.STRIPE_WEBHOOK_SECRET),
      })
  const mail = outside.SMTP_URL
    ? foreign('mail server')
    : simulator('mail', {
        MAIL_SMTP_PORT: String(ports.smtp),
        MAIL_HTTP_PORT: String(ports.mail),
        MAIL_IMAP_PORT: String(ports.imap),
        MAIL_DIR: path.join(dir, 'mail'),
      })

  return {
    postgres,
    temporal: {
      ...server,
      /** The server loses all data and starts again. */
      async replaceByEmpty() {
        await server.stop()
        forgetTemporal(db)
        await server.start()
      },
    },
    stripe,
    mail,
    social: hasSimulatedNetworks(outside)
      ? simulator('social', { SOCIAL_PORT: String(ports.social), SOCIAL_DIR: path.join(dir, 'social') })
      : foreign('social networks'),
    chat_bot: simulator('chat-bot', {
      CHAT_BOT_PORT: String(ports.chat_bot),
      CHAT_BOT_DIR: path.join(dir, 'chat-bot'),
    }),
    /** Answers what agents ask. An integration names it. */
    models: simulator('models', {
      MODELS_PORT: String(ports.models),
      MODELS_DIR: path.join(dir, 'models'),
      MODELS_KEY: modelsKey,
    }),
    /** Records what webhooks and graphs send. */
    receiver: simulator('receiver', {
      RECEIVER_PORT: String(ports.receiver),
      RECEIVER_CONTROL_PORT: String(ports.receiver_control),
      RECEIVER_DIR: path.join(dir, 'receiver'),
    }),
    async migrate() {
      const child = script('entities/migrate.ts', [], { ...o.options('migrate'), onDeath: () => {} })
      const how = await child.ended
      if (how !== 0) throw new Error(`the migrations failed (${how}):\n${child.tail()}`)
    },
  }
}
