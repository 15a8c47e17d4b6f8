import { IndexMigration } from '../kit/database/build-index.ts';

/** What the list of money that needs a person reads, and the second look at cancelled checkouts. */
export class Migration20261128000017_attention_indexes extends IndexMigration {

  override name = 'Migration20261128000017_attention-indexes';

  override async up(): Promise<void> {
    await this.buildIndex(`create index concurrently "payments_attention" on "payments" ("tenant_id") where error ->> 'code' in ('event_missing', 'amount_mismatch', 'price_mismatch', 'paid_twice', 'refund_due', 'refund_conflict')`);
    await this.buildIndex(`create index concurrently "authorization_ends_attention" on "authorization_ends" ("tenant_id") where status = 'unknown' or resolution is not null`);
    await this.buildIndex(`create index concurrently "authorization_ends_cancels" on "authorization_ends" ("tenant_id") where kind = 'cancel' and status in ('requested', 'processing', 'rejected')`);
    await this.buildIndex(`create index concurrently "payment_sessions_attention" on "payment_sessions" ("tenant_id") where status = 'unknown' or resolution is not null`);
    await this.buildIndex(`create index concurrently "session_expiries_attention" on "session_expiries" ("tenant_id") where status = 'unknown' or resolution is not null`);
    await this.buildIndex(`create index concurrently "subscription_changes_attention" on "subscription_changes" ("tenant_id") where status = 'unknown' or resolution is not null`);
    await this.buildIndex(`create index concurrently "subscriptions_attention" on "subscriptions" ("tenant_id") where status = 'live' and error ->> 'code' in ('price_mismatch', 'event_missing', 'not_readable')`);
    await this.buildIndex(`create index concurrently "subscriptions_cancel_requested" on "subscriptions" ("id") where status = 'pending' and cancel_requested`);
    await this.buildIndex(`create index concurrently "orders_cancelling" on "orders" ("id") where status = 'pending' and cancel_requested`);
  }

  override async down(): Promise<void> {
    await this.dropIndex('orders_cancelling');
    await this.dropIndex('subscriptions_cancel_requested');
    await this.dropIndex('subscriptions_attention');
    await this.dropIndex('subscription_changes_attention');
    await this.dropIndex('session_expiries_attention');
    await this.dropIndex('payment_sessions_attention');
    await this.dropIndex('authorization_ends_cancels');
    await this.dropIndex('authorization_ends_attention');
    await this.dropIndex('payments_attention');
  }

}
