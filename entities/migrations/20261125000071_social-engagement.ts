import { Migration } from '@mikro-orm/migrations';

export class Migration20261125000071_social_engagement extends Migration {

  override name = 'Migration20261125000071_social_engagement';

  override up(): void | Promise<void> {
    this.addSql(`create table "social_classifications" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "publication_id" uuid not null, "integration_id" uuid not null, "model" text not null, "day" varchar(10) not null, "asked" jsonb not null, "answer" text null, "input_tokens" int null, "output_tokens" int null, "reserved_tokens" int not null, "held_tokens" int not null, "provider_request_id" varchar(255) null, "status" text not null default 'requested', "fingerprint" varchar(64) not null, "request" text null, "attempt" int not null default 0, "token" varchar(255) null, "claimed_at" timestamptz(3) null, "sent_at" timestamptz(3) null, "deadline_at" timestamptz(3) null, "answered_at" timestamptz(3) null, "settled_at" timestamptz(3) null, "evidence" jsonb null, "late_evidence" jsonb null, "error" jsonb null, primary key ("id"));`);
    this.addSql(`create index "social_classifications_status_created_at_index" on "social_classifications" ("status", "created_at");`);
    this.addSql(`create index "social_classifications_open" on "social_classifications" ("tenant_id") where status in ('requested', 'processing');`);

    this.addSql(`create table "social_comments" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "publication_id" uuid not null, "provider_comment_id" varchar(255) not null, "parent_provider_id" varchar(255) null, "parent_id" uuid null, "root_id" uuid null, "author" jsonb null, "text" text null, "text_digest" varchar(64) null, "like_count" int null, "reply_count" int null, "own" boolean not null, "reply_id" uuid null, "answered" boolean not null default false, "label" text null, "sentiment" text null, "needs_reply" boolean null, "classified_model" text null, "classified_at" bigint null, "provider_created_at" bigint not null, "gone_at" bigint null, "listed" boolean not null default true, "synced_at" bigint not null, "thread_synced_at" bigint null, primary key ("id"));`);
    this.addSql(`create index "social_comments_listed" on "social_comments" ("tenant_id", "publication_id", "provider_created_at", "id") where parent_provider_id is null and gone_at is null;`);
    this.addSql(`create index "social_comments_label" on "social_comments" ("tenant_id", "publication_id", "label", "provider_created_at", "id") where parent_provider_id is null and gone_at is null and label is not null;`);
    this.addSql(`create index "social_comments_needs_reply" on "social_comments" ("tenant_id", "publication_id", "needs_reply", "provider_created_at", "id") where parent_provider_id is null and gone_at is null and needs_reply is not null;`);
    this.addSql(`create index "social_comments_answered" on "social_comments" ("tenant_id", "publication_id", "answered", "provider_created_at", "id") where parent_provider_id is null and gone_at is null;`);
    this.addSql(`create index "social_comments_unclassified" on "social_comments" ("tenant_id", "publication_id", "provider_created_at", "id") where label is null and gone_at is null and not own and text_digest is not null;`);
    this.addSql(`create index "social_comments_thread" on "social_comments" ("root_id", "provider_created_at", "id") where root_id is not null;`);
    this.addSql(`create index "social_comments_unplaced" on "social_comments" ("tenant_id", "publication_id") where root_id is null and parent_provider_id is not null;`);
    this.addSql(`alter table "social_comments" add constraint "social_comments_tenant_id_publication_id_provider_63a2d_unique" unique ("tenant_id", "publication_id", "provider_comment_id");`);

    this.addSql(`create table "social_labels" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "model" text not null, "text_digest" varchar(64) not null, "status" text not null, "classification_id" uuid not null, "label" text null, "sentiment" text null, "needs_reply" boolean null, primary key ("id"));`);
    this.addSql(`create index "social_labels_classification_id_index" on "social_labels" ("classification_id");`);
    this.addSql(`alter table "social_labels" add constraint "social_labels_tenant_id_model_text_digest_unique" unique ("tenant_id", "model", "text_digest");`);

    this.addSql(`create table "social_metrics" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "publication_id" uuid not null, "values" jsonb not null, "synced_at" bigint not null, primary key ("id"));`);
    this.addSql(`alter table "social_metrics" add constraint "social_metrics_tenant_id_publication_id_unique" unique ("tenant_id", "publication_id");`);

    this.addSql(`create table "social_replies" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "reply_id" uuid not null, "publication_id" uuid not null, "comment_id" uuid not null, "root_id" uuid not null, "social_connection_id" uuid not null, "type" text not null, "text" text not null, "container_id" varchar(255) null, "provider_comment_id" varchar(255) null, "resolution" jsonb null, "looked_at" timestamptz(3) null, "status" text not null default 'requested', "fingerprint" varchar(64) not null, "request" text null, "attempt" int not null default 0, "token" varchar(255) null, "claimed_at" timestamptz(3) null, "sent_at" timestamptz(3) null, "deadline_at" timestamptz(3) null, "answered_at" timestamptz(3) null, "settled_at" timestamptz(3) null, "evidence" jsonb null, "late_evidence" jsonb null, "error" jsonb null, primary key ("id"));`);
    this.addSql(`create index "social_replies_tenant_id_created_at_id_index" on "social_replies" ("tenant_id", "created_at", "id");`);
    this.addSql(`create index "social_replies_tenant_id_updated_at_id_index" on "social_replies" ("tenant_id", "updated_at", "id");`);
    this.addSql(`create index "social_replies_tenant_id_status_created_at_id_index" on "social_replies" ("tenant_id", "status", "created_at", "id");`);
    this.addSql(`create index "social_replies_tenant_id_publication_id_created_at_id_index" on "social_replies" ("tenant_id", "publication_id", "created_at", "id");`);
    this.addSql(`create index "social_replies_status_created_at_index" on "social_replies" ("status", "created_at");`);
    this.addSql(`create index "social_replies_open" on "social_replies" ("root_id") where status in ('processing', 'unknown') or status = 'succeeded' and provider_comment_id is null;`);
    this.addSql(`create unique index "social_replies_provider_comment" on "social_replies" ("social_connection_id", "provider_comment_id") where provider_comment_id is not null;`);
    this.addSql(`alter table "social_replies" add constraint "social_replies_tenant_id_reply_id_unique" unique ("tenant_id", "reply_id");`);

    this.addSql(`create table "social_syncs" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "kind" text not null, "status" text not null default 'queued', "pages_max" int not null, "comments_max" int not null, "with_metrics" boolean not null, "root_comment_id" uuid null, "sliced_at" timestamptz(3) null, "finished_at" bigint null, primary key ("id"));`);
    this.addSql(`create index "social_syncs_tenant_id_created_at_id_index" on "social_syncs" ("tenant_id", "created_at", "id");`);
    this.addSql(`create index "social_syncs_open" on "social_syncs" ("tenant_id") where status in ('queued', 'running');`);
    this.addSql(`create unique index "social_syncs_thread" on "social_syncs" ("tenant_id", "root_comment_id") where status in ('queued', 'running') and root_comment_id is not null;`);

    this.addSql(`create table "social_sync_items" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "sync_id" uuid not null, "position" int not null, "publication_id" uuid not null, "social_connection_id" uuid not null, "status" text not null, "phase" text not null default 'comments', "cursor" text null, "pages" int not null default 0, "comments" int not null default 0, "new" int not null default 0, "updated" int not null default 0, "gone" int not null default 0, "more" boolean not null default false, "error" jsonb null, "tries" int not null default 0, "due_at" timestamptz(3) null, "started_at" bigint null, primary key ("id"));`);
    this.addSql(`create index "social_sync_items_pending" on "social_sync_items" ("tenant_id") where status = 'pending';`);
    this.addSql(`alter table "social_sync_items" add constraint "social_sync_items_sync_id_position_unique" unique ("sync_id", "position");`);

    this.addSql(`alter table "social_classifications" add constraint "social_classifications_status_check" check ("status" in ('requested', 'processing', 'succeeded', 'rejected', 'failed', 'unknown'));`);

    this.addSql(`alter table "social_comments" add constraint "social_comments_label_check" check ("label" in ('question', 'complaint', 'praise', 'purchase', 'spam', 'other'));`);
    this.addSql(`alter table "social_comments" add constraint "social_comments_sentiment_check" check ("sentiment" in ('positive', 'neutral', 'negative'));`);

    this.addSql(`alter table "social_labels" add constraint "social_labels_whole" check (status <> 'labelled' or label is not null and sentiment is not null and needs_reply is not null);`);
    this.addSql(`alter table "social_labels" add constraint "social_labels_status_check" check ("status" in ('asked', 'labelled', 'failed', 'unknown'));`);
    this.addSql(`alter table "social_labels" add constraint "social_labels_label_check" check ("label" in ('question', 'complaint', 'praise', 'purchase', 'spam', 'other'));`);
    this.addSql(`alter table "social_labels" add constraint "social_labels_sentiment_check" check ("sentiment" in ('positive', 'neutral', 'negative'));`);

    this.addSql(`alter table "social_replies" add constraint "social_replies_type_check" check ("type" in ('network_a_page', 'network_b_business', 'network_c_channel', 'network_d_account', 'network_e_account'));`);
    this.addSql(`alter table "social_replies" add constraint "social_replies_status_check" check ("status" in ('requested', 'processing', 'succeeded', 'rejected', 'failed', 'unknown'));`);

    this.addSql(`alter table "social_syncs" add constraint "social_syncs_kind_check" check ("kind" in ('publications', 'thread'));`);
    this.addSql(`alter table "social_syncs" add constraint "social_syncs_status_check" check ("status" in ('queued', 'running', 'completed', 'failed'));`);

    this.addSql(`alter table "social_sync_items" add constraint "social_sync_items_sync_id_foreign" foreign key ("sync_id") references "social_syncs" ("id") on delete cascade;`);
    this.addSql(`alter table "social_sync_items" add constraint "social_sync_items_status_check" check ("status" in ('pending', 'done', 'skipped', 'failed'));`);
    this.addSql(`alter table "social_sync_items" add constraint "social_sync_items_phase_check" check ("phase" in ('comments', 'metrics'));`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "social_sync_items" drop constraint "social_sync_items_sync_id_foreign";`);

    this.addSql(`drop table if exists "social_classifications" cascade;`);
    this.addSql(`drop table if exists "social_comments" cascade;`);
    this.addSql(`drop table if exists "social_labels" cascade;`);
    this.addSql(`drop table if exists "social_metrics" cascade;`);
    this.addSql(`drop table if exists "social_replies" cascade;`);
    this.addSql(`drop table if exists "social_syncs" cascade;`);
    this.addSql(`drop table if exists "social_sync_items" cascade;`);
  }

}
