import { Migration } from '@mikro-orm/migrations';

export class Migration20261122000014_provisions extends Migration {

  override name = 'Migration20261122000014_provisions';

  override up(): void | Promise<void> {
    this.addSql(`alter table "subscriptions" add "market" varchar(255) null;`);
    this.addSql(`create table "price_provisions" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "price_id" uuid not null, "provider_account_id" varchar(255) not null, "provider_price_id" varchar(255) null, "status" text not null default 'requested', "fingerprint" varchar(64) not null, "request" text null, "attempt" int not null default 0, "token" varchar(255) null, "claimed_at" timestamptz(3) null, "sent_at" timestamptz(3) null, "deadline_at" timestamptz(3) null, "answered_at" timestamptz(3) null, "settled_at" timestamptz(3) null, "evidence" jsonb null, "late_evidence" jsonb null, "error" jsonb null, primary key ("id"));`);
    this.addSql(`create index "price_provisions_price_id_created_at_id_index" on "price_provisions" ("price_id", "created_at", "id");`);
    this.addSql(`create index "price_provisions_status_created_at_index" on "price_provisions" ("status", "created_at");`);
    this.addSql(`create unique index "price_provisions_open" on "price_provisions" ("price_id") where status in ('requested', 'processing');`);
    this.addSql(`alter table "price_provisions" add constraint "price_provisions_price_id_foreign" foreign key ("price_id") references "audience_prices" ("id") on delete cascade;`);
    this.addSql(`alter table "price_provisions" add constraint "price_provisions_status_check" check ("status" in ('requested', 'processing', 'succeeded', 'rejected', 'failed', 'unknown'));`);
    this.addSql(`create table "portal_configurations" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid null, "provider_account_id" varchar(255) null, "provider_configuration_id" varchar(255) null, "status" text not null default 'requested', "fingerprint" varchar(64) not null, "request" text null, "attempt" int not null default 0, "token" varchar(255) null, "claimed_at" timestamptz(3) null, "sent_at" timestamptz(3) null, "deadline_at" timestamptz(3) null, "answered_at" timestamptz(3) null, "settled_at" timestamptz(3) null, "evidence" jsonb null, "late_evidence" jsonb null, "error" jsonb null, primary key ("id"));`);
    this.addSql(`create index "portal_configurations_status_created_at_index" on "portal_configurations" ("status", "created_at");`);
    this.addSql(`create index "portal_configurations_account" on "portal_configurations" (coalesce(provider_account_id, ''), "created_at");`);
    this.addSql(`create unique index "portal_configurations_open" on "portal_configurations" (coalesce(provider_account_id, '')) where status in ('requested', 'processing');`);
    this.addSql(`create table "portal_links" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "subscription_id" uuid not null, "portal_configuration_id" uuid not null, "provider_account_id" varchar(255) null, "provider_customer_id" varchar(255) not null, "flow" text null, "return_url" text not null, "url" text null, "status" text not null default 'requested', "fingerprint" varchar(64) not null, "request" text null, "attempt" int not null default 0, "token" varchar(255) null, "claimed_at" timestamptz(3) null, "sent_at" timestamptz(3) null, "deadline_at" timestamptz(3) null, "answered_at" timestamptz(3) null, "settled_at" timestamptz(3) null, "evidence" jsonb null, "late_evidence" jsonb null, "error" jsonb null, primary key ("id"));`);
    this.addSql(`create index "portal_links_subscription_id_created_at_index" on "portal_links" ("subscription_id", "created_at");`);
    this.addSql(`create index "portal_links_portal_configuration_id_created_at_id_index" on "portal_links" ("portal_configuration_id", "created_at", "id");`);
    this.addSql(`create index "portal_links_status_created_at_index" on "portal_links" ("status", "created_at");`);
    this.addSql(`alter table "portal_configurations" add constraint "portal_configurations_status_check" check ("status" in ('requested', 'processing', 'succeeded', 'rejected', 'failed', 'unknown'));`);
    this.addSql(`alter table "portal_links" add constraint "portal_links_subscription_id_foreign" foreign key ("subscription_id") references "subscriptions" ("id") on delete cascade;`);
    this.addSql(`alter table "portal_links" add constraint "portal_links_portal_configuration_id_foreign" foreign key ("portal_configuration_id") references "portal_configurations" ("id") on delete restrict;`);
    this.addSql(`alter table "portal_links" add constraint "portal_links_flow_check" check ("flow" in ('payment_method_update'));`);
    this.addSql(`alter table "portal_links" add constraint "portal_links_status_check" check ("status" in ('requested', 'processing', 'succeeded', 'rejected', 'failed', 'unknown'));`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "subscriptions" drop column "market";`);
    for (const table of ['portal_links', 'portal_configurations', 'price_provisions']) this.addSql(`drop table if exists "${table}" cascade;`);
  }

}
