// Declares a list: {items, cursor}, filters, sort order and search. Keyset pagination: rows inserted meanwhile neither
// repeat nor skip records.
//   listing('GET /v1/stores/{storeId}/products', { may: 'admin', entity: Product, item: ProductOut, filters: { … } })
import type { EntityManager, EntityName, FilterQuery } from '@mikro-orm/postgresql'
import { z } from 'zod'
import { condition } from '../../../entities/kit/database/condition.ts'
import { type Child, entityRows, plainRows } from '../../../entities/kit/database/plain-rows.ts'
import { sql, text } from '../../../entities/kit/database/sql.ts'
import { searchQuery } from '../../../rules/search/search.ts'
import { Id, SortDirection } from '../../../rules/shapes.ts'
import { fieldNamesOf } from '../../../rules/spelling.ts'
import type { May } from '../caller.ts'
import { many, searchText, unixSeconds, whole } from '../query.ts'
import { type Call, type ContactNeed, type Declaration, type Route, type Spec, untypedRoute } from '../route.ts'
import { cursorAt, cursorOf } from './cursors.ts'

export const pageOf = <T extends z.ZodType>(item: T) =>
  z.object({
    items: z.array(item).describe('The records of this page.'),
    cursor: z.string().nullable().describe('Cursor of the next page, to be sent as `cursor`; null on the last page.'),
  })

type Where = Record<string, unknown>
/**
 * A query parameter and its condition on the rows. `others` holds all parameters of the request, and as `begins` the
 * sort value at which the page begins. `of` is for conditions that depend on what the rows are.
 */
export type ListFilter<T extends z.ZodType = z.ZodType> = {
  query: T
  where: (value: z.output<T>, others: Where, of: { em: EntityManager; tenant_id: string }) => Where | Promise<Where>
}
export const filter = <T extends z.ZodType>(query: T, where: ListFilter<T>['where']): ListFilter<T> => ({
  query,
  where,
})

const ids = (description: string) => ({ ids: filter(many(Id).describe(description), (ids) => ({ id: { $in: ids } })) })
const idsDescription = 'Identifiers to restrict the list to, 100 at most: repeated, or separated by commas.'
export const byIds = ids(idsDescription)
/** The parameter `ids` of lists that declare `idsAlone`. */
export const byIdsAlone = ids(`${idsDescription} Other filters are ignored then.`)

// biome-ignore lint/suspicious/noExplicitAny: a filter of any query parameter
type Filters = Record<string, ListFilter<any>>
type Given<T> = z.ZodOptional<z.ZodType<T, T>>
/** The query parameters of a list: those of every list and its own filters. */
type ListQuery<F extends Filters, Sorts extends string, Search, Limited> = z.ZodObject<
  {
    cursor: Given<string>
    limit: Limited extends true ? z.ZodType<number, number> : Given<number>
    sort_field: Given<'created_at' | 'updated_at' | 'createdAt' | 'updatedAt' | Sorts>
    sort_direction: Given<SortDirection>
    created_at_from: Given<number>
    created_at_to: Given<number>
  } & (Search extends string ? { query: Given<string> } : unknown) & { [N in keyof F]: z.ZodOptional<F[N]['query']> }
>

const sortAliases: Record<string, string> = { createdAt: 'created_at', updatedAt: 'updated_at' }

// biome-ignore lint/suspicious/noExplicitAny: the ORM's name of any entity
const typeOf = (em: EntityManager, entity: EntityName<any>, property: string): string =>
  em.getMetadata(entity).properties[property]?.runtimeType ?? 'string'

type ListCall<S extends string, M extends May, C extends ContactNeed> = Omit<
  Call<S, M, C, undefined, undefined>,
  'query' | 'body'
> & { query: Where }

type Row = { id: string } & Record<string, unknown>

export type ListingDeclaration<
  S extends string,
  M extends May,
  C extends ContactNeed,
  O extends z.ZodType,
  F,
  Sorts,
  Search,
  Limited,
> = Pick<
  Declaration<S, M, C, undefined, undefined, undefined>,
  'operation' | 'summary' | 'description' | 'accepts' | 'textParameters' | 'refuses'
> & {
  may: M
  contact?: C
  // biome-ignore lint/suspicious/noExplicitAny: the ORM's name of any entity
  entity: EntityName<any>
  item: O
  filters?: F
  sorts?: readonly Sorts[]
  /** Sorted by creation time alone: of rows that change all the time, no index holds the time of their last change. */
  byCreation?: true
  /** The tsvector column that `query` searches. */
  search?: Search
  /** Restricts the list by the path and the caller. */
  scope?: (call: ListCall<S, M, C>) => Where | Promise<Where>
  /** With `ids`, other filters are ignored, and all records are returned in one page unless `limit` is sent. */
  idsAlone?: boolean
  limitRequired?: Limited
  /**
   * Rows are read without the unit of work, twice as fast as entities. Columns have the types of the database driver.
   */
  unmanaged?: boolean
  /**
   * Which rows of a page stay, by what no condition can say: an answer for each row looked at, from the first on, and
   * at least for one. Those that fail drop out, and the next page begins behind the last row looked at. Undefined for
   * all. `sent`: the query.
   */
  keep?(
    em: EntityManager,
    rows: readonly unknown[],
    sent: Record<string, unknown>,
    call: ListCall<S, M, C>,
  ): Promise<boolean[] | undefined>
  /** Maps the rows of a page to its items, and reads their children with one query per kind. */
  load?(em: EntityManager, rows: readonly unknown[], call: ListCall<S, M, C>): Promise<unknown[]>
  /** Children read by `load` whose size counts towards the size limit of a page. */
  children?: readonly Child[]
}

export function listing<
  const S extends Spec,
  const M extends May,
  const C extends ContactNeed,
  O extends z.ZodType,
  F extends Filters = Record<never, never>,
  const Sorts extends string = never,
  const Search extends string | undefined = undefined,
  const Limited extends true | undefined = undefined,
>(
  spec: S,
  d: ListingDeclaration<S, M, C, O, F, Sorts, Search, Limited>,
): Route<S, ListQuery<F, Sorts, Search, Limited>, undefined, ReturnType<typeof pageOf<O>>> {
  const { entity, item, filters: own, sorts: more, scope: restrict, children, keep, load, ...rest } = d
  const { byCreation, search, idsAlone, limitRequired, unmanaged, ...declared } = rest
  const sorts = ['created_at', ...(byCreation ? [] : ['updated_at']), ...(more ?? [])]
  const filters: Filters = own ?? {}
  const query = z.object({
    cursor: z.string().max(2000).optional(),
    limit: limitRequired
      ? whole(1, 100)
      : idsAlone
        ? whole(1, 100)
            .optional()
            .describe('Number of records per page, 1 to 100; 20 by default, with `ids` all of them.')
        : whole(1, 100).default(20),
    sort_field: z
      .preprocess((value: string) => sortAliases[value] ?? value, fieldNamesOf(z.enum(sorts as [string, ...string[]])))
      .default('created_at'),
    sort_direction: z
      .preprocess((value: string) => (typeof value === 'string' ? value.toLowerCase() : value), SortDirection)
      .default('desc'),
    created_at_from: unixSeconds.optional(),
    created_at_to: unixSeconds.optional(),
    ...(search ? { query: searchText().optional() } : {}),
    ...Object.fromEntries(Object.entries(filters).map(([name, one]) => [name, one.query.optional()])),
  })
  type Sent = z.output<typeof query> & Where

  return untypedRoute(spec, {
    ...declared,
    refuses: ['bad_cursor', ...(declared.refuses ?? [])],
    description:
      declared.description ??
      'Returns one page, sorted by creation time, newest first, unless another order is requested.',
    query,
    out: pageOf(item),
    async run(call: ListCall<S, M, C> & { query: Sent }) {
      const { em, path, tenant_id, query: sent } = call
      const { sort_field, sort_direction } = sent
      const where: Where[] = []
      if (restrict) where.push(await restrict(call))
      const alone = idsAlone && sent.ids !== undefined
      const limit = sent.limit ?? (alone ? 100 : 20)
      const scope = { spec, tenant_id, path: path as Record<string, string>, sort_field, sort_direction }
      const from = sent.cursor ? cursorOf(sent.cursor, scope, typeOf(em, entity, sort_field)) : null
      for (const [name, one] of Object.entries(filters)) {
        if (sent[name] === undefined || (alone && name !== 'ids')) continue
        const others = { ...sent, begins: from?.value }
        where.push(await one.where(sent[name], others, { em, tenant_id: tenant_id as string }))
      }
      if (!alone && sent.created_at_from !== undefined) where.push({ created_at: { $gte: sent.created_at_from } })
      if (!alone && sent.created_at_to !== undefined) where.push({ created_at: { $lte: sent.created_at_to } })
      const words = search && !alone ? text(search) : undefined
      if (words && sent.query !== undefined)
        where.push(
          condition((rows) => sql`${rows}.${words} @@ to_tsquery('simple', ${searchQuery(sent.query as string)})`),
        )
      if (from) {
        const [beyond, reach] = sort_direction === 'asc' ? ['$gt', '$gte'] : ['$lt', '$lte']
        where.push(
          { [sort_field]: { [reach]: from.value } },
          { $or: [{ [sort_field]: { [beyond]: from.value } }, { id: { [beyond]: from.id } }] },
        )
      }
      const window = { sort: sort_field, direction: sort_direction, limit, ...(children ? { children } : {}) }
      const read = unmanaged ? plainRows : entityRows
      const { rows, more } = await read(em, entity, { $and: where } as FilterQuery<object>, window)
      const kept = rows.length > 0 ? await keep?.(em, rows, sent, call) : undefined
      const last = rows[kept ? kept.length - 1 : rows.length - 1] as Row | undefined
      const left = kept ? rows.filter((_, at) => kept[at]) : rows
      const items = load ? await load(em, left, call) : left
      const cursor =
        (more || (kept && kept.length < rows.length)) && last ? cursorAt(scope, last[sort_field], last.id) : null
      return { items, cursor }
    },
  })
}
