import { Migration } from '@mikro-orm/migrations';

export class Migration20261124000060_reactions extends Migration {

  override name = 'Migration20261124000060_reactions';

  override up(): void | Promise<void> {
    this.addSql(`create table "ratings" ("tenant_id" uuid not null, "target_type" text not null, "target_id" uuid not null, "stars_count" int not null, "stars_sum" int not null, primary key ("tenant_id", "target_type", "target_id"));`);
    this.addSql(`alter table "ratings" set (fillfactor = 40);`);
    this.addSql(`alter table "ratings" add constraint "ratings_stars" check (stars_count >= 0 and stars_sum >= stars_count and stars_sum <= 5 * stars_count);`);
    this.addSql(`alter table "ratings" add constraint "ratings_target_type_check" check ("target_type" in ('product', 'service', 'provider', 'booking', 'node'));`);
    this.addSql(`create table "reactions" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "author_id" uuid null, "official" boolean not null default false, "verified_purchase" boolean not null default false, "target_type" text not null, "target_id" uuid not null, "parent_id" uuid null, "place_id" uuid not null, "ancestors" uuid[] not null default '{}', "kind" varchar(32) not null, "subject" uuid not null, "slot" varchar(32) null, "shard" smallint not null, "has_content" boolean not null default false, "blocks" jsonb not null default '[]', "taxonomies" jsonb not null default '[]', "status" text not null, "reply_count" int not null default 0, "edited_at" bigint null, "moderated_at" bigint null, "moderated_by" uuid null, "note" text null, "deleted_at" bigint null, "search" tsvector null, primary key ("id"));`);
    this.addSql(`create unique index "reactions_slots" on "reactions" ("tenant_id", "author_id", "place_id", "slot") where slot is not null;`);
    this.addSql(`create index "reactions_targets" on "reactions" ("tenant_id", "target_id", "created_at", "id", "kind", "status", "parent_id");`);
    this.addSql(`create index "reactions_tenants" on "reactions" ("tenant_id", "created_at", "id", "kind", "status", "target_type");`);
    this.addSql(`create index "reactions_contents" on "reactions" ("tenant_id", "target_id", "created_at", "id", "kind", "status", "parent_id") where has_content;`);
    this.addSql(`create index "reactions_replies" on "reactions" ("tenant_id", "parent_id", "created_at", "id", "kind", "status") where parent_id is not null;`);
    this.addSql(`create index "reactions_states" on "reactions" ("tenant_id", "status", "created_at", "id") where status <> 'published';`);
    this.addSql(`create index "reactions_changes" on "reactions" ("tenant_id", "target_id", "updated_at", "id") where has_content;`);
    this.addSql(`create index "reactions_discussed" on "reactions" ("tenant_id", "target_id", "reply_count", "id") where has_content;`);
    this.addSql(`create index "reactions_all_contents" on "reactions" ("tenant_id", "created_at", "id", "kind", "status") where has_content;`);
    this.addSql(`create index "reactions_all_changes" on "reactions" ("tenant_id", "updated_at", "id", "kind", "status") where has_content;`);
    this.addSql(`create index "reactions_all_discussed" on "reactions" ("tenant_id", "reply_count", "id") where has_content;`);
    this.addSql(`create index "reactions_removed" on "reactions" ("updated_at") where status = 'removed' and author_id is not null;`);
    this.addSql(`create index "reactions_search" on "reactions" using gin ("search") where has_content;`);
    this.addSql(`alter table "reactions" add constraint "reactions_subject" check (subject = md5(target_type || ' ' || target_id || ' ' || place_id || ' ' || kind)::uuid);`);
    this.addSql(`alter table "reactions" add constraint "reactions_place" check (place_id = coalesce(parent_id, target_id) and (parent_id is null) = (cardinality(ancestors) = 0));`);
    this.addSql(`alter table "reactions" add constraint "reactions_depth" check (cardinality(ancestors) <= case when has_content then 5 else 6 end);`);
    this.addSql(`alter table "reactions" add constraint "reactions_slot" check (kind ~ '^[a-z0-9_]{1,32}$' and (slot is null) = (author_id is null) and case when kind ~ '^star_[1-5]$' then slot = 'star' when has_content and kind <> 'review' then slot is null or slot ~ '^[.]' else slot is null or slot = kind end);`);
    this.addSql(`alter table "reactions" add constraint "reactions_stars" check (slot is distinct from 'star' or parent_id is null);`);
    this.addSql(`alter table "reactions" add constraint "reactions_mark" check (has_content or blocks = '[]' and taxonomies = '[]' and search is null);`);
    this.addSql(`alter table "reactions" add constraint "reactions_deleted" check (deleted_at is null or has_content and author_id is null and slot is null and status = 'removed' and blocks = '[]' and search is null);`);
    this.addSql(`alter table "reactions" add constraint "reactions_replies" check (reply_count >= 0);`);
    this.addSql(`alter table "reactions" add constraint "reactions_target_type_check" check ("target_type" in ('product', 'service', 'provider', 'booking', 'node'));`);
    this.addSql(`alter table "reactions" add constraint "reactions_status_check" check ("status" in ('pending', 'published', 'hidden', 'removed'));`);
    this.addSql(`create table "reaction_counts" ("tenant_id" uuid not null, "target_id" uuid not null, "place_id" uuid not null, "kind" varchar(32) not null, "shard" smallint not null, "count" int not null, primary key ("tenant_id", "target_id", "place_id", "kind", "shard"));`);
    // Room for the next count of a row in its page: no index is written then.
    this.addSql(`alter table "reaction_counts" set (fillfactor = 40);`);
    this.addSql(`alter table "reaction_counts" add constraint "reaction_counts_count" check (count >= 0);`);
    this.addSql(`create table "reaction_removals" ("tenant_id" uuid not null, "target_id" uuid not null, "place_id" uuid not null, "created_at" bigint not null, primary key ("tenant_id", "target_id", "place_id"));`);
    this.addSql(`create index "reaction_removals_created_at_index" on "reaction_removals" ("created_at");`);
    this.addSql(`alter table "taxonomy_links" drop constraint "taxonomy_links_owner_kind_check";`);
    this.addSql(`alter table "taxonomy_links" add constraint "taxonomy_links_owner_kind_check" check ("owner_kind" in ('entry', 'product', 'service', 'provider', 'contact', 'reaction')) not valid;`);
    this.addSql(`alter table "taxonomy_links" validate constraint "taxonomy_links_owner_kind_check";`);
  }

  override down(): void | Promise<void> {
    for (const table of ['reaction_removals', 'ratings', 'reaction_counts', 'reactions']) this.addSql(`drop table "${table}";`);
    this.addSql(`delete from "taxonomy_links" where "owner_kind" = 'reaction';`);
    this.addSql(`alter table "taxonomy_links" drop constraint "taxonomy_links_owner_kind_check";`);
    this.addSql(`alter table "taxonomy_links" add constraint "taxonomy_links_owner_kind_check" check ("owner_kind" in ('entry', 'product', 'service', 'provider', 'contact'));`);
  }

}
