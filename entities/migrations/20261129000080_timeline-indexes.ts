import { Migration } from '@mikro-orm/migrations';

export class Migration20261129000080_timeline_indexes extends Migration {

  override name = 'Migration20261129000080_timeline-indexes';

  override isTransactional(): boolean {
    return false;
  }

  override up(): void | Promise<void> {
    this.addSql(`drop index concurrently if exists "events_record";`);
    this.addSql(`create index concurrently "events_record" on "events" ("tenant_id", (coalesce(data ->> 'id', data -> 'member' ->> 'id')), "id");`);
    this.addSql(`drop index concurrently if exists "payments_paid";`);
    this.addSql(`create index concurrently "payments_paid" on "payments" ("tenant_id", "paid_at") include ("currency", "captured_amount", "subscription_id") where paid_at is not null;`);
    this.addSql(`drop index concurrently if exists "mails_tenant";`);
    this.addSql(`create index concurrently "mails_tenant" on "mails" ("tenant_id", "created_at") where tenant_id is not null;`);
    this.addSql(`alter table "refunds" add column if not exists "requested_by" uuid null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "refunds" drop column if exists "requested_by";`);
    this.addSql(`drop index concurrently if exists "mails_tenant";`);
    this.addSql(`drop index concurrently if exists "payments_paid";`);
    this.addSql(`drop index concurrently if exists "events_record";`);
  }

}
