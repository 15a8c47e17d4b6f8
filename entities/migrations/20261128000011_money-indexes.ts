import { Migration } from '@mikro-orm/migrations';

export class Migration20261128000011_money_indexes extends Migration {

  override name = 'Migration20261128000011_money-indexes';

  override isTransactional(): boolean {
    return false;
  }

  override up(): void | Promise<void> {
    this.addSql(`drop index concurrently if exists "disputes_of_plans";`);
    this.addSql(`create unique index concurrently "disputes_of_plans" on "disputes" ("provider_dispute_id") where provider_account_id is null;`);
    this.addSql(`drop index concurrently if exists "orders_paid_late";`);
    this.addSql(`create index concurrently "orders_paid_late" on "orders" ("paid_at") where status = 'cancelled' and paid_at > cancelled_at;`);
    this.addSql(`drop index concurrently if exists "refunds_resolved";`);
    this.addSql(`create index concurrently "refunds_resolved" on "refunds" ("payment_id") where resolution is not null;`);
    this.addSql(`drop index concurrently if exists "social_replies_resolved";`);
    this.addSql(`create index concurrently "social_replies_resolved" on "social_replies" ("root_id") where resolution is not null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index concurrently if exists "social_replies_resolved";`);
    this.addSql(`drop index concurrently if exists "refunds_resolved";`);
    this.addSql(`drop index concurrently if exists "orders_paid_late";`);
    this.addSql(`drop index concurrently if exists "disputes_of_plans";`);
  }

}
