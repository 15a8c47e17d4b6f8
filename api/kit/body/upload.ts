// Declares a route that takes files. The caller is identified before the body is read, and the row of a file is written before the file is stored.
//   upload('POST /v1/stores/{storeId}/media', { may: 'admin', field: 'files', files_max: 20, bytes_max, check, write, keep, undo, run, … })
// Steps: receive and `check` the files, `write` their rows (a transaction), `keep` the bytes, `run` for the answer (a transaction). No connection is held between
// the transactions. A failure after `write`, and a refusal that `wait` returns, calls `undo` in a transaction of its own (handle-upload.ts).
import type { z } from 'zod'
import type { Role } from '../caller.ts'
import {
  type Call,
  type Declaration,
  type Limits,
  type Out,
  type Reply,
  type Route,
  type SentFile,
  type Spec,
  untypedRoute,
} from '../route.ts'

type UploadCall<S extends Spec, M extends Role> = Omit<
  Call<S, M, 'required', undefined, undefined>,
  'raw' | 'query' | 'body'
>

export type UploadDeclaration<S extends Spec, M extends Role, O extends z.ZodType, F, W, P> = Limits &
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

export function upload<const S extends Spec, const M extends Role, O extends z.ZodType, F, W, P>(
  spec: S,
  { field, files_max, bytes_max, check, write, keep, undo, ...declared }: UploadDeclaration<S, M, O, F, W, P>,
): Route<S, undefined, undefined, O> {
  const steps = { field, files_max, bytes_max, check, write, keep, undo }
  return untypedRoute(spec, { ...declared, status: 201, upload: steps })
}
