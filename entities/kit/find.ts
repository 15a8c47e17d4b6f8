// Reads one row or refuses the request: a row that does not exist and one of another tenant are the same 404.
import type { FindOneOptions } from '@mikro-orm/core'
import type { EntityManager, EntityName, FilterQuery } from '@mikro-orm/postgresql'
import { firstSpelled, spellingsOf } from '../../rules/input/texts.ts'
import { notFound } from '../../rules/refusal.ts'

/** `populate`: columns that are read only on demand. */
type Options<E> = Omit<FindOneOptions<E, never>, 'populate' | 'using'> & { populate?: readonly (keyof E & string)[] }

/** The row; 404 not_found with the noun. */
export const findRecord = <E extends object>(
  em: EntityManager,
  entity: EntityName<E>,
  where: FilterQuery<NoInfer<E>>,
  noun: string,
  options: Options<E> = {},
): Promise<E> =>
  em.findOneOrFail<E, never, never, never, never>(entity, where, {
    ...(options as Omit<FindOneOptions<E, never>, 'using'>),
    failHandler: () => notFound(noun),
  })

/** The row of a key; of several whose keys have one form, the one that is spelled as `key` is. */
export async function ofKey<E extends { key: string }>(
  em: EntityManager,
  entity: EntityName<E>,
  key: string,
  more: object = {},
): Promise<E | undefined> {
  const keys = spellingsOf(key)
  const rows = await em.find(entity, { key: { $in: keys }, ...more } as FilterQuery<NoInfer<E>>)
  return firstSpelled(rows, keys, (row) => row.key)
}

/** Requires a row. 404 not_found with the noun, if there is no such row. */
export async function mustExist<E extends object>(
  em: EntityManager,
  entity: EntityName<E>,
  where: FilterQuery<NoInfer<E>>,
  noun: string,
): Promise<void> {
  if ((await em.count(entity, where)) === 0) throw notFound(noun)
}
