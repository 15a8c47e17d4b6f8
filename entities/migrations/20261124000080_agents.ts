import { Migration } from '@mikro-orm/migrations';

export class Migration20261124000080_agents extends Migration {

  override name = 'Migration20261124000080_agents';

  override up(): void | Promise<void> {
    this.addSql(`create table "agents" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "key" varchar(255) not null, "name" varchar(255) null, "prompt" text not null, "model_id" varchar(255) not null, "integration_id" uuid not null, "status" text not null default 'active', "channel_ids" jsonb not null default '[]', "tools" jsonb null, "history_max" int not null default 20, "output_tokens_max" int not null default 1024, "daily_tokens_max" bigint null, "fallback" text null, "deleted_at" bigint null, primary key ("id"));`);
    this.addSql(`create unique index "agents_tenant_id_key_unique" on "agents" ("tenant_id", "key") where deleted_at is null;`);
    this.addSql(`create index "agents_tenant_id_created_at_id_index" on "agents" ("tenant_id", "created_at", "id");`);
    this.addSql(`create index "agents_tenant_id_updated_at_id_index" on "agents" ("tenant_id", "updated_at", "id");`);
    this.addSql(`create index "agents_integration_id_index" on "agents" ("integration_id");`);
    this.addSql(`create index "agents_deleted" on "agents" ("deleted_at") where deleted_at is not null;`);
    this.addSql(`alter table "agents" add constraint "agents_status_check" check ("status" in ('active', 'disabled'));`);
    this.addSql(`create table "chats" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "agent_id" uuid not null, "contact_id" uuid null, "channel_id" uuid null, "external_name" varchar(255) null, "direct" boolean not null default false, "status" text not null default 'active', "mode" text not null default 'agent', "version" int not null default 1, "history_seq" int not null default 0, "rating" int null, "rating_comment" text null, "rated_at" bigint null, "last_message" text null, "last_message_at" bigint null, "message_count" int not null default 0, primary key ("id"));`);
    this.addSql(`create index "chats_tenant_id_created_at_id_index" on "chats" ("tenant_id", "created_at", "id");`);
    this.addSql(`create index "chats_tenant_id_status_created_at_id_index" on "chats" ("tenant_id", "status", "created_at", "id");`);
    this.addSql(`create index "chats_tenant_id_mode_created_at_id_index" on "chats" ("tenant_id", "mode", "created_at", "id");`);
    this.addSql(`create index "chats_tenant_id_contact_id_created_at_id_index" on "chats" ("tenant_id", "contact_id", "created_at", "id");`);
    this.addSql(`create index "chats_tenant_id_channel_id_created_at_id_index" on "chats" ("tenant_id", "channel_id", "created_at", "id");`);
    this.addSql(`create index "chats_agent_id_created_at_id_index" on "chats" ("agent_id", "created_at", "id");`);
    this.addSql(`create index "chats_contact_id_index" on "chats" ("contact_id");`);
    this.addSql(`create index "chats_last_message_at_index" on "chats" ("last_message_at");`);
    this.addSql(`alter table "chats" add constraint "chats_rating" check (rating >= 1 and rating <= 5);`);
    this.addSql(`alter table "chats" add constraint "chats_status_check" check ("status" in ('active', 'resolved', 'archived'));`);
    this.addSql(`alter table "chats" add constraint "chats_mode_check" check ("mode" in ('agent', 'human'));`);
    this.addSql(`create table "chat_messages" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "chat_id" uuid not null, "seq" int not null, "message_id" uuid not null, "fingerprint" varchar(64) null, "role" text not null, "content" text not null, "verified" boolean not null default false, "version" int not null, "status" text null, "turn_id" uuid null, "tools" jsonb null, "error" varchar(255) null, "account_id" uuid null, "search" tsvector null, primary key ("id"));`);
    this.addSql(`create index "chat_messages_chat_id_created_at_id_index" on "chat_messages" ("chat_id", "created_at", "id");`);
    this.addSql(`create unique index "chat_messages_answer" on "chat_messages" ("turn_id") where role = 'assistant';`);
    this.addSql(`create index "chat_messages_open" on "chat_messages" ("chat_id", "seq") where status in ('waiting', 'processing');`);
    this.addSql(`create index "chat_messages_search" on "chat_messages" using gin ("search");`);
    this.addSql(`alter table "chat_messages" add constraint "chat_messages_tenant_id_message_id_unique" unique ("tenant_id", "message_id");`);
    this.addSql(`alter table "chat_messages" add constraint "chat_messages_chat_id_seq_unique" unique ("chat_id", "seq");`);
    this.addSql(`alter table "chat_messages" add constraint "chat_messages_role_check" check ("role" in ('user', 'assistant', 'operator'));`);
    this.addSql(`alter table "chat_messages" add constraint "chat_messages_status_check" check ("status" in ('waiting', 'processing', 'answered', 'failed', 'unknown', 'held'));`);
    this.addSql(`create table "model_calls" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "turn_id" uuid not null, "step" int not null, "try" int not null, "integration_id" uuid not null, "model" text not null, "agent_id" uuid not null, "day" varchar(10) not null, "answer" text null, "results" text null, "input_tokens" int null, "output_tokens" int null, "reserved_tokens" int not null, "held_tokens" int not null, "provider_request_id" varchar(255) null, "too_long" boolean not null default false, "retry_after" int null, "status" text not null default 'requested', "fingerprint" varchar(64) not null, "request" text null, "attempt" int not null default 0, "token" varchar(255) null, "claimed_at" timestamptz(3) null, "sent_at" timestamptz(3) null, "deadline_at" timestamptz(3) null, "answered_at" timestamptz(3) null, "settled_at" timestamptz(3) null, "evidence" jsonb null, "late_evidence" jsonb null, "error" jsonb null, primary key ("id"));`);
    this.addSql(`create index "model_calls_status_created_at_index" on "model_calls" ("status", "created_at");`);
    this.addSql(`create index "model_calls_open" on "model_calls" ("tenant_id") where status in ('requested', 'processing');`);
    this.addSql(`alter table "model_calls" add constraint "model_calls_tenant_id_turn_id_step_try_unique" unique ("tenant_id", "turn_id", "step", "try");`);
    this.addSql(`alter table "model_calls" add constraint "model_calls_status_check" check ("status" in ('requested', 'processing', 'succeeded', 'rejected', 'failed', 'unknown'));`);
    this.addSql(`create table "model_turns" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "owner_kind" text not null default 'chat', "owner_id" uuid not null, "version" int not null, "status" text not null default 'running', "error" varchar(255) null, "retry_of" uuid null, primary key ("id"));`);
    this.addSql(`create unique index "model_turns_running" on "model_turns" ("owner_id") where status = 'running';`);
    this.addSql(`create index "model_turns_open" on "model_turns" ("updated_at") where status = 'running';`);
    this.addSql(`alter table "model_turns" add constraint "model_turns_owner_kind_check" check ("owner_kind" in ('chat', 'research'));`);
    this.addSql(`alter table "model_turns" add constraint "model_turns_status_check" check ("status" in ('running', 'answered', 'failed', 'unknown', 'discarded'));`);
    this.addSql(`create table "model_usage" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "day" varchar(10) not null, "agent_id" uuid not null, "calls" int not null default 0, "input_tokens" bigint not null default '0', "output_tokens" bigint not null default '0', "reserved_tokens" bigint not null default '0', "unknown_tokens" bigint not null default '0', primary key ("id"));`);
    this.addSql(`alter table "model_usage" add constraint "model_usage_tenant_id_day_agent_id_unique" unique ("tenant_id", "day", "agent_id");`);
    this.addSql(`alter table "model_usage" add constraint "model_usage_counted" check (input_tokens >= 0 and output_tokens >= 0 and reserved_tokens >= 0 and unknown_tokens >= 0);`);
    this.addSql(`alter table "chat_messages" add constraint "chat_messages_chat_id_foreign" foreign key ("chat_id") references "chats" ("id") on delete cascade;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "chat_messages" cascade;`);
    this.addSql(`drop table if exists "chats" cascade;`);
    this.addSql(`drop table if exists "model_calls" cascade;`);
    this.addSql(`drop table if exists "model_turns" cascade;`);
    this.addSql(`drop table if exists "model_usage" cascade;`);
    this.addSql(`drop table if exists "agents" cascade;`);
  }

}
