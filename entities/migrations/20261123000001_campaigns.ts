import { Migration } from '@mikro-orm/migrations';

export class Migration20261123000001_campaigns extends Migration {

  override name = 'Migration20261123000001_campaigns';

  override up(): void | Promise<void> {
    this.addSql(`create table "campaigns" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "name" varchar(255) not null, "status" text not null default 'draft', "mailbox_ids" jsonb not null, "steps" jsonb not null, "variables" jsonb not null, "reply_to" varchar(255) null, "stop_on_reply" boolean not null default true, "send_window" jsonb null, "scheduled_at" bigint null, "launched_at" bigint null, "begun_at" bigint null, "ended_at" bigint null, "paused_reason" jsonb null, primary key ("id"));`);
    this.addSql(`create index "campaigns_tenant_id_created_at_id_index" on "campaigns" ("tenant_id", "created_at", "id");`);
    this.addSql(`create index "campaigns_tenant_id_updated_at_id_index" on "campaigns" ("tenant_id", "updated_at", "id");`);
    this.addSql(`create index "campaigns_tenant_id_status_created_at_id_index" on "campaigns" ("tenant_id", "status", "created_at", "id");`);
    this.addSql(`create index "campaigns_scheduled" on "campaigns" ("scheduled_at") where status = 'scheduled';`);
    this.addSql(`create index "campaigns_running" on "campaigns" ("id") where status = 'running';`);
    this.addSql(`create table "campaign_imports" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "campaign_id" uuid not null, "sources" text not null, "status" text not null default 'running', "position" jsonb not null, "enrolled" int not null default 0, "already_enrolled" int not null default 0, "skipped" jsonb not null, "failed" jsonb not null, "error" jsonb null, primary key ("id"));`);
    this.addSql(`create index "campaign_imports_campaign_id_created_at_id_index" on "campaign_imports" ("campaign_id", "created_at", "id");`);
    this.addSql(`create index "campaign_imports_running" on "campaign_imports" ("created_at") where status = 'running';`);
    this.addSql(`create table "campaign_stats" ("campaign_id" uuid not null, "step" int not null, "mailbox_id" uuid not null, "tenant_id" uuid not null, "requested" int not null default 0, "succeeded" int not null default 0, "rejected" int not null default 0, "failed" int not null default 0, "unknown" int not null default 0, "bounced" int not null default 0, "hard_bounced" int not null default 0, "complained" int not null default 0, "replied" int not null default 0, primary key ("campaign_id", "step", "mailbox_id"));`);
    this.addSql(`create table "campaign_steps" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "campaign_id" uuid not null, "position" int not null, "template_id" uuid not null, "delay_s" int not null, "variables" jsonb not null, "in_thread" boolean not null default false, "format" text not null, "subject" text not null, "body" text not null, "text" text null, "dictionary" bytea null, primary key ("id"));`);
    this.addSql(`alter table "campaign_steps" add constraint "campaign_steps_campaign_id_position_unique" unique ("campaign_id", "position");`);
    this.addSql(`create table "enrollments" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "campaign_id" uuid not null, "contact_id" uuid not null, "member_id" uuid null, "audience_id" uuid null, "address" varchar(254) not null, "variables" jsonb not null, "status" text not null default 'active', "step" int not null default 0, "due_at" timestamptz(3) null, "mailbox_id" uuid null, "shuffle" int not null, primary key ("id"));`);
    this.addSql(`create index "enrollments_campaign_id_created_at_id_index" on "enrollments" ("campaign_id", "created_at", "id");`);
    this.addSql(`create index "enrollments_campaign_id_status_created_at_id_index" on "enrollments" ("campaign_id", "status", "created_at", "id");`);
    this.addSql(`create index "enrollments_campaign_id_step_created_at_id_index" on "enrollments" ("campaign_id", "step", "created_at", "id");`);
    this.addSql(`create index "enrollments_contact_id_index" on "enrollments" ("contact_id");`);
    this.addSql(`create index "enrollments_member_id_index" on "enrollments" ("member_id");`);
    this.addSql(`create index "enrollments_due" on "enrollments" ("campaign_id", "mailbox_id", "due_at", "shuffle") where status = 'active' and due_at is not null;`);
    this.addSql(`alter table "enrollments" add constraint "enrollments_campaign_id_contact_id_unique" unique ("campaign_id", "contact_id");`);
    this.addSql(`create unique index "enrollments_address" on "enrollments" ("campaign_id", "address" text_pattern_ops);`);
    this.addSql(`create table "campaign_messages" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "campaign_id" uuid not null, "enrollment_id" uuid null, "kind" text not null, "step" int null, "try" int not null default 1, "mailbox_id" uuid not null, "template_id" uuid null, "address" varchar(254) not null, "variables" text null, "subject" text null, "content" bytea null, "attachments" jsonb not null, "due_at" timestamptz(3) null, "message_id" uuid null, "provider_message_id" varchar(255) null, "bounced_at" bigint null, "bounce" jsonb null, "complained_at" bigint null, "status" text not null default 'requested', "fingerprint" varchar(64) not null, "request" text null, "attempt" int not null default 0, "token" varchar(255) null, "claimed_at" timestamptz(3) null, "sent_at" timestamptz(3) null, "deadline_at" timestamptz(3) null, "answered_at" timestamptz(3) null, "settled_at" timestamptz(3) null, "evidence" jsonb null, "late_evidence" jsonb null, "error" jsonb null, primary key ("id"));`);
    this.addSql(`create unique index "campaign_messages_once" on "campaign_messages" ("enrollment_id", "step", "try") where kind = 'step';`);
    this.addSql(`create index "campaign_messages_enrollment_id_created_at_id_index" on "campaign_messages" ("enrollment_id", "created_at", "id");`);
    this.addSql(`create index "campaign_messages_campaign_id_created_at_id_index" on "campaign_messages" ("campaign_id", "created_at", "id");`);
    this.addSql(`create index "campaign_messages_campaign_id_status_created_at_id_index" on "campaign_messages" ("campaign_id", "status", "created_at", "id");`);
    this.addSql(`create index "campaign_messages_open" on "campaign_messages" ("created_at") where status in ('requested', 'processing');`);
    this.addSql(`create index "campaign_messages_due" on "campaign_messages" ("mailbox_id", "due_at", "id") where status = 'requested';`);
    this.addSql(`create index "campaign_messages_provider" on "campaign_messages" ("provider_message_id") where provider_message_id is not null;`);
    this.addSql(`create unique index "campaign_messages_message" on "campaign_messages" ("tenant_id", "message_id") where message_id is not null;`);
    this.addSql(`create table "inbound_mails" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "mailbox_id" uuid not null, "digest" varchar(64) not null, "kind" text not null, "enrollment_id" uuid null, "campaign_message_id" uuid null, "from" varchar(254) null, "subject" text not null, "content" text not null, "message_id" text null, "received_at" bigint not null, primary key ("id"));`);
    this.addSql(`create index "inbound_mails_enrollment_id_created_at_id_index" on "inbound_mails" ("enrollment_id", "created_at", "id");`);
    this.addSql(`create index "inbound_mails_campaign_message_id_index" on "inbound_mails" ("campaign_message_id");`);
    this.addSql(`alter table "inbound_mails" add constraint "inbound_mails_mailbox_id_digest_unique" unique ("mailbox_id", "digest");`);
    this.addSql(`alter table "mailboxes" add "limits" jsonb not null default '{}', add "imap_host" varchar(255) null, add "imap_port" int null, add "imap_security" text null, add "imap_username" varchar(255) null, add "imap_password" text null, add "imap_folder" varchar(255) null, add "imap_uid_validity" bigint null, add "imap_uid" bigint null, add "imap_checked_at" bigint null, add "imap_error" jsonb null, add "inbound_secret" text null, add "inbound_digest" varchar(64) null, add "awake_until" timestamptz(3) null, add "sending_error" jsonb null, add "sending_failed_since" bigint null, add "sending_failures" int not null default 0, add "sending_again_at" timestamptz(3) null, add "send_tokens" double precision not null default 0, add "send_tokens_at" timestamptz(3) null, add "sent_at" bigint null;`);
    this.addSql(`alter table "mailboxes" add constraint "mailboxes_inbound_digest_unique" unique ("inbound_digest");`);
    this.addSql(`alter table "mailboxes" add constraint "mailboxes_imap_security_check" check ("imap_security" in ('tls', 'starttls', 'none'));`);
    this.addSql(`alter table "member_tokens" add "enrollment_id" uuid null;`);
    this.addSql(`alter table "member_tokens" add constraint "member_tokens_enrollment_id_foreign" foreign key ("enrollment_id") references "enrollments" ("id") on delete cascade;`);
    this.addSql(`alter table "member_tokens" alter column "member_id" drop not null;`);
    this.addSql(`create unique index "member_tokens_enrollment" on "member_tokens" ("enrollment_id") where enrollment_id is not null;`);
    this.addSql(`alter table "member_tokens" add constraint "member_tokens_owner" check (member_id is not null or enrollment_id is not null);`);
    this.addSql(`alter table "campaigns" add constraint "campaigns_status_check" check ("status" in ('draft', 'scheduled', 'running', 'paused', 'completed', 'cancelled'));`);
    this.addSql(`alter table "campaign_imports" add constraint "campaign_imports_campaign_id_foreign" foreign key ("campaign_id") references "campaigns" ("id") on delete cascade;`);
    this.addSql(`alter table "campaign_imports" add constraint "campaign_imports_status_check" check ("status" in ('running', 'completed', 'failed'));`);
    this.addSql(`alter table "campaign_stats" add constraint "campaign_stats_campaign_id_foreign" foreign key ("campaign_id") references "campaigns" ("id") on delete cascade;`);
    this.addSql(`alter table "campaign_steps" add constraint "campaign_steps_campaign_id_foreign" foreign key ("campaign_id") references "campaigns" ("id") on delete cascade;`);
    this.addSql(`alter table "campaign_steps" add constraint "campaign_steps_format_check" check ("format" in ('mjml', 'html'));`);
    this.addSql(`alter table "enrollments" add constraint "enrollments_campaign_id_foreign" foreign key ("campaign_id") references "campaigns" ("id") on delete cascade;`);
    this.addSql(`alter table "enrollments" add constraint "enrollments_status_check" check ("status" in ('active', 'completed', 'replied', 'unsubscribed', 'bounced', 'complained', 'failed', 'unknown', 'cancelled'));`);
    this.addSql(`alter table "campaign_messages" add constraint "campaign_messages_campaign_id_foreign" foreign key ("campaign_id") references "campaigns" ("id") on delete cascade;`);
    this.addSql(`alter table "campaign_messages" add constraint "campaign_messages_enrollment_id_foreign" foreign key ("enrollment_id") references "enrollments" ("id") on delete cascade;`);
    this.addSql(`alter table "campaign_messages" add constraint "campaign_messages_kind_check" check ("kind" in ('step', 'reply', 'test'));`);
    this.addSql(`alter table "campaign_messages" add constraint "campaign_messages_status_check" check ("status" in ('requested', 'processing', 'succeeded', 'rejected', 'failed', 'unknown'));`);
    this.addSql(`alter table "inbound_mails" add constraint "inbound_mails_kind_check" check ("kind" in ('reply', 'auto_reply', 'bounce', 'complaint'));`);
  }

  override down(): void | Promise<void> {
    // Tokens of enrollments have no member.
    this.addSql(`delete from "member_tokens" where "member_id" is null;`);
    this.addSql(`alter table "member_tokens" drop constraint "member_tokens_owner";`);
    this.addSql(`alter table "member_tokens" drop column "enrollment_id";`);
    this.addSql(`alter table "member_tokens" alter column "member_id" set not null;`);
    for (const table of ['inbound_mails', 'campaign_messages', 'campaign_stats', 'campaign_steps', 'campaign_imports', 'enrollments', 'campaigns'])
      this.addSql(`drop table "${table}";`);
    this.addSql(`alter table "mailboxes" drop constraint "mailboxes_inbound_digest_unique";`);
    for (const column of ['limits', 'imap_host', 'imap_port', 'imap_security', 'imap_username', 'imap_password', 'imap_folder', 'imap_uid_validity', 'imap_uid', 'imap_checked_at', 'imap_error', 'inbound_secret', 'inbound_digest', 'awake_until', 'sending_error', 'sending_failed_since', 'sending_failures', 'sending_again_at', 'send_tokens', 'send_tokens_at', 'sent_at'])
      this.addSql(`alter table "mailboxes" drop column "${column}";`);
  }

}
