import { Migration } from '@mikro-orm/migrations';

export class Migration20261129000080_timeline_indexes extends Migration {

  override name = 'Migration20261129000080_timeline-indexes';

  override isTransactional(): boolean {
    return false;
  }

  // Columns first: a lock that one waits for in vain is no reason to build the indexes again.
  override up(): void | Promise<void> {
    this.addSql(`alter table "refunds" add column if not exists "requested_by" uuid null;`);
    this.addSql(`alter table "refunds" add column if not exists "read_at" timestamptz(3) null;`);
    this.addSql(`alter table "model_calls" add column if not exists "chat_id" uuid null;`);
    this.addSql(`alter table "model_calls" add column if not exists "research_run_id" uuid null;`);
    this.addSql(`drop index concurrently if exists "events_record";`);
    this.addSql(`create index concurrently "events_record" on "events" ("tenant_id", (coalesce(data ->> 'id', data -> 'member' ->> 'id')), "id");`);
    this.addSql(`drop index concurrently if exists "payments_paid";`);
    this.addSql(`create index concurrently "payments_paid" on "payments" ("tenant_id", "paid_at") include ("currency", "captured_amount", "subscription_id") where paid_at is not null;`);
    this.addSql(`drop index concurrently if exists "mails_tenant";`);
    this.addSql(`create index concurrently "mails_tenant" on "mails" ("tenant_id", "created_at") where tenant_id is not null;`);
    this.addSql(`drop index concurrently if exists "model_calls_chat";`);
    this.addSql(`create index concurrently "model_calls_chat" on "model_calls" ("chat_id", "created_at", "id") where chat_id is not null;`);
    this.addSql(`drop index concurrently if exists "model_calls_research";`);
    this.addSql(`create index concurrently "model_calls_research" on "model_calls" ("research_run_id", "created_at", "id") where research_run_id is not null;`);
    this.addSql(`drop index concurrently if exists "channel_messages_chat_id_created_at_id_index";`);
    this.addSql(`create index concurrently "channel_messages_chat_id_created_at_id_index" on "channel_messages" ("chat_id", "created_at", "id");`);
    this.addSql(`drop index concurrently if exists "enrollments_contact_id_created_at_id_index";`);
    this.addSql(`create index concurrently "enrollments_contact_id_created_at_id_index" on "enrollments" ("contact_id", "created_at", "id");`);
    this.addSql(`drop index concurrently if exists "form_submissions_contact_id_created_at_id_index";`);
    this.addSql(`create index concurrently "form_submissions_contact_id_created_at_id_index" on "form_submissions" ("contact_id", "created_at", "id");`);
    this.addSql(`drop index concurrently if exists "payment_sessions_recorded_of_all";`);
    this.addSql(`create index concurrently "payment_sessions_recorded_of_all" on "payment_sessions" (((resolution ->> 'at')::float8), "id") where resolution is not null;`);
    this.addSql(`drop index concurrently if exists "refunds_recorded_of_all";`);
    this.addSql(`create index concurrently "refunds_recorded_of_all" on "refunds" (((resolution ->> 'at')::float8), "id") where resolution is not null;`);
    this.addSql(`drop index concurrently if exists "session_expiries_recorded_of_all";`);
    this.addSql(`create index concurrently "session_expiries_recorded_of_all" on "session_expiries" (((resolution ->> 'at')::float8), "id") where resolution is not null;`);
    this.addSql(`drop index concurrently if exists "subscription_changes_recorded_of_all";`);
    this.addSql(`create index concurrently "subscription_changes_recorded_of_all" on "subscription_changes" (((resolution ->> 'at')::float8), "id") where resolution is not null;`);
    this.addSql(`drop index concurrently if exists "payments_accepted_of_all";`);
    this.addSql(`create index concurrently "payments_accepted_of_all" on "payments" (((error #>> '{acknowledged,at}')::float8), "id") where error -> 'acknowledged' is not null;`);
    this.addSql(`drop index concurrently if exists "enrollments_contact_id_index";`);
    this.addSql(`drop index concurrently if exists "form_submissions_contact_id_index";`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index concurrently if exists "enrollments_contact_id_index";`);
    this.addSql(`create index concurrently "enrollments_contact_id_index" on "enrollments" ("contact_id");`);
    this.addSql(`drop index concurrently if exists "form_submissions_contact_id_index";`);
    this.addSql(`create index concurrently "form_submissions_contact_id_index" on "form_submissions" ("contact_id");`);
    this.addSql(`drop index concurrently if exists "payments_accepted_of_all";`);
    this.addSql(`drop index concurrently if exists "subscription_changes_recorded_of_all";`);
    this.addSql(`drop index concurrently if exists "session_expiries_recorded_of_all";`);
    this.addSql(`drop index concurrently if exists "refunds_recorded_of_all";`);
    this.addSql(`drop index concurrently if exists "payment_sessions_recorded_of_all";`);
    this.addSql(`drop index concurrently if exists "form_submissions_contact_id_created_at_id_index";`);
    this.addSql(`drop index concurrently if exists "enrollments_contact_id_created_at_id_index";`);
    this.addSql(`drop index concurrently if exists "channel_messages_chat_id_created_at_id_index";`);
    this.addSql(`drop index concurrently if exists "model_calls_research";`);
    this.addSql(`drop index concurrently if exists "model_calls_chat";`);
    this.addSql(`drop index concurrently if exists "mails_tenant";`);
    this.addSql(`drop index concurrently if exists "payments_paid";`);
    this.addSql(`drop index concurrently if exists "events_record";`);
    this.addSql(`alter table "model_calls" drop column if exists "research_run_id";`);
    this.addSql(`alter table "model_calls" drop column if exists "chat_id";`);
    this.addSql(`alter table "refunds" drop column if exists "read_at";`);
    this.addSql(`alter table "refunds" drop column if exists "requested_by";`);
  }

}
