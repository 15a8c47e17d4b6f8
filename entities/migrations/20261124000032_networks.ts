import { Migration } from '@mikro-orm/migrations';

export class Migration20261124000032_networks extends Migration {

  override name = 'Migration20261124000032_networks';

  override up(): void | Promise<void> {
    this.addSql(`create table "networks" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "key" varchar(63) not null, "name" varchar(255) not null, primary key ("id"));`);
    this.addSql(`alter table "networks" add constraint "networks_key_unique" unique ("key");`);
    this.addSql(`create index "networks_created_at_id_index" on "networks" ("created_at", "id");`);
    this.addSql(`create index "networks_updated_at_id_index" on "networks" ("updated_at", "id");`);
    this.addSql(`create table "network_members" ("network_id" uuid not null, "tenant_id" uuid not null, "created_at" bigint not null, primary key ("network_id", "tenant_id"));`);
    this.addSql(`create index "network_members_tenant_id_index" on "network_members" ("tenant_id");`);
    this.addSql(`alter table "network_members" add constraint "network_members_network_id_foreign" foreign key ("network_id") references "networks" ("id") on delete cascade;`);
    this.addSql(`create table "network_listings" ("network_id" uuid not null, "kind" text not null, "record_id" uuid not null, "tenant_id" uuid not null, "geo" bigint null, "lat" double precision null, "lng" double precision null, "price" bigint null, "currency" varchar(3) null, "rating_rank" int null, "categories" jsonb not null, "search" tsvector null, "created_at" bigint not null, primary key ("network_id", "kind", "record_id"));`);
    for (const column of ['price', 'rating_rank', 'created_at'])
      this.addSql(`create index "network_listings_${column}" on "network_listings" ("network_id", "kind", "${column}", "record_id");`);
    this.addSql(`create index "network_listings_geo" on "network_listings" ("network_id", "kind", "geo");`);
    this.addSql(`create index "network_listings_tenant_id_kind_record_id_index" on "network_listings" ("tenant_id", "kind", "record_id");`);
    this.addSql(`create index "network_listings_search" on "network_listings" using gin ("search");`);
    this.addSql(`create index "network_listings_categories" on "network_listings" using gin ("categories" jsonb_path_ops);`);
    this.addSql(`alter table "network_listings" add constraint "network_listings_network_id_foreign" foreign key ("network_id") references "networks" ("id") on delete cascade;`);
    this.addSql(`alter table "network_listings" add constraint "network_listings_kind_check" check ("kind" in ('product', 'provider', 'service'));`);
    this.addSql(`create table "listing_walks" ("tenant_id" uuid not null, "progress" jsonb null, "updated_at" bigint not null, primary key ("tenant_id"));`);
  }

  override down(): void | Promise<void> {
    for (const table of ['listing_walks', 'network_listings', 'network_members', 'networks']) this.addSql(`drop table "${table}";`);
  }

}
