import { Migration } from '@mikro-orm/migrations';

export class Migration20261122000007_early extends Migration {

  override name = 'Migration20261122000007_early';

  override up(): void | Promise<void> {
    this.addSql(`alter table "provider_events" add "payment_intent" varchar(255) null, add "facts" jsonb null;`);
    this.addSql(`create index "provider_events_waiting" on "provider_events" ("account", "payment_intent") where payment_intent is not null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "provider_events_waiting";`);
    this.addSql(`alter table "provider_events" drop column "payment_intent", drop column "facts";`);
  }

}
