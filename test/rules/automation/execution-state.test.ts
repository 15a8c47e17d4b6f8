// A graph runs as a naive reading of the same rules says, in any order of completions, with repeated results and any
// number of items.
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import {
  apply,
  begin,
  cancel,
  conclusion,
  type Ref,
  type Result,
  type Run,
  ready,
  resultsOf,
  type State,
  scopeOf,
  start,
  withdraw,
} from '../../../rules/automation/execution-state.ts'
import { graphFaults, outputsOf, type Plan, planOf } from '../../../rules/automation/graph.ts'
import { Graph, LOOP_ITEMS_MAX } from '../../../rules/automation/graph-shapes.ts'
import { graphFrom as drawnFrom, tapes } from '../../kit/automation/random-graphs.ts'
import { digest, type Outcome, reference, type Verdict, type World } from '../../kit/automation/reference-graph.ts'
import { draws } from '../../kit/draws.ts'

const nodeOf: Record<string, Record<string, unknown>> = {
  trigger: { type: 'trigger' },
  http: { type: 'http', method: 'post', url: 'https://example.com/' },
  transform: { type: 'transform', code: 'return 1' },
  loop: { type: 'loop', items: '[1]' },
  switch: { type: 'switch', rules: [{ condition: 'true' }, { condition: 'false' }] },
}

/**
 * `start:default>a a:error>b b:success>>loop`: one edge a word, a back edge with two angles; types by the first letter
 * of an id.
 */
const types: Record<string, string> = { t: 'trigger', h: 'http', f: 'transform', l: 'loop', s: 'switch' }
const drawn = (words: string): Graph => {
  const edges = words
    .trim()
    .split(/\s+/)
    .map((word) => {
      const [, source = '', output = '', angles = '', target = ''] = /^(\w+):(\w+)(>>?)(\w+)$/.exec(word) ?? []
      return { source, output, target, back_edge: angles === '>>' }
    })
  const ids = new Set(edges.flatMap(({ source, target }) => [source, target]))
  const graph = { nodes: Object.fromEntries([...ids].map((id) => [id, nodeOf[types[id[0] ?? ''] ?? '']])), edges }
  expect(graphFaults(graph)).toEqual([])
  return Graph.parse(graph)
}

const readFrom = (values: Record<string, unknown>) => (ref: Ref) =>
  typeof ref === 'string' ? values[ref] : (values[ref.items] as unknown[])[ref.index]

const valueRead = (run: Run, values: Record<string, unknown>): unknown =>
  run.step === 'collect'
    ? run.collected.map((key) => (key === null ? null : values[key]))
    : scopeOf(run, readFrom(values))

/**
 * Runs a graph in a world that gives each run's duration, with the state passed through JSON at every step as if
 * stored.
 */
const follow = (graph: Graph, world: World, cancel_at = Number.POSITIVE_INFINITY): Outcome => {
  const plan = planOf(graph)
  const values: Record<string, unknown> = {}
  let inFlight: { run: Run; at: number }[] = []
  let state = begin(plan)
  let now = 0
  let asked = false
  while (conclusion(state) === 'running') {
    const runs = ready(plan, state)
    state = JSON.parse(
      JSON.stringify(
        start(
          plan,
          state,
          runs.map(({ key }) => key),
        ),
      ),
    ) as State
    expect(ready(plan, state)).toEqual([])
    inFlight = [...inFlight, ...runs.map((run) => ({ run, at: now + world.duration(run.key) }))].sort(
      (a, b) => b.at - a.at,
    )
    if (!asked && (inFlight.at(-1)?.at ?? 0) > cancel_at) {
      asked = true
      state = cancel(plan, state)
      now = cancel_at
      continue
    }
    const ended = inFlight.pop()
    if (!ended) throw new Error(`nothing runs, and nothing is over: ${JSON.stringify(state)}`)
    now = ended.at
    const { run } = ended
    const read = valueRead(run, values)
    const verdict = world.verdict(run.key, read)
    if (run.step === 'collect' ? verdict.status === 'completed' : verdict.status !== 'unknown')
      values[run.key] = run.step === 'collect' ? read : verdict.value
    const result: Result = {
      run: run.key,
      status: verdict.status,
      output: verdict.output,
      items: Array.isArray(verdict.value) ? verdict.value.length : undefined,
    }
    state = apply(plan, state, result)
    // A repeated result counts once.
    expect(apply(plan, state, result)).toBe(state)
  }
  expect(inFlight.filter(({ run }) => resultsOf(plan, state)[run.node]?.status === 'running')).toEqual([])
  return {
    end: conclusion(state),
    statuses: Object.fromEntries(Object.entries(resultsOf(plan, state)).map(([node, { status }]) => [node, status])),
    values,
  }
}

/**
 * Runs everything at once, in the order of the graph; `ends` gives the verdicts of runs that do not simply complete, by
 * key.
 */
const outcome = (graph: Graph, ends: Record<string, Partial<Verdict>> = {}, late: string[] = []) =>
  follow(graph, {
    verdict: (key, scope) => ({
      status: 'completed',
      value: scope,
      output: key.startsWith('s') ? 'fallback' : undefined,
      ...ends[key],
    }),
    duration: (key) => (late.includes(key) ? 1000 : 1) + Number.parseInt(digest(key), 16) / 2 ** 50,
  })
const statuses = (...asked: Parameters<typeof outcome>) => {
  const { end, statuses } = outcome(...asked)
  return [end, ...Object.entries(statuses).map(([node, status]) => `${node} ${status}`)].sort()
}
const shown = (end: string, words: string) => [end, ...words.split(', ')].sort()

describe('Nodes', () => {
  const join = drawn('t:default>h1 t:default>h2 h1:success>h3 h2:success>h3')

  test('A node waits until all of its inputs are decided and reads the ones taken', () => {
    const { values } = outcome(join)
    expect(values.h3).toMatchObject({
      input: { h1: values.h1, h2: values.h2 },
      nodes: { t: { output: values.t }, h1: { output: values.h1 } },
    })
    expect(Object.keys((values.h3 as { input: object }).input)).toEqual(['h1', 'h2'])
  })

  test('A node reads the trigger under its own name and as trigger', () => {
    expect(outcome(join, { t: { value: { body: 1 } } }).values.h1).toEqual({
      input: { t: { body: 1 }, trigger: { body: 1 } },
      nodes: { t: { output: { body: 1 } } },
    })
  })

  test('A node is skipped only if none of its inputs is taken', () => {
    const graph = drawn('t:default>s s:rule_0>h1 s:rule_1>h2 s:fallback>h3 h1:success>h4 h2:success>h5 h4:success>h5')
    expect(statuses(graph, { s: { output: 'rule_1' } })).toEqual(
      shown('completed', 't completed, s completed, h1 skipped, h2 completed, h3 skipped, h4 skipped, h5 completed'),
    )
  })

  test('A failed node takes its error output with its stored value, and the execution completes', () => {
    const graph = drawn('t:default>h1 h1:success>h2 h1:error>h3 h3:success>h4')
    const { end, statuses, values } = outcome(graph, { h1: { status: 'failed', value: { status: 500 } } })
    expect([end, statuses]).toEqual([
      'completed',
      { t: 'completed', h1: 'failed', h2: 'skipped', h3: 'completed', h4: 'completed' },
    ])
    expect(values.h4).toMatchObject({ nodes: { h1: { output: { status: 500 } } } })
  })

  test('A failed node without an error edge ends the execution after the running nodes end', () => {
    const graph = drawn('t:default>h1 t:default>h2 h1:success>h3 h2:success>h4 h4:success>h5 h1:success>h5')
    expect(statuses(graph, { h1: { status: 'failed' } }, ['h2'])).toEqual(
      shown('failed', 't completed, h1 failed, h2 completed, h3 skipped, h4 cancelled, h5 skipped'),
    )
  })

  test('An unknown node takes no output, other branches continue, and the execution fails', () => {
    const graph = drawn('t:default>h1 t:default>h2 h1:success>h3 h1:error>h4 h2:success>h5 h3:success>h5')
    expect(statuses(graph, { h1: { status: 'unknown' } })).toEqual(
      shown('failed', 't completed, h1 unknown, h2 completed, h3 skipped, h4 skipped, h5 completed'),
    )
  })
})

describe('Loops', () => {
  const simple = drawn('t:default>l l:each>h1 h1:success>h2 h2:success>>l l:done>h3')

  test('A loop runs its body once per item in order and collects the returned values', () => {
    const { values } = outcome(simple, { 'l:items': { value: ['a', 'b'] } })
    expect(values['h1#1']).toMatchObject({
      input: { l: { item: 'b', index: 1, total: 2 } },
      nodes: { l: { output: { item: 'b', index: 1, total: 2 } } },
    })
    expect(values['h2#1']).toMatchObject({ nodes: { h1: { output: values['h1#1'] }, l: { output: { item: 'b' } } } })
    expect(values.h3).toMatchObject({
      input: { l: [values['h2#0'], values['h2#1']] },
      nodes: { l: { output: values.l } },
    })
    expect(Object.keys((values.h3 as { nodes: object }).nodes).sort()).toEqual(['l', 't'])
  })

  test('A loop without items is done with an empty result', () => {
    const { end, statuses, values } = outcome(simple, { 'l:items': { value: [] } })
    expect([end, statuses, values.l]).toEqual([
      'completed',
      { t: 'completed', l: 'completed', h1: 'skipped', h2: 'skipped', h3: 'completed' },
      [],
    ])
  })

  test('A loop has null for an item whose body did not return', () => {
    const graph = drawn('t:default>l l:each>s s:rule_0>h1 h1:success>>l s:fallback>h2')
    expect(
      outcome(graph, { 'l:items': { value: [1, 2, 3] }, 's#1': { output: 'rule_0' }, 'h1#1': { value: 'x' } }).values.l,
    ).toEqual([null, 'x', null])
  })

  test('A loop takes the first of several back edges, whichever ended last', () => {
    const graph = drawn('t:default>l l:each>h1 l:each>h2 h1:success>>l h2:success>>l')
    const ends = { 'l:items': { value: [1] }, 'h1#0': { value: 1 }, 'h2#0': { value: 2 } }
    expect([outcome(graph, ends, ['h1#0']).values.l, outcome(graph, ends, ['h2#0']).values.l]).toEqual([[1], [1]])
  })

  test('A loop’s body can return through the error output of a node', () => {
    const graph = drawn('t:default>l l:each>h1 h1:error>>l')
    expect(outcome(graph, { 'l:items': { value: [1, 2] }, 'h1#0': { status: 'failed', value: 'no' } })).toMatchObject({
      end: 'completed',
      values: { l: ['no', null] },
    })
  })

  test('An inner loop runs anew for each item of the outer one, with keys of its own', () => {
    const graph = drawn('t:default>l1 l1:each>l2 l2:each>h1 h1:success>>l2 l2:done>h2 h2:success>>l1')
    const { values } = outcome(graph, {
      'l1:items': { value: ['a', 'b'] },
      'l2:items#0': { value: [1, 2] },
      'l2:items#1': { value: [] },
    })
    expect(Object.keys(values)).toEqual([
      't',
      'l1:items',
      'l2:items#0',
      'h1#0,0',
      'h1#0,1',
      'l2#0',
      'h2#0',
      'l2:items#1',
      'l2#1',
      'h2#1',
      'l1',
    ])
    expect(values['h1#0,1']).toMatchObject({
      input: { l2: { item: 2, index: 1, total: 2 } },
      nodes: { l1: { output: { item: 'a', index: 0, total: 2 } } },
    })
  })

  test('A loop ends as unknown with its unknown node, before the next item runs', () => {
    expect(statuses(simple, { 'l:items': { value: [1, 2, 3] }, 'h1#1': { status: 'unknown' } })).toEqual(
      shown('failed', 't completed, l unknown, h1 unknown, h2 skipped, h3 skipped'),
    )
  })

  test('A loop stops at a failure in its body that no edge takes', () => {
    expect(statuses(simple, { 'l:items': { value: [1, 2, 3] }, 'h2#1': { status: 'failed' } })).toEqual(
      shown('failed', 't completed, l cancelled, h1 completed, h2 failed, h3 skipped'),
    )
  })

  test('A loop of more than ten thousand items is a RangeError', () => {
    const plan = planOf(simple)
    const state = apply(plan, begin(plan), { run: 't', status: 'completed' })
    for (const items of [LOOP_ITEMS_MAX + 1, -1, 1.5, undefined])
      expect(() => apply(plan, state, { run: 'l:items', status: 'completed', items })).toThrow(RangeError)
    expect(
      ready(plan, apply(plan, state, { run: 'l:items', status: 'completed', items: LOOP_ITEMS_MAX })).map(
        ({ key }) => key,
      ),
    ).toEqual(['h1#0'])
    expect(conclusion(apply(plan, state, { run: 'l:items', status: 'failed' }))).toBe('failed')
  })

  test('A loop’s state does not grow with its items, and its last item costs as much as its first', () => {
    const plan = planOf(simple)
    let state = apply(plan, begin(plan), { run: 't', status: 'completed' })
    state = apply(plan, state, { run: 'l:items', status: 'completed', items: 1000 })
    const walk = (count: number, from: State): State => {
      let at = from
      for (let ended = 0; ended < count; ended++) {
        const [run] = ready(plan, at)
        if (!run) throw new Error('nothing to run')
        at = apply(plan, start(plan, at, [run.key]), { run: run.key, status: 'completed' })
      }
      return at
    }
    const all = [state]
    while (all.length <= 20) all.push(walk(100, all.at(-1) as State))
    const end = all.at(-1) as State
    expect(ready(plan, end)).toMatchObject([{ key: 'l', step: 'collect' }])
    expect(ready(plan, end)[0]?.collected).toEqual(Array.from({ length: 1000 }, (_, index) => `h2#${index}`))
    expect(Math.max(...all.map((one) => JSON.stringify(one).length))).toBeLessThan(300)

    // In turns, so that a slow moment of the machine affects both, and often enough that it affects few of either.
    const tookAt = (from: State) => {
      const since = performance.now()
      walk(50, from)
      return performance.now() - since
    }
    const turns = Array.from({ length: 41 }, () => [tookAt(all[1] as State), tookAt(all[19] as State)] as const)
    const median = (values: number[]) => values.sort((a, b) => a - b)[20] as number
    expect(median(turns.map(([, late]) => late))).toBeLessThan(3 * median(turns.map(([early]) => early)))
  })
})

describe('Cancellation', () => {
  const graph = drawn('t:default>h1 t:default>h2 h1:success>h3 h2:success>h3')
  const plan = planOf(graph)
  const running = start(plan, apply(plan, begin(plan), { run: 't', status: 'completed' }), ['h1'])

  test('Cancelling stops unsent runs, and sent runs end by their own verdict', () => {
    const stopped = cancel(plan, running)
    expect([conclusion(stopped), ready(plan, stopped)]).toEqual(['running', []])
    expect(apply(plan, stopped, { run: 'h2', status: 'completed' })).toBe(stopped)
    const over = apply(plan, stopped, { run: 'h1', status: 'completed' })
    expect([conclusion(over), resultsOf(plan, over)]).toMatchObject([
      'cancelled',
      { h1: { status: 'completed' }, h2: { status: 'cancelled' }, h3: { status: 'cancelled' } },
    ])
  })

  test('A started run that was provably never sent is cancelled once it is withdrawn', () => {
    expect(withdraw(plan, running, 'h1')).toBe(running)
    const stopped = withdraw(plan, cancel(plan, running), 'h1')
    expect([conclusion(stopped), resultsOf(plan, stopped)]).toMatchObject([
      'cancelled',
      { h1: { status: 'cancelled' }, h3: { status: 'skipped' } },
    ])
    expect(withdraw(plan, stopped, 'h1')).toBe(stopped)
  })

  test('An unknown run of a cancelled execution makes it failed', () => {
    expect(conclusion(apply(plan, cancel(plan, running), { run: 'h1', status: 'unknown' }))).toBe('failed')
  })

  test('A cancellation before the start runs nothing, and one after the end changes nothing', () => {
    const never = cancel(plan, begin(plan))
    expect([conclusion(never), resultsOf(plan, never)]).toMatchObject([
      'cancelled',
      { t: { status: 'cancelled' }, h3: { status: 'skipped' } },
    ])
    expect(cancel(plan, never)).toBe(never)
  })
})

test('A switch takes only an output that it has', () => {
  const plan = planOf(drawn('t:default>s s:rule_1>h1'))
  const state = apply(plan, begin(plan), { run: 't', status: 'completed' })
  for (const output of ['rule_2', 'success', undefined])
    expect(() => apply(plan, state, { run: 's', status: 'completed', output })).toThrow(RangeError)
})

const graphFrom = (tape: readonly number[]): Graph => drawnFrom(tape, (type) => nodeOf[type])

const chance = (...parts: unknown[]): number => Number.parseInt(digest(parts), 16) / 16 ** 12

/**
 * Verdicts are drawn from the keys of runs, and values contain all inputs. `trouble`: the share of runs that fail or
 * are unknown.
 */
const worldOf = (plan: Plan, seed: number, trouble: number, speed: number): World => ({
  duration: (key) => 0.1 + chance('duration', speed, key) * 10,
  verdict: (key, scope) => {
    const node = plan.nodes[key.split(/[:#]/)[0] ?? '']
    const drawn = chance('verdict', seed, key)
    const status = drawn < trouble ? 'failed' : drawn < trouble * 1.3 ? 'unknown' : 'completed'
    if (key.includes(':items'))
      return {
        status,
        value: Array.from({ length: Math.floor(chance('items', seed, key) * 4) }, (_, item) =>
          digest([key, scope, item]),
        ),
      }
    const outputs = node?.type === 'switch' ? outputsOf(node) : []
    return {
      status,
      value: digest([key, scope]),
      output: outputs[Math.floor(chance('output', seed, key) * outputs.length)],
    }
  },
})

test('Every state and output of a random graph equals a naive reading, even if cancelled', () => {
  const met = new Set<string>()
  fc.assert(
    fc.property(
      tapes,
      fc.nat(),
      fc.constantFrom(0, 0.03, 0.15),
      fc.nat(),
      fc.constantFrom(null, 0.2, 0.7),
      (tape, seed, trouble, speed, cancelled) => {
        const graph = graphFrom(tape)
        expect(graphFaults(graph)).toEqual([])
        const world = worldOf(planOf(graph), seed, trouble, speed)
        const cancel_at = cancelled === null ? Number.POSITIVE_INFINITY : cancelled * 40
        const { stopped_at, ...expected } = reference(graph, world, cancel_at)
        const followed = follow(graph, world, cancel_at)
        expect(followed).toEqual(expected)
        for (const word of [followed.end, ...Object.values(followed.statuses)]) met.add(word)
      },
    ),
    { numRuns: draws(200) },
  )
  expect([...met].sort()).toEqual(['cancelled', 'completed', 'failed', 'skipped', 'unknown'])
})

test('Without a stopping failure, the order of completions changes nothing', () => {
  fc.assert(
    fc.property(tapes, fc.nat(), fc.constantFrom(0, 0.1), fc.nat(), fc.nat(), (tape, seed, trouble, speed, other) => {
      const graph = graphFrom(tape)
      const plan = planOf(graph)
      // A failure that no edge takes stops runs that have not started, which depends on timing.
      const caught = ({ verdict, duration }: World): World => ({
        duration,
        verdict: (key, scope) => {
          const one = verdict(key, scope)
          return one.status === 'failed' &&
            !graph.edges.some(({ source, output }) => output === 'error' && source === key.split('#')[0])
            ? { ...one, status: 'completed' }
            : one
        },
      })
      expect(follow(graph, caught(worldOf(plan, seed, trouble, other)))).toEqual(
        follow(graph, caught(worldOf(plan, seed, trouble, speed))),
      )
    }),
    { numRuns: 100 },
  )
})
