// The details of refusals as the source has them: the texts that stand behind a code in a call, or beside it in an
// object. Expressions in a text are holes, `…`.
import fs from 'node:fs'
import path from 'node:path'
import { parseSync } from '@swc/core'

const root = path.resolve(import.meta.dirname, '../..')
type Node = { type?: string; value?: unknown; [field: string]: unknown }
export type RefusalText = { code: string; text: string; file: string }

/** The texts of an expression: of a choice, both. */
function textsOf(node: Node | undefined): string[] {
  switch (node?.type) {
    case 'StringLiteral':
      return [node.value as string]
    case 'TemplateLiteral':
      return [(node.quasis as { cooked: string }[]).map(({ cooked }) => cooked).join('…')]
    case 'ConditionalExpression':
      return [...textsOf(node.consequent as Node), ...textsOf(node.alternate as Node)]
    case 'BinaryExpression':
      return [...textsOf(node.left as Node), ...textsOf(node.right as Node)]
    default:
      return []
  }
}

/** The code and what may be its texts. */
function partsOf(node: Node): [Node | undefined, Node[]] {
  if (node.type === 'CallExpression' || node.type === 'NewExpression') {
    const given = ((node.arguments ?? []) as { expression: Node }[]).map(({ expression }) => expression)
    const at = given.findIndex(
      ({ type, value }) => type === 'StringLiteral' && /^[a-z]+(_[a-z]+)+$/.test(String(value)),
    )
    return [given[at], at < 0 ? [] : given.slice(at + 1)]
  }
  if (node.type !== 'ObjectExpression') return [undefined, []]
  const members = new Map(
    (node.properties as Node[]).map(({ key, value }) => [(key as Node | undefined)?.value, value as Node]),
  )
  return [members.get('code'), [members.get('detail'), members.get('message')].filter((one) => one !== undefined)]
}

function collect(value: unknown, file: string, found: RefusalText[]): void {
  if (value === null || typeof value !== 'object') return
  if (Array.isArray(value)) {
    for (const one of value) collect(one, file, found)
    return
  }
  const [code, texts] = partsOf(value as Node)
  if (code?.type === 'StringLiteral')
    for (const text of texts.flatMap(textsOf)) found.push({ code: code.value as string, text, file })
  for (const one of Object.values(value)) collect(one, file, found)
}

/** Of the rooms that make refusals. */
export const refusalTexts = (): RefusalText[] =>
  ['api', 'rules', 'entities'].flatMap((room) =>
    fs.readdirSync(path.join(root, room), { recursive: true, encoding: 'utf8' }).flatMap((name) => {
      const file = `${room}/${name}`
      if (!file.endsWith('.ts') || file.includes('/migrations/')) return []
      const found: RefusalText[] = []
      const { body } = parseSync(fs.readFileSync(path.join(root, file), 'utf8'), {
        syntax: 'typescript',
        target: 'es2024',
      })
      collect(body, file, found)
      return found.filter(({ text }) => / /.test(text))
    }),
  )
