import { Migration } from '@mikro-orm/migrations';

export class Migration20261129000080_event_records extends Migration {

  override name = 'Migration20261129000080_event-records';

  override isTransactional(): boolean {
    return false;
  }

  override up(): void | Promise<void> {
    this.addSql(`drop index concurrently if exists "events_record";`);
    this.addSql(`create index concurrently "events_record" on "events" ("tenant_id", (coalesce(data ->> 'id', data -> 'member' ->> 'id', data -> 'store' ->> 'id')), "id");`);
    this.addSql(`alter table "refunds" add column if not exists "requested_by" uuid null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "refunds" drop column if exists "requested_by";`);
    this.addSql(`drop index concurrently if exists "events_record";`);
  }

}
