// Sign-in with a new address each time: request a code, read it in the e-mail, exchange it for a session.
import { Client, Connection } from '@temporalio/client'
import { client } from '../client/client.ts'
import type { Stack } from '../dev/stack.ts'
import type { Times } from './kit/load.ts'
import type { Measure } from './kit/path.ts'
import { floorQueue, startFloorWorker } from './kit/processes.ts'
import { resultOf } from './kit/report.ts'
import type { Shop } from './kit/shop.ts'

const clients = 8
const each = 25

async function timed(work: (n: number) => Promise<void>): Promise<Times> {
  const times: number[] = []
  const begun = performance.now()
  await Promise.all(
    Array.from({ length: clients }, async (_, lane) => {
      for (let n = 0; n < each; n++) {
        const since = performance.now()
        await work(lane * each + n)
        times.push(performance.now() - since)
      }
    }),
  )
  return { ms: performance.now() - begun, each: times }
}

export async function signIn(api: string, mail: string, email: string): Promise<void> {
  const call = client({ base: api })
  const { challenge_id } = await call('POST /v1/auth/code', { body: { email } })
  const answer = await fetch(`${mail}/messages/wait?to=${encodeURIComponent(email)}&after=0&timeout_ms=30000`)
  const [message] = (await answer.json()) as { text: string }[]
  const code = /\b\d{6}\b/.exec(message?.text ?? '')?.[0]
  if (!code) throw new Error(`No code arrived for ${email}: ${answer.status}`)
  await call('POST /v1/auth/verify', { body: { challenge_id, code } })
}

async function floor(address: string): Promise<Times> {
  const worker = await startFloorWorker(address)
  const connection = await Connection.connect({ address })
  const engine = new Client({ connection })
  const one = async () => {
    await engine.workflow.execute('floor', {
      taskQueue: floorQueue,
      workflowId: `floor/${crypto.randomUUID()}`,
      args: [],
    })
  }
  await one()
  const times = await timed(one)
  await connection.close()
  worker.stop()
  return times
}

export const signInByCode: Measure = {
  name: 'sign-in',
  async measure(stack: Stack, { api }: Shop) {
    const mail = stack.urls.mail
    if (!mail) throw new Error('Sign-in needs the mail catcher.')
    await signIn(api, mail, 'bench-first@tillwright.test')
    const times = await timed((n) => signIn(api, mail, `bench-${n}@tillwright.test`))
    return resultOf('sign-in', clients, 0, times, await floor(String(stack.env.TEMPORAL_ADDRESS)))
  },
}
