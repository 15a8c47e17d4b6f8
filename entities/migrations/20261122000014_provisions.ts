import { Migration } from '@mikro-orm/migrations';

export class Migration20261122000014_provisions extends Migration {

  override name = 'Migration20261122000014_provisions';

  override up(): void | Promise<void> {
    this.addSql(`create table "price_provisions" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "price_id" uuid not null, "provider_account_id" varchar(255) not null, "provider_price_id" varchar(255) null, "status" text not null default 'requested', "fingerprint" varchar(64) not null, "request" text null, "attempt" int not null default 0, "token" varchar(255) null, "claimed_at" timestamptz(3) null, "sent_at" timestamptz(3) null, "deadline_at" timestamptz(3) null, "answered_at" timestamptz(3) null, "settled_at" timestamptz(3) null, "evidence" jsonb null, "late_evidence" jsonb null, "error" jsonb null, primary key ("id"));`);
    this.addSql(`create index "price_provisions_price_id_created_at_id_index" on "price_provisions" ("price_id", "created_at", "id");`);
    this.addSql(`create index "price_provisions_status_created_at_index" on "price_provisions" ("status", "created_at");`);
    this.addSql(`create unique index "price_provisions_open" on "price_provisions" ("price_id") where status in ('requested', 'processing');`);
    this.addSql(`alter table "price_provisions" add constraint "price_provisions_price_id_foreign" foreign key ("price_id") references "audience_prices" ("id") on delete cascade;`);
    this.addSql(`alter table "price_provisions" add constraint "price_provisions_status_check" check ("status" in ('requested', 'processing', 'succeeded', 'rejected', 'failed', 'unknown'));`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "price_provisions" cascade;`);
  }

}
