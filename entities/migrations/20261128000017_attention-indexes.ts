import { Migration } from '@mikro-orm/migrations';

/** What the list of money that needs a person reads, and the second look at cancelled checkouts. */
export class Migration20261128000017_attention_indexes extends Migration {

  override name = 'Migration20261128000017_attention-indexes';

  override isTransactional(): boolean {
    return false;
  }

  override up(): void | Promise<void> {
    this.addSql(`drop index concurrently if exists "payments_attention";`);
    this.addSql(`create index concurrently "payments_attention" on "payments" ("tenant_id") where error ->> 'code' in ('event_missing', 'amount_mismatch', 'price_mismatch', 'paid_twice', 'refund_due', 'refund_conflict');`);
    this.addSql(`drop index concurrently if exists "authorization_ends_attention";`);
    this.addSql(`create index concurrently "authorization_ends_attention" on "authorization_ends" ("tenant_id") where status = 'unknown' or resolution is not null;`);
    this.addSql(`drop index concurrently if exists "authorization_ends_cancels";`);
    this.addSql(`create index concurrently "authorization_ends_cancels" on "authorization_ends" ("tenant_id") where kind = 'cancel' and status in ('requested', 'processing', 'rejected');`);
    this.addSql(`drop index concurrently if exists "payment_sessions_attention";`);
    this.addSql(`create index concurrently "payment_sessions_attention" on "payment_sessions" ("tenant_id") where status = 'unknown' or resolution is not null;`);
    this.addSql(`drop index concurrently if exists "session_expiries_attention";`);
    this.addSql(`create index concurrently "session_expiries_attention" on "session_expiries" ("tenant_id") where status = 'unknown' or resolution is not null;`);
    this.addSql(`drop index concurrently if exists "subscription_changes_attention";`);
    this.addSql(`create index concurrently "subscription_changes_attention" on "subscription_changes" ("tenant_id") where status = 'unknown' or resolution is not null;`);
    this.addSql(`drop index concurrently if exists "subscriptions_attention";`);
    this.addSql(`create index concurrently "subscriptions_attention" on "subscriptions" ("tenant_id") where status = 'live' and error ->> 'code' in ('price_mismatch', 'event_missing', 'not_readable');`);
    this.addSql(`drop index concurrently if exists "subscriptions_cancel_requested";`);
    this.addSql(`create index concurrently "subscriptions_cancel_requested" on "subscriptions" ("id") where status = 'pending' and cancel_requested;`);
    this.addSql(`drop index concurrently if exists "orders_cancelling";`);
    this.addSql(`create index concurrently "orders_cancelling" on "orders" ("id") where status = 'pending' and cancel_requested;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index concurrently if exists "orders_cancelling";`);
    this.addSql(`drop index concurrently if exists "subscriptions_cancel_requested";`);
    this.addSql(`drop index concurrently if exists "subscriptions_attention";`);
    this.addSql(`drop index concurrently if exists "subscription_changes_attention";`);
    this.addSql(`drop index concurrently if exists "session_expiries_attention";`);
    this.addSql(`drop index concurrently if exists "payment_sessions_attention";`);
    this.addSql(`drop index concurrently if exists "authorization_ends_cancels";`);
    this.addSql(`drop index concurrently if exists "authorization_ends_attention";`);
    this.addSql(`drop index concurrently if exists "payments_attention";`);
  }

}
