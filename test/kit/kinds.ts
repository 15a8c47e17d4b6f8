// The text fields of all routes, with the kinds that their shapes declare.
import { z } from 'zod'
import { declarationOf } from '../../api/kit/declared.ts'
import type { Route } from '../../api/kit/route.ts'
import { routes } from '../../api/routes.ts'
import { type Kind, kindOf } from '../../rules/input/kinds.ts'
import { encodedIn } from '../../rules/spelling.ts'

/**
 * `path`: names of members, `[]` for the items of a list, `{}` for the values of a map and `{key}` for its keys.
 * `place`: of the request.
 */
export type TextField = {
  route: Route
  place: 'body' | 'query'
  path: string[]
  shape: z.core.$ZodType
  kind: Kind | undefined
}

const isText = (shape: z.core.$ZodType): boolean => shape instanceof z.ZodString || shape instanceof z.ZodStringFormat

/** What is inside of a shape that takes a part of the same value. */
function innerOf(shape: z.core.$ZodType): z.core.$ZodType[] {
  if (shape instanceof z.ZodOptional || shape instanceof z.ZodNullable || shape instanceof z.ZodDefault)
    return [shape.unwrap()]
  if (
    shape instanceof z.ZodPrefault ||
    shape instanceof z.ZodReadonly ||
    shape instanceof z.ZodLazy ||
    shape instanceof z.ZodCatch
  )
    return [shape.unwrap()]
  if (shape instanceof z.ZodPipe) return [shape.in, shape.out]
  return shape instanceof z.ZodUnion ? [...shape.options] : []
}

function* textsIn(
  shape: z.core.$ZodType,
  path: string[],
  seen: ReadonlySet<z.core.$ZodType>,
): Generator<{ path: string[]; shape: z.core.$ZodType; kind: Kind | undefined }> {
  const kind = kindOf(shape)
  if (kind !== undefined) yield { path, shape, kind }
  if (kind !== undefined || seen.has(shape)) return
  const within = new Set([...seen, shape])
  const encoded = encodedIn(shape) ?? declarationOf(shape)
  if (encoded) yield* textsIn(encoded, path, within)
  else if (isText(shape)) yield { path, shape, kind }
  for (const inner of innerOf(shape)) yield* textsIn(inner, path, within)
  if (shape instanceof z.ZodArray) yield* textsIn(shape.element, [...path, '[]'], within)
  if (shape instanceof z.ZodRecord) {
    yield* textsIn(shape.keyType, [...path, '{key}'], within)
    yield* textsIn(shape.valueType, [...path, '{}'], within)
  }
  if (shape instanceof z.ZodObject)
    for (const [name, field] of Object.entries(shape.shape))
      yield* textsIn(field as z.core.$ZodType, [...path, name], within)
}

/** Every text of every body and query. */
export const textFields = (): TextField[] =>
  (routes as readonly Route[]).flatMap((route) =>
    (['body', 'query'] as const).flatMap((place) => {
      const shape = route[place]
      return shape
        ? [...textsIn(shape as z.core.$ZodType, [], new Set())].map((found) => ({ route, place, ...found }))
        : []
    }),
  )
