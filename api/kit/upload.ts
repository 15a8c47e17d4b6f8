// A route that takes files: nothing is read of a stranger, and the row of a file is written before the file is kept.
//   upload('POST /v1/stores/{storeId}/media', { may: 'admin', field: 'files', files_max: 20, bytes_max, check, write, keep, undo, run, … })
// They are received (no connection is held), checked, their rows written (a transaction), kept (no connection again), and then `run` says what
// they are now (a transaction). What fails after the first of these, and what `wait` refuses, is undone in a transaction of its own.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { z } from 'zod'
import type { Orm } from '../../entities/orm.ts'
import { notFound } from '../../rules/refusal.ts'
import { serialize } from '../../rules/serialize.ts'
import { settled } from './answer.ts'
import type { Role } from './caller.ts'
import { type Incoming, identify, type Outgoing, pathOrNone } from './handle.ts'
import { log } from './log.ts'
import { withFiles } from './multipart.ts'
import { type Call, type Declaration, type Limits, type Out, type Route, route, type SentFile, type Spec, type Steps } from './route.ts'
import { look, unit } from './unit.ts'

type UploadCall<S extends Spec, M extends Role> = Omit<Call<S, M, 'required', undefined, undefined>, 'raw' | 'query' | 'body'>

export type UploadDeclaration<S extends Spec, M extends Role, O extends z.ZodType, F, W> = Limits &
  Pick<Declaration<S, M, 'required', undefined, undefined, O>, 'summary' | 'description' | 'out' | 'wait'> & {
    may: M
    /** What is wrong with the files is refused here. */
    check(files: readonly SentFile[]): Promise<F>
    /** The rows of all of them. */
    write(call: UploadCall<S, M> & { files: F }): Promise<W>
    /** The bytes of all of them. */
    keep(written: W): Promise<void>
    /** The rows, kept or not, are to go. */
    undo(call: UploadCall<S, M> & { written: W }): Promise<void>
    run(call: UploadCall<S, M> & { written: W }): Promise<Out<O>>
  }

export function upload<const S extends Spec, const M extends Role, O extends z.ZodType, F, W>(
  spec: S,
  d: UploadDeclaration<S, M, O, F, W>,
): Route<S, undefined, undefined, O> {
  const { field, files_max, bytes_max, check, write, keep, undo, run, ...declared } = d
  const made = route<S, M, 'required', undefined, undefined, O>(spec, { ...declared, status: 201, run: run as never })
  return { ...made, upload: { field, files_max, bytes_max, check, write, keep, undo } as Steps }
}

const seconds = () => Math.floor(Date.now() / 1000)

export async function handleUpload(orm: Orm, of: Route, incoming: Incoming): Promise<Outgoing> {
  const steps = of.upload as Steps
  const found = pathOrNone(of, incoming.found)
  const { result: who } = await look(orm, (em) => identify(em, of, found ?? {}, incoming))
  if (!found) throw notFound()
  const { caller, tenant_id } = who
  const { headers, ip } = incoming
  const within = async <T>(work: (call: { em: EntityManager }) => Promise<T>) =>
    unit(orm, (em) => {
      em.setFilterParams('tenant', { tenant: tenant_id as string })
      const call = { em, caller, tenant_id, path: found, now: seconds(), ip, headers }
      return work(call)
    })

  const { em, result, undo } = await withFiles(incoming.request, steps, async (files) => {
    const checked = await steps.check(files)
    const { result: written } = await within((call) => steps.write({ ...call, files: checked }))
    const undo = () => within((call) => steps.undo({ ...call, written }))
    try {
      await steps.keep(written)
      return { ...(await within(async (call) => of.run({ ...call, written }))), undo }
    } catch (error) {
      // Rows that cannot be reached now are swept later.
      await undo().catch((again: Error) => log.warn({ err: { message: again.message } }, 'an upload is not undone yet'))
      throw error
    }
  })
  const answer = await settled(orm, of, em, found, tenant_id ?? '', result, undo)
  return { status: of.status, headers: who.headers, body: of.out ? serialize(of.out, answer) : answer, tenant_id }
}
