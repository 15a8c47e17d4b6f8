// Outbound calls in a process of their own, one after the other: `node test/kit/effects/calls.ts stripe:1000 s3
// egress:1000`, each with its limit in milliseconds. Prints one line for each: {"call", "kind"} with the verdict.
// STRIPE_API_BASE and SOCIAL_API_BASE are their target.
import { MockActivityEnvironment } from '@temporalio/testing'
import type { Verdict } from '../../../activities/kit/once.ts'
import { newEgress } from '../../../activities/providers/http.ts'
import { sendSocial } from '../../../activities/providers/social/client.ts'
import { sendToStripe } from '../../../activities/providers/stripe.ts'
import { s3Bucket } from '../../../adapters/object-storage/s3.ts'

const base = process.env.STRIPE_API_BASE as string
const egress = newEgress({ allow: ['localhost', '127.0.0.1'] })
const credentials = { accessKeyId: 'a', secretAccessKey: 'b' }
const bucket = s3Bucket({ endpoint: base, name: 'files', region: 'us-east-1', credentials })

const calls: Record<string, (limitMs: number) => Promise<string>> = {
  async stripe(limitMs) {
    const sending = {
      id: `key-${performance.now()}`,
      firstByteBy: performance.now() + limitMs,
      endBy: performance.now() + limitMs,
    }
    const send = () =>
      sendToStripe(
        sending,
        'acct_1',
        'refund',
        (client, options) => client.refunds.create({ payment_intent: 'pi_1' }, options),
        () => ({ kind: 'succeeded', evidence: {} }),
      )
    return ((await new MockActivityEnvironment().run(send)) as Verdict).kind
  },
  async social(limitMs) {
    const sending = { id: 'x', firstByteBy: performance.now() + limitMs, endBy: performance.now() + limitMs }
    return (
      await sendSocial(
        { method: 'POST', host: 'graph.threads.net', path: '/me/threads_publish', form: {} },
        sending,
        () => true,
      )
    ).verdict.kind
  },
  /** Some networks renew a token by a GET. */
  async social_renewal(limitMs) {
    const sending = { id: 'x', firstByteBy: performance.now() + limitMs, endBy: performance.now() + limitMs }
    return (
      await sendSocial({ method: 'GET', host: 'graph.threads.net', path: '/refresh_access_token' }, sending, () => true)
    ).verdict.kind
  },
  async egress(limitMs) {
    const sending = { id: 'x', firstByteBy: performance.now() + limitMs, endBy: performance.now() + limitMs }
    return (await egress.send({ url: `${base}/hook`, method: 'POST', body: '{}', timeout_ms: limitMs }, sending))
      .verdict.kind
  },
  async read(limitMs) {
    return egress.request({ url: `${base}/hook`, method: 'GET', timeout_ms: limitMs }, { reuse: true }).then(
      ({ status }) => (status === 200 ? 'succeeded' : 'rejected'),
      () => 'unknown',
    )
  },
  s3: () =>
    bucket.remove({ tenant_id: 't', id: 'm' }, ['original']).then(
      () => 'succeeded',
      () => 'unknown',
    ),
}

for (const given of process.argv.slice(2)) {
  const [call = '', limitMs = '5000'] = given.split(':')
  console.log(JSON.stringify({ call, kind: await calls[call]?.(Number(limitMs)) }))
}
process.exit()
