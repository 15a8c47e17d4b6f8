// Declares how one record of a store is read and deleted.
//   reading('GET /v1/stores/{storeId}/mailboxes/{id}', { may: 'admin', summary: …, entity: Mailbox, out: MailboxOut })
//   removing('DELETE /v1/stores/{storeId}/mailboxes/{id}', { may: 'admin', summary: …, entity: Mailbox })
import type { EntityName, FilterQuery } from '@mikro-orm/postgresql'
import type { z } from 'zod'
import { findRecord } from '../../../entities/kit/find.ts'
import { notFound } from '../../../rules/refusal.ts'
import type { May } from '../caller.ts'
import { recordNounOf } from '../nouns.ts'
import {
  type Call,
  type ContactNeed,
  type Declaration,
  type Out,
  type Route,
  type Spec,
  untypedRoute,
} from '../route.ts'
import { Success, success } from './shapes.ts'

type Own<S extends Spec, M extends May, C extends ContactNeed> = Call<S, M, C, undefined, undefined>
type Common<S extends Spec, M extends May, C extends ContactNeed> = Pick<
  Declaration<S, M, C, undefined, undefined, undefined>,
  'operation' | 'summary' | 'description' | 'refuses' | 'accepts' | 'request'
> & { may: M; contact?: C }

export type ReadingDeclaration<
  S extends Spec,
  M extends May,
  C extends ContactNeed,
  E extends object,
  O extends z.ZodType,
> = Common<S, M, C> & {
  entity: EntityName<E>
  out: O
  /** The row that the path names; by default the one with `id`. */
  where?: (call: Own<S, M, C>) => FilterQuery<NoInfer<E>>
  /** The answer; by default the row. */
  show?: (row: E, call: Own<S, M, C>) => Out<O> | Promise<Out<O>>
}

// The types do not know that the path of a record ends in `id`, nor that its entity has one.
const idIn = <E>({ path }: { path: unknown }) => ({ id: (path as { id: string }).id }) as FilterQuery<E>

/** 404 not_found if there is no such row in the caller's store. */
export function reading<
  const S extends Spec,
  const M extends May,
  E extends object,
  O extends z.ZodType,
  const C extends ContactNeed = 'required',
>(spec: S, { entity, where, show, ...declared }: ReadingDeclaration<S, M, C, E, O>): Route<S, undefined, undefined, O> {
  const noun = recordNounOf(spec)
  return untypedRoute(spec, {
    description: `404 \`not_found\` if there is no such ${noun}.`,
    ...declared,
    async run(call: Own<S, M, C>) {
      const row = await findRecord(call.em, entity, where?.(call) ?? idIn<NoInfer<E>>(call), noun)
      return show ? show(row, call) : row
    },
  })
}

export type RemovingDeclaration<S extends Spec, M extends May> = Common<S, M, 'required'> &
  (
    | {
        /** Entity of the row to delete, if nothing else has to be done. */
        // biome-ignore lint/suspicious/noExplicitAny: the ORM's name of any entity
        entity: EntityName<any>
        remove?: undefined
      }
    | {
        /** Deletes the record, or refuses to. */
        remove: (call: Own<S, M, 'required'>) => Promise<unknown>
        entity?: undefined
      }
  )

/** Answers `{success: true}`. 404 not_found if there is no such row in the caller's store. */
export function removing<const S extends Spec, const M extends May>(
  spec: S,
  { entity, remove, ...declared }: RemovingDeclaration<S, M>,
): Route<S, undefined, undefined, typeof Success> {
  const noun = recordNounOf(spec)
  return untypedRoute(spec, {
    description: `404 \`not_found\` if there is no such ${noun}.`,
    ...declared,
    out: Success,
    async run(call: Own<S, M, 'required'>) {
      if (remove) await remove(call)
      if (entity && (await call.em.nativeDelete(entity, idIn(call))) === 0) throw notFound(noun)
      return success
    },
  })
}
