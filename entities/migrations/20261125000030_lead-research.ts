import { Migration } from '@mikro-orm/migrations';

export class Migration20261125000030_lead_research extends Migration {

  override name = 'Migration20261125000030_lead_research';

  override up(): void | Promise<void> {
    this.addSql(`create table "research_runs" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "run_id" uuid not null, "fingerprint" varchar(64) not null, "audience_id" uuid not null, "goal" text not null, "model_id" varchar(255) not null, "integration_id" uuid not null, "account_id" uuid null, "status" text not null default 'queued', "error" varchar(255) null, "asks" boolean not null default false, "version" int not null default 1, "message_count" int not null default 0, "input_tokens" bigint not null default '0', "output_tokens" bigint not null default '0', primary key ("id"));`);
    this.addSql(`create index "research_runs_tenant_id_created_at_id_index" on "research_runs" ("tenant_id", "created_at", "id");`);
    this.addSql(`create index "research_runs_tenant_id_updated_at_id_index" on "research_runs" ("tenant_id", "updated_at", "id");`);
    this.addSql(`create index "research_runs_tenant_id_status_created_at_id_index" on "research_runs" ("tenant_id", "status", "created_at", "id");`);
    this.addSql(`create index "research_runs_tenant_id_audience_id_created_at_id_index" on "research_runs" ("tenant_id", "audience_id", "created_at", "id");`);
    this.addSql(`create index "research_runs_integration_id_index" on "research_runs" ("integration_id");`);
    this.addSql(`create index "research_runs_updated_at_index" on "research_runs" ("updated_at");`);
    this.addSql(`alter table "research_runs" add constraint "research_runs_tenant_id_run_id_unique" unique ("tenant_id", "run_id");`);
    this.addSql(`alter table "research_runs" add constraint "research_runs_status_check" check ("status" in ('queued', 'running', 'awaiting_input', 'completed', 'failed', 'cancelled', 'unknown'));`);
    this.addSql(`create table "research_members" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "research_run_id" uuid not null, "member_id" uuid not null, "position" int not null, "status" text not null default 'queued', "error" varchar(255) null, "turn_id" uuid null, "signals" int not null default 0, "signals_dropped" int not null default 0, primary key ("id"));`);
    this.addSql(`create index "research_members_member_id_index" on "research_members" ("member_id");`);
    this.addSql(`create unique index "research_members_turn" on "research_members" ("turn_id") where turn_id is not null;`);
    this.addSql(`alter table "research_members" add constraint "research_members_research_run_id_member_id_unique" unique ("research_run_id", "member_id");`);
    this.addSql(`alter table "research_members" add constraint "research_members_status_check" check ("status" in ('queued', 'running', 'awaiting_input', 'completed', 'failed', 'cancelled', 'unknown'));`);
    this.addSql(`create table "research_messages" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "research_run_id" uuid not null, "seq" int not null, "message_id" uuid not null, "fingerprint" varchar(64) null, "role" text not null, "content" text not null, "status" text null, "turn_id" uuid null, "member_id" uuid null, "is_question" boolean not null default false, "error" varchar(255) null, "account_id" uuid null, primary key ("id"));`);
    this.addSql(`create index "research_messages_research_run_id_created_at_id_index" on "research_messages" ("research_run_id", "created_at", "id");`);
    this.addSql(`create unique index "research_messages_answer" on "research_messages" ("turn_id") where role = 'assistant';`);
    this.addSql(`create index "research_messages_member" on "research_messages" ("member_id") where member_id is not null;`);
    this.addSql(`alter table "research_messages" add constraint "research_messages_tenant_id_message_id_unique" unique ("tenant_id", "message_id");`);
    this.addSql(`alter table "research_messages" add constraint "research_messages_research_run_id_seq_unique" unique ("research_run_id", "seq");`);
    this.addSql(`alter table "research_messages" add constraint "research_messages_role_check" check ("role" in ('user', 'assistant'));`);
    this.addSql(`alter table "research_messages" add constraint "research_messages_status_check" check ("status" in ('waiting', 'processing', 'answered', 'failed', 'unknown', 'cancelled'));`);
    this.addSql(`create table "research_sources" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "research_run_id" uuid not null, "member_id" uuid null, "turn_id" uuid not null, "call_id" uuid not null, "url" text not null, "final_url" text null, "status" text not null default 'requested', "attempt" int not null default 0, "error" text null, "http_status" int null, "title" text null, "content" text null, "links" jsonb not null default '[]', "read_at" bigint null, primary key ("id"));`);
    this.addSql(`create index "research_sources_research_run_id_created_at_id_index" on "research_sources" ("research_run_id", "created_at", "id");`);
    this.addSql(`create index "research_sources_member_id_index" on "research_sources" ("member_id");`);
    this.addSql(`alter table "research_sources" add constraint "research_sources_turn_id_url_unique" unique ("turn_id", "url");`);
    this.addSql(`alter table "research_sources" add constraint "research_sources_status_check" check ("status" in ('requested', 'read', 'failed'));`);
    this.addSql(`alter table "research_sources" add constraint "research_sources_error_check" check ("error" in ('address_refused', 'name_unresolved', 'not_reached', 'no_answer', 'page_too_large', 'too_many_redirects', 'http_status', 'unsupported_type', 'unreadable', 'run_cancelled'));`);
    this.addSql(`alter table "research_members" add constraint "research_members_research_run_id_foreign" foreign key ("research_run_id") references "research_runs" ("id") on delete cascade;`);
    this.addSql(`alter table "research_members" add constraint "research_members_member_id_foreign" foreign key ("member_id") references "audience_members" ("id") on delete cascade;`);
    this.addSql(`alter table "research_messages" add constraint "research_messages_research_run_id_foreign" foreign key ("research_run_id") references "research_runs" ("id") on delete cascade;`);
    this.addSql(`alter table "research_sources" add constraint "research_sources_research_run_id_foreign" foreign key ("research_run_id") references "research_runs" ("id") on delete cascade;`);
    this.addSql(`alter table "research_sources" add constraint "research_sources_member_id_foreign" foreign key ("member_id") references "audience_members" ("id") on delete cascade;`);
    this.addSql(`alter table "lead_insights" add column "research_run_id" uuid null, add column "run_id" uuid null, add column "researched_at" bigint null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "lead_insights" drop column "research_run_id", drop column "run_id", drop column "researched_at";`);
    this.addSql(`drop table if exists "research_sources" cascade;`);
    this.addSql(`drop table if exists "research_messages" cascade;`);
    this.addSql(`drop table if exists "research_members" cascade;`);
    this.addSql(`drop table if exists "research_runs" cascade;`);
  }

}
