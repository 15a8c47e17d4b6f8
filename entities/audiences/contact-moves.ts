// Memberships follow their contact: to the contact that it is merged into, that a visitor signs in to, or that owns the
// address that was confirmed.
import type { EntityManager } from '@mikro-orm/postgresql'
import { keptOf, strictest } from '../../rules/audiences/memberships.ts'
import { conflict } from '../../rules/refusal.ts'
import { json, type Sql, sql } from '../kit/database/sql.ts'
import { uuids } from '../kit/ids.ts'
import type { ContactMove } from '../kit/table.ts'
// Backwards: research about a member follows its contact, too.
import { moveResearch, researchOf } from '../research/research-moves.ts'
// Backwards: subscriptions follow their members in the same transaction.
import { followMembers } from '../subscriptions/follow.ts'
import { endFree, freeSql } from '../subscriptions/free.ts'
import { isWanted, writeEvents } from '../webhooks/events.ts'
import { optedOutSql } from './member-delivery.ts'
import { type MemberRow, memberData, readMembers } from './member-rows.ts'

type Pair = { kept: MemberRow; lost: MemberRow; target: MemberRow; source: MemberRow }

/**
 * What the kept row of two memberships of one audience is. The target's own values win, the longer paid time and the
 * stronger opt-out of both count.
 */
function unitedOf({ kept, lost, target, source }: Pair, to: string, silenced: boolean) {
  const paid = [kept.paid_through_at, lost.paid_through_at].filter((time) => time !== null)
  const until = [kept.access_until, lost.access_until].filter((time) => time !== null)
  // Access without an end needs no paid time.
  const counts = paid.length > 0 && !(kept.status === 'active' && kept.paid_through_at === null)
  return {
    id: kept.id,
    contact_id: to,
    // A pending membership that is not confirmed becomes what either was before: the row holds the opt-outs.
    status_before:
      kept.status === 'pending'
        ? (kept.status_before ?? (lost.status === 'pending' ? lost.status_before : lost.status))
        : null,
    ended_at: kept.status === 'pending' ? (kept.ended_at ?? lost.ended_at) : kept.ended_at,
    opted_out: kept.opted_out || lost.opted_out || silenced,
    delivery_status: strictest(kept.delivery_status, lost.delivery_status),
    paid_through_at: counts ? Math.max(...paid) : null,
    access_until: counts && until.length > 0 ? Math.max(...until) : null,
    fields: { ...source.fields, ...target.fields },
    lead_description: target.lead_description ?? source.lead_description,
  }
}

/** `audience_id`: only that audience. */
type Moving = { audience_id?: string; both: ContactMove['both'] }

/**
 * Moves the memberships of `from` to `to`, all of them or that of one audience. Where both are members, one row stays
 * and the other is deleted; links of the deleted row then lead to the one that stays, and `audience.member_removed`
 * with `merged_into` is published for it. No opt-out of e-mail is lost. Requires locks on both contacts. Returns the
 * members that were left with `from`. One statement without memberships, at most fourteen. `now` in Unix seconds.
 */
export async function moveMemberships(
  em: EntityManager,
  tenantId: string,
  from: string,
  to: string,
  now: number,
  { audience_id, both: ifBoth }: Moving,
): Promise<string[]> {
  const one = audience_id === undefined ? sql`true` : sql`audience_id = ${audience_id}`
  // Runs of lead research are locked before the members that they write insights about.
  const locked: { id: string }[] = await em.execute(sql`
    with ${researchOf(tenantId, from, to)}
    select id
    from audience_members
    where tenant_id = ${tenantId} and contact_id in (${from}, ${to}) and ${one} and (select count(*) from runs) >= 0
    order by id
    for update
  `)
  if (locked.length === 0) return []
  const rows = await readMembers(
    em,
    tenantId,
    locked.map(({ id }) => id),
  )
  const met = pairsOf(rows, from, to)
  const subscribed = met.length > 0 ? await subscribersOf(em, tenantId, met) : new Map<string, Subscriber>()
  const both = (pair: Pair) => subscribersIn(pair, subscribed)
  const isBoth = (pair: Pair) => isTwice(pair, subscribed)
  const twice = met.filter(isBoth)
  if (ifBoth === 'refuse' && twice[0]) throw bothSubscribed(twice)
  const pairs = met.filter((pair) => !isBoth(pair))
  const replaced = pairs.flatMap((pair) => replacedOf(both(pair), pair.kept.id))
  if (replaced.length > 0) await endFree(em, tenantId, replaced, now)
  if (pairs.length > 0) await unite(em, tenantId, pairs, to, now)
  const remaining = twice.map(({ source }) => source.id)
  // Uses of promo codes belong to the subscription: those of a membership that stays are not the other contact's.
  await em.execute(sql`
    with moved_redemptions as (
      update promo_redemptions
      set contact_id = ${to}
      where tenant_id = ${tenantId}
        and contact_id = ${from}
        and subscription_id in (
          select s.id
          from subscriptions s
          join audience_members m on m.id = s.member_id and m.tenant_id = s.tenant_id
          where m.tenant_id = ${tenantId}
            and m.contact_id in (${from}, ${to})
            and ${one}
            and m.id <> all (${uuids(remaining)})
        )
    )
    update audience_members
    set contact_id = ${to}, updated_at = ${now}
    where tenant_id = ${tenantId} and contact_id = ${from} and ${one} and id <> all (${uuids(remaining)})
  `)
  return remaining
}

type Subscriber = { member_id: string; free: boolean }

/** The memberships of one audience that both contacts have. */
function pairsOf(rows: readonly MemberRow[], from: string, to: string): Pair[] {
  const targets = new Map(rows.filter(({ contact_id }) => contact_id === to).map((row) => [row.audience_id, row]))
  return rows.flatMap((source): Pair[] => {
    const target = source.contact_id === from ? targets.get(source.audience_id) : undefined
    if (!target) return []
    const kept = keptOf(source, target)
    return [{ kept, lost: kept === source ? target : source, target, source }]
  })
}

const subscribersIn = ({ source, target }: Pair, subscribed: ReadonlyMap<string, Subscriber>): Subscriber[] =>
  [subscribed.get(source.id), subscribed.get(target.id)].filter((one) => one !== undefined)

/** Whether both have a subscription that is paid for, or whose page may be paid. */
const isTwice = (pair: Pair, subscribed: ReadonlyMap<string, Subscriber>): boolean => {
  const both = subscribersIn(pair, subscribed)
  return both.length === 2 && both.every(({ free }) => !free)
}

/**
 * The subscriptions that end when two subscribers are merged: the free one of the other; that of the kept one only if
 * the other is paid for.
 */
function replacedOf(both: readonly Subscriber[], kept: string): string[] {
  if (both.length < 2) return []
  const free = both.filter((one) => one.free).toSorted((one) => (one.member_id === kept ? 1 : -1))
  return free.slice(0, 1).map(({ member_id }) => member_id)
}

/**
 * The members of these pairs with a subscription that runs, or whose page may be paid. `free`: with one for which
 * nothing is paid; another one replaces it.
 */
async function subscribersOf(
  em: EntityManager,
  tenantId: string,
  pairs: readonly Pair[],
): Promise<Map<string, Subscriber>> {
  const ids = pairs.flatMap(({ source, target }) => [source.id, target.id])
  const found: Subscriber[] = await em.execute(sql`
    select member_id, bool_and(${freeSql('s')}) as free
    from subscriptions s
    where tenant_id = ${tenantId} and member_id = any (${uuids(ids)}) and status in ('waiting', 'pending', 'live')
    group by member_id
  `)
  return new Map(found.map((one) => [one.member_id, one]))
}

/** An audience in which both contacts have a live or pending subscription: they cannot be merged. */
export type Conflict = { audience_id: string; audience_key: string; source_member_id: string; target_member_id: string }

/**
 * What a merge of `from` into `to` would be refused for, read without a lock. Three statements, if both have a
 * membership of one audience.
 */
export async function conflictsOf(em: EntityManager, tenantId: string, from: string, to: string): Promise<Conflict[]> {
  const ids: { id: string }[] = await em.execute(sql`
    select m.id
    from audience_members m
    where m.tenant_id = ${tenantId}
      and m.contact_id in (${from}, ${to})
      and exists (
        select 1
        from audience_members o
        where o.tenant_id = m.tenant_id
          and o.audience_id = m.audience_id
          and o.contact_id in (${from}, ${to})
          and o.id <> m.id
      )
  `)
  const rows = await readMembers(
    em,
    tenantId,
    ids.map(({ id }) => id),
  )
  const met = pairsOf(rows, from, to)
  const subscribed = met.length > 0 ? await subscribersOf(em, tenantId, met) : new Map<string, Subscriber>()
  return met
    .filter((pair) => isTwice(pair, subscribed))
    .map(({ source, target }) => ({
      ...{ audience_id: source.audience_id, audience_key: source.audience_key },
      ...{ source_member_id: source.id, target_member_id: target.id },
    }))
}

const bothSubscribed = (pairs: readonly Pair[]) =>
  conflict(
    'both_subscribed',
    'Both contacts have a subscription in the same audience. Cancel one of them at once, then merge. `errors` names the audiences.',
    {
      faults: pairs.map(({ source, target }) => ({
        pointer: '/source_contact_id',
        code: 'both_subscribed',
        detail: `Audience \`${source.audience_key}\`: member ${source.id} of the source and member ${target.id} of the target have a subscription.`,
      })),
    },
  )

/** The ids of the row that is deleted and of the one that stays. */
type Place = { lost: string; kept: string }

const mergesOf = (places: readonly Place[]): Sql =>
  sql`merges as (select * from jsonb_to_recordset(${json(places)}) as p(lost uuid, kept uuid))`

/**
 * Links and enrollments follow their members. Returns the rows that stay and that an opt-out for either silences,
 * whichever is older. Of two opt-outs of one address the first one stays: it holds for more members.
 */
async function moveEnrollments(
  em: EntityManager,
  tenantId: string,
  places: readonly Place[],
  now: number,
): Promise<ReadonlySet<string>> {
  // Enrollments are locked by id, the order of all statements that change several of them.
  const silent: { id: string }[] = await em.execute(sql`
    with ${mergesOf(places)},
    moved_tokens as (
      update member_tokens t
      set member_id = merges.kept, updated_at = ${now}
      from merges
      where t.tenant_id = ${tenantId} and t.member_id = merges.lost
    ),
    duplicate_opt_outs as (
      delete from audience_opt_outs d
      using (
        select greatest(o.id, k.id) as id
        from merges
        join audience_opt_outs o on o.claimant_id = merges.lost
        join audience_opt_outs k
          on k.audience_id = o.audience_id
          and k.address = o.address
          and k.claimant_id = merges.kept
        where o.tenant_id = ${tenantId}
      ) duplicates
      where d.tenant_id = ${tenantId} and d.id = duplicates.id
    ),
    moved_enrollments as (
      update enrollments n
      set member_id = locked_enrollments.kept, updated_at = ${now}
      from (
        select e.id, merges.kept
        from merges
        join enrollments e on e.tenant_id = ${tenantId} and e.member_id = merges.lost
        order by e.id
        for no key update of e
      ) locked_enrollments
      where n.tenant_id = ${tenantId} and n.id = locked_enrollments.id
    )
    select merges.kept as id
    from merges
    where exists (
      select 1
      from audience_members m
      where m.tenant_id = ${tenantId} and m.id in (merges.kept, merges.lost) and ${optedOutSql}
    )
  `)
  return new Set(silent.map(({ id }) => id))
}

/** Opt-outs and subscriptions follow their members. Returns the members that have such a subscription now. */
async function moveSubscriptions(
  em: EntityManager,
  tenantId: string,
  places: readonly Place[],
  now: number,
): Promise<string[]> {
  const subscribed: { member_id: string }[] = await em.execute(sql`
    with ${mergesOf(places)},
    moved_opt_outs as (
      update audience_opt_outs o
      set claimant_id = merges.kept, updated_at = ${now}
      from merges
      where o.tenant_id = ${tenantId} and o.claimant_id = merges.lost
    )
    update subscriptions s
    set member_id = merges.kept, updated_at = ${now}
    from merges
    where s.tenant_id = ${tenantId} and s.member_id = merges.lost
    returning s.member_id
  `)
  return subscribed.map(({ member_id }) => member_id)
}

/** Deletes the lost rows, and writes what the others have become. */
async function writeUnited(
  em: EntityManager,
  tenantId: string,
  places: readonly Place[],
  united: readonly ReturnType<typeof unitedOf>[],
  now: number,
): Promise<void> {
  await em.execute(sql`
    delete from audience_members
    where tenant_id = ${tenantId} and id = any (${uuids(places.map(({ lost }) => lost))})
  `)
  await em.execute(sql`
    update audience_members m
    set contact_id = x.contact_id, status_before = x.status_before, ended_at = x.ended_at, opted_out = x.opted_out,
      delivery_status = x.delivery_status, paid_through_at = x.paid_through_at, access_until = x.access_until,
      fields = x.fields, lead_description = x.lead_description, updated_at = ${now}
    from jsonb_to_recordset(${json(united)}) as x(
      id uuid, contact_id uuid, status_before text, ended_at bigint, opted_out boolean, delivery_status text,
      paid_through_at bigint, access_until bigint, fields jsonb, lead_description text
    )
    where m.tenant_id = ${tenantId} and m.id = x.id
  `)
}

/** Keeps one row of each pair, with all that belongs to both. Both are locked. */
async function unite(
  em: EntityManager,
  tenantId: string,
  pairs: readonly Pair[],
  to: string,
  now: number,
): Promise<void> {
  const places = pairs.map(({ kept, lost }) => ({ lost: lost.id, kept: kept.id }))
  const wanted = await isWanted(em, tenantId, 'audience.member_removed')
  const silenced = await moveEnrollments(em, tenantId, places, now)
  const subscribed = await moveSubscriptions(em, tenantId, places, now)
  await moveResearch(em, tenantId, places, now)
  const united = pairs.map((pair) => unitedOf(pair, to, silenced.has(pair.kept.id)))
  await writeUnited(em, tenantId, places, united, now)
  if (subscribed.length > 0) await followMembers(em, tenantId, subscribed, now)
  if (!wanted) return
  const events = pairs.map(({ kept, lost }) => ({
    tenant_id: tenantId,
    data: { ...memberData({ ...lost, status: 'removed', ended_at: now }, now), merged_into: kept.id },
  }))
  await writeEvents(em, 'audience.member_removed', events, now)
}
