import { Migration } from '@mikro-orm/migrations';

/** What a person found out about an unknown outcome of every effect, and what the list of all that needs one reads. */
export class Migration20261129000070_attention_everywhere extends Migration {

  override name = 'Migration20261129000070_attention-everywhere';

  override isTransactional(): boolean {
    return false;
  }

  override up(): void | Promise<void> {
    this.addSql(`alter table "channel_messages" add column if not exists "resolution" jsonb null;`);
    this.addSql(`alter table "coupons" add column if not exists "resolution" jsonb null;`);
    this.addSql(`alter table "mails" add column if not exists "resolution" jsonb null;`);
    this.addSql(`alter table "model_calls" add column if not exists "resolution" jsonb null;`);
    this.addSql(`alter table "oauth_exchanges" add column if not exists "resolution" jsonb null;`);
    this.addSql(`alter table "onboarding_links" add column if not exists "resolution" jsonb null;`);
    this.addSql(`alter table "payment_providers" add column if not exists "resolution" jsonb null;`);
    this.addSql(`alter table "portal_configurations" add column if not exists "resolution" jsonb null;`);
    this.addSql(`alter table "portal_links" add column if not exists "resolution" jsonb null;`);
    this.addSql(`alter table "price_provisions" add column if not exists "resolution" jsonb null;`);
    this.addSql(`alter table "social_authorizations" add column if not exists "resolution" jsonb null;`);
    this.addSql(`alter table "social_classifications" add column if not exists "resolution" jsonb null;`);
    this.addSql(`alter table "social_token_requests" add column if not exists "resolution" jsonb null;`);
    this.addSql(`alter table "webhook_tests" add column if not exists "resolution" jsonb null;`);
    this.addSql(`drop index concurrently if exists "campaign_messages_attention";`);
    this.addSql(`create index concurrently "campaign_messages_attention" on "campaign_messages" ("tenant_id", (floor(coalesce(extract(epoch from settled_at at time zone 'UTC'), created_at))::float8), "id") where status = 'unknown' or resolution is not null;`);
    this.addSql(`drop index concurrently if exists "channel_messages_attention";`);
    this.addSql(`create index concurrently "channel_messages_attention" on "channel_messages" ("tenant_id", (floor(coalesce(extract(epoch from settled_at at time zone 'UTC'), created_at))::float8), "id") where status = 'unknown' or resolution is not null;`);
    this.addSql(`drop index concurrently if exists "coupons_attention";`);
    this.addSql(`create index concurrently "coupons_attention" on "coupons" ("tenant_id", (floor(coalesce(extract(epoch from settled_at at time zone 'UTC'), created_at))::float8), "id") where status = 'unknown' or resolution is not null;`);
    this.addSql(`drop index concurrently if exists "mails_attention";`);
    this.addSql(`create index concurrently "mails_attention" on "mails" ("tenant_id", (floor(coalesce(extract(epoch from settled_at at time zone 'UTC'), created_at))::float8), "id") where status = 'unknown' or resolution is not null;`);
    this.addSql(`drop index concurrently if exists "model_calls_attention";`);
    this.addSql(`create index concurrently "model_calls_attention" on "model_calls" ("tenant_id", (floor(coalesce(extract(epoch from settled_at at time zone 'UTC'), created_at))::float8), "id") where status = 'unknown' or resolution is not null;`);
    this.addSql(`drop index concurrently if exists "node_runs_attention";`);
    this.addSql(`create index concurrently "node_runs_attention" on "node_runs" ("tenant_id", (floor(coalesce(extract(epoch from settled_at at time zone 'UTC'), created_at))::float8), "id") where status = 'unknown' or resolution is not null;`);
    this.addSql(`drop index concurrently if exists "oauth_exchanges_attention";`);
    this.addSql(`create index concurrently "oauth_exchanges_attention" on "oauth_exchanges" ("tenant_id", (floor(coalesce(extract(epoch from settled_at at time zone 'UTC'), created_at))::float8), "id") where status = 'unknown' or resolution is not null;`);
    this.addSql(`drop index concurrently if exists "onboarding_links_attention";`);
    this.addSql(`create index concurrently "onboarding_links_attention" on "onboarding_links" ("tenant_id", (floor(coalesce(extract(epoch from settled_at at time zone 'UTC'), created_at))::float8), "id") where status = 'unknown' or resolution is not null;`);
    this.addSql(`drop index concurrently if exists "payment_providers_attention";`);
    this.addSql(`create index concurrently "payment_providers_attention" on "payment_providers" ("tenant_id", (floor(coalesce(extract(epoch from settled_at at time zone 'UTC'), created_at))::float8), "id") where status = 'unknown' or resolution is not null;`);
    this.addSql(`drop index concurrently if exists "portal_configurations_attention";`);
    this.addSql(`create index concurrently "portal_configurations_attention" on "portal_configurations" ("tenant_id", (floor(coalesce(extract(epoch from settled_at at time zone 'UTC'), created_at))::float8), "id") where status = 'unknown' or resolution is not null;`);
    this.addSql(`drop index concurrently if exists "portal_links_attention";`);
    this.addSql(`create index concurrently "portal_links_attention" on "portal_links" ("tenant_id", (floor(coalesce(extract(epoch from settled_at at time zone 'UTC'), created_at))::float8), "id") where status = 'unknown' or resolution is not null;`);
    this.addSql(`drop index concurrently if exists "price_provisions_attention";`);
    this.addSql(`create index concurrently "price_provisions_attention" on "price_provisions" ("tenant_id", (floor(coalesce(extract(epoch from settled_at at time zone 'UTC'), created_at))::float8), "id") where status = 'unknown' or resolution is not null;`);
    this.addSql(`drop index concurrently if exists "social_authorizations_attention";`);
    this.addSql(`create index concurrently "social_authorizations_attention" on "social_authorizations" ("tenant_id", (floor(coalesce(extract(epoch from settled_at at time zone 'UTC'), created_at))::float8), "id") where status = 'unknown' or resolution is not null;`);
    this.addSql(`drop index concurrently if exists "social_classifications_attention";`);
    this.addSql(`create index concurrently "social_classifications_attention" on "social_classifications" ("tenant_id", (floor(coalesce(extract(epoch from settled_at at time zone 'UTC'), created_at))::float8), "id") where status = 'unknown' or resolution is not null;`);
    this.addSql(`drop index concurrently if exists "social_replies_attention";`);
    this.addSql(`create index concurrently "social_replies_attention" on "social_replies" ("tenant_id", (floor(coalesce(extract(epoch from settled_at at time zone 'UTC'), created_at))::float8), "id") where status = 'unknown' or resolution is not null;`);
    this.addSql(`drop index concurrently if exists "social_reveals_attention";`);
    this.addSql(`create index concurrently "social_reveals_attention" on "social_reveals" ("tenant_id", (floor(coalesce(extract(epoch from settled_at at time zone 'UTC'), created_at))::float8), "id") where status = 'unknown' or resolution is not null;`);
    this.addSql(`drop index concurrently if exists "social_token_requests_attention";`);
    this.addSql(`create index concurrently "social_token_requests_attention" on "social_token_requests" ("tenant_id", (floor(coalesce(extract(epoch from settled_at at time zone 'UTC'), created_at))::float8), "id") where status = 'unknown' or resolution is not null;`);
    this.addSql(`drop index concurrently if exists "webhook_tests_attention";`);
    this.addSql(`create index concurrently "webhook_tests_attention" on "webhook_tests" ("tenant_id", (floor(coalesce(extract(epoch from settled_at at time zone 'UTC'), created_at))::float8), "id") where status = 'unknown' or resolution is not null;`);
    this.addSql(`drop index concurrently if exists "authorization_ends_attention";`);
    this.addSql(`create index concurrently "authorization_ends_attention" on "authorization_ends" ("tenant_id", (floor(coalesce(extract(epoch from settled_at at time zone 'UTC'), created_at))::float8), "id") where status = 'unknown' or resolution is not null;`);
    this.addSql(`drop index concurrently if exists "payment_sessions_attention";`);
    this.addSql(`create index concurrently "payment_sessions_attention" on "payment_sessions" ("tenant_id", (floor(coalesce(extract(epoch from settled_at at time zone 'UTC'), created_at))::float8), "id") where status = 'unknown' or resolution is not null;`);
    this.addSql(`drop index concurrently if exists "session_expiries_attention";`);
    this.addSql(`create index concurrently "session_expiries_attention" on "session_expiries" ("tenant_id", (floor(coalesce(extract(epoch from settled_at at time zone 'UTC'), created_at))::float8), "id") where status = 'unknown' or resolution is not null;`);
    this.addSql(`drop index concurrently if exists "subscription_changes_attention";`);
    this.addSql(`create index concurrently "subscription_changes_attention" on "subscription_changes" ("tenant_id", (floor(coalesce(extract(epoch from settled_at at time zone 'UTC'), created_at))::float8), "id") where status = 'unknown' or resolution is not null;`);
    this.addSql(`drop index concurrently if exists "payments_attention";`);
    this.addSql(`create index concurrently "payments_attention" on "payments" ("tenant_id") where error ->> 'code' in ('event_missing', 'amount_mismatch', 'price_mismatch', 'paid_twice', 'refund_due', 'refund_conflict') and error -> 'acknowledged' is null;`);
    this.addSql(`drop index concurrently if exists "disputes_attention";`);
    this.addSql(`create index concurrently "disputes_attention" on "disputes" ("tenant_id") where closed_at is null;`);
    this.addSql(`drop index concurrently if exists "erasures_attention";`);
    this.addSql(`create index concurrently "erasures_attention" on "erasures" ("requested_by") where needs_attention;`);
    this.addSql(`drop index concurrently if exists "outbox_parked";`);
    this.addSql(`create index concurrently "outbox_parked" on "outbox" ("tenant_id") where parked;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index concurrently if exists "payments_attention";`);
    this.addSql(`create index concurrently "payments_attention" on "payments" ("tenant_id") where error ->> 'code' in ('event_missing', 'amount_mismatch', 'price_mismatch', 'paid_twice', 'refund_due', 'refund_conflict');`);
    this.addSql(`drop index concurrently if exists "authorization_ends_attention";`);
    this.addSql(`create index concurrently "authorization_ends_attention" on "authorization_ends" ("tenant_id") where status = 'unknown' or resolution is not null;`);
    this.addSql(`drop index concurrently if exists "payment_sessions_attention";`);
    this.addSql(`create index concurrently "payment_sessions_attention" on "payment_sessions" ("tenant_id") where status = 'unknown' or resolution is not null;`);
    this.addSql(`drop index concurrently if exists "session_expiries_attention";`);
    this.addSql(`create index concurrently "session_expiries_attention" on "session_expiries" ("tenant_id") where status = 'unknown' or resolution is not null;`);
    this.addSql(`drop index concurrently if exists "subscription_changes_attention";`);
    this.addSql(`create index concurrently "subscription_changes_attention" on "subscription_changes" ("tenant_id") where status = 'unknown' or resolution is not null;`);
    this.addSql(`drop index concurrently if exists "outbox_parked";`);
    this.addSql(`drop index concurrently if exists "erasures_attention";`);
    this.addSql(`drop index concurrently if exists "disputes_attention";`);
    this.addSql(`drop index concurrently if exists "webhook_tests_attention";`);
    this.addSql(`drop index concurrently if exists "social_token_requests_attention";`);
    this.addSql(`drop index concurrently if exists "social_reveals_attention";`);
    this.addSql(`drop index concurrently if exists "social_replies_attention";`);
    this.addSql(`drop index concurrently if exists "social_classifications_attention";`);
    this.addSql(`drop index concurrently if exists "social_authorizations_attention";`);
    this.addSql(`drop index concurrently if exists "price_provisions_attention";`);
    this.addSql(`drop index concurrently if exists "portal_links_attention";`);
    this.addSql(`drop index concurrently if exists "portal_configurations_attention";`);
    this.addSql(`drop index concurrently if exists "payment_providers_attention";`);
    this.addSql(`drop index concurrently if exists "onboarding_links_attention";`);
    this.addSql(`drop index concurrently if exists "oauth_exchanges_attention";`);
    this.addSql(`drop index concurrently if exists "node_runs_attention";`);
    this.addSql(`drop index concurrently if exists "model_calls_attention";`);
    this.addSql(`drop index concurrently if exists "mails_attention";`);
    this.addSql(`drop index concurrently if exists "coupons_attention";`);
    this.addSql(`drop index concurrently if exists "channel_messages_attention";`);
    this.addSql(`drop index concurrently if exists "campaign_messages_attention";`);
    this.addSql(`alter table "webhook_tests" drop column if exists "resolution";`);
    this.addSql(`alter table "social_token_requests" drop column if exists "resolution";`);
    this.addSql(`alter table "social_classifications" drop column if exists "resolution";`);
    this.addSql(`alter table "social_authorizations" drop column if exists "resolution";`);
    this.addSql(`alter table "price_provisions" drop column if exists "resolution";`);
    this.addSql(`alter table "portal_links" drop column if exists "resolution";`);
    this.addSql(`alter table "portal_configurations" drop column if exists "resolution";`);
    this.addSql(`alter table "payment_providers" drop column if exists "resolution";`);
    this.addSql(`alter table "onboarding_links" drop column if exists "resolution";`);
    this.addSql(`alter table "oauth_exchanges" drop column if exists "resolution";`);
    this.addSql(`alter table "model_calls" drop column if exists "resolution";`);
    this.addSql(`alter table "mails" drop column if exists "resolution";`);
    this.addSql(`alter table "coupons" drop column if exists "resolution";`);
    this.addSql(`alter table "channel_messages" drop column if exists "resolution";`);
  }

}
