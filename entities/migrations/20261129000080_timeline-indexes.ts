import { IndexMigration } from '../kit/database/build-index.ts';

export class Migration20261129000080_timeline_indexes extends IndexMigration {

  override name = 'Migration20261129000080_timeline-indexes';

  // Columns first: a lock that one waits for in vain is no reason to build the indexes again.
  override async up(): Promise<void> {
    this.addSql(`alter table "refunds" add column if not exists "requested_by" uuid null;`);
    this.addSql(`alter table "refunds" add column if not exists "read_at" timestamptz(3) null;`);
    this.addSql(`alter table "model_calls" add column if not exists "chat_id" uuid null;`);
    this.addSql(`alter table "model_calls" add column if not exists "research_run_id" uuid null;`);
    await this.buildIndex(`create index concurrently "events_record" on "events" ("tenant_id", (coalesce(data ->> 'id', data -> 'member' ->> 'id')), "id")`);
    await this.buildIndex(`create index concurrently "payments_paid" on "payments" ("tenant_id", "paid_at") include ("currency", "captured_amount", "subscription_id") where paid_at is not null`);
    await this.buildIndex(`create index concurrently "mails_tenant" on "mails" ("tenant_id", "created_at") where tenant_id is not null`);
    await this.buildIndex(`create index concurrently "model_calls_chat" on "model_calls" ("chat_id", "created_at", "id") where chat_id is not null`);
    await this.buildIndex(`create index concurrently "model_calls_research" on "model_calls" ("research_run_id", "created_at", "id") where research_run_id is not null`);
    await this.buildIndex(`create index concurrently "channel_messages_chat_id_created_at_id_index" on "channel_messages" ("chat_id", "created_at", "id")`);
    await this.buildIndex(`create index concurrently "enrollments_contact_id_created_at_id_index" on "enrollments" ("contact_id", "created_at", "id")`);
    await this.buildIndex(`create index concurrently "form_submissions_contact_id_created_at_id_index" on "form_submissions" ("contact_id", "created_at", "id")`);
    await this.buildIndex(`create index concurrently "payment_sessions_recorded_of_all" on "payment_sessions" (((resolution ->> 'at')::float8), "id") where resolution is not null`);
    await this.buildIndex(`create index concurrently "refunds_recorded_of_all" on "refunds" (((resolution ->> 'at')::float8), "id") where resolution is not null`);
    await this.buildIndex(`create index concurrently "session_expiries_recorded_of_all" on "session_expiries" (((resolution ->> 'at')::float8), "id") where resolution is not null`);
    await this.buildIndex(`create index concurrently "subscription_changes_recorded_of_all" on "subscription_changes" (((resolution ->> 'at')::float8), "id") where resolution is not null`);
    await this.buildIndex(`create index concurrently "payments_accepted_of_all" on "payments" (((error #>> '{acknowledged,at}')::float8), "id") where error -> 'acknowledged' is not null`);
    await this.buildIndex(`create index concurrently "inbound_mails_campaign_message_id_created_at_id_index" on "inbound_mails" ("campaign_message_id", "created_at", "id")`);
    await this.buildIndex(`create index concurrently "social_token_requests_social_connection_id_created_at_id_index" on "social_token_requests" ("social_connection_id", "created_at", "id")`);
    await this.dropIndex('enrollments_contact_id_index');
    await this.dropIndex('form_submissions_contact_id_index');
    await this.dropIndex('inbound_mails_campaign_message_id_index');
  }

  override async down(): Promise<void> {
    await this.buildIndex(`create index concurrently "enrollments_contact_id_index" on "enrollments" ("contact_id")`);
    await this.buildIndex(`create index concurrently "form_submissions_contact_id_index" on "form_submissions" ("contact_id")`);
    await this.buildIndex(`create index concurrently "inbound_mails_campaign_message_id_index" on "inbound_mails" ("campaign_message_id")`);
    await this.dropIndex('social_token_requests_social_connection_id_created_at_id_index');
    await this.dropIndex('inbound_mails_campaign_message_id_created_at_id_index');
    await this.dropIndex('payments_accepted_of_all');
    await this.dropIndex('subscription_changes_recorded_of_all');
    await this.dropIndex('session_expiries_recorded_of_all');
    await this.dropIndex('refunds_recorded_of_all');
    await this.dropIndex('payment_sessions_recorded_of_all');
    await this.dropIndex('form_submissions_contact_id_created_at_id_index');
    await this.dropIndex('enrollments_contact_id_created_at_id_index');
    await this.dropIndex('channel_messages_chat_id_created_at_id_index');
    await this.dropIndex('model_calls_research');
    await this.dropIndex('model_calls_chat');
    await this.dropIndex('mails_tenant');
    await this.dropIndex('payments_paid');
    await this.dropIndex('events_record');
    this.addSql(`alter table "model_calls" drop column if exists "research_run_id";`);
    this.addSql(`alter table "model_calls" drop column if exists "chat_id";`);
    this.addSql(`alter table "refunds" drop column if exists "read_at";`);
    this.addSql(`alter table "refunds" drop column if exists "requested_by";`);
  }

}
