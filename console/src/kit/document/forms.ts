// Where the form of a request is: the page that offers it, and the operation whose form opens there.
import type { Access, Operation } from './operations.ts'
import { peopleText } from './schema.ts'
import { pageOf } from './scope.ts'
import { actionsOf, addressOf, ancestorsOf, locate, type Node, type Tree } from './tree.ts'

/** The parameter of a page's address that names the operation whose form is open. */
export const openForm = 'do'

/** What the page of a node offers beside reading. */
function offeredAt(node: Node): Operation[] {
  const isAsked = node.kind !== 'list' && node.get?.query.some((one) => one.required)
  if (isAsked || !['list', 'record', 'single'].includes(node.kind)) return []
  const main = node.kind === 'list' ? [node.post] : [node.put, node.delete]
  return [...main.filter((one) => one !== undefined), ...actionsOf(node)]
}

/** `role`: the least one that may send it, where the API names it. */
export type Named = { method: string; path: string; role?: Access }
export type FormLink = { operation: Operation; access: Access; to: string; search: Record<string, string> }

/**
 * An action has no page: it is offered by the list or record above it. What is read has no form. Undefined for a
 * request that no page offers.
 */
export function formOf(tree: Tree, { method, path, role }: Named): FormLink | undefined {
  const place = locate(tree, path)
  const get = method === 'GET' && place?.node.get
  if (get) return { operation: get, access: role ?? get.access, to: pageOf(path), search: {} }
  const operation = place && [place.node.post, place.node.put, place.node.delete].find((one) => one?.method === method)
  const page = operation && ancestorsOf(place.node).findLast((node) => offeredAt(node).includes(operation))
  return (
    page && {
      operation,
      access: role ?? operation.access,
      to: pageOf(addressOf(page, place.values.slice(0, page.depth))),
      search: { [openForm]: operation.id },
    }
  )
}

/** Status codes, repeats of requests, and fields that a request leaves out, which a form does by itself. */
const ofPrograms = /\b[2345]\d\d\b|\bleft out\b|\breplaces? (the (stored|list)|all fields)|as a whole|the same request/i

/** What a person has to know of an operation, without sentences for programs. */
export const aboutOf = ({ description }: Pick<Operation, 'description'>): string =>
  peopleText(
    description
      .split(/(?<=[.])\s+/)
      .filter((sentence) => !ofPrograms.test(sentence))
      .join(' '),
  )
