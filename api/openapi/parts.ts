// The part of the document that one audience reads: its operations and events, and what these use.
import type { Audience } from './audiences.ts'
import { infoFor } from './info.ts'
import { isJson, type Json } from './schemas.ts'

const isFor = (operation: unknown, audience: Audience): operation is Json =>
  isJson(operation) && Array.isArray(operation['x-audiences']) && operation['x-audiences'].includes(audience)

/** The operations for the audience, under their paths or names. */
const operationsFor = (all: unknown, audience: Audience): Record<string, Json> =>
  Object.fromEntries(
    Object.entries(all as Record<string, Json>).flatMap(([name, methods]) => {
      const kept = Object.entries(methods).filter(([, operation]) => isFor(operation, audience))
      return kept.length > 0 ? [[name, Object.fromEntries(kept)]] : []
    }),
  )

/** Every text in a value that names a component: references, and the mappings of discriminators. */
function* componentsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') {
    if (value.startsWith('#/components/')) yield value
  } else if (value !== null && typeof value === 'object')
    for (const one of Object.values(value)) yield* componentsIn(one)
}

/** The components that the operations use, directly or through others, in the order of the document. */
function usedComponents(operations: unknown, components: Record<string, Json>): Record<string, Json> {
  const used = new Set<string>()
  const visit = (value: unknown): void => {
    for (const name of componentsIn(value)) {
      if (used.has(name)) continue
      used.add(name)
      const [kind = '', key = ''] = name.slice('#/components/'.length).split('/')
      visit(components[kind]?.[key])
    }
  }
  visit(operations)
  return Object.fromEntries(
    Object.entries(components).map(([kind, all]) => [
      kind,
      Object.fromEntries(Object.entries(all).filter(([key]) => used.has(`#/components/${kind}/${key}`))),
    ]),
  )
}

type Operation = { tags?: string[]; security?: Json[] }

/** The part of the whole document that the audience reads: its operations and events, and what these use. */
export function partFor(document: Json, audience: Audience): Json {
  const { components, tags, webhooks: events, ...whole } = document
  const [paths, webhooks] = [operationsFor(document.paths, audience), operationsFor(events, audience)]
  const operations = Object.values({ ...paths, ...webhooks }).flatMap((one) => Object.values(one) as Operation[])
  const used = new Set(operations.flatMap((one) => one.tags ?? []))
  const schemes = new Set(operations.flatMap(({ security = [] }) => security.flatMap((one) => Object.keys(one))))
  const { securitySchemes, ...others } = components as Record<string, Json>
  return {
    ...whole,
    info: infoFor(audience),
    tags: (tags as { name: string }[]).filter(({ name }) => used.has(name)),
    paths,
    ...(Object.keys(webhooks).length > 0 ? { webhooks } : {}),
    components: {
      ...usedComponents([paths, webhooks], others),
      securitySchemes: Object.fromEntries(Object.entries(securitySchemes ?? {}).filter(([name]) => schemes.has(name))),
    },
  }
}
