// A store that sends 50,000 messages and one whose mail server does not answer, beside a store that sends 100, and
// sign-in codes.
import { setTimeout as pause } from 'node:timers/promises'
import { newId } from '../../entities/kit/ids.ts'
import { type Caller, callerOf, draftOf, filledAudience, importInto, mailboxAt } from '../kit/campaigns.ts'
import { openSink, type Sink } from '../kit/mail.ts'
import type { Measure, Result } from '../kit/path.ts'
import { resultOf, timesOf } from '../kit/report.ts'
import { newStore, type Shop } from '../kit/shop.ts'
import { signIn } from '../sign-in.ts'

const [loud, hanging, calm] = [50_000, 1_000, 100]
const pageBytes = 10_000
const signIns = 10
const limitMs = 120_000

type Ready = { caller: Caller; campaign: string; sink: Sink }

/** A store with a draft that has so many recipients. */
async function ready(shop: Shop, name: string, count: number): Promise<Ready> {
  const { id } = await newStore(shop, `${name}-${Date.now()}`)
  const [caller, sink] = [callerOf(shop, id), await openSink()]
  const campaign = await draftOf(caller, [await mailboxAt(caller, sink.port, 20)], pageBytes)
  await importInto(caller, campaign, { audience_ids: [await filledAudience(shop, caller, count)] }, count)
  return { caller, campaign, sink }
}
const launch = ({ caller, campaign }: Ready) => caller.ask('POST', `/campaigns/${campaign}/launch`)
const end = ({ caller, campaign }: Ready) => caller.ask('POST', `/campaigns/${campaign}/cancel`).catch(() => {})

export const campaignFairness: Measure = {
  name: 'campaign-fairness',
  parts: [
    { name: 'campaign-fairness', target: { p95_ms: 5_000, clients: 1 } },
    { name: 'campaign-fairness-mail', target: { p95_ms: 1_000, clients: 1 } },
  ],
  async measure(stack, shop): Promise<Result[]> {
    const [one, two, three] = [
      await ready(shop, 'loud', loud),
      await ready(shop, 'hanging', hanging),
      await ready(shop, 'calm', calm),
    ]
    const all = [one, two, three]
    try {
      await two.sink.fault({ at: 'mail', action: 'hang', times: Number.MAX_SAFE_INTEGER })
      await launch(one)
      await launch(two)
      while ((await one.sink.count()) < 500) await pause(50)
      const since = Date.now()
      await launch(three)
      while ((await three.sink.count()) < calm) {
        if (Date.now() - since > limitMs)
          throw new Error(`campaign-fairness: ${await three.sink.count()} of ${calm} messages were sent`)
        await pause(20)
      }
      const each = (await three.sink.ledger()).map(({ at }) => at - since)
      const codes: number[] = []
      for (let n = 0; n < signIns; n++) {
        const begun = performance.now()
        await signIn(shop.api, String(stack.urls.mail), `bench-${newId()}@tillwright.test`)
        codes.push(performance.now() - begun)
      }
      if ((await one.sink.count()) === loud) throw new Error('campaign-fairness: the large campaign had ended before')
      // The last one is what the target is for.
      return [
        resultOf('campaign-fairness', 1, 0, timesOf([Math.max(...each)]), null),
        resultOf('campaign-fairness-mail', 1, 0, timesOf(codes), null),
      ]
    } finally {
      for (const store of all) await end(store)
      for (const { sink } of all) await sink.stop()
    }
  },
}
