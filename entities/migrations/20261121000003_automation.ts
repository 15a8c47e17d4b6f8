import { Migration } from '@mikro-orm/migrations';

export class Migration20261121000003_automation extends Migration {

  override name = 'Migration20261121000003_automation';

  override up(): void | Promise<void> {
    this.addSql(`create table "build_hooks" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "key" varchar(255) not null, "type" text not null, "url" text not null, "headers" text not null, "active" boolean not null default true, primary key ("id"));`);
    this.addSql(`create index "build_hooks_tenant_id_created_at_id_index" on "build_hooks" ("tenant_id", "created_at", "id");`);
    this.addSql(`create index "build_hooks_tenant_id_updated_at_id_index" on "build_hooks" ("tenant_id", "updated_at", "id");`);
    this.addSql(`alter table "build_hooks" add constraint "build_hooks_tenant_id_key_unique" unique ("tenant_id", "key");`);

    this.addSql(`create table "connections" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "key" varchar(255) not null, "type" text not null, "settings" jsonb not null, "credentials" text not null, primary key ("id"));`);
    this.addSql(`create index "connections_tenant_id_created_at_id_index" on "connections" ("tenant_id", "created_at", "id");`);
    this.addSql(`create index "connections_tenant_id_updated_at_id_index" on "connections" ("tenant_id", "updated_at", "id");`);
    this.addSql(`alter table "connections" add constraint "connections_tenant_id_key_unique" unique ("tenant_id", "key");`);

    this.addSql(`create table "email_templates" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "key" varchar(255) not null, "type" text not null default 'transactional', "status" text not null default 'active', "format" text not null default 'mjml', "subject" text not null, "body" text not null, "text" text null, primary key ("id"));`);
    this.addSql(`create index "email_templates_tenant_id_created_at_id_index" on "email_templates" ("tenant_id", "created_at", "id");`);
    this.addSql(`create index "email_templates_tenant_id_updated_at_id_index" on "email_templates" ("tenant_id", "updated_at", "id");`);
    this.addSql(`alter table "email_templates" add constraint "email_templates_tenant_id_key_unique" unique ("tenant_id", "key");`);

    this.addSql(`create table "mailboxes" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "key" varchar(255) not null, "email" varchar(255) not null, "name" varchar(255) null, "reply_to" varchar(255) null, "status" text not null default 'active', "smtp_host" varchar(255) not null, "smtp_port" int not null, "smtp_security" text not null, "smtp_username" varchar(255) null, "smtp_password" text null, primary key ("id"));`);
    this.addSql(`create index "mailboxes_tenant_id_created_at_id_index" on "mailboxes" ("tenant_id", "created_at", "id");`);
    this.addSql(`create index "mailboxes_tenant_id_updated_at_id_index" on "mailboxes" ("tenant_id", "updated_at", "id");`);
    this.addSql(`alter table "mailboxes" add constraint "mailboxes_tenant_id_key_unique" unique ("tenant_id", "key");`);

    this.addSql(`create table "deliveries" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "webhook_id" uuid not null, "event_id" uuid not null, "type" varchar(255) not null, "status" text not null default 'pending', "attempts" int not null default 0, "due_at" timestamptz(3) null, "last_attempt_at" timestamptz(3) null, "settled_at" timestamptz(3) null, "provider_status_code" int null, "response_body" text null, "error" jsonb null, primary key ("id"));`);
    this.addSql(`create index "deliveries_webhook_id_created_at_id_index" on "deliveries" ("webhook_id", "created_at", "id");`);
    this.addSql(`create index "deliveries_webhook_id_status_created_at_id_index" on "deliveries" ("webhook_id", "status", "created_at", "id");`);
    this.addSql(`create index "deliveries_webhook_id_type_created_at_id_index" on "deliveries" ("webhook_id", "type", "created_at", "id");`);
    this.addSql(`create index "deliveries_due" on "deliveries" ("webhook_id", "due_at") where status = 'pending';`);
    this.addSql(`create index "deliveries_event_id_index" on "deliveries" ("event_id");`);

    this.addSql(`create table "webhook_tests" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "delivery_id" uuid not null, "webhook_id" uuid not null, "provider_status_code" int null, "status" text not null default 'requested', "fingerprint" varchar(64) not null, "request" text null, "attempt" int not null default 0, "token" varchar(255) null, "claimed_at" timestamptz(3) null, "sent_at" timestamptz(3) null, "deadline_at" timestamptz(3) null, "answered_at" timestamptz(3) null, "settled_at" timestamptz(3) null, "evidence" jsonb null, "late_evidence" jsonb null, "error" jsonb null, primary key ("id"));`);
    this.addSql(`create index "webhook_tests_webhook_id_created_at_id_index" on "webhook_tests" ("webhook_id", "created_at", "id");`);
    this.addSql(`create index "webhook_tests_status_created_at_index" on "webhook_tests" ("status", "created_at");`);
    this.addSql(`alter table "webhook_tests" add constraint "webhook_tests_tenant_id_delivery_id_unique" unique ("tenant_id", "delivery_id");`);

    this.addSql(`create table "workflows" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "key" varchar(255) not null, "status" text not null default 'active', "graph_id" uuid not null, "schedule" varchar(255) null, "events" jsonb not null, "secret" text not null, "secret_digest" varchar(64) not null, primary key ("id"));`);
    this.addSql(`create index "workflows_tenant_id_created_at_id_index" on "workflows" ("tenant_id", "created_at", "id");`);
    this.addSql(`create index "workflows_tenant_id_updated_at_id_index" on "workflows" ("tenant_id", "updated_at", "id");`);
    this.addSql(`create index "workflows_tenant_id_status_created_at_id_index" on "workflows" ("tenant_id", "status", "created_at", "id");`);
    this.addSql(`create index "workflows_scheduled" on "workflows" ("id") where schedule is not null;`);
    this.addSql(`alter table "workflows" add constraint "workflows_tenant_id_key_unique" unique ("tenant_id", "key");`);
    this.addSql(`alter table "workflows" add constraint "workflows_secret_digest_unique" unique ("secret_digest");`);

    this.addSql(`create table "graphs" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "workflow_id" uuid not null, "nodes" jsonb not null, "edges" jsonb not null, primary key ("id"));`);
    this.addSql(`create index "graphs_workflow_id_created_at_index" on "graphs" ("workflow_id", "created_at");`);

    this.addSql(`create table "executions" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "workflow_id" uuid not null, "graph_id" uuid not null, "status" text not null default 'pending', "source" text not null, "occurrence" varchar(255) null, "input" jsonb not null, "state" jsonb null, "step" int not null default 0, "runs" int not null default 0, "cancel_requested" boolean not null default false, "error" jsonb null, "started_at" bigint null, "finished_at" bigint null, "wake_at" timestamptz(3) null, primary key ("id"));`);
    this.addSql(`create index "executions_workflow_id_created_at_id_index" on "executions" ("workflow_id", "created_at", "id");`);
    this.addSql(`create index "executions_workflow_id_updated_at_id_index" on "executions" ("workflow_id", "updated_at", "id");`);
    this.addSql(`create index "executions_workflow_id_status_created_at_id_index" on "executions" ("workflow_id", "status", "created_at", "id");`);
    this.addSql(`create index "executions_workflow_id_source_created_at_id_index" on "executions" ("workflow_id", "source", "created_at", "id");`);
    this.addSql(`create index "executions_graph_id_index" on "executions" ("graph_id");`);
    this.addSql(`create index "executions_open" on "executions" ("wake_at") where status in ('pending', 'running');`);
    this.addSql(`alter table "executions" add constraint "executions_workflow_id_occurrence_unique" unique ("workflow_id", "occurrence");`);

    this.addSql(`create table "node_runs" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "execution_id" uuid not null, "key" varchar(1100) not null, "node" varchar(255) not null, "output" jsonb null, "output_bytes" int null, "items" int null, "taken" varchar(255) null, "due_at" timestamptz(3) null, "asked" text null, "applied" boolean not null default false, "started_at" bigint null, "finished_at" bigint null, "status" text not null default 'requested', "fingerprint" varchar(64) not null, "request" text null, "attempt" int not null default 0, "token" varchar(255) null, "claimed_at" timestamptz(3) null, "sent_at" timestamptz(3) null, "deadline_at" timestamptz(3) null, "answered_at" timestamptz(3) null, "settled_at" timestamptz(3) null, "evidence" jsonb null, "late_evidence" jsonb null, "error" jsonb null, primary key ("id"));`);
    this.addSql(`create index "node_runs_execution_id_created_at_id_index" on "node_runs" ("execution_id", "created_at", "id");`);
    this.addSql(`create index "node_runs_open" on "node_runs" ("execution_id") where not applied;`);
    this.addSql(`create index "node_runs_unfinished" on "node_runs" ("created_at") where status in ('requested', 'processing');`);
    this.addSql(`alter table "node_runs" add constraint "node_runs_execution_id_key_unique" unique ("execution_id", "key");`);

    this.addSql(`alter table "orders" add "email" varchar(254) null, add "paid_at" bigint null;`);
    this.addSql(`update "orders" o set "paid_at" = (select p."paid_at" from "payments" p where p."order_id" = o."id"), "email" = (select c."address" from "contact_channels" c where c."tenant_id" = o."tenant_id" and c."contact_id" = o."contact_id" and c."type" = 'email' order by c."verified_at" is null, c."created_at" desc limit 1);`);

    this.addSql(`alter table "outbox" add "summary" varchar(255) null;`);
    this.addSql(`drop index "outbox_parked_not_before_index";`);
    this.addSql(`create index "outbox_kind_parked_not_before_index" on "outbox" ("kind", "parked", "not_before");`);

    this.addSql(`alter table "webhooks" add "key" varchar(255) not null, add "url" text not null, add "headers" text not null, add "secret" text not null, add "previous_secret" text null, add "previous_secret_until" bigint null, add "disabled_reason" varchar(255) null, add "failing_since" bigint null, add "awake_until" timestamptz(3) null;`);
    this.addSql(`create index "webhooks_tenant_id_updated_at_id_index" on "webhooks" ("tenant_id", "updated_at", "id");`);
    this.addSql(`alter table "webhooks" add constraint "webhooks_tenant_id_key_unique" unique ("tenant_id", "key");`);

    this.addSql(`alter table "build_hooks" add constraint "build_hooks_type_check" check ("type" in ('host_a', 'host_b', 'host_c', 'custom'));`);

    this.addSql(`alter table "connections" add constraint "connections_type_check" check ("type" in ('s3', 'webdav'));`);

    this.addSql(`alter table "email_templates" add constraint "email_templates_type_check" check ("type" in ('transactional', 'campaign', 'subscription_confirmation'));`);
    this.addSql(`alter table "email_templates" add constraint "email_templates_status_check" check ("status" in ('active', 'draft', 'archived'));`);
    this.addSql(`alter table "email_templates" add constraint "email_templates_format_check" check ("format" in ('mjml', 'html'));`);

    this.addSql(`alter table "mailboxes" add constraint "mailboxes_status_check" check ("status" in ('active', 'archived'));`);
    this.addSql(`alter table "mailboxes" add constraint "mailboxes_smtp_security_check" check ("smtp_security" in ('tls', 'starttls', 'none'));`);

    this.addSql(`alter table "deliveries" add constraint "deliveries_webhook_id_foreign" foreign key ("webhook_id") references "webhooks" ("id") on delete cascade;`);
    this.addSql(`alter table "deliveries" add constraint "deliveries_event_id_foreign" foreign key ("event_id") references "events" ("id") on delete cascade;`);
    this.addSql(`alter table "deliveries" add constraint "deliveries_status_check" check ("status" in ('pending', 'succeeded', 'failed'));`);

    this.addSql(`alter table "webhook_tests" add constraint "webhook_tests_webhook_id_foreign" foreign key ("webhook_id") references "webhooks" ("id") on delete cascade;`);
    this.addSql(`alter table "webhook_tests" add constraint "webhook_tests_status_check" check ("status" in ('requested', 'processing', 'succeeded', 'rejected', 'failed', 'unknown'));`);

    this.addSql(`alter table "workflows" add constraint "workflows_status_check" check ("status" in ('active', 'draft', 'archived'));`);

    this.addSql(`alter table "graphs" add constraint "graphs_workflow_id_foreign" foreign key ("workflow_id") references "workflows" ("id") on delete cascade;`);

    this.addSql(`alter table "executions" add constraint "executions_workflow_id_foreign" foreign key ("workflow_id") references "workflows" ("id") on delete cascade;`);
    this.addSql(`alter table "executions" add constraint "executions_status_check" check ("status" in ('pending', 'running', 'completed', 'failed', 'cancelled'));`);
    this.addSql(`alter table "executions" add constraint "executions_source_check" check ("source" in ('webhook', 'schedule', 'event'));`);

    this.addSql(`alter table "node_runs" add constraint "node_runs_execution_id_foreign" foreign key ("execution_id") references "executions" ("id") on delete cascade;`);
    this.addSql(`alter table "node_runs" add constraint "node_runs_status_check" check ("status" in ('requested', 'processing', 'succeeded', 'rejected', 'failed', 'unknown'));`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "graphs" drop constraint "graphs_workflow_id_foreign";`);
    this.addSql(`alter table "executions" drop constraint "executions_workflow_id_foreign";`);
    this.addSql(`alter table "node_runs" drop constraint "node_runs_execution_id_foreign";`);

    this.addSql(`drop table if exists "build_hooks" cascade;`);
    this.addSql(`drop table if exists "connections" cascade;`);
    this.addSql(`drop table if exists "email_templates" cascade;`);
    this.addSql(`drop table if exists "mailboxes" cascade;`);
    this.addSql(`drop table if exists "deliveries" cascade;`);
    this.addSql(`drop table if exists "webhook_tests" cascade;`);
    this.addSql(`drop table if exists "workflows" cascade;`);
    this.addSql(`drop table if exists "graphs" cascade;`);
    this.addSql(`drop table if exists "executions" cascade;`);
    this.addSql(`drop table if exists "node_runs" cascade;`);

    this.addSql(`alter table "orders" drop column "email", drop column "paid_at";`);
    this.addSql(`drop index "outbox_kind_parked_not_before_index";`);
    this.addSql(`create index "outbox_parked_not_before_index" on "outbox" ("parked", "not_before");`);
    this.addSql(`alter table "outbox" drop column "summary";`);

    this.addSql(`drop index "webhooks_tenant_id_updated_at_id_index";`);
    this.addSql(`alter table "webhooks" drop constraint "webhooks_tenant_id_key_unique";`);
    this.addSql(`alter table "webhooks" drop column "key", drop column "url", drop column "headers", drop column "secret", drop column "previous_secret", drop column "previous_secret_until", drop column "disabled_reason", drop column "failing_since", drop column "awake_until";`);
  }

}
