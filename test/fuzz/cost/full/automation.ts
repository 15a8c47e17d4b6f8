// Graphs, webhooks and email templates as large as they may be.
import { type Maker, many } from './maker.ts'

/** Of emails: the largest cost that templates may have. */
const bodies: [string, string, string][] = [
  ['many outputs', 'html', '{{ a }}'.repeat(37_000)],
  ['many tags', 'html', '{% if a %}x{% endif %}'.repeat(11_500)],
  ['deep tags', 'html', `${'{% if a %}'.repeat(9_000)}x${'{% endif %}'.repeat(9_000)}`],
  ['open tags', 'html', '{{'.repeat(130_000)],
  ['open markup', 'html', '<a '.repeat(87_000)],
  ['deep markup', 'html', '<div>'.repeat(26_000) + '</div>'.repeat(17_000)],
  ['many filters', 'html', `{{ a ${'| upcase '.repeat(28_000)} }}`],
  [
    'many sections',
    'mjml',
    `<mjml><mj-body>${'<mj-section><mj-column><mj-text>{{ a }}</mj-text></mj-column></mj-section>'.repeat(3_300)}</mj-body></mjml>`,
  ],
  [
    'deep sections',
    'mjml',
    `<mjml><mj-body>${'<mj-wrapper>'.repeat(10_000)}${'</mj-wrapper>'.repeat(10_000)}</mj-body></mjml>`,
  ],
  ['no markup', 'mjml', 'x '.repeat(130_000)],
  ['a loop', 'html', '{% for n in (1..1000000) %}{% for m in (1..1000000) %}x{% endfor %}{% endfor %}'],
]

export async function fillAutomation({ asOperator, unique, receiver }: Maker): Promise<void> {
  const text = '{{input.start.a}} '.repeat(8)
  const chain = (nodes: Record<string, unknown>) => {
    const ids = Object.keys(nodes)
    return ids
      .slice(1)
      .map((target, nth) => ({ source: ids[nth], target, output: ids[nth] === 'start' ? 'default' : 'success' }))
  }
  const http = {
    type: 'http',
    method: 'post',
    url: `${receiver}/x`,
    headers: Object.fromEntries(many(5, (n) => [`x-${n}`, text])),
    body: { a: many(5, () => text) },
  }
  const line = {
    start: { type: 'trigger' },
    ...Object.fromEntries(many(199, (nth) => [`n${nth}`, { ...http, body: { a: text } }])),
  }
  const wide = {
    start: { type: 'trigger' },
    ...Object.fromEntries(many(199, (nth) => [`n${nth}`, { type: 'http', method: 'get', url: `${receiver}/x` }])),
  }
  const mesh = many(1_000, (nth) =>
    nth < 199
      ? { source: 'start', target: `n${nth}`, output: 'default' }
      : { source: `n${nth % 198}`, target: `n${(nth % 198) + 1 + Math.floor(nth / 198)}`, output: 'success' },
  ).filter(({ target }) => Number(target.slice(1)) < 199)
  const loops = {
    start: { type: 'trigger' },
    ...Object.fromEntries(many(99, (nth) => [`l${nth}`, { type: 'loop', items: '{{input.start.items}}' }])),
  }
  const rules = many(50, () => ({ condition: `'{{input.start.a}}' === "x" || ${'(1+1) && '.repeat(80)} true` }))
  const graphs: [string, Record<string, unknown>, unknown[]][] = [
    ['a line of 200 nodes', line, chain(line)],
    ['200 nodes and 1,000 edges', wide, mesh],
    [
      '200 nodes, each reading all before it',
      Object.fromEntries(
        Object.entries(wide).map(([id, node], nth) => [
          id,
          nth === 0
            ? node
            : { ...(node as object), method: 'post', body: many(Math.min(nth, 35), (n) => `{{nodes.n${n}.output}}`) },
        ]),
      ),
      chain(wide),
    ],
    [
      '99 loops',
      loops,
      many(98, (nth) => ({
        source: nth === 0 ? 'start' : `l${nth - 1}`,
        target: `l${nth}`,
        output: nth === 0 ? 'default' : 'each',
      })),
    ],
    [
      '50 conditions',
      { start: { type: 'trigger' }, s: { type: 'switch', rules } },
      [{ source: 'start', target: 's', output: 'default' }],
    ],
    [
      '250 KiB of conditions',
      {
        start: { type: 'trigger' },
        ...Object.fromEntries(
          many(2, (nth) => [
            `s${nth}`,
            {
              type: 'switch',
              rules: many(12, () => ({ condition: `${'((('.repeat(600)}1${')))'.repeat(600)}${' '.repeat(1_000)}` })),
            },
          ]),
        ),
      },
      many(2, (nth) => ({ source: 'start', target: `s${nth}`, output: 'default' })),
    ],
    [
      '250 KiB of templates',
      {
        start: { type: 'trigger' },
        d: { type: 'http', method: 'post', url: `${receiver}/x`, body: '{{input.start.a}}'.repeat(14_000) },
      },
      [{ source: 'start', target: 'd', output: 'default' }],
    ],
    [
      '250 KiB of open templates',
      {
        start: { type: 'trigger' },
        d: { type: 'http', method: 'post', url: `${receiver}/x`, body: '{{'.repeat(120_000) },
      },
      [{ source: 'start', target: 'd', output: 'default' }],
    ],
    [
      '250 KiB of code',
      {
        start: { type: 'trigger' },
        ...Object.fromEntries(
          many(3, (nth) => [
            `c${nth}`,
            { type: 'transform', code: `return ${'[['.repeat(10_000)}${']]'.repeat(10_000)}` },
          ]),
        ),
      },
      many(3, (nth) => ({ source: 'start', target: `c${nth}`, output: 'default' })),
    ],
    [
      'a long address',
      {
        start: { type: 'trigger' },
        ...Object.fromEntries(
          many(30, (nth) => [
            `h${nth}`,
            { type: 'http', method: 'get', url: `http://a.example/${'{{input.start.a}}/'.repeat(440)}` },
          ]),
        ),
      },
      many(30, (nth) => ({ source: 'start', target: `h${nth}`, output: 'default' })),
    ],
  ]
  for (const [what, nodes, edges] of graphs)
    for (const status of ['draft', 'active'])
      await asOperator(`a graph of ${what}, ${status}`, 'POST', '/workflows', () => ({
        key: unique(),
        status,
        nodes,
        edges,
      }))
  for (const [what, body] of [
    ['nodes', { nodes: Object.fromEntries(many(24_000, (nth) => [`n${nth}`, {}])), edges: [] }],
    ['edges', { nodes: {}, edges: many(49_000, () => ({})) }],
    ['bytes', { nodes: { start: { type: 'trigger', a: many(300_000, () => 1) } }, edges: [] }],
  ] as const)
    for (const status of ['draft', 'active'])
      await asOperator(`a graph of far too many ${what}, ${status}`, 'POST', '/workflows', () => ({
        key: unique(),
        status,
        ...body,
      }))
  const quiet = await asOperator('a small graph', 'POST', '/workflows', () => ({
    key: unique(),
    status: 'active',
    nodes: { start: { type: 'trigger' }, s: { type: 'transform', code: 'return 1' } },
    edges: [{ source: 'start', target: 's', output: 'default' }],
  }))
  const trigger = quiet?.webhook_url ? new URL(quiet.webhook_url).pathname : null
  if (trigger)
    for (const [what, body] of [
      ['numbers', many(330_000, (nth) => nth % 10)],
      ['objects', many(54_000, () => ({ a: 1 }))],
      ['keys', Object.fromEntries(many(54_000, (nth) => [`k${nth}`, 1]))],
      ['text', 'x'.repeat(1_000_000)],
    ] as const)
      await asOperator(`a trigger with a MiB of ${what}`, 'POST', trigger, () => ({ a: body }))
  const headers = Object.fromEntries(many(100, (nth) => [`x-${nth}`, 'v'.repeat(650)]))
  const hook = {
    url: `${receiver}/hook`,
    events: [{ event: 'order.created' }],
    secret: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
    enabled: false,
  }
  await asOperator('a webhook with 100 headers', 'POST', '/webhooks', () => ({ key: unique(), ...hook, headers }))
  await asOperator('a build hook with 100 headers', 'POST', '/build-hooks', () => ({
    key: unique(),
    type: 'custom',
    url: `${receiver}/build`,
    headers,
  }))
  for (const [what, format, body] of bodies) {
    const letter = { format, subject: 'Hello', body }
    await asOperator(`a mail of ${what}`, 'POST', '/email-templates', () => ({ key: unique(), ...letter }))
    await asOperator(`a preview of ${what}`, 'POST', '/email-templates/preview', () => ({
      ...letter,
      variables: { a: 'x'.repeat(1_000) },
    }))
  }
  await asOperator('a mail in three parts', 'POST', '/email-templates', () => ({
    key: unique(),
    format: 'html',
    subject: '{{ a }}'.repeat(280),
    body: `<p>${'word '.repeat(50_000)}</p>`,
    text: '{{ a }} '.repeat(32_000),
  }))
  const variables = Object.fromEntries(many(30_000, (nth) => [`v${nth}`, nth]))
  await asOperator('a preview with many variables', 'POST', '/email-templates/preview', () => ({
    format: 'html',
    subject: 's',
    body: '{{ v1 }}',
    variables,
  }))
}
