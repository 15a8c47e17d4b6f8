import { Migration } from '@mikro-orm/migrations';

export class Migration20261130000010_replaced_outcomes extends Migration {

  override name = 'Migration20261130000010_replaced-outcomes';

  // Each table by itself: a transaction would keep the locks of all.
  override isTransactional(): boolean {
    return false;
  }

  override up(): void | Promise<void> {
    this.addSql(`alter table "refunds" add column if not exists "replaced" jsonb null;`);
    this.addSql(`alter table "payment_sessions" add column if not exists "replaced" jsonb null;`);
    this.addSql(`alter table "session_expiries" add column if not exists "replaced" jsonb null;`);
    this.addSql(`alter table "coupons" add column if not exists "replaced" jsonb null;`);
    this.addSql(`alter table "authorization_ends" add column if not exists "replaced" jsonb null;`);
    this.addSql(`alter table "payment_providers" add column if not exists "replaced" jsonb null;`);
    this.addSql(`alter table "onboarding_links" add column if not exists "replaced" jsonb null;`);
    this.addSql(`alter table "price_provisions" add column if not exists "replaced" jsonb null;`);
    this.addSql(`alter table "portal_configurations" add column if not exists "replaced" jsonb null;`);
    this.addSql(`alter table "portal_links" add column if not exists "replaced" jsonb null;`);
    this.addSql(`alter table "mails" add column if not exists "replaced" jsonb null;`);
    this.addSql(`alter table "campaign_messages" add column if not exists "replaced" jsonb null;`);
    this.addSql(`alter table "webhook_tests" add column if not exists "replaced" jsonb null;`);
    this.addSql(`alter table "subscription_changes" add column if not exists "replaced" jsonb null;`);
    this.addSql(`alter table "oauth_exchanges" add column if not exists "replaced" jsonb null;`);
    this.addSql(`alter table "social_authorizations" add column if not exists "replaced" jsonb null;`);
    this.addSql(`alter table "social_token_requests" add column if not exists "replaced" jsonb null;`);
    this.addSql(`alter table "social_reveals" add column if not exists "replaced" jsonb null;`);
    this.addSql(`alter table "social_replies" add column if not exists "replaced" jsonb null;`);
    this.addSql(`alter table "social_classifications" add column if not exists "replaced" jsonb null;`);
    this.addSql(`alter table "model_calls" add column if not exists "replaced" jsonb null;`);
    this.addSql(`alter table "channel_messages" add column if not exists "replaced" jsonb null;`);
    this.addSql(`alter table "node_runs" add column if not exists "replaced" jsonb null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "refunds" drop column if exists "replaced";`);
    this.addSql(`alter table "payment_sessions" drop column if exists "replaced";`);
    this.addSql(`alter table "session_expiries" drop column if exists "replaced";`);
    this.addSql(`alter table "coupons" drop column if exists "replaced";`);
    this.addSql(`alter table "authorization_ends" drop column if exists "replaced";`);
    this.addSql(`alter table "payment_providers" drop column if exists "replaced";`);
    this.addSql(`alter table "onboarding_links" drop column if exists "replaced";`);
    this.addSql(`alter table "price_provisions" drop column if exists "replaced";`);
    this.addSql(`alter table "portal_configurations" drop column if exists "replaced";`);
    this.addSql(`alter table "portal_links" drop column if exists "replaced";`);
    this.addSql(`alter table "mails" drop column if exists "replaced";`);
    this.addSql(`alter table "campaign_messages" drop column if exists "replaced";`);
    this.addSql(`alter table "webhook_tests" drop column if exists "replaced";`);
    this.addSql(`alter table "subscription_changes" drop column if exists "replaced";`);
    this.addSql(`alter table "oauth_exchanges" drop column if exists "replaced";`);
    this.addSql(`alter table "social_authorizations" drop column if exists "replaced";`);
    this.addSql(`alter table "social_token_requests" drop column if exists "replaced";`);
    this.addSql(`alter table "social_reveals" drop column if exists "replaced";`);
    this.addSql(`alter table "social_replies" drop column if exists "replaced";`);
    this.addSql(`alter table "social_classifications" drop column if exists "replaced";`);
    this.addSql(`alter table "model_calls" drop column if exists "replaced";`);
    this.addSql(`alter table "channel_messages" drop column if exists "replaced";`);
    this.addSql(`alter table "node_runs" drop column if exists "replaced";`);
  }

}
