// The titles of the tests of a file, as its source has them.
import fs from 'node:fs'
import { parseSync } from '@swc/core'

type Node = { type?: string; [field: string]: unknown }

/** The function that a call of `test(…)`, `test.each(…)(…)` or `describe.skip(…)` begins with. */
const rootOf = (node: Node): unknown =>
  node.type === 'CallExpression'
    ? rootOf(node.callee as Node)
    : node.type === 'MemberExpression'
      ? rootOf(node.object as Node)
      : node.value

/** The literal text of a title; values of a template are left out. */
const textOf = (node: Node | undefined): string | undefined => {
  if (node?.type === 'StringLiteral') return node.value as string
  if (node?.type === 'TemplateLiteral')
    return (node.quasis as { cooked: string }[]).map(({ cooked }) => cooked).join('')
}

function collect(value: unknown, found: string[]): void {
  if (value === null || typeof value !== 'object') return
  if (Array.isArray(value)) {
    for (const one of value) collect(one, found)
    return
  }
  const node = value as Node
  const [first, second] = node.type === 'CallExpression' ? (node.arguments as { expression: Node }[]) : []
  const title =
    first && second && ['test', 'describe'].includes(String(rootOf(node))) ? textOf(first.expression) : undefined
  if (title !== undefined) found.push(title)
  for (const one of Object.values(node)) collect(one, found)
}

/** Of `test`, `test.each` and `describe`, in their order. */
export function titlesIn(file: string): string[] {
  const found: string[] = []
  collect(parseSync(fs.readFileSync(file, 'utf8'), { syntax: 'typescript' }), found)
  return found
}
