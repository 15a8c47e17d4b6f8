// Conditions and templates of graphs at their limits, made of a few repeated pieces. Reading one may not block the
// event loop.
import { expressionOf } from '../../../rules/automation/expressions.ts'
import { GRAPH_BYTES_MAX } from '../../../rules/automation/graph-shapes.ts'
import { resolve, TemplateError, templatesIn } from '../../../rules/automation/templates.ts'
import { type Random, random } from '../../chaos/random.ts'
import { processorMs } from '../../kit/stack/processor-time.ts'

const conditionMax = 10_000
const pieces = [
  ...[
    '/',
    '[/',
    '/[',
    '/\\',
    '\\/',
    '/]',
    '/**/',
    '/*',
    '//\n',
    "'",
    '"',
    '`',
    '${',
    '{',
    '}',
    '{{',
    '}}',
    '[',
    ']',
    '\\',
    ' ',
    '\n',
    'a',
    'a/',
    '__t',
    '_',
  ],
  ...["{'a':", "'a' ", '{{input.a.x}}', "'{{input.a.x}}'", '{{input.a.y}}', '{{input.a.', '.x', '[0]', '{ {'],
]
const scope = { input: { a: { x: ['value', { n: 1 }] } }, nodes: {} }

type Read = { what: string; text: string; read(): unknown }

function drawn(draw: Random): Read {
  const piece = Array.from({ length: draw.whole(1, 4) }, () => draw.pick(pieces)).join('')
  const of = (length: number) => piece.repeat(Math.ceil(length / piece.length)).slice(0, length)
  const [condition, text] = [of(conditionMax), of(GRAPH_BYTES_MAX)]
  const reads: Read[] = [
    { what: `a condition of ${conditionMax} characters`, text: piece, read: () => expressionOf(condition, scope) },
    { what: `a text of ${GRAPH_BYTES_MAX} characters with templates`, text: piece, read: () => resolve(text, scope) },
    { what: `the templates in a text of ${GRAPH_BYTES_MAX} characters`, text: piece, read: () => templatesIn(text) },
  ]
  return draw.weighted([
    [4, reads[0] as Read],
    [2, reads[1] as Read],
    [1, reads[2] as Read],
  ])
}

/** An invalid expression is refused, and its cost is that of detecting this. */
function attempt(read: () => unknown): void {
  try {
    read()
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
  }
}

/** The inputs that take longer, by the pieces that they repeat. */
export function slowReads(seed: number, count: number, mostMs: number): string[] {
  return Array.from({ length: count }, (_, nth) => drawn(random(seed, `expression ${nth}`))).flatMap((one) => {
    const ms = processorMs(() => attempt(one.read), mostMs)
    return ms > mostMs ? [`${one.what}, ${JSON.stringify(one.text)} repeated: ${ms.toFixed(0)} ms`] : []
  })
}
