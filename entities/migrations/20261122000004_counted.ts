import { Migration } from '@mikro-orm/migrations';

export class Migration20261122000004_counted extends Migration {

  override name = 'Migration20261122000004_counted';

  override up(): void | Promise<void> {
    // The reconciler looks here for what a process of an earlier version wrote: rows are rare, and the index is small.
    this.addSql(`create index "payments_told_refunds" on "payments" ("id") where error ->> 'provider_refund_id' is not null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "payments_told_refunds";`);
  }

}
