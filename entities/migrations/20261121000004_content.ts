import { Migration } from '@mikro-orm/migrations';

export class Migration20261121000004_content extends Migration {

  override name = 'Migration20261121000004_content';

  override up(): void | Promise<void> {
    this.addSql(`create table "collections" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "key" varchar(255) not null, "search" tsvector null, "schema" jsonb not null, "blocks" jsonb not null, primary key ("id"));`);
    this.addSql(`create index "collections_tenant_id_created_at_id_index" on "collections" ("tenant_id", "created_at", "id");`);
    this.addSql(`create index "collections_tenant_id_updated_at_id_index" on "collections" ("tenant_id", "updated_at", "id");`);
    this.addSql(`create index "collections_search" on "collections" using gin ("search");`);
    this.addSql(`alter table "collections" add constraint "collections_tenant_id_key_unique" unique ("tenant_id", "key");`);

    this.addSql(`create table "entries" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "key" varchar(255) not null, "search" tsvector null, "slug" jsonb not null, "blocks" jsonb not null, "taxonomies" jsonb not null, "status" text not null default 'active', "collection_id" uuid not null, primary key ("id"));`);
    this.addSql(`create index "entries_tenant_id_created_at_id_index" on "entries" ("tenant_id", "created_at", "id");`);
    this.addSql(`create index "entries_tenant_id_updated_at_id_index" on "entries" ("tenant_id", "updated_at", "id");`);
    this.addSql(`create index "entries_search" on "entries" using gin ("search");`);
    this.addSql(`create index "entries_tenant_id_status_created_at_id_index" on "entries" ("tenant_id", "status", "created_at", "id");`);
    this.addSql(`create index "entries_collection_id_created_at_id_index" on "entries" ("collection_id", "created_at", "id");`);
    this.addSql(`create index "entries_collection_id_updated_at_id_index" on "entries" ("collection_id", "updated_at", "id");`);
    this.addSql(`create index "entries_collection_id_status_created_at_id_index" on "entries" ("collection_id", "status", "created_at", "id");`);
    this.addSql(`create index "entries_tenant_id_key_id_index" on "entries" ("tenant_id", "key", "id");`);
    this.addSql(`alter table "entries" add constraint "entries_tenant_id_collection_id_key_unique" unique ("tenant_id", "collection_id", "key");`);

    this.addSql(`create table "form_submissions" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "form_id" uuid not null, "contact_id" uuid null, "fields" jsonb not null, "search" tsvector null, primary key ("id"));`);
    this.addSql(`create index "form_submissions_form_id_created_at_id_index" on "form_submissions" ("form_id", "created_at", "id");`);
    this.addSql(`create index "form_submissions_form_id_updated_at_id_index" on "form_submissions" ("form_id", "updated_at", "id");`);
    this.addSql(`create index "form_submissions_contact_id_index" on "form_submissions" ("contact_id");`);
    this.addSql(`create index "form_submissions_search" on "form_submissions" using gin ("search");`);

    this.addSql(`create table "media" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "name" varchar(255) not null, "mime_type" varchar(255) not null, "family" varchar(255) not null, "size" bigint not null, "digest" varchar(64) not null, "status" text not null, "variants" jsonb not null, "error" jsonb null, "search" tsvector null, primary key ("id"));`);
    this.addSql(`create index "media_tenant_id_created_at_id_index" on "media" ("tenant_id", "created_at", "id");`);
    this.addSql(`create index "media_tenant_id_updated_at_id_index" on "media" ("tenant_id", "updated_at", "id");`);
    this.addSql(`create index "media_tenant_id_mime_type_created_at_id_index" on "media" ("tenant_id", "mime_type", "created_at", "id");`);
    this.addSql(`create index "media_tenant_id_family_created_at_id_index" on "media" ("tenant_id", "family", "created_at", "id");`);
    this.addSql(`create index "media_search" on "media" using gin ("search");`);
    this.addSql(`create index "media_unsettled" on "media" ("updated_at") where status <> 'ready';`);

    this.addSql(`create table "platform_data" ("key" text collate "C" not null, "value" jsonb not null, "created_at" bigint not null, "updated_at" bigint not null, primary key ("key"));`);

    this.addSql(`create table "block_references" ("tenant_id" uuid not null, "owner_id" uuid not null, "target_id" uuid not null, "owner_kind" text not null, "on_delete" text not null, "media_id" uuid null, "entry_id" uuid null, "product_id" uuid null, primary key ("tenant_id", "owner_id", "target_id"));`);
    this.addSql(`create index "block_references_media_id_index" on "block_references" ("media_id");`);
    this.addSql(`create index "block_references_entry_id_index" on "block_references" ("entry_id");`);
    this.addSql(`create index "block_references_product_id_index" on "block_references" ("product_id");`);

    this.addSql(`create table "script_runs" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "name" varchar(255) not null, "value" text null, "status" text not null, "message" text not null, "progress" jsonb null, primary key ("id"));`);
    this.addSql(`create unique index "script_runs_running" on "script_runs" ("name") where status = 'running';`);

    this.addSql(`create table "taxonomies" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "key" varchar(255) not null, "search" tsvector null, "parent_id" uuid null, "schema" jsonb not null, "status" text not null default 'active', primary key ("id"));`);
    this.addSql(`create index "taxonomies_tenant_id_created_at_id_index" on "taxonomies" ("tenant_id", "created_at", "id");`);
    this.addSql(`create index "taxonomies_tenant_id_updated_at_id_index" on "taxonomies" ("tenant_id", "updated_at", "id");`);
    this.addSql(`create index "taxonomies_search" on "taxonomies" using gin ("search");`);
    this.addSql(`create index "taxonomies_tenant_id_status_created_at_id_index" on "taxonomies" ("tenant_id", "status", "created_at", "id");`);
    this.addSql(`create index "taxonomies_tenant_id_parent_id_created_at_id_index" on "taxonomies" ("tenant_id", "parent_id", "created_at", "id");`);
    this.addSql(`create index "taxonomies_parent_id_index" on "taxonomies" ("parent_id");`);
    this.addSql(`alter table "taxonomies" add constraint "taxonomies_tenant_id_key_unique" unique ("tenant_id", "key");`);

    this.addSql(`create table "taxonomy_links" ("tenant_id" uuid not null, "owner_id" uuid not null, "taxonomy_id" uuid not null, "entry_id" uuid not null, "owner_kind" text not null, "owner_created_at" bigint not null, primary key ("tenant_id", "owner_id", "taxonomy_id", "entry_id"));`);
    this.addSql(`create index "taxonomy_links_by_entry" on "taxonomy_links" ("tenant_id", "taxonomy_id", "entry_id", "owner_kind", "owner_created_at", "owner_id");`);
    this.addSql(`create index "taxonomy_links_by_taxonomy" on "taxonomy_links" ("taxonomy_id", "tenant_id", "owner_kind", "owner_created_at", "owner_id");`);
    this.addSql(`create index "taxonomy_links_tenant_id_entry_id_index" on "taxonomy_links" ("tenant_id", "entry_id");`);

    // A list under a term is read by the time and id of its records, from both sides in one order. What PostgreSQL expects of two columns that are both equal
    // is a coincidence: one row where there are thousands, which it then sorts. So it is told that the times tell next to nothing apart, as the id does that
    // already; of the links it keeps no frequent times either, with which it would multiply all the same.
    for (const [table, column] of [['taxonomy_links', 'owner_created_at'], ...['entries', 'products', 'services', 'providers'].map((name) => [name, 'created_at'])])
      this.addSql(`alter table "${table}" alter column "${column}" set (n_distinct = 2);`);
    this.addSql(`alter table "taxonomy_links" alter column "owner_created_at" set statistics 1;`);
    this.addSql(`create statistics "taxonomy_links_terms" (dependencies) on "tenant_id", "taxonomy_id", "entry_id", "owner_kind" from "taxonomy_links";`);
    this.addSql(`create statistics "entries_collections" (dependencies) on "tenant_id", "collection_id" from "entries";`);

    this.addSql(`alter table "forms" add "search" tsvector null;`);
    // The three forms of every store had no fields until now.
    this.addSql(`update "forms" f set "schema" = (
      select jsonb_agg(jsonb_build_object('id', gen_random_uuid(), 'key', x.key, 'type', x.type, 'required', x.required) order by x.place)
      from (values ('contact', 1, 'name', 'text', true), ('contact', 2, 'email', 'text', true), ('contact', 3, 'phone', 'text', false),
        ('contact', 4, 'message', 'text', true), ('service-intake', 1, 'name', 'text', true), ('service-intake', 2, 'phone', 'text', false),
        ('service-intake', 3, 'date_of_birth', 'date', false), ('service-intake', 4, 'first_visit', 'boolean', false),
        ('service-intake', 5, 'notes', 'text', false), ('order-notes', 1, 'notes', 'text', false), ('order-notes', 2, 'wanted_on', 'date', false),
        ('order-notes', 3, 'is_gift', 'boolean', false), ('order-notes', 4, 'gift_message', 'text', false)) as x(form, place, key, type, required)
      where x.form = f.key) where f.key in ('contact', 'service-intake', 'order-notes') and f.schema = '[]';`);
    // As searchText of rules/search/search.ts has it: whole and in parts.
    this.addSql(`update "forms" f set "search" = to_tsvector('simple', w.words || ' ' || regexp_replace(w.words, '[^[:alnum:]]+', ' ', 'g'))
      from (select "id", concat_ws(' ', "key", (select string_agg(item->>'key', ' ') from jsonb_array_elements("schema") as item)) as words from "forms") w
      where w."id" = f."id";`);
    this.addSql(`create index "forms_tenant_id_created_at_id_index" on "forms" ("tenant_id", "created_at", "id");`);
    this.addSql(`create index "forms_tenant_id_updated_at_id_index" on "forms" ("tenant_id", "updated_at", "id");`);
    this.addSql(`create index "forms_search" on "forms" using gin ("search");`);
    this.addSql(`create index "forms_tenant_id_status_created_at_id_index" on "forms" ("tenant_id", "status", "created_at", "id");`);

    this.addSql(`drop index "products_taxonomies";`);
    // There was no taxonomy yet that these could have meant.
    this.addSql(`update "products" set "taxonomies" = '[]' where "taxonomies" <> '[]';`);

    this.addSql(`alter table "providers" add "taxonomies" jsonb not null default '[]';`);
    this.addSql(`alter table "providers" alter column "taxonomies" drop default;`);

    this.addSql(`alter table "services" add "taxonomies" jsonb not null default '[]';`);
    this.addSql(`alter table "services" alter column "taxonomies" drop default;`);

    this.addSql(`alter table "entries" add constraint "entries_collection_id_foreign" foreign key ("collection_id") references "collections" ("id");`);
    this.addSql(`alter table "entries" add constraint "entries_status_check" check ("status" in ('active', 'draft', 'archived'));`);

    this.addSql(`alter table "form_submissions" add constraint "form_submissions_form_id_foreign" foreign key ("form_id") references "forms" ("id") on delete cascade;`);

    this.addSql(`alter table "media" add constraint "media_status_check" check ("status" in ('uploading', 'processing', 'ready', 'failed', 'deleting'));`);

    this.addSql(`alter table "block_references" add constraint "block_references_media_id_foreign" foreign key ("media_id") references "media" ("id") on delete no action;`);
    this.addSql(`alter table "block_references" add constraint "block_references_entry_id_foreign" foreign key ("entry_id") references "entries" ("id") on delete no action;`);
    this.addSql(`alter table "block_references" add constraint "block_references_product_id_foreign" foreign key ("product_id") references "products" ("id") on delete no action;`);
    this.addSql(`alter table "block_references" add constraint "block_references_target" check (num_nonnulls(media_id, entry_id, product_id) = 1 and target_id = coalesce(media_id, entry_id, product_id));`);
    this.addSql(`alter table "block_references" add constraint "block_references_owner_kind_check" check ("owner_kind" in ('collection', 'entry', 'product', 'service', 'provider'));`);
    this.addSql(`alter table "block_references" add constraint "block_references_on_delete_check" check ("on_delete" in ('restrict', 'set_null'));`);

    this.addSql(`alter table "script_runs" add constraint "script_runs_status_check" check ("status" in ('running', 'succeeded', 'failed'));`);

    this.addSql(`alter table "taxonomies" add constraint "taxonomies_parent_id_foreign" foreign key ("parent_id") references "taxonomies" ("id") on delete cascade;`);
    this.addSql(`alter table "taxonomies" add constraint "taxonomies_status_check" check ("status" in ('active', 'archived'));`);

    this.addSql(`alter table "taxonomy_links" add constraint "taxonomy_links_taxonomy_id_foreign" foreign key ("taxonomy_id") references "taxonomies" ("id");`);
    this.addSql(`alter table "taxonomy_links" add constraint "taxonomy_links_owner_kind_check" check ("owner_kind" in ('entry', 'product', 'service', 'provider', 'contact'));`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "entries" drop constraint "entries_collection_id_foreign";`);
    this.addSql(`alter table "block_references" drop constraint "block_references_entry_id_foreign";`);
    this.addSql(`alter table "block_references" drop constraint "block_references_media_id_foreign";`);
    this.addSql(`alter table "taxonomies" drop constraint "taxonomies_parent_id_foreign";`);
    this.addSql(`alter table "taxonomy_links" drop constraint "taxonomy_links_taxonomy_id_foreign";`);

    this.addSql(`drop table if exists "collections" cascade;`);
    this.addSql(`drop table if exists "entries" cascade;`);
    this.addSql(`drop table if exists "form_submissions" cascade;`);
    this.addSql(`drop table if exists "media" cascade;`);
    this.addSql(`drop table if exists "platform_data" cascade;`);
    this.addSql(`drop table if exists "block_references" cascade;`);
    this.addSql(`drop table if exists "script_runs" cascade;`);
    this.addSql(`drop table if exists "taxonomies" cascade;`);
    this.addSql(`drop table if exists "taxonomy_links" cascade;`);

    this.addSql(`drop index "forms_tenant_id_created_at_id_index";`);
    this.addSql(`drop index "forms_tenant_id_updated_at_id_index";`);
    this.addSql(`drop index "forms_search";`);
    this.addSql(`drop index "forms_tenant_id_status_created_at_id_index";`);
    this.addSql(`alter table "forms" drop column "search";`);

    for (const name of ['products', 'services', 'providers']) this.addSql(`alter table "${name}" alter column "created_at" reset (n_distinct);`);
    this.addSql(`create index "products_taxonomies" on "products" using gin ("taxonomies");`);

    this.addSql(`alter table "providers" drop column "taxonomies";`);

    this.addSql(`alter table "services" drop column "taxonomies";`);
  }

}
