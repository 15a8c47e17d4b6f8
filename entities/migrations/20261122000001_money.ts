import { Migration } from '@mikro-orm/migrations';

export class Migration20261122000001_money extends Migration {

  override name = 'Migration20261122000001_money';

  override up(): void | Promise<void> {
    this.addSql(`alter table "payment_providers" add "account_event_at" bigint null;`);
    this.addSql(`alter table "disputes" add "provider_status" varchar(255) null;`);
    this.addSql(`alter table "refunds" add "needs_attention" boolean not null default false;`);
    this.addSql(`create index "refunds_tenant_id_created_at_id_index" on "refunds" ("tenant_id", "created_at", "id");`);
    this.addSql(`create index "refunds_tenant_id_updated_at_id_index" on "refunds" ("tenant_id", "updated_at", "id");`);
    this.addSql(`create index "refunds_tenant_id_status_created_at_id_index" on "refunds" ("tenant_id", "status", "created_at", "id");`);
    this.addSql(`create index "refunds_needing_attention" on "refunds" ("tenant_id", "created_at", "id") where needs_attention;`);

    // Until now a refund of the provider's dashboard that did not fit was an error of its payment alone: it becomes the record that it should have been. Whether
    // it was pending or had succeeded was not written down: its next event settles it, or an operator. Of two such refunds of a payment the error names the last.
    this.addSql(`insert into refunds (id, tenant_id, created_at, updated_at, refund_id, order_id, payment_id, amount, currency, origin, provider_account_id, provider_refund_id,
        fingerprint, status, attempt, sent_at, settled_at, evidence, error)
      with told as (select account, count(*) as refunds from provider_events where type = 'refund.created' and outcome = 'conflict: more than is left' group by account),
        named as (select provider_account_id as account, count(*) as refunds from payments
          where error ->> 'code' = 'refund_conflict' and error ->> 'provider_refund_id' is not null group by provider_account_id)
      select x.id, p.tenant_id, p.updated_at, p.updated_at, x.id, p.order_id, p.id, x.amount, p.currency, 'provider', p.provider_account_id, p.error ->> 'provider_refund_id',
        '', 'unknown', 0, to_timestamp(p.updated_at), to_timestamp(p.updated_at), jsonb_build_object('provider_refund_id', p.error ->> 'provider_refund_id'),
        jsonb_build_object('code', 'outcome_unknown', 'message', 'It was made at the provider, and whether it succeeded was not recorded.'
          || case when told.refunds > named.refunds then ' The account has more refunds than are recorded, maybe of this payment: compare it with the provider''s dashboard.'
            || ' A refund that is missing here is recorded by its next event, for example when its metadata are edited there.' else '' end)
      from payments p join named on named.account = p.provider_account_id left join told on told.account = p.provider_account_id,
        lateral (select gen_random_uuid() as id, substring(p.error ->> 'message' from 'refunded ([0-9]+),')::bigint as amount where p.id is not null) x
      where p.error ->> 'code' = 'refund_conflict' and p.error ->> 'provider_refund_id' is not null and x.amount > 0
      on conflict do nothing;`);
    this.addSql(`update payments p set refunded_amount = s.refunded, refund_pending_amount = s.pending, refund_unknown_amount = s.unknown,
        error = case when s.excess > 0 then jsonb_build_object('code', 'refund_conflict', 'message', 'More refunds are recorded than were captured. One of them did not happen: resolve it.') end
      from (select id, refunded, pending, least(unknown, captured_amount - refunded - pending) as unknown, total - captured_amount as excess
        from (select *, least(pending_total, captured_amount - refunded) as pending
          from (select p.id, p.captured_amount, least(coalesce(sum(r.amount) filter (where r.status = 'succeeded'), 0), p.captured_amount) as refunded,
              coalesce(sum(r.amount) filter (where r.status in ('requested', 'processing')), 0) as pending_total,
              coalesce(sum(r.amount) filter (where r.status = 'unknown'), 0) as unknown,
              coalesce(sum(r.amount) filter (where r.status in ('succeeded', 'requested', 'processing', 'unknown')), 0) as total
            from payments p join refunds r on r.payment_id = p.id and r.tenant_id = p.tenant_id and r.currency = p.currency
            where p.error ->> 'code' = 'refund_conflict' group by p.id) a) b) s
      where p.id = s.id;`);

    // Cancelled orders whose money has not gone back.
    this.addSql(`update payments p set error = jsonb_build_object('code', 'refund_due', 'message', 'The order is cancelled, and its payment has not been refunded in full.')
        || case when p.error is null then '{}'::jsonb else jsonb_build_object('before', p.error) end
      from orders o where o.id = p.order_id and o.tenant_id = p.tenant_id and o.status = 'cancelled' and coalesce(p.error ->> 'code', '') <> 'refund_conflict'
        and p.captured_amount > p.refunded_amount + p.refund_pending_amount + p.refund_unknown_amount;`);
    this.addSql(`update refunds r set needs_attention = true where status = 'unknown' or payment_id in (select id from payments where error ->> 'code' = 'refund_conflict')
        and status in ('requested', 'processing', 'succeeded');`);
    this.addSql(`update refunds set needs_attention = true where id in (select distinct on (r.payment_id) r.id from refunds r join payments p on p.id = r.payment_id and p.tenant_id = r.tenant_id
      where p.error ->> 'code' = 'refund_due' and (r.status = 'rejected' or r.status = 'failed' and r.error ->> 'code' is distinct from 'amount_exceeds_refundable')
      order by r.payment_id, r.created_at desc, r.id desc);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "refunds_needing_attention";`);
    this.addSql(`drop index "refunds_tenant_id_status_created_at_id_index";`);
    this.addSql(`drop index "refunds_tenant_id_updated_at_id_index";`);
    this.addSql(`drop index "refunds_tenant_id_created_at_id_index";`);
    this.addSql(`alter table "refunds" drop column "needs_attention";`);
    this.addSql(`alter table "disputes" drop column "provider_status";`);
    this.addSql(`alter table "payment_providers" drop column "account_event_at";`);
  }

}
