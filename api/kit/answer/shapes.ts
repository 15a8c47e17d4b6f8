// Shapes of answers that many routes share.
import { z } from 'zod'

export const Success = z
  .object({ success: z.literal(true).describe('Always true. A call that fails returns a problem instead.') })
  .meta({ id: 'Success' })
export const success = { success: true as const }

export const Fault = z.object({
  pointer: z
    .string()
    .describe('Place of the error: a JSON pointer into the body (RFC 6901), or the name of a query parameter.'),
  code: z.string().describe('Stable code of the error, in snake_case.'),
  detail: z.string().describe('What is wrong and what is expected.'),
  node: z.string().optional().describe("Id of the invalid node of the workflow's graph."),
  edge: z.int().optional().describe("Index of the invalid edge of the workflow's graph."),
})

export const Problem = z
  .looseObject({
    type: z.string().describe('Always `about:blank` (RFC 9457, 4.2.1).'),
    title: z.string().describe('Phrase of the HTTP status.'),
    status: z.int().describe('HTTP status of the answer.'),
    detail: z.string().optional().describe('What was wrong and what is expected.'),
    code: z.string().describe('Stable code of the problem, in snake_case, for programs.'),
    request_id: z.string().describe("The request's `X-Request-Id`, which is also in the server's log."),
    mends: z
      .array(
        z.object({
          check: z.string().describe('Name of the check that is not passed.'),
          method: z.string().describe('Method of the route that mends it.'),
          path: z.string().describe('Path of that route; the check has the id in place of `{id}`.'),
        }),
      )
      .optional()
      .describe('For operators, of a refusal for a lack of set-up: the routes that mend it.'),
    errors: z.array(Fault).optional().describe('Errors of the input, 100 at most.'),
  })
  .meta({
    id: 'Problem',
    description:
      'An error (RFC 9457). The pointers of `errors` lead into the body, or into the record that the request is about, such as the cart of a checkout, or name a query parameter.',
  })
