// The Stripe simulator as a process of its own, the real SDK as its caller, and a receiver that verifies its events.
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Stripe from 'stripe'
import type { Child } from '../../../dev/child.ts'
import { script } from '../../../dev/parts.ts'

export type Json = Record<string, unknown>
export type LedgerEntry = {
  id: number
  key: string | null
  method: string
  path: string
  times: number
  effect: boolean
  replayed: boolean
  fault: string | null
  status: number | null
  metadata: Json
  digest: string
}

/** `secrets`: of the endpoints for connected accounts and for the platform. */
export const secrets = { connected: 'whsec_connected', platform: 'whsec_platform' }

export type StripeLab = {
  stripe: Stripe
  received: Stripe.Event[]
  /** The status of the receiver's response. */
  answerWith: (event: Stripe.Event) => number
  control<T = Json>(path: string, body?: Json, method?: string): Promise<T>
  /** What a browser gets. */
  page(path: string): Promise<Response>
  /** Without the SDK, which would retry after a reset by itself. */
  raw(path: string, body: string, headers?: Record<string, string>): Promise<Response>
  /** The first event of `type` about the object, once it has arrived. */
  event(type: string, id: string): Promise<Stripe.Event>
  reset(): Promise<void>
  start(): Promise<void>
  kill(): Promise<void>
  stop(): Promise<void>
}

export async function stripeLab(): Promise<StripeLab> {
  const dir = mkdtempSync(join(tmpdir(), 'stripe-sim-'))
  let sim: { child: Child; port: number; control: string }
  let heard: (() => void)[] = []
  const receiver = createServer(async (req, res) => {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    const isConnected = (JSON.parse(body.toString()) as { account?: string }).account !== undefined
    const secret = isConnected ? secrets.connected : secrets.platform
    const one = Stripe.webhooks.constructEvent(body, String(req.headers['stripe-signature']), secret)
    res.writeHead(lab.answerWith(one)).end()
    lab.received.push(one)
    const awake = heard
    heard = []
    for (const wake of awake) wake()
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')

  const lab: StripeLab = {
    stripe: undefined as unknown as Stripe,
    received: [],
    answerWith: () => 200,
    async control<T>(path: string, body?: Json, method = body ? 'POST' : 'GET') {
      const answer = await fetch(`${sim.control}${path}`, { method, ...(body && { body: JSON.stringify(body) }) })
      const json = (await answer.json()) as T
      if (!answer.ok) throw new Error(JSON.stringify(json))
      return json
    },
    page: (path) => fetch(`http://127.0.0.1:${sim.port}${path}`),
    raw(path, body, headers = {}) {
      const all = {
        authorization: 'Bearer sk_test_1',
        'content-type': 'application/x-www-form-urlencoded',
        connection: 'close',
        ...headers,
      }
      return fetch(`http://127.0.0.1:${sim.port}${path}`, { method: 'POST', headers: all, body })
    },
    async event(type, id) {
      for (;;) {
        const found = lab.received.find((one) => one.type === type && JSON.stringify(one.data.object).includes(id))
        if (found) return found
        await new Promise<void>((resolve) => heard.push(resolve))
      }
    },
    async reset() {
      lab.answerWith = () => 200
      lab.received = []
      await lab.control('/faults', undefined, 'DELETE')
      await lab.control('/events', { hold: false })
    },
    async start() {
      const env = {
        ...process.env,
        STRIPE_SIM_DIR: dir,
        STRIPE_SIM_WEBHOOK_SECRET: `${secrets.connected},${secrets.platform}`,
        STRIPE_SIM_PORT: '0',
        STRIPE_SIM_CONTROL_PORT: '0',
        STRIPE_SIM_WEBHOOK_URL: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`,
        NODE_OPTIONS: '',
      }
      const child = script('dev/stripe.ts', [], { name: 'stripe', env })
      const { port, control_port } = JSON.parse(await child.said(/listening/)) as { port: number; control_port: number }
      sim = { child, port, control: `http://127.0.0.1:${control_port}/_sim` }
      lab.stripe = new Stripe('sk_test_1', {
        host: '127.0.0.1',
        port,
        protocol: 'http',
        maxNetworkRetries: 0,
        telemetry: false,
      })
    },
    async kill() {
      sim.child.kill('SIGKILL')
      await sim.child.ended
    },
    async stop() {
      await sim.child.stop()
      receiver.closeAllConnections()
      receiver.close()
      rmSync(dir, { recursive: true })
    },
  }
  await lab.start()
  return lab
}

/** The refusal of a call as the SDK reports it. */
export const failure = (call: Promise<unknown>) =>
  call.then(
    () => {
      throw new Error('it was not refused')
    },
    (error: Stripe.errors.StripeError) => ({
      status: error.statusCode,
      type: error.rawType,
      code: error.code,
      param: error.param,
      message: error.message,
    }),
  )

export async function until<T>(look: () => T | undefined | Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await look()
    if (found) return found
    await new Promise(setImmediate)
  }
}
