// Example bodies of the API document. They work in the demo store; their ids stand for records that exist there.
import type { z } from 'zod'
import type { Route, Shape } from '../kit/route.ts'
import type { declared } from '../routes.ts'

type Table = (typeof declared)[number]
type Spec = Table['spec']
type Body<S extends Spec> =
  Extract<Table, { spec: S }> extends Route<infer _S, infer _Q, infer B, infer _O>
    ? B extends Shape
      ? z.input<B>
      : undefined
    : never

export type Example = { spec: Spec; body: unknown }

/** The compiler checks the body against the route. */
export const example = <S extends Spec>(spec: S, body: Body<S>): Example => ({ spec, body })

const id = (last: number): string => `0199a0c0-5e11-7000-8000-${String(last).padStart(12, '0')}`

/** Ids of the records that all examples refer to. A test replaces them with those of real records. */
export const ids = {
  location: id(1),
  product: id(2),
  variant: id(3),
  service: id(4),
  provider: id(5),
  collection: id(6),
  taxonomy: id(7),
  mailbox: id(8),
  email_template: id(9),
  build_hook: id(10),
  connection: id(11),
  order_line: id(12),
  refund: id(13),
  contact: id(14),
  source_contact: id(20),
  payment_provider: id(21),
  social_connection: id(22),
} as const
