import { IndexMigration } from '../kit/database/build-index.ts';

export class Migration20261128000011_money_indexes extends IndexMigration {

  override name = 'Migration20261128000011_money-indexes';

  override async up(): Promise<void> {
    await this.buildIndex(`create unique index concurrently "disputes_of_plans" on "disputes" ("provider_dispute_id") where provider_account_id is null`);
    await this.buildIndex(`create index concurrently "orders_paid_late" on "orders" ("paid_at") where status = 'cancelled' and paid_at > cancelled_at`);
    await this.buildIndex(`create index concurrently "refunds_resolved" on "refunds" ("payment_id") where resolution is not null`);
    await this.buildIndex(`create index concurrently "social_replies_resolved" on "social_replies" ("root_id") where resolution is not null`);
  }

  override async down(): Promise<void> {
    await this.dropIndex('social_replies_resolved');
    await this.dropIndex('refunds_resolved');
    await this.dropIndex('orders_paid_late');
    await this.dropIndex('disputes_of_plans');
  }

}
