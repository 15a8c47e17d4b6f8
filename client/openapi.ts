// The part of an OpenAPI document that the types of the client are made of.
export type Schema = {
  $ref?: string
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  description?: string
  readOnly?: boolean
}

type Content = Record<string, { schema: Schema }>
type Parameter = { name: string; in: string; required?: boolean; description?: string; schema: Schema }

export type Operation = {
  summary?: string
  description?: string
  parameters: (Parameter | { $ref: string })[]
  requestBody?: { required?: boolean; content: Content }
  responses: Record<string, { content?: Content }>
}

export type OpenApi = {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}
