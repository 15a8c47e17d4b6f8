import { Migration } from '@mikro-orm/migrations';

export class Migration20261125000050_social_publications extends Migration {

  override name = 'Migration20261125000050_social_publications';

  override up(): void | Promise<void> {
    this.addSql(`create table "social_publications" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "social_connection_id" uuid not null, "type" text not null, "content" jsonb not null, "status" text not null default 'draft', "scheduled_at" bigint null, "published_at" bigint null, "provider_post_id" varchar(255) null, "permalink" varchar(2048) null, "error" jsonb null, "issues" jsonb not null, "created_by" uuid not null, "run" int not null default 0, "resolution" jsonb null, "look_at" timestamptz(3) null, "search" tsvector null, primary key ("id"));`);
    this.addSql(`create index "social_publications_tenant_id_created_at_id_index" on "social_publications" ("tenant_id", "created_at", "id");`);
    this.addSql(`create index "social_publications_tenant_id_updated_at_id_index" on "social_publications" ("tenant_id", "updated_at", "id");`);
    this.addSql(`create index "social_publications_tenant_id_status_created_at_id_index" on "social_publications" ("tenant_id", "status", "created_at", "id");`);
    this.addSql(`create index "social_publications_tenant_id_type_created_at_id_index" on "social_publications" ("tenant_id", "type", "created_at", "id");`);
    this.addSql(`create index "social_publications_social_connection_id_created_at_id_index" on "social_publications" ("social_connection_id", "created_at", "id");`);
    this.addSql(`create index "social_publications_scheduled" on "social_publications" ("tenant_id", "scheduled_at", "id") where scheduled_at is not null;`);
    this.addSql(`create index "social_publications_published" on "social_publications" ("tenant_id", "published_at", "id") where published_at is not null;`);
    this.addSql(`create index "social_publications_due" on "social_publications" ("look_at") where look_at is not null;`);
    this.addSql(`create index "social_publications_search" on "social_publications" using gin ("search");`);
    this.addSql(`alter table "social_publications" add constraint "social_publications_times" check (case status when 'published' then published_at is not null when 'scheduled' then scheduled_at is not null when 'publishing' then scheduled_at is not null else true end);`);
    this.addSql(`alter table "social_publications" add constraint "social_publications_type_check" check ("type" in ('network_a_page', 'network_b_business', 'network_c_channel', 'network_d_account', 'network_e_account'));`);
    this.addSql(`alter table "social_publications" add constraint "social_publications_status_check" check ("status" in ('draft', 'scheduled', 'publishing', 'published', 'failed', 'unknown', 'cancelled'));`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "social_publications" cascade;`);
  }

}
