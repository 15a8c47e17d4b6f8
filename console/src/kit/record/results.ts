// What the answer of a request is worth showing: a record has a page of its own, a secret is shown once.
import type { Operation } from '../document/operations.ts'
import { propertiesOf } from '../document/schema.ts'
import { type Item, ownValue, type Place, recordOf, type Tree } from '../document/tree.ts'
import { isObject } from '../form/model.ts'

/** The record that a request made: the answer, or the one that the answer contains. */
export function madeBy(place: Place, answer: unknown): Item | undefined {
  const record = recordOf(place.node)
  if (!record || !isObject(answer)) return undefined
  return [answer, ...Object.values(answer).filter(isObject)].find((one) => ownValue(record, one) !== undefined)
}

/** Fields of the record itself that no later read returns, such as the value of a token. */
export function shownOnce(tree: Tree, operation: Operation, place: Place, answer: unknown): Item {
  if (!isObject(answer) || madeBy(place, answer) !== answer) return {}
  const readable = propertiesOf(recordOf(place.node)?.get?.answer ?? place.node.get?.item, tree.schemas)
  const made = propertiesOf(operation.answer, tree.schemas)
  return Object.fromEntries(
    Object.entries(answer).filter(([name, value]) => !(name in readable) && name in made && value !== null),
  )
}

/** Whether an answer says no more than the record does, or that it was done. */
export function isPlain(tree: Tree, operation: Operation, place: Place): boolean {
  const made = Object.keys(propertiesOf(operation.answer, tree.schemas))
  if (made.length === 0 || (made.length === 1 && made[0] === 'success')) return true
  const record = place.node.kind === 'list' ? recordOf(place.node) : place.node
  const readable = propertiesOf(record?.get?.answer ?? place.node.get?.item, tree.schemas)
  return made.filter((name) => name in readable).length > 0.7 * made.length
}
