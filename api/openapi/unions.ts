// Names the members of unions and adds discriminators, from which client generators make types.
import { typeName } from './names.ts'
import { type Components, isJson, type Json, namedBy, refTo } from './schemas.ts'

type Alternative = { schema: Json; properties: Json }

/** The alternatives, if all of them are objects. */
function alternativesOf(list: unknown, components: Components): Alternative[] | null {
  if (!Array.isArray(list) || list.length < 2) return null
  const found = list.map((schema: Json) => ({
    schema,
    properties: (components[namedBy(schema) ?? ''] ?? schema).properties,
  }))
  return found.every((one) => isJson(one.properties)) ? (found as Alternative[]) : null
}

/** The field that has a different constant in each alternative. */
function tagOf(alternatives: Alternative[]): { tag: string; values: string[] } | null {
  for (const tag of Object.keys(alternatives[0]?.properties ?? {})) {
    const values = alternatives.map(({ properties }) => (isJson(properties[tag]) ? properties[tag].const : undefined))
    if (values.every((value) => typeof value === 'string') && new Set(values).size === values.length)
      return { tag, values: values as string[] }
  }
  return null
}

/** `WorkflowNode` and `send_email` → `WorkflowNodeSendEmail`; for input, `WorkflowNodeSendEmailInput`. */
const memberName = (owner: string, value: string) =>
  owner.endsWith('Input') ? `${owner.slice(0, -5)}${typeName(value)}Input` : `${owner}${typeName(value)}`

/**
 * Gives the members of every union in the components a name and, where there is one, a discriminator. Adds to
 * `components`.
 */
export function nameUnions(components: Components): void {
  const visit = (value: unknown, owner: string): unknown => {
    if (Array.isArray(value)) return value.map((one) => visit(one, owner))
    if (!isJson(value)) return value
    const { anyOf, oneOf, ...rest } = value
    const alternatives = alternativesOf(oneOf ?? anyOf, components)
    const tagged = alternatives && tagOf(alternatives)
    if (!alternatives || !tagged)
      return Object.fromEntries(
        Object.entries(value).map(([key, one]) => [
          key,
          visit(one, key === 'properties' ? owner : ownerOf(owner, key)),
        ]),
      )
    const names = alternatives.map(({ schema }, at) => {
      const name = namedBy(schema) ?? memberName(owner, tagged.values[at] as string)
      if (!namedBy(schema)) components[name] = visit(schema, name) as Json
      return name
    })
    const mapping = Object.fromEntries(names.map((name, at) => [tagged.values[at], refTo(name).$ref]))
    return { ...rest, oneOf: names.map(refTo), discriminator: { propertyName: tagged.tag, mapping } }
  }
  for (const [name, schema] of Object.entries(components)) components[name] = visit(schema, name) as Json
}

const keywords = new Set(['items', 'additionalProperties', 'anyOf', 'oneOf', 'allOf', 'propertyNames'])
const ownerOf = (owner: string, key: string): string => (keywords.has(key) ? owner : memberName(owner, key))
