// A route that takes files: nothing is read of a stranger, and the row of a file is written before the file is kept.
//   upload('POST /v1/stores/{storeId}/media', { may: 'admin', field: 'files', files_max: 20, bytes_max, check, write, keep, undo, run, … })
// They are received (no connection is held), checked, their rows written (a transaction), kept (no connection again), and then `run` says what
// they are now (a transaction). What fails after the first of these, and what `wait` refuses, is undone in a transaction of its own (handle-upload.ts).
import type { z } from 'zod'
import type { Role } from './caller.ts'
import { type Call, type Declaration, type Limits, type Out, type Route, route, type SentFile, type Spec, type Steps } from './route.ts'

type UploadCall<S extends Spec, M extends Role> = Omit<Call<S, M, 'required', undefined, undefined>, 'raw' | 'query' | 'body'>

export type UploadDeclaration<S extends Spec, M extends Role, O extends z.ZodType, F, W> = Limits &
  Pick<Declaration<S, M, 'required', undefined, undefined, O>, 'operation' | 'summary' | 'description' | 'out' | 'refuses' | 'wait'> & {
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
