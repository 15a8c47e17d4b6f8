// The parts of the harness: a seed that decides every draw, a link that breaks at its byte, and a report that counts every violation.
import net from 'node:net'
import { afterEach, describe, expect, test } from '@jest/globals'
import { chatLinks, type FaultPlan, planOf, steps } from './plan.ts'
import { type Link, openLink } from './proxy.ts'
import { random } from './random.ts'
import { quantile, recoveries } from './recovery.ts'
import { markdown } from './report.ts'
import { newTimeline, told } from './timeline.ts'

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

describe('Links', () => {
  let link: Link
  let server: net.Server
  afterEach(async () => {
    await link.stop()
    server.close()
  })

  /** A server that records what it receives and answers with it in capitals. */
  async function echo(): Promise<string[]> {
    const heard: string[] = []
    server = net.createServer((socket) => {
      const n = heard.push('') - 1
      socket.on('data', (chunk) => {
        heard[n] += String(chunk)
        socket.write(String(chunk).toUpperCase())
      })
      socket.on('error', () => {})
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    link = await openLink((server.address() as net.AddressInfo).port)
    return heard
  }

  /** What came back until it was closed, and whether it was broken; it is ended once `enough` has arrived. */
  function say(text: string, enough: number): Promise<{ answer: string; broken: boolean }> {
    const socket = net.connect(link.port, '127.0.0.1')
    let answer = ''
    let broken = false
    socket.on('data', (chunk) => {
      answer += String(chunk)
      if (answer.length >= enough) socket.end()
    })
    socket.on('error', () => {
      broken = true
    })
    socket.write(text)
    return new Promise((done) => socket.on('close', () => done({ answer, broken })))
  }

  test('A link passes everything unchanged until a fault is armed', async () => {
    const heard = await echo()
    expect(await say('hello there', 11)).toEqual({ answer: 'HELLO THERE', broken: false })
    expect(heard).toEqual(['hello there'])
  })

  test('A link breaks a request at the chosen byte as often as it was armed', async () => {
    const heard = await echo()
    let struck = 0
    link.cut({ direction: 'there', after_bytes: 5, times: 2 }, () => struck++)
    for (let n = 0; n < 2; n++) expect((await say('hello there', 11)).answer).not.toBe('HELLO THERE')
    expect((await say('hello there', 11)).answer).toBe('HELLO THERE')
    expect([heard, struck]).toEqual([['hello', 'hello', 'hello there'], 2])
  })

  test('A link breaks an answer: the request arrived in full, the answer in part', async () => {
    const heard = await echo()
    link.cut({ direction: 'back', after_bytes: 3, times: 1 }, () => {})
    expect(await say('hello there', 11)).toMatchObject({ answer: 'HEL' })
    expect(heard).toEqual(['hello there'])
  })

  test('A healed link forgets its armed faults', async () => {
    await echo()
    link.cut({ direction: 'there', after_bytes: 1, times: 9 }, () => {})
    link.heal()
    expect((await say('hello', 5)).answer).toBe('HELLO')
  })
})

test('A quantile is a measured value', () => {
  const values = Array.from({ length: 100 }, (_, n) => n + 1)
  expect([0.5, 0.99, 1].map((part) => quantile(values, part))).toEqual([50, 99, 100])
  expect([quantile([7], 0.99), quantile([], 0.5)]).toEqual([7, null])
})

test('A recovery that another fault lengthened is reported apart', () => {
  const row = {
    table: 'refunds',
    status: 'unknown',
    sent_at: 950,
    deadline_at: 18_950,
    error: null,
    by_event: false,
  } as const
  const effects = [
    { ...row, id: 'a', settled_at: 19_000 },
    { ...row, id: 'b', settled_at: null },
  ]
  const kill = { kind: 'kill', victim: 'worker-1', what: '', from: 1_000, to: 1_000 }
  const held = [{ name: 'worker-1', at: 1_000, ids: ['a', 'b'] }]
  expect(recoveries(held, effects, [kill])).toEqual([
    { what: 'refunds a (unknown) after worker-1', ms: 18_000, alone: true },
  ])
  // The other worker had been killed before, and was not running yet.
  const earlier = { ...kill, victim: 'worker-2', from: 500, to: 510, back: 3_000 }
  expect(recoveries(held, effects, [kill, earlier])).toMatchObject([{ alone: false }])
  expect(recoveries(held, effects, [kill, { ...earlier, back: 900 }])).toMatchObject([{ alone: true }])
  expect(recoveries(held, effects, [kill, { ...kill, victim: 'postgres', to: 9_000 }])).toMatchObject([
    { ms: 18_000, alone: false },
  ])
})

test('The timeline shows each fault’s time, victim and end', () => {
  const timeline = newTimeline()
  timeline.begin('stop', 'postgres', 'stands still', 2_500)()
  timeline.at('kill', 'worker-1', 'SIGKILL', 1_250)
  const [first, second] = told(timeline.all(), 1_000)
  expect(first).toBe('+0.250 s  kill worker-1: SIGKILL')
  expect(second).toMatch(/^\+1\.500 s to \+\d+\.\d{3} s {2}stop postgres: stands still$/)
})

test('The report counts violations by name', () => {
  const text = markdown({
    ...{ seed: 7, commit: 'abc', rounds: 1, minutes: 1 },
    found: [
      {
        ...{
          round: '1',
          orders: 3,
          pages: 0,
          store: null,
          history: null,
          took: { load: 1, calls: 0, settling: 1 },
          statuses: new Map([[200, 4]]),
        },
        diagnosis: [],
        last: [],
        violations: [{ invariant: 'Double charges', what: 'order o1 was charged 2 times' }],
        recovered: [{ what: 'refunds a', ms: 18_000, alone: true }],
      },
    ],
  })
  expect(text).toContain('| Double charges | 1 |')
  expect(text).toContain('| Oversold units | 0 |')
  expect(text).toContain('| without other faults | 1 | 18.0 s | 18.0 s | 18.0 s |')
})
