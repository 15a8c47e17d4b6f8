// Declares a route that takes one message of another type than JSON, such as an e-mail. The sender is found before the
// body is read, and the body is parsed before the transaction begins: no connection is held meanwhile.
//   message('POST /v1/mail/{secret}', { type: 'message/rfc822', bytes_max, admit, read, run, … })
import type { EntityManager } from '@mikro-orm/postgresql'
import type { z } from 'zod'
import { unixNow } from '../../adapters/clock.ts'
import type { Orm } from '../../entities/kit/database/orm.ts'
import { Refusal } from '../../rules/refusal.ts'
import { serialize } from '../../rules/serialize.ts'
import { readBody } from '../kit/body/body.ts'
import type { Incoming, Outgoing } from '../kit/exchange.ts'
import { pathOf } from '../kit/input.ts'
import { queryOf } from '../kit/query.ts'
import {
  type Declaration,
  type MessageLimits,
  type Out,
  type PathOf,
  type Route,
  type Spec,
  untypedRoute,
} from '../kit/route.ts'
import { look, unit } from '../kit/unit.ts'
import { countingSecret } from '../limits/failures.ts'
import { siteOf } from '../limits/networks.ts'

/** Whose share of the bytes of bodies a message counts in. */
type Sender = { tenant_id: string }

type MessageDeclaration<S extends Spec, O extends z.ZodType, A extends Sender, M> = Pick<
  Declaration<S, 'secret', 'required', undefined, undefined, O>,
  'operation' | 'summary' | 'description' | 'out' | 'refuses' | 'textParameters'
> &
  MessageLimits & {
    /** Finds who sends it; a refusal is answered before the body is read. */
    admit(call: { em: EntityManager; path: PathOf<S> }): Promise<A>
    read(bytes: Buffer, admitted: A): Promise<M>
    /** Runs in one transaction. `now` in Unix seconds. */
    run(call: { em: EntityManager; now: number; admitted: A; message: M }): Promise<Out<O>>
  }

/** The steps without the types of the values that they pass on. */
type Steps = {
  admit(call: unknown): Promise<Sender>
  read(bytes: Buffer, admitted: unknown): Promise<unknown>
}

async function receive(
  orm: Orm,
  route: Route,
  { type, bytes_max }: MessageLimits,
  { admit, read }: Steps,
  { found, search, headers, request, ip }: Incoming,
): Promise<Outgoing> {
  queryOf(route, search)
  const { path, malformed } = pathOf(route, found)
  if (malformed) throw malformed
  const sent = headers['content-type']?.toString().split(';')[0]?.trim().toLowerCase()
  if (sent !== type)
    throw new Refusal(
      415,
      'unsupported_media_type',
      `Send \`Content-Type: ${type}\`${sent ? `, not \`${sent.slice(0, 100)}\`` : ''}.`,
    )
  const { result: admitted } = await countingSecret(found.secret ?? '', ip, () =>
    look(orm, (em) => admit({ em, path })),
  )
  const body = await readBody(request, { most: bytes_max, network: siteOf(ip), owner: admitted.tenant_id })
  const parsed = await read(body.bytes, admitted).finally(() => body.release())
  const { result } = await unit(orm, async (em) => route.run({ em, now: unixNow(), admitted, message: parsed }))
  return { status: route.status, headers: {}, body: route.out ? serialize(route.out, result) : result, tenant_id: null }
}

export function message<const S extends Spec, O extends z.ZodType, A extends Sender, M>(
  spec: S,
  { type, bytes_max, admit, read, ...declared }: MessageDeclaration<S, O, A, M>,
): Route<S, undefined, undefined, O> {
  const limits = { type, bytes_max }
  const steps = { admit, read }
  return untypedRoute(spec, {
    ...declared,
    may: 'secret',
    message: limits,
    handle: (orm, route, incoming) => receive(orm, route, limits, steps, incoming),
  })
}
