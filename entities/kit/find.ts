// Reads one row or refuses the request: a row that does not exist and one of another tenant are the same 404.
import type { FindOneOptions } from '@mikro-orm/core'
import type { EntityManager, EntityName, FilterQuery } from '@mikro-orm/postgresql'
import { notFound } from '../../rules/refusal.ts'

/** The row; 404 not_found with the noun. */
export const findRecord = <E extends object>(
  em: EntityManager,
  entity: EntityName<E>,
  where: FilterQuery<NoInfer<E>>,
  noun: string,
  options: FindOneOptions<E, never> = {},
): Promise<E> => em.findOneOrFail(entity, where as never, { ...options, failHandler: () => notFound(noun) }) as Promise<unknown> as Promise<E>

/** 404 not_found with the noun, if there is no such row. */
export async function mustExist<E extends object>(em: EntityManager, entity: EntityName<E>, where: FilterQuery<NoInfer<E>>, noun: string): Promise<void> {
  if ((await em.count(entity, where)) === 0) throw notFound(noun)
}
