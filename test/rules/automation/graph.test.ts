// An active graph can run to its end; each fault that prevents this is reported at its node or edge.
import { expect, test } from '@jest/globals'
import { draftFaults, graphFaults, planOf } from '../../../rules/automation/graph.ts'
import {
  DEPTH_MAX,
  EDGES_MAX,
  GRAPH_BYTES_MAX,
  Graph,
  GraphDraft,
  isCron,
  NODES_MAX,
} from '../../../rules/automation/graph-shapes.ts'
import { addEdges, edge, set, type ValidGraph, validGraph } from '../../kit/automation/valid-graph.ts'

type Given = { nodes: Record<string, unknown>; edges: unknown[]; schedule?: unknown }

const changed = (change: (graph: ValidGraph) => void): Given => {
  const graph = validGraph()
  change(graph)
  return graph
}
const told = (graph: Given) => graphFaults(graph).map(({ pointer, code }) => `${pointer} ${code}`)

test('A valid graph has no faults, and its plan orders each node after its inputs', () => {
  expect(graphFaults(validGraph())).toEqual([])
  const plan = planOf(Graph.parse(validGraph()))
  const at = (id: string) => plan.order.indexOf(id)
  expect(plan.order).toHaveLength(10)
  for (const { source, target, back_edge } of validGraph().edges)
    if (!back_edge) expect(at(source)).toBeLessThan(at(target))
  expect([plan.loops.get('post'), plan.loops.get('keep'), plan.loops.get('deploy')]).toEqual([
    ['orders', 'lines'],
    ['orders'],
    [],
  ])
  expect([plan.body.get('orders')?.sort(), plan.body.get('lines')]).toEqual([['keep', 'lines'], ['post']])
  expect([...(plan.before.get('deploy') ?? [])].sort()).toEqual(['choose', 'get', 'mail', 'orders', 'start'])
})

test('A valid graph has the defaults of the API', () => {
  const { nodes, edges } = Graph.parse(validGraph())
  expect(nodes.post).toMatchObject({
    method: 'post',
    headers: {},
    timeout_ms: 30_000,
    delay_ms: 0,
    retries: 0,
    retry_delay_ms: 0,
  })
  expect([nodes.get, edges[0]]).toMatchObject([{ method: 'get', retries: 3 }, { back_edge: false }])
})

test('A single trigger without edges and schedule is a valid graph', () => {
  for (const schedule of [null, undefined])
    expect(told({ nodes: { t: { type: 'trigger' } }, edges: [], schedule })).toEqual([])
})

const add =
  (id: string, node: unknown, ...edges: unknown[]) =>
  (graph: Given) => {
    graph.nodes[id] = node
    graph.edges.push(...edges)
  }
const code = { type: 'transform', code: 'return 1' }
const deep = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels))

test.each<[string, (graph: ValidGraph) => void, ...string[]]>([
  // The whole graph.
  ['no trigger', (graph) => delete graph.nodes.start && graph.edges.shift(), '/nodes trigger_missing'],
  ['no nodes', (graph) => Object.assign(graph, { nodes: {}, edges: [] }), '/nodes trigger_missing'],
  ['two triggers', add('again', { type: 'trigger' }), '/nodes/again/type trigger_duplicate'],
  ['nodes that are a list', (graph) => Object.assign(graph, { nodes: [] }), '/nodes invalid_type'],
  ['invalid edges', (graph) => Object.assign(graph, { edges: null }), '/edges invalid_type'],
  [
    'too many nodes',
    (graph) => Array.from({ length: NODES_MAX }, (_, at) => add(`n${at}`, code)(graph)),
    '/nodes too_big',
  ],
  ['too many edges', addEdges(...Array(EDGES_MAX).fill(edge('start', 'default', 'get'))), '/edges too_big'],
  ['too many bytes', set('post', { body: 'é'.repeat(GRAPH_BYTES_MAX / 2) }), '/nodes too_big'],
  [
    'a schedule of six fields',
    (graph) => Object.assign(graph, { schedule: '0 * * * * *' }),
    '/schedule schedule_invalid',
  ],
  ['a schedule that is a number', (graph) => Object.assign(graph, { schedule: 5 }), '/schedule schedule_invalid'],
  // Ids.
  [
    'an id with a slash',
    add('a/b', code, edge('start', 'default', 'get')),
    '/nodes/a~1b node_id_invalid',
    '/edges/13 duplicate',
  ],
  ['an id too long', add('x'.repeat(65), code), `/nodes/${'x'.repeat(65)} node_id_invalid`],
  ['an empty id', add('', code), '/nodes/ node_id_invalid'],
  [
    'an id of the prototype',
    (graph) => Object.defineProperty(graph.nodes, '__proto__', { value: code, enumerable: true }),
    '/nodes/__proto__ node_id_reserved',
  ],
  ['an id of the object prototype’s members', add('toString', code), '/nodes/toString node_id_reserved'],
  ['another node called trigger', add('trigger', code), '/nodes/trigger node_id_reserved'],
  // Nodes.
  ['an invalid node', add('x', null), '/nodes/x invalid_type'],
  ['a node without a type', add('x', {}), '/nodes/x/type required'],
  ['an unknown type', add('x', { type: 'exec' }), '/nodes/x/type unknown_type'],
  ['an unknown field', set('get', { verify: false }), '/nodes/get/verify unknown_field'],
  ['an unknown method', set('get', { method: 'trace' }), '/nodes/get/method invalid_value'],
  ['no url', (graph) => delete graph.nodes.get?.url, '/nodes/get/url required'],
  ['a url that is relative', set('get', { url: '/users' }), '/nodes/get/url invalid_value'],
  ['a url of another scheme', set('get', { url: 'file:///etc/passwd' }), '/nodes/get/url invalid_value'],
  ['a header with a line break', set('get', { headers: { a: 'b\r\nc: d' } }), '/nodes/get/headers/a invalid_format'],
  ['a header without a name', set('get', { headers: { 'a b': 'c' } }), '/nodes/get/headers/a b invalid_key'],
  ['a header of the connection', set('get', { headers: { Host: 'x' } }), '/nodes/get/headers/Host invalid_key'],
  ['a timeout too long', set('get', { timeout_ms: 120_001 }), '/nodes/get/timeout_ms too_big'],
  ['a timeout of nothing', set('get', { timeout_ms: 0 }), '/nodes/get/timeout_ms too_small'],
  ['too many retries', set('get', { retries: 11 }), '/nodes/get/retries too_big'],
  ['a negative delay', set('deploy', { delay_ms: -1 }), '/nodes/deploy/delay_ms too_small'],
  ['a fractional delay', set('start', { delay_ms: 0.5 }), '/nodes/start/delay_ms invalid_type'],
  [
    'an unknown event',
    set('start', { events: ['order.created', 'order.eaten'] }),
    '/nodes/start/events/1 invalid_value',
  ],
  ['a malformed mailbox id', set('mail', { mailbox_id: 'main' }), '/nodes/mail/mailbox_id invalid_format'],
  [
    'a template instead of an id',
    set('mail', { template_id: '{{input.choose}}' }),
    '/nodes/mail/template_id invalid_format',
  ],
  ['an invalid address', set('mail', { to: 'ada at example' }), '/nodes/mail/to invalid_value'],
  ['no build hook', set('deploy', { build_hook_id: undefined }), '/nodes/deploy/build_hook_id required'],
  ['no file name', set('keep', { file_name: '' }), '/nodes/keep/file_name too_small'],
  ['a switch without rules', set('choose', { rules: [] }), '/nodes/choose/rules too_small'],
  [
    'a rule without a condition',
    set('choose', { rules: [{ condition: 'true' }, { condition: '' }] }),
    '/nodes/choose/rules/1/condition too_small',
  ],
  ['a transform without code', set('shape', { code: null }), '/nodes/shape/code invalid_type'],
  [
    'a condition that ends too early',
    set('choose', { rules: [{ condition: 'input.get.status >' }, { condition: 'true' }] }),
    '/nodes/choose/rules/0/condition code_invalid',
  ],
  [
    'a condition that is a path to nowhere',
    set('choose', { rules: [{ condition: 'true' }, { condition: 'input.get. > 1' }] }),
    '/nodes/choose/rules/1/condition code_invalid',
  ],
  [
    'a condition that is a statement',
    set('choose', { rules: [{ condition: 'true) } (' }] }),
    '/nodes/choose/rules/0/condition code_invalid',
  ],
  [
    'a condition with a template and a mistake',
    set('choose', { rules: [{ condition: "'{{input.get.status}}' ===" }, { condition: '1' }] }),
    '/nodes/choose/rules/0/condition code_invalid',
  ],
  ['items that are two values', set('lines', { items: 'input.orders input' }), '/nodes/lines/items code_invalid'],
  ['code that does not end', set('shape', { code: 'if (input) {' }), '/nodes/shape/code code_invalid'],
  [
    'code nested too deeply',
    set('shape', { code: `return ${'['.repeat(30_000)}${']'.repeat(30_000)}` }),
    '/nodes/shape/code code_invalid',
  ],
  ['a loop without items', set('lines', { items: undefined }), '/nodes/lines/items required'],
  ['values too deep', set('post', { body: deep(100_000) }), '/nodes/post too_deep'],
  ['values a little too deep', set('post', { body: deep(DEPTH_MAX + 1) }), '/nodes/post too_deep'],
  // Edges.
  ['an invalid edge', addEdges('start'), '/edges/13 invalid_type'],
  ['an edge without an output', addEdges({ source: 'start', target: 'get' }), '/edges/13/output required'],
  [
    'an edge with more fields',
    addEdges({ ...edge('start', 'default', 'mail'), label: 'x' }),
    '/edges/13/label unknown_field',
  ],
  ['an edge from nowhere', addEdges(edge('gone', 'success', 'mail')), '/edges/13/source node_missing'],
  ['an edge to nowhere', addEdges(edge('start', 'default', 'gone')), '/edges/13/target node_missing'],
  [
    'an edge to a name of the object prototype',
    addEdges(edge('start', 'default', 'valueOf')),
    '/edges/13/target node_missing',
  ],
  ['an output of another type', addEdges(edge('start', 'success', 'mail')), '/edges/13/output output_unknown'],
  ['an unknown rule of a switch', addEdges(edge('choose', 'rule_2', 'mail')), '/edges/13/output output_unknown'],
  ['an error of a loop', addEdges(edge('orders', 'error', 'deploy')), '/edges/13/output output_unknown'],
  ['an edge into the trigger', addEdges(edge('mail', 'success', 'start')), '/edges/13/target edge_into_trigger'],
  ['a duplicate edge', addEdges(edge('start', 'default', 'get', false)), '/edges/13 duplicate'],
  [
    'a back edge to a node that is not a loop',
    addEdges(edge('mail', 'error', 'get', true)),
    '/edges/13/target back_edge_target',
  ],
  ['an edge too deep', addEdges(deep(1000)), '/edges/13 too_deep'],
  // Combinations.
  ['a circle', addEdges(edge('mail', 'error', 'get')), '/edges/13 cycle'],
  ['a node that leads to itself', addEdges(edge('mail', 'error', 'mail')), '/edges/13 cycle'],
  [
    'a back edge without its mark',
    (graph) => Object.assign(graph.edges[7] ?? {}, { back_edge: false }),
    '/edges/7 cycle',
  ],
  ['a back edge from outside', addEdges(edge('mail', 'error', 'orders', true)), '/edges/13/source back_edge_source'],
  ['a back edge over two loops', addEdges(edge('post', 'error', 'orders', true)), '/edges/13/source back_edge_source'],
  [
    'a back edge from the loop itself',
    addEdges(edge('lines', 'each', 'lines', true)),
    '/edges/13/source back_edge_source',
  ],
  [
    'a back edge from a later node',
    addEdges(edge('deploy', 'success', 'orders', true)),
    '/edges/13/source back_edge_source',
  ],
  ['an edge out of a body', addEdges(edge('keep', 'error', 'deploy')), '/edges/13 edge_leaves_body'],
  ['an edge into a body from outside', addEdges(edge('start', 'default', 'keep')), '/edges/8 edge_leaves_body'],
  ['an edge out of the inner body only', addEdges(edge('post', 'error', 'keep')), '/edges/13 edge_leaves_body'],
  ['a body that is also after the loop', addEdges(edge('orders', 'each', 'deploy')), '/edges/13 edge_leaves_body'],
  [
    'a loop without a body',
    (graph) => graph.edges.splice(6, 2),
    '/nodes/lines loop_not_entered',
    '/nodes/post node_unreachable',
  ],
  ['a loop that is not closed', (graph) => graph.edges.splice(7, 1), '/nodes/lines loop_not_closed'],
  ['an unreachable node', add('x', code), '/nodes/x node_unreachable'],
  [
    'unreachable nodes in a cycle',
    (graph) => [add('x', code, edge('x', 'success', 'y'))(graph), add('y', code, edge('y', 'success', 'x'))(graph)],
    '/nodes/x node_unreachable',
    '/nodes/y node_unreachable',
  ],
  // Templates.
  ['a malformed template', set('get', { url: 'https://x/{{id}}' }), '/nodes/get/url template_malformed'],
  [
    'a template that does not end',
    set('mail', { variables: { a: { b: ['{{input.choose'] } } }),
    '/nodes/mail/variables/a/b/0 template_malformed',
  ],
  ['a template of no node', set('keep', { content: '{{nodes.gone.output}}' }), '/nodes/keep/content template_node'],
  [
    'the input of a node without an edge to it',
    set('mail', { to: '{{input.get.body.email}}' }),
    '/nodes/mail/to template_source',
  ],
  [
    'the trigger as input, further on',
    set('mail', { to: '{{input.trigger.email}}' }),
    '/nodes/mail/to template_source',
  ],
  ['a header with a slash in its name', set('get', { headers: { 'x/y': 'a' } }), '/nodes/get/headers/x~1y invalid_key'],
  [
    'the output of a later node',
    set('get', { url: 'https://x/{{nodes.deploy.output.id}}' }),
    '/nodes/get/url template_order',
  ],
  ['the output of another branch', set('mail', { to: '{{nodes.orders.output.0}}' }), '/nodes/mail/to template_order'],
  [
    'the output of the node itself',
    set('get', { url: 'https://x/{{nodes.get.output.id}}' }),
    '/nodes/get/url template_order',
  ],
  [
    'the output of a body, from outside',
    set('keep', { folder: '{{nodes.post.output.status}}' }),
    '/nodes/keep/folder template_order',
  ],
  [
    'a condition that reads an unknown input',
    set('choose', { rules: [{ condition: '{{input.mail}} > 1' }, { condition: '1' }] }),
    '/nodes/choose/rules/0/condition template_source',
  ],
  [
    'items that read an unknown input',
    set('lines', { items: '{{input.choose}}' }),
    '/nodes/lines/items template_source',
  ],
])('A graph with %s is refused at its pointer', (_, change, ...expected) =>
  expect(told(changed(change)).sort()).toEqual(expected.sort()),
)

test('A fault names its node or edge beside the pointer, with a sentence', () => {
  const faults = graphFaults(
    changed((graph) => [set('get', { url: 1 })(graph), addEdges(edge('gone', 'x', 'mail'))(graph)]),
  )
  expect(faults).toMatchObject([{ node: 'get' }, { edge: 13 }])
  for (const { detail } of faults) expect(detail.length).toBeGreaterThan(10)
})

test('Independent faults are reported together, without their consequences', () => {
  expect(
    told(
      changed((graph) => [
        set('get', { url: '', retries: 99 })(graph),
        add('x', {})(graph),
        addEdges(edge('gone', 'x', 'get'))(graph),
      ]),
    ).sort(),
  ).toEqual([
    '/edges/13/source node_missing',
    '/nodes/get/retries too_big',
    '/nodes/get/url invalid_value',
    '/nodes/get/url too_small',
    '/nodes/x/type required',
  ])
})

test('A value that is not JSON anywhere in a graph is refused without an exception', () => {
  for (const odd of [undefined, null, 1, 'x', [], [[]], { a: [] }, { a: { type: [] } }, { a: { type: 'constructor' } }])
    expect(graphFaults({ nodes: odd, edges: [odd], schedule: odd }).length).toBeGreaterThan(0)
})

test('A draft may be incomplete but must have the shape of a graph', () => {
  const half = {
    nodes: { a: { type: 'http' }, b: {}, c: { type: 'loop', items: 5, note: 'later' } },
    edges: [{ source: 'a' }, {}],
  }
  expect(GraphDraft.parse(half)).toEqual({ ...half, edges: [{ source: 'a', back_edge: false }, { back_edge: false }] })
  expect(draftFaults(half)).toEqual([])
  for (const wrong of [
    { nodes: { a: { type: 'exec' } }, edges: [] },
    { nodes: {}, edges: [{ label: 'x' }] },
    { nodes: [], edges: [] },
    { nodes: { a: 1 }, edges: [] },
  ])
    expect(GraphDraft.safeParse(wrong).success).toBe(false)
})

test('A draft has the size limit and a valid schedule', () => {
  expect(draftFaults({ nodes: { a: { x: 'x'.repeat(GRAPH_BYTES_MAX) } }, edges: [] })).toMatchObject([
    { pointer: '/nodes', code: 'too_big' },
  ])
  expect(draftFaults({ nodes: { a: { x: deep(100_000) } }, edges: [], schedule: 'soon' })).toMatchObject([
    { node: 'a', code: 'too_deep' },
    { pointer: '/schedule' },
  ])
})

test.each([
  '* * * * *',
  '*/5 * * * *',
  '0 0 1 1 *',
  '0,15,30-45/5 8-18 * * 1-5',
  '59 23 31 12 7',
  '0 9 * jan,JUL Mon-fri',
  ' 0  12 * * 0 ',
  '0 0 29 2 *',
  '0 0 30 2 1',
])('The schedule %s is valid', (cron) => expect(isCron(cron)).toBe(true))
test.each([
  '',
  '* * * *',
  '* * * * * *',
  '@daily',
  '60 * * * *',
  '* 24 * * *',
  '* * 0 * *',
  '* * 32 * *',
  '* * * 13 *',
  '* * * 0 *',
  '* * * * 8',
  '-1 * * * *',
  '5-1 * * * *',
  '*/0 * * * *',
  '*/61 * * * *',
  '5/10 * * * *',
  '1-5-9 * * * *',
  '1,,2 * * * *',
  ', * * * *',
  '1- * * * *',
  '*/ * * * *',
  '* * L * *',
  '* * ? * *',
  '* * * * mon#2',
  'mon * * * *',
  '* * * mon *',
  '0 0 30 2 *',
  '0 0 31 apr *',
  '١ * * * *',
  '1.5 * * * *',
  '0\n0 * * * *',
])('The schedule %j is invalid', (cron) => expect(isCron(cron)).toBe(false))
