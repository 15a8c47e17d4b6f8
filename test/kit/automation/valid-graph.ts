// A graph that has everything a graph may have, for tests of its faults.
//   const graph = validGraph({ mailbox_id })
export type Edge = { source: string; target: string; output: string; back_edge?: boolean }

export const edge = (source: string, output: string, target: string, back_edge?: boolean): Edge => ({
  source,
  output,
  target,
  ...(back_edge === undefined ? {} : { back_edge }),
})

/** The rows that its nodes name. */
export type Named = { mailbox_id: string; template_id: string; build_hook_id: string; connection_id: string }
const uuid = '3f0c1f4e-8a39-4f4e-9d55-0d3a51a2f1aa'
const anyRows: Named = { mailbox_id: uuid, template_id: uuid, build_hook_id: uuid, connection_id: uuid }

/** One node of each type, a branch, a join, a loop in a loop: everything that is allowed. */
export const validGraph = ({ mailbox_id, template_id, build_hook_id, connection_id } = anyRows) => ({
  nodes: {
    start: { type: 'trigger', delay_ms: 1000, events: ['order.created', 'form_submission.created'] },
    get: {
      type: 'http',
      method: 'GET',
      url: 'https://example.com/users/{{input.trigger.id}}',
      headers: { 'X-Id': '{{input.start.id}}' },
      retries: 3,
    },
    choose: {
      type: 'switch',
      rules: [{ condition: '{{input.get.status}} === 200' }, { condition: 'input.get.status === 404' }],
    },
    mail: {
      type: 'send_email',
      mailbox_id,
      template_id,
      to: '{{nodes.get.output.body.email}}',
      variables: { name: ['{{nodes.get.output.body.name}}'] },
    },
    shape: { type: 'transform', code: '{{}} return input' },
    orders: { type: 'loop', items: '{{nodes.get.output.body.orders}}' },
    lines: { type: 'loop', items: '{{input.orders.item.lines}}' },
    post: {
      type: 'http',
      method: 'post',
      url: '{{nodes.orders.output.item.url}}',
      body: { line: '{{input.lines.item}}', of: ['{{nodes.orders.output.index}}'] },
    },
    keep: {
      type: 'drive_upload',
      connection_id,
      file_name: '{{nodes.orders.output.index}}.json',
      content: '{{input.lines}}',
    },
    deploy: { type: 'deploy_webhook', build_hook_id, delay_ms: 5000 },
  } as Record<string, Record<string, unknown>>,
  edges: [
    edge('start', 'default', 'get'),
    edge('get', 'success', 'choose'),
    edge('get', 'error', 'shape'),
    edge('choose', 'rule_0', 'orders'),
    edge('choose', 'fallback', 'mail', false),
    edge('orders', 'each', 'lines'),
    edge('lines', 'each', 'post'),
    edge('post', 'success', 'lines', true),
    edge('lines', 'done', 'keep'),
    edge('keep', 'success', 'orders', true),
    edge('keep', 'error', 'orders', true),
    edge('orders', 'done', 'deploy'),
    edge('mail', 'success', 'deploy'),
  ] as Edge[],
  schedule: '*/15 6-22 * * mon-fri' as unknown,
})

export type ValidGraph = ReturnType<typeof validGraph>

/** Changes fields of one node. */
export const set = (id: string, fields: Record<string, unknown>) => (graph: ValidGraph) =>
  void Object.assign(graph.nodes[id] ?? {}, fields)

/** Adds edges; the first has the index 13. */
export const addEdges =
  (...more: unknown[]) =>
  (graph: { edges: unknown[] }) =>
    void graph.edges.push(...more)
