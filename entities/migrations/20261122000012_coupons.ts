import { Migration } from '@mikro-orm/migrations';

export class Migration20261122000012_coupons extends Migration {

  override name = 'Migration20261122000012_coupons';

  override up(): void | Promise<void> {
    this.addSql(`create table "coupons" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "subscription_id" uuid not null, "provider_account_id" varchar(255) null, "amount" bigint not null, "currency" varchar(3) not null, "at_provider" boolean null, "status" text not null default 'requested', "fingerprint" varchar(64) not null, "request" text null, "attempt" int not null default 0, "token" varchar(255) null, "claimed_at" timestamptz(3) null, "sent_at" timestamptz(3) null, "deadline_at" timestamptz(3) null, "answered_at" timestamptz(3) null, "settled_at" timestamptz(3) null, "evidence" jsonb null, "late_evidence" jsonb null, "error" jsonb null, primary key ("id"));`);
    this.addSql(`alter table "coupons" add constraint "coupons_subscription_id_unique" unique ("subscription_id");`);
    this.addSql(`create index "coupons_status_created_at_index" on "coupons" ("status", "created_at");`);
    this.addSql(`alter table "coupons" add constraint "coupons_subscription_id_foreign" foreign key ("subscription_id") references "subscriptions" ("id") on delete cascade;`);
    this.addSql(`alter table "coupons" add constraint "coupons_amount" check (amount > 0);`);
    this.addSql(`alter table "coupons" add constraint "coupons_status_check" check ("status" in ('requested', 'processing', 'succeeded', 'rejected', 'failed', 'unknown'));`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "coupons" cascade;`);
  }

}
