import { Migration } from '@mikro-orm/migrations';

/** A sixteenth of all providers: their ids end in random digits. Each statement is a transaction, so that no booking waits for long. */
const parts = [...'0123456789abcdef'];

/** Limits of bookings ahead. The previous version goes on without them: what it writes meanwhile gets the limit of its link when it is read. */
export class Migration20261128000050_booked_limits extends Migration {

  override name = 'Migration20261128000050_booked-limits';

  override isTransactional(): boolean {
    return false;
  }

  override up(): void | Promise<void> {
    for (const part of parts) {
      this.addSql(`with b as materialized (
          select id, provider_id, service_id, tenant_id, slots from order_bookings
          where right(provider_id::text, 1) = '${part}' and status <> 'cancelled' and ends_at > extract(epoch from clock_timestamp())
            and slots -> 0 -> 'limit' is null
          order by id for update)
        update order_bookings o set slots = (
          select jsonb_agg(s.slot || jsonb_build_object('limit', coalesce(p.concurrent_limit, l.concurrent_limit)) order by s.place)
          from jsonb_array_elements(b.slots) with ordinality as s(slot, place))
        from b
        join service_providers l on l.service_id = b.service_id and l.provider_id = b.provider_id and l.tenant_id = b.tenant_id
        join providers p on p.id = b.provider_id
        where o.id = b.id;`);
      // Rows are read under their locks. A booking that is committed after this statement began stays without a limit.
      this.addSql(`with d as materialized (
          select provider_id, local_date, taken from schedule_days
          where right(provider_id::text, 1) = '${part}' and local_date >= to_char(clock_timestamp() - interval '2 days', 'YYYY-MM-DD')
            and not exists (select 1 from jsonb_array_elements(taken) e where jsonb_array_length(e) <> 2) and taken <> '[]'
          order by provider_id, local_date for update),
        e as (
          select d.provider_id, d.local_date, x.slot, x.place,
            row_number() over (partition by d.provider_id, d.local_date, x.slot order by x.place) as nth
          from d cross join lateral jsonb_array_elements(d.taken) with ordinality as x(slot, place)),
        b as (
          select o.provider_id, jsonb_build_array(s.slot -> 'from', s.slot -> 'to') as slot, s.slot -> 'limit' as most,
            row_number() over (partition by o.provider_id, s.slot -> 'from', s.slot -> 'to' order by (s.slot ->> 'limit')::int) as nth
          from order_bookings o cross join lateral jsonb_array_elements(o.slots) as s(slot)
          where right(o.provider_id::text, 1) = '${part}' and o.status <> 'cancelled'
            and o.ends_at > extract(epoch from clock_timestamp()) and s.slot -> 'limit' is not null),
        t as (
          select e.provider_id, e.local_date,
            jsonb_agg(case when b.most is null then e.slot else e.slot || b.most end order by e.place) as taken
          from e left join b on b.provider_id = e.provider_id and b.slot = e.slot and b.nth = e.nth
          group by e.provider_id, e.local_date)
        update schedule_days s set taken = t.taken from t where s.provider_id = t.provider_id and s.local_date = t.local_date;`);
    }
  }

  override down(): void | Promise<void> {
    this.addSql(`update "schedule_days" set "taken" = (
      select coalesce(jsonb_agg(jsonb_build_array(e.slot -> 0, e.slot -> 1) order by e.place), '[]')
      from jsonb_array_elements("taken") with ordinality as e(slot, place));`);
    this.addSql(`update "order_bookings" set "slots" = (
      select coalesce(jsonb_agg(s.slot - 'limit' order by s.place), '[]') from jsonb_array_elements("slots") with ordinality as s(slot, place));`);
  }

}
