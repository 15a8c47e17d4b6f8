// Answers that many routes give.
import { z } from 'zod'

export const Success = z.object({ success: z.literal(true) }).meta({ id: 'Success' })
export const success = { success: true as const }

export const Fault = z.object({
  pointer: z.string(),
  code: z.string(),
  detail: z.string(),
  node: z.string().optional().describe("of a workflow's graph: the node's id"),
  edge: z.int().optional().describe("of a workflow's graph: the edge's place in the list"),
})

export const Problem = z
  .looseObject({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string().optional(),
    code: z.string().describe('stable, snake_case'),
    request_id: z.string(),
    errors: z.array(Fault).optional(),
  })
  .meta({
    id: 'Problem',
    description:
      'RFC 9457; errors name a query parameter, or point into the body: into the record that it changes, where that is at fault (a cart at its checkout)',
  })
