// A seed decides every draw of a round: the same seed plans the same faults, and a hundred plans contain every kind.
import { expect, test } from '@jest/globals'
import { chatLinks, type FaultPlan, planOf, steps } from './plan.ts'
import { random } from './random.ts'

test('A seed draws the same values again and other values under another name', () => {
  const draw = (seed: number, name: string) => Array.from({ length: 50 }, () => random(seed, name).next())
  expect(draw(7, 'a')).toEqual(draw(7, 'a'))
  expect(draw(7, 'a')).not.toEqual(draw(7, 'b'))
  expect(planOf(7, 3)).toEqual(planOf(7, 3))
  expect(planOf(7, 3)).not.toEqual(planOf(8, 3))
})

test('A seed reaches every value with its expected frequency', () => {
  const r = random(1)
  const counts = [0, 0, 0, 0, 0]
  for (let n = 0; n < 10_000; n++) {
    const drawn = r.whole(0, 4)
    counts[drawn] = (counts[drawn] ?? 0) + 1
  }
  for (const count of counts) expect(count).toBeGreaterThan(1_700)
  const drawn = Array.from({ length: 4_000 }, () =>
    r.weighted([
      [3, 'a'],
      [1, 'b'],
      [0, 'never'],
    ]),
  )
  expect(new Set(drawn)).toEqual(new Set(['a', 'b']))
  expect(drawn.filter((one) => one === 'a').length).toBeGreaterThan(2_800)
})

test('A hundred plans contain every kind of fault in the numbers that a round allows', () => {
  const plans = Array.from({ length: 100 }, (_, n) => planOf(1, n))
  const isOfChats = (one: FaultPlan) =>
    one.kind === 'models' ||
    one.kind === 'chat_bot' ||
    (one.kind === 'cut' && chatLinks.some((link) => link === one.link))
  for (const { faults: all, buyers, campaign, chats } of plans) {
    const faults = all.filter((one) => !isOfChats(one))
    const posted = faults.filter((one) => one.kind === 'sink' || (one.kind === 'cut' && one.link === 'sink')).length
    const light = faults.filter(
      (one) => ['stripe', 'receiver', 'mail'].includes(one.kind) || (one.kind === 'cut' && one.link !== 'sink'),
    ).length
    const atTheFront = faults.filter(({ kind }) => kind === 'front').length
    const talked = faults.filter(({ kind }) => kind === 'social').length
    for (const [count, most] of [
      [light, 3],
      [atTheFront, 2],
      [posted, 3],
      [all.length - faults.length, 2],
      [talked, 3],
      [faults.length - light - atTheFront - posted - talked, 4],
    ] as const) {
      expect(count).toBeGreaterThanOrEqual(1)
      expect(count).toBeLessThanOrEqual(most)
    }
    expect(buyers.length).toBe(20)
    expect(campaign.recipients).toBeGreaterThanOrEqual(150)
    expect(new Set(chats.map(({ by }) => by))).toEqual(new Set(['api', 'bot']))
  }
  const faults = plans.flatMap((plan) => plan.faults)
  expect(new Set(faults.map(({ kind }) => kind))).toEqual(
    new Set([
      'kill',
      'failpoint',
      'stop',
      'restart',
      'crash',
      'stripe',
      'front',
      'receiver',
      'mail',
      'sink',
      'social',
      'models',
      'chat_bot',
      'cut',
    ]),
  )
  expect(new Set(faults.flatMap((one) => (one.kind === 'failpoint' ? [one.step] : [])))).toEqual(new Set(steps))
  const drawn = new Set(
    faults.flatMap((one) => {
      if (one.kind === 'front') return [`front ${one.fault.do}`]
      if (one.kind === 'mail') return [`mail ${one.fault.step} ${one.fault.action} ${one.fault.code ?? ''}`.trimEnd()]
      if (one.kind === 'models' || one.kind === 'chat_bot') return [`${one.kind} ${one.fault.fault}`]
      if (one.kind === 'stripe') return [`stripe ${one.fault.fault}`]
      return one.kind === 'receiver'
        ? [`receiver ${one.way.do ?? (one.way.cut ? 'half a body' : 'a free answer')}`]
        : []
    }),
  )
  const simulators = {
    front: ['silent', 'goaway', 'refuse_stream', 'slow_handshake'],
    stripe: ['reset_before_read', 'reset_after_read', 'hang', 'status', 'break_body', 'answer'],
    models: ['reset_before_read', 'reset_after_read', 'hang', 'status', 'break_body', 'delay'],
    chat_bot: ['reset_after_read', 'hang', 'status', 'break_body', 'answer', 'delay'],
    receiver: ['hang', 'reset_after_read', 'half a body', 'a free answer'],
    mail: [
      'connect reset',
      'data reset',
      'after_data reset',
      'after_data hang',
      'after_data reject 451',
      'after_data reject 554',
    ],
    'mail after_data': ['cut 250', 'cut 451'],
  }
  expect(new Set(faults.flatMap((one) => (one.kind === 'sink' ? [one.fault.at] : [])))).toEqual(
    new Set(['connect', 'mail', 'rcpt', 'data', 'body', 'dot']),
  )
  expect(drawn).toEqual(
    new Set(Object.entries(simulators).flatMap(([name, all]) => all.map((what) => `${name} ${what}`))),
  )
  for (const one of faults) {
    if (one.kind !== 'stop') continue
    expect(one.ms).toBeGreaterThanOrEqual(5_000)
    expect(one.ms).toBeLessThanOrEqual(30_000)
  }
})
