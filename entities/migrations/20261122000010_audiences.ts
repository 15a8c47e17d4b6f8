import { Migration } from '@mikro-orm/migrations';

export class Migration20261122000010_audiences extends Migration {

  override name = 'Migration20261122000010_audiences';

  override up(): void | Promise<void> {
    this.addSql(`create table "audiences" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "key" varchar(255) not null, "search" tsvector null, "name" varchar(255) not null, "status" text not null default 'draft', "type" text not null, "template_id" uuid null, "mailbox_id" uuid null, "confirmation_url" text null, primary key ("id"));`);
    this.addSql(`create index "audiences_tenant_id_created_at_id_index" on "audiences" ("tenant_id", "created_at", "id");`);
    this.addSql(`create index "audiences_tenant_id_updated_at_id_index" on "audiences" ("tenant_id", "updated_at", "id");`);
    this.addSql(`create index "audiences_search" on "audiences" using gin ("search");`);
    this.addSql(`create index "audiences_tenant_id_status_created_at_id_index" on "audiences" ("tenant_id", "status", "created_at", "id");`);
    this.addSql(`alter table "audiences" add constraint "audiences_tenant_id_key_unique" unique ("tenant_id", "key");`);

    this.addSql(`create table "audience_tiers" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "audience_id" uuid not null, "key" varchar(255) not null, "name" varchar(255) not null, "description" text null, "benefits" jsonb not null, "status" text not null default 'active', "payment_provider_id" uuid null, primary key ("id"));`);
    this.addSql(`create index "audience_tiers_audience_id_created_at_id_index" on "audience_tiers" ("audience_id", "created_at", "id");`);
    this.addSql(`create index "audience_tiers_audience_id_updated_at_id_index" on "audience_tiers" ("audience_id", "updated_at", "id");`);
    this.addSql(`create index "audience_tiers_payment_provider_id_index" on "audience_tiers" ("payment_provider_id");`);
    this.addSql(`alter table "audience_tiers" add constraint "audience_tiers_audience_id_key_unique" unique ("audience_id", "key");`);

    this.addSql(`create table "audience_prices" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "tier_id" uuid not null, "status" text not null default 'active', "amount" bigint not null, "currency" varchar(3) not null, "interval" jsonb null, "position" int not null, "ready" boolean not null default false, "error" jsonb null, primary key ("id"));`);
    this.addSql(`create index "audience_prices_tier_id_position_id_index" on "audience_prices" ("tier_id", "position", "id");`);

    this.addSql(`create table "audience_members" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "audience_id" uuid not null, "contact_id" uuid not null, "status" text not null, "delivery_status" text not null default 'subscribed', "source" text not null, "tier_id" uuid null, "price_id" uuid null, "paid_through_at" bigint null, "access_until" bigint null, "cancel_at" bigint null, "billing_status" varchar(255) null, "lead_description" text null, "fields" jsonb not null, "joined_at" bigint null, "ended_at" bigint null, "pending_since" bigint null, "status_before" text null, primary key ("id"));`);
    this.addSql(`create index "audience_members_audience_id_created_at_id_index" on "audience_members" ("audience_id", "created_at", "id");`);
    this.addSql(`create index "audience_members_audience_id_updated_at_id_index" on "audience_members" ("audience_id", "updated_at", "id");`);
    this.addSql(`create index "audience_members_audience_id_status_created_at_id_index" on "audience_members" ("audience_id", "status", "created_at", "id");`);
    this.addSql(`create index "audience_members_audience_id_delivery_status_creat_e86ac_index" on "audience_members" ("audience_id", "delivery_status", "created_at", "id");`);
    this.addSql(`create index "audience_members_audience_id_tier_id_created_at_id_index" on "audience_members" ("audience_id", "tier_id", "created_at", "id");`);
    this.addSql(`create index "audience_members_audience_id_price_id_created_at_id_index" on "audience_members" ("audience_id", "price_id", "created_at", "id");`);
    this.addSql(`create index "audience_members_contact_id_created_at_id_index" on "audience_members" ("contact_id", "created_at", "id");`);
    this.addSql(`create index "audience_members_tier_id_index" on "audience_members" ("tier_id");`);
    this.addSql(`create index "audience_members_price_id_index" on "audience_members" ("price_id");`);
    this.addSql(`create index "audience_members_overdue" on "audience_members" ("access_until") where status = 'active' and access_until is not null;`);
    this.addSql(`create index "audience_members_unconfirmed" on "audience_members" ("pending_since") where status = 'pending';`);
    this.addSql(`alter table "audience_members" add constraint "audience_members_audience_id_contact_id_unique" unique ("audience_id", "contact_id");`);

    this.addSql(`create table "member_tokens" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "member_id" uuid not null, "scope" text not null, "digest" varchar(64) not null, "value" text not null, "address" varchar(254) null, "expires_at" bigint null, primary key ("id"));`);
    this.addSql(`alter table "member_tokens" add constraint "member_tokens_digest_unique" unique ("digest");`);
    this.addSql(`create index "member_tokens_member_id_scope_id_index" on "member_tokens" ("member_id", "scope", "id");`);

    this.addSql(`create table "lead_insights" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "member_id" uuid not null, "insight" jsonb not null, primary key ("id"));`);
    this.addSql(`alter table "lead_insights" add constraint "lead_insights_member_id_unique" unique ("member_id");`);

    this.addSql(`alter table "mails" add "template_id" uuid null, add "mailbox_id" uuid null, add "variables" text null;`);

    this.addSql(`alter table "audiences" add constraint "audiences_status_check" check ("status" in ('active', 'draft', 'archived'));`);
    this.addSql(`alter table "audiences" add constraint "audiences_type_check" check ("type" in ('private', 'open', 'confirmation', 'paid'));`);

    this.addSql(`alter table "audience_tiers" add constraint "audience_tiers_audience_id_foreign" foreign key ("audience_id") references "audiences" ("id") on delete cascade;`);
    this.addSql(`alter table "audience_tiers" add constraint "audience_tiers_payment_provider_id_foreign" foreign key ("payment_provider_id") references "payment_providers" ("id") on delete set null;`);
    this.addSql(`alter table "audience_tiers" add constraint "audience_tiers_status_check" check ("status" in ('active', 'archived'));`);

    this.addSql(`alter table "audience_prices" add constraint "audience_prices_tier_id_foreign" foreign key ("tier_id") references "audience_tiers" ("id") on delete cascade;`);
    this.addSql(`alter table "audience_prices" add constraint "audience_prices_amount" check (amount >= 0);`);
    this.addSql(`alter table "audience_prices" add constraint "audience_prices_ready" check (ready or interval is not null);`);
    this.addSql(`alter table "audience_prices" add constraint "audience_prices_status_check" check ("status" in ('active', 'archived'));`);

    this.addSql(`alter table "audience_members" add constraint "audience_members_audience_id_foreign" foreign key ("audience_id") references "audiences" ("id") on delete cascade;`);
    this.addSql(`alter table "audience_members" add constraint "audience_members_contact_id_foreign" foreign key ("contact_id") references "contacts" ("id") on delete cascade;`);
    this.addSql(`alter table "audience_members" add constraint "audience_members_tier_id_foreign" foreign key ("tier_id") references "audience_tiers" ("id") on delete set null;`);
    this.addSql(`alter table "audience_members" add constraint "audience_members_price_id_foreign" foreign key ("price_id") references "audience_prices" ("id") on delete set null;`);
    this.addSql(`alter table "audience_members" add constraint "audience_members_pending" check ((status = 'pending') = (pending_since is not null));`);
    this.addSql(`alter table "audience_members" add constraint "audience_members_ended" check (status = 'pending' or (status = 'active') = (ended_at is null));`);
    this.addSql(`alter table "audience_members" add constraint "audience_members_joined" check (status <> 'active' or joined_at is not null);`);
    this.addSql(`alter table "audience_members" add constraint "audience_members_paid" check (paid_through_at is not null or access_until is null);`);
    this.addSql(`alter table "audience_members" add constraint "audience_members_status_check" check ("status" in ('pending', 'active', 'cancelled', 'expired', 'removed'));`);
    this.addSql(`alter table "audience_members" add constraint "audience_members_delivery_status_check" check ("delivery_status" in ('subscribed', 'unsubscribed', 'bounced', 'complained'));`);
    this.addSql(`alter table "audience_members" add constraint "audience_members_source_check" check ("source" in ('storefront', 'operator', 'import'));`);
    this.addSql(`alter table "audience_members" add constraint "audience_members_status_before_check" check ("status_before" in ('pending', 'active', 'cancelled', 'expired', 'removed'));`);

    this.addSql(`alter table "member_tokens" add constraint "member_tokens_member_id_foreign" foreign key ("member_id") references "audience_members" ("id") on delete cascade;`);
    this.addSql(`alter table "member_tokens" add constraint "member_tokens_scope_check" check ("scope" in ('confirm', 'unsubscribe', 'manage'));`);

    this.addSql(`alter table "lead_insights" add constraint "lead_insights_member_id_foreign" foreign key ("member_id") references "audience_members" ("id") on delete cascade;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "audience_tiers" drop constraint "audience_tiers_audience_id_foreign";`);
    this.addSql(`alter table "audience_members" drop constraint "audience_members_audience_id_foreign";`);
    this.addSql(`alter table "audience_prices" drop constraint "audience_prices_tier_id_foreign";`);
    this.addSql(`alter table "audience_members" drop constraint "audience_members_tier_id_foreign";`);
    this.addSql(`alter table "audience_members" drop constraint "audience_members_price_id_foreign";`);
    this.addSql(`alter table "member_tokens" drop constraint "member_tokens_member_id_foreign";`);
    this.addSql(`alter table "lead_insights" drop constraint "lead_insights_member_id_foreign";`);

    this.addSql(`drop table if exists "audiences" cascade;`);
    this.addSql(`drop table if exists "audience_tiers" cascade;`);
    this.addSql(`drop table if exists "audience_prices" cascade;`);
    this.addSql(`drop table if exists "audience_members" cascade;`);
    this.addSql(`drop table if exists "member_tokens" cascade;`);
    this.addSql(`drop table if exists "lead_insights" cascade;`);

    this.addSql(`alter table "mails" drop column "template_id", drop column "mailbox_id", drop column "variables";`);
  }

}
