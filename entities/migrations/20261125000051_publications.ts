import { Migration } from '@mikro-orm/migrations';

export class Migration20261125000051_publications extends Migration {

  override name = 'Migration20261125000051_publications';

  override up(): void | Promise<void> {
    this.addSql(`create table "social_parts" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "publication_id" uuid not null, "run" int not null, "position" int not null, "kind" text not null, "media_id" uuid null, "state" text not null default 'new', "ref" text null, "bytes" bigint not null default '0', "usable" boolean not null default false, "tries" int not null default 0, "lease" varchar(255) null, "lease_until" timestamptz(3) null, "look_at" timestamptz(3) null, "expires_at" timestamptz(3) null, "error" jsonb null, primary key ("id"));`);
    this.addSql(`alter table "social_parts" add constraint "social_parts_publication_id_run_position_unique" unique ("publication_id", "run", "position");`);

    this.addSql(`create table "publication_media" ("publication_id" uuid not null, "media_id" uuid not null, "tenant_id" uuid not null, primary key ("publication_id", "media_id"));`);
    this.addSql(`create index "publication_media_tenant_id_media_id_index" on "publication_media" ("tenant_id", "media_id");`);

    this.addSql(`create table "social_reveals" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "publication_id" uuid not null, "social_connection_id" uuid not null, "type" text not null, "run" int not null, "n" int not null, "not_before" timestamptz(3) not null, "not_after" timestamptz(3) not null, "withdrawn" boolean not null default false, "subject" jsonb null, "text_digest" varchar(64) null, "token_version" int null, "provider_post_id" varchar(255) null, "proofs" int not null default 0, "hidden" int not null default 0, "links" int not null default 0, "check_at" timestamptz(3) null, "status" text not null default 'requested', "fingerprint" varchar(64) not null, "request" text null, "attempt" int not null default 0, "token" varchar(255) null, "claimed_at" timestamptz(3) null, "sent_at" timestamptz(3) null, "deadline_at" timestamptz(3) null, "answered_at" timestamptz(3) null, "settled_at" timestamptz(3) null, "evidence" jsonb null, "late_evidence" jsonb null, "error" jsonb null, primary key ("id"));`);
    this.addSql(`create index "social_reveals_publication_id_n_index" on "social_reveals" ("publication_id", "n");`);
    this.addSql(`create index "social_reveals_social_connection_id_text_digest_sent_at_index" on "social_reveals" ("social_connection_id", "text_digest", "sent_at");`);
    this.addSql(`create index "social_reveals_open" on "social_reveals" ("created_at") where status in ('requested', 'processing');`);
    this.addSql(`create unique index "social_reveals_once" on "social_reveals" ("publication_id") where status <> 'rejected' and status <> 'failed';`);
    this.addSql(`create index "social_reveals_posts" on "social_reveals" ("social_connection_id", "provider_post_id") where provider_post_id is not null;`);

    this.addSql(`alter table "social_publications" add "planned" boolean not null default false, add "started" boolean not null default false;`);
    this.addSql(`create index "social_publications_waiting" on "social_publications" ("scheduled_at") where status = 'scheduled' and not started;`);

    this.addSql(`alter table "social_parts" add constraint "social_parts_publication_id_foreign" foreign key ("publication_id") references "social_publications" ("id") on delete cascade;`);
    this.addSql(`alter table "social_parts" add constraint "social_parts_kind_check" check ("kind" in ('file', 'item', 'video', 'reel', 'post', 'container'));`);
    this.addSql(`alter table "social_parts" add constraint "social_parts_state_check" check ("state" in ('new', 'made', 'ready', 'failed'));`);

    this.addSql(`alter table "publication_media" add constraint "publication_media_publication_id_foreign" foreign key ("publication_id") references "social_publications" ("id") on delete cascade;`);

    this.addSql(`alter table "social_reveals" add constraint "social_reveals_publication_id_foreign" foreign key ("publication_id") references "social_publications" ("id") on delete cascade;`);
    this.addSql(`alter table "social_reveals" add constraint "social_reveals_type_check" check ("type" in ('network_a_page', 'network_b_business', 'network_c_channel', 'network_d_account', 'network_e_account'));`);
    this.addSql(`alter table "social_reveals" add constraint "social_reveals_status_check" check ("status" in ('requested', 'processing', 'succeeded', 'rejected', 'failed', 'unknown'));`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "social_parts" cascade;`);
    this.addSql(`drop table if exists "publication_media" cascade;`);
    this.addSql(`drop table if exists "social_reveals" cascade;`);

    this.addSql(`drop index "social_publications_waiting";`);
    this.addSql(`alter table "social_publications" drop column "planned", drop column "started";`);
  }

}
