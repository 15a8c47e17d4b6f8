// Declares a route that takes one message of another type than JSON, such as an e-mail. The sender is found before the body is read, and the body is parsed before the transaction
// begins: no connection is held meanwhile.
//   message('POST /v1/mail/{secret}', { type: 'message/rfc822', bytes_max, admit, read, run, … })
import type { EntityManager } from '@mikro-orm/postgresql'
import type { z } from 'zod'
import { unixNow } from '../../../adapters/clock.ts'
import type { Orm } from '../../../entities/kit/database/orm.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { serialize } from '../../../rules/serialize.ts'
import type { Incoming, Outgoing } from '../handle.ts'
import { pathOf } from '../input.ts'
import { queryOf } from '../query.ts'
import { countingSecret, siteOf } from '../rate.ts'
import {
  type Declaration,
  type MessageSteps,
  type Out,
  type PathOf,
  type Route,
  type Sender,
  type Spec,
  untypedRoute,
} from '../route.ts'
import { look, unit } from '../unit.ts'
import { readBody } from './body.ts'

type MessageDeclaration<S extends Spec, O extends z.ZodType, A extends Sender, M> = Pick<
  Declaration<S, 'secret', 'required', undefined, undefined, O>,
  'operation' | 'summary' | 'description' | 'out' | 'refuses' | 'textParameters'
> & {
  type: string
  bytes_max: number
  /** Finds who sends it; a refusal is answered before the body is read. */
  admit(call: { em: EntityManager; path: PathOf<S> }): Promise<A>
  read(bytes: Buffer, admitted: A): Promise<M>
  /** Runs in one transaction. `now` in Unix seconds. */
  run(call: { em: EntityManager; now: number; admitted: A; message: M }): Promise<Out<O>>
}

export function message<const S extends Spec, O extends z.ZodType, A extends Sender, M>(
  spec: S,
  { type, bytes_max, admit, read, ...declared }: MessageDeclaration<S, O, A, M>,
): Route<S, undefined, undefined, O> {
  return untypedRoute(spec, { ...declared, may: 'secret', message: { type, bytes_max, admit, read } })
}

export async function handleMessage(
  orm: Orm,
  route: Route,
  { found, search, headers, request, ip }: Incoming,
): Promise<Outgoing> {
  const { type, bytes_max, admit, read } = route.message as MessageSteps
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
