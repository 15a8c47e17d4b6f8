// What the sources of a timeline are made of: rows, and the moments that their columns hold. The alias of the rows is
// `x`. Times are milliseconds since 1970, ranks order what happened in one millisecond.
import { join, type Sql, sql, text } from '../kit/database/sql.ts'
import { idMs } from '../kit/ids.ts'

/** The subject of a timeline, and its tenant. */
export type About = { tenant_id: string; id: string }

/** Which rows of a source belong to a subject, beside their tenant. */
export type Rows = {
  where: (about: About) => Sql
  /**
   * There may be any number: only those that a page needs are read, by an index of `created_at` (Unix seconds) and
   * `id`, and what belongs to one row stays together, at the second of its creation.
   */
  stream?: true
  /**
   * For a stream whose rows belong to several owners: the column of the owner's id, and a query of those ids. Of each
   * owner, only the newest rows are read.
   */
  each?: { column: string; owners: (about: About) => Sql }
}

/** A time of whole seconds that is the second of `others`, which came before it, is the last of them. */
export const msOfSecond = (time: Sql, others: readonly Sql[]): Sql => sql`
  greatest(
    ${time} * 1000,
    (
      select max(earlier.at)
      from (
        values ${join(others.map((at) => sql`((${at})::bigint)`))}
      ) as earlier(at)
      where earlier.at / 1000 = ${time}
    )
  )
`

const ownMs = (alias: Sql): Sql => idMs(sql`${alias}.id`)

/**
 * When a row was made: its id has the milliseconds of the request that `created_at` has the second of, by which streams
 * are sorted. An id that has no such time, of rows that were not made by us, is ignored.
 */
export const createdMs = (alias = sql`x`): Sql => sql`
  case
    when ${ownMs(alias)} between ${alias}.created_at * 1000 and ${alias}.created_at * 1000 + 60000
      then least(${ownMs(alias)}, ${alias}.created_at * 1000 + 999)
    else ${alias}.created_at * 1000
  end
`

/** When an event was written: ids of events are made with them. */
export const eventMs = (alias: Sql): Sql => ownMs(alias)

/** The moments of a row: SQL of their times, by slot, in the order of their ranks. */
export const momentsOf = (times: readonly (readonly [slot: string, at: Sql, rank: number])[]): Sql => {
  const moments = times.map(([slot, at, rank]) => sql`(${text(`'${slot}'`)}, ${at}, ${text(`${rank}`)})`)
  return sql`
    select slot, at, rank
    from (
      values ${join(moments)}
    ) as moments(slot, at, rank)
  `
}

/** `column: sql` of an object, as the arguments of `jsonb_build_object`. */
export const objectOf = (columns: Readonly<Record<string, Sql>>): Sql =>
  sql`jsonb_build_object(${join(Object.entries(columns).map(([name, value]) => sql`${text(`'${name}'`)}, ${value}`))})`

/** The subscriptions of a membership. Plans of stores have no member. */
export const subscriptionsOfMember = ({ tenant_id, id }: About): Sql => sql`
  select u.id from subscriptions u where u.tenant_id = ${tenant_id} and u.member_id = ${id}
`

/** A subscription, if it is a member's. */
export const memberSubscription = ({ tenant_id, id }: About): Sql => sql`
  select u.id
  from subscriptions u
  where u.tenant_id = ${tenant_id} and u.id = ${id} and u.member_id is not null
`

/** Of rows with `subscription_id`. */
export const ofMember = (about: About): Sql => sql`x.subscription_id in (${subscriptionsOfMember(about)})`
export const ofSubscription = (about: About): Sql => sql`x.subscription_id in (${memberSubscription(about)})`
