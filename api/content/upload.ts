// Declares a route that takes files. The caller is identified before the body is read, and the row of a file is written
// before the file is stored.
//   upload('POST /v1/stores/{storeId}/media', { may: 'admin', field: 'files', files_max: 20, bytes_max, check, … })
// Steps: receive and `check` the files, `write` their rows (a transaction), `keep` the bytes, `run` for the answer (a
// transaction). No connection is held between the transactions, nor while bytes are transferred. A failure after
// `write`, and a refusal that `wait` returns, calls `undo` in a transaction of its own.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { z } from 'zod'
import { unixNow } from '../../adapters/clock.ts'
import { log } from '../../adapters/log.ts'
import type { Orm } from '../../entities/kit/database/orm.ts'
import { serialize } from '../../rules/serialize.ts'
import { answerOf } from '../kit/answer/answer.ts'
import type { Reply } from '../kit/answer/replies.ts'
import type { Role } from '../kit/caller.ts'
import type { Incoming, Outgoing } from '../kit/exchange.ts'
import { accept, identify } from '../kit/handle.ts'
import { pathOf } from '../kit/input.ts'
import { queryOf } from '../kit/query.ts'
import {
  type Call,
  type Declaration,
  type FileLimits,
  type Out,
  type Route,
  type Spec,
  untypedRoute,
} from '../kit/route.ts'
import { look, unit } from '../kit/unit.ts'
import { type SentFile, withFiles } from './multipart.ts'

type UploadCall<S extends Spec, M extends Role> = Omit<
  Call<S, M, 'required', undefined, undefined>,
  'raw' | 'query' | 'body'
>

export type UploadDeclaration<S extends Spec, M extends Role, O extends z.ZodType, F, W, P> = FileLimits &
  Pick<
    Declaration<S, M, 'required', undefined, undefined, O, P>,
    'operation' | 'summary' | 'description' | 'out' | 'refuses' | 'wait'
  > & {
    may: M
    /** Checks the files, and refuses invalid ones. */
    check(files: readonly SentFile[]): Promise<F>
    /** Writes the rows of all files. */
    write(call: UploadCall<S, M> & { files: F }): Promise<W>
    /** Stores the bytes of all files. */
    keep(written: W): Promise<void>
    /** Deletes the rows, whether or not their bytes were stored. */
    undo(call: UploadCall<S, M> & { written: W }): Promise<void>
    run(call: UploadCall<S, M> & { written: W }): Promise<Reply<Out<O>, P>>
  }

/** The steps without the types of the values that they pass on. */
type Steps = {
  check(files: readonly SentFile[]): Promise<unknown>
  write(call: unknown): Promise<unknown>
  keep(written: unknown): Promise<void>
  undo(call: unknown): Promise<void>
}

async function receive(
  orm: Orm,
  route: Route,
  limits: FileLimits,
  steps: Steps,
  incoming: Incoming,
): Promise<Outgoing> {
  const { path, malformed } = pathOf(route, incoming.found)
  const { result: who } = await look(orm, (em) => identify(em, route, path, incoming))
  if (malformed) throw malformed
  queryOf(route, incoming.search)
  const { caller, tenant_id } = who
  const { headers, ip } = incoming
  const inTransaction = async <T>(work: (call: { em: EntityManager }) => Promise<T>) =>
    unit(orm, (em) => {
      em.setFilterParams('tenant', { tenant: tenant_id as string })
      const call = { em, caller, tenant_id, path, now: unixNow(), ip, headers }
      return work(call)
    })

  const { em, result, undo } = await withFiles(incoming.request, limits, async (files) => {
    const checked = await steps.check(files)
    const { result: written } = await inTransaction((call) => steps.write({ ...call, files: checked }))
    const undo = () => inTransaction((call) => steps.undo({ ...call, written }))
    try {
      await steps.keep(written)
      return { ...(await inTransaction(async (call) => route.run({ ...call, written }))), undo }
    } catch (error) {
      // Rows that this does not delete are deleted later by the retention sweep.
      await undo().catch((again: Error) => log.warn({ err: { message: again.message } }, 'undoing an upload failed'))
      throw error
    }
  })
  await accept(orm, who, incoming.now)
  const { body, status } = await answerOf(orm, route, { em, path, tenant_id: tenant_id ?? '', result, undo })
  return { status, headers: who.headers, body: route.out ? serialize(route.out, body, route.surface) : body, tenant_id }
}

export function upload<const S extends Spec, const M extends Role, O extends z.ZodType, F, W, P>(
  spec: S,
  { field, files_max, bytes_max, check, write, keep, undo, ...declared }: UploadDeclaration<S, M, O, F, W, P>,
): Route<S, undefined, undefined, O> {
  const limits = { field, files_max, bytes_max }
  const steps = { check, write, keep, undo }
  return untypedRoute(spec, {
    ...declared,
    status: 201,
    upload: limits,
    handle: (orm, route, incoming) => receive(orm, route, limits, steps, incoming),
  })
}
