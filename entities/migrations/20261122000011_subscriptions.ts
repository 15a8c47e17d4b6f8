import { Migration } from '@mikro-orm/migrations';

export class Migration20261122000011_subscriptions extends Migration {

  override name = 'Migration20261122000011_subscriptions';

  override up(): void | Promise<void> {
    this.addSql(`create table "subscriptions" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "member_id" uuid null, "plan_id" varchar(255) null, "tier_id" uuid null, "price_id" uuid null, "kind" text not null, "status" text not null, "billing_status" varchar(255) null, "provider_account_id" varchar(255) null, "provider_customer_id" varchar(255) null, "provider_subscription_id" varchar(255) null, "amount" bigint not null, "discount_amount" bigint not null default '0', "currency" varchar(3) not null, "interval" jsonb null, "promo_code" varchar(255) null, "return_url" text null, "paid_through_at" bigint null, "hold_until" timestamptz(3) null, "cancel_requested" boolean not null default false, "cancel_at" bigint null, "cancelled_by" text null, "ended_at" bigint null, "event_at" bigint null, "error" jsonb null, primary key ("id"));`);
    this.addSql(`create index "subscriptions_member_id_created_at_id_index" on "subscriptions" ("member_id", "created_at", "id");`);
    this.addSql(`create index "subscriptions_tenant_id_plan_id_created_at_id_index" on "subscriptions" ("tenant_id", "plan_id", "created_at", "id");`);
    this.addSql(`create unique index "subscriptions_member" on "subscriptions" ("member_id") where member_id is not null and status in ('pending', 'live');`);
    this.addSql(`create unique index "subscriptions_member_waiting" on "subscriptions" ("member_id") where member_id is not null and status = 'waiting';`);
    this.addSql(`create unique index "subscriptions_store" on "subscriptions" ("tenant_id") where plan_id is not null and status in ('pending', 'live');`);
    this.addSql(`create unique index "subscriptions_store_waiting" on "subscriptions" ("tenant_id") where plan_id is not null and status = 'waiting';`);
    this.addSql(`create unique index "subscriptions_provider" on "subscriptions" (coalesce(provider_account_id, ''), "provider_subscription_id") where provider_subscription_id is not null;`);
    this.addSql(`create index "subscriptions_customer" on "subscriptions" (coalesce(provider_account_id, ''), "provider_customer_id") where provider_customer_id is not null;`);
    this.addSql(`create index "subscriptions_page" on "subscriptions" ("hold_until") where status = 'pending';`);
    this.addSql(`alter table "subscriptions" add constraint "subscriptions_member_id_foreign" foreign key ("member_id") references "audience_members" ("id") on delete restrict;`);
    this.addSql(`alter table "subscriptions" add constraint "subscriptions_owner" check ((member_id is null) <> (plan_id is null) and (member_id is null) = (price_id is null));`);
    this.addSql(`alter table "subscriptions" add constraint "subscriptions_amount" check (amount >= 0 and discount_amount >= 0 and discount_amount <= amount);`);
    this.addSql(`alter table "subscriptions" add constraint "subscriptions_interval" check ((kind = 'recurring') = (interval is not null));`);
    this.addSql(`alter table "subscriptions" add constraint "subscriptions_ended" check ((status = 'ended') = (ended_at is not null));`);
    this.addSql(`alter table "subscriptions" add constraint "subscriptions_held" check (hold_until is null or status = 'pending');`);
    this.addSql(`alter table "subscriptions" add constraint "subscriptions_kind_check" check ("kind" in ('recurring', 'one_time'));`);
    this.addSql(`alter table "subscriptions" add constraint "subscriptions_status_check" check ("status" in ('waiting', 'pending', 'live', 'ended', 'given_up'));`);
    this.addSql(`alter table "subscriptions" add constraint "subscriptions_cancelled_by_check" check ("cancelled_by" in ('member', 'operator', 'provider', 'archive'));`);

    this.addSql(`alter table "audience_prices" add "provider_price_id" varchar(255) null;`);
    this.addSql(`alter table "promo_redemptions" add "subscription_id" uuid null, add "contact_id" uuid null;`);
    this.addSql(`update "promo_redemptions" r set "contact_id" = o."contact_id" from "orders" o where o."id" = r."order_id";`);
    this.addSql(`alter table "promo_redemptions" alter column "contact_id" set not null;`);
    this.addSql(`alter table "promo_redemptions" add constraint "promo_redemptions_subscription_id_foreign" foreign key ("subscription_id") references "subscriptions" ("id") on delete cascade;`);
    this.addSql(`alter table "promo_redemptions" alter column "order_id" drop not null;`);
    this.addSql(`alter table "promo_redemptions" add constraint "promo_redemptions_subscription_id_unique" unique ("subscription_id");`);
    this.addSql(`create index "promo_redemptions_contact_id_promo_code_id_index" on "promo_redemptions" ("contact_id", "promo_code_id");`);
    this.addSql(`alter table "promo_redemptions" add constraint "promo_redemptions_owner" check ((order_id is null) <> (subscription_id is null));`);
    this.addSql(`alter table "payment_sessions" add "subscription_id" uuid null, add "mode" text not null default 'payment';`);
    this.addSql(`alter table "payment_sessions" add constraint "payment_sessions_subscription_id_foreign" foreign key ("subscription_id") references "subscriptions" ("id") on delete restrict;`);
    this.addSql(`alter table "payment_sessions" alter column "order_id" drop not null;`);
    this.addSql(`alter table "payment_sessions" alter column "provider_account_id" drop not null;`);
    this.addSql(`alter table "payment_sessions" add constraint "payment_sessions_subscription_id_unique" unique ("subscription_id");`);
    this.addSql(`alter table "payment_sessions" add constraint "payment_sessions_owner" check ((order_id is null) <> (subscription_id is null));`);
    this.addSql(`alter table "payment_sessions" add constraint "payment_sessions_mode_check" check ("mode" in ('payment', 'subscription'));`);
    this.addSql(`alter table "payments" add "subscription_id" uuid null, add "kind" text null, add "discount_amount" bigint not null default '0', add "payer_contact_id" uuid null, add "provider_invoice_id" varchar(255) null, add "period_start" bigint null, add "period_end" bigint null;`);
    this.addSql(`alter table "payments" add constraint "payments_subscription_id_foreign" foreign key ("subscription_id") references "subscriptions" ("id") on delete restrict;`);
    this.addSql(`alter table "payments" alter column "order_id" drop not null;`);
    this.addSql(`create index "payments_subscription_id_created_at_id_index" on "payments" ("subscription_id", "created_at", "id");`);
    this.addSql(`create unique index "payments_invoice" on "payments" (coalesce(provider_account_id, ''), "provider_invoice_id") where provider_invoice_id is not null;`);
    this.addSql(`create unique index "payments_initial" on "payments" ("subscription_id") where kind in ('initial', 'one_time');`);
    this.addSql(`alter table "payments" add constraint "payments_owner" check ((order_id is null) <> (subscription_id is null) and (kind is null) = (subscription_id is null));`);
    this.addSql(`alter table "payments" add constraint "payments_kind_check" check ("kind" in ('initial', 'renewal', 'one_time'));`);
    this.addSql(`alter table "refunds" add "subscription_id" uuid null;`);
    this.addSql(`alter table "refunds" alter column "order_id" drop not null;`);
    this.addSql(`create index "refunds_subscription_id_created_at_id_index" on "refunds" ("subscription_id", "created_at", "id");`);
    this.addSql(`alter table "refunds" add constraint "refunds_owner" check ((order_id is null) <> (subscription_id is null));`);
    this.addSql(`alter table "disputes" add "subscription_id" uuid null;`);
    this.addSql(`alter table "disputes" alter column "order_id" drop not null;`);
    this.addSql(`create index "disputes_subscription_id_created_at_id_index" on "disputes" ("subscription_id", "created_at", "id");`);
    this.addSql(`create index "disputes_payment_id_index" on "disputes" ("payment_id");`);
    this.addSql(`alter table "disputes" add constraint "disputes_owner" check ((order_id is null) <> (subscription_id is null));`);
  }

  override down(): void | Promise<void> {
    this.addSql(`update "promo_codes" c set "uses" = c."uses" - r.uses from (select promo_code_id, count(*) as uses from "promo_redemptions" where "order_id" is null group by 1) r where r.promo_code_id = c."id";`);
    for (const table of ['disputes', 'refunds', 'payments', 'payment_sessions', 'promo_redemptions']) this.addSql(`delete from "${table}" where "order_id" is null;`);
    this.addSql(`alter table "payments" drop column "subscription_id", drop column "kind", drop column "discount_amount", drop column "payer_contact_id", drop column "provider_invoice_id", drop column "period_start", drop column "period_end", alter column "order_id" set not null;`);
    this.addSql(`alter table "payment_sessions" drop column "subscription_id", drop column "mode", alter column "order_id" set not null, alter column "provider_account_id" set not null;`);
    this.addSql(`alter table "refunds" drop column "subscription_id", alter column "order_id" set not null;`);
    this.addSql(`drop index "disputes_payment_id_index";`);
    this.addSql(`alter table "disputes" drop column "subscription_id", alter column "order_id" set not null;`);
    this.addSql(`alter table "promo_redemptions" drop column "subscription_id", drop column "contact_id", alter column "order_id" set not null;`);
    this.addSql(`alter table "audience_prices" drop column "provider_price_id";`);
    this.addSql(`drop table if exists "subscriptions" cascade;`);
  }

}
