import { Migration } from '@mikro-orm/migrations';

export class Migration20261121000002_commerce extends Migration {

  override name = 'Migration20261121000002_commerce';

  override up(): void | Promise<void> {
    this.addSql(`create table "events" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "type" varchar(255) not null, "data" jsonb not null, primary key ("id"));`);
    this.addSql(`create index "events_tenant_id_created_at_id_index" on "events" ("tenant_id", "created_at", "id");`);

    this.addSql(`create table "order_bookings" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "order_id" uuid not null, "ordered_at" bigint not null, "position" int not null, "service_id" uuid not null, "provider_id" uuid not null, "service_key" varchar(255) not null, "provider_key" varchar(255) not null, "slots" jsonb not null, "starts_at" bigint not null, "ends_at" bigint not null, "quantity" int not null, "unit_price" bigint not null, "subtotal" bigint not null, "discount" bigint not null, "tax" bigint not null, "total" bigint not null, "status" text not null default 'pending', "remind_at" bigint null, "reminded_slot" bigint null, primary key ("id"));`);
    this.addSql(`create index "order_bookings_order_id_position_index" on "order_bookings" ("order_id", "position");`);
    this.addSql(`create index "order_bookings_tenant_id_service_id_ordered_at_order_id_index" on "order_bookings" ("tenant_id", "service_id", "ordered_at", "order_id");`);
    this.addSql(`create index "order_bookings_tenant_id_provider_id_ordered_at_order_id_index" on "order_bookings" ("tenant_id", "provider_id", "ordered_at", "order_id");`);
    this.addSql(`create index "order_bookings_tenant_id_status_ordered_at_order_id_index" on "order_bookings" ("tenant_id", "status", "ordered_at", "order_id");`);
    this.addSql(`create index "order_bookings_ahead" on "order_bookings" ("tenant_id", "ends_at") where status in ('pending', 'confirmed');`);
    this.addSql(`create index "order_bookings_remind" on "order_bookings" ("remind_at") where remind_at is not null;`);

    this.addSql(`create table "promo_codes" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "code" varchar(255) not null, "code_key" varchar(255) not null, "status" text not null default 'active', "discounts" jsonb not null, "conditions" jsonb not null, "max_uses" int null, "uses" int not null default 0, primary key ("id"));`);
    this.addSql(`create index "promo_codes_tenant_id_created_at_id_index" on "promo_codes" ("tenant_id", "created_at", "id");`);
    this.addSql(`create index "promo_codes_tenant_id_updated_at_id_index" on "promo_codes" ("tenant_id", "updated_at", "id");`);
    this.addSql(`create index "promo_codes_tenant_id_status_created_at_id_index" on "promo_codes" ("tenant_id", "status", "created_at", "id");`);
    this.addSql(`create index "promo_codes_tenant_id_code_id_index" on "promo_codes" ("tenant_id", "code", "id");`);
    this.addSql(`create index "promo_codes_prefix" on "promo_codes" ("tenant_id", "code_key" text_pattern_ops);`);
    this.addSql(`alter table "promo_codes" add constraint "promo_codes_tenant_id_code_key_unique" unique ("tenant_id", "code_key");`);

    this.addSql(`create table "promo_redemptions" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "promo_code_id" uuid not null, "order_id" uuid not null, primary key ("id"));`);
    this.addSql(`create index "promo_redemptions_order_id_index" on "promo_redemptions" ("order_id");`);
    this.addSql(`alter table "promo_redemptions" add constraint "promo_redemptions_promo_code_id_order_id_unique" unique ("promo_code_id", "order_id");`);

    this.addSql(`create table "providers" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "key" varchar(255) not null, "slug" jsonb not null, "blocks" jsonb not null, "status" text not null default 'active', "search" tsvector null, primary key ("id"));`);
    this.addSql(`create index "providers_tenant_id_created_at_id_index" on "providers" ("tenant_id", "created_at", "id");`);
    this.addSql(`create index "providers_tenant_id_updated_at_id_index" on "providers" ("tenant_id", "updated_at", "id");`);
    this.addSql(`create index "providers_tenant_id_status_created_at_id_index" on "providers" ("tenant_id", "status", "created_at", "id");`);
    this.addSql(`create index "providers_search" on "providers" using gin ("search");`);
    this.addSql(`alter table "providers" add constraint "providers_tenant_id_key_unique" unique ("tenant_id", "key");`);

    this.addSql(`create table "schedule_days" ("provider_id" uuid not null, "local_date" varchar(10) not null, "tenant_id" uuid not null, "taken" jsonb not null, primary key ("provider_id", "local_date"));`);

    this.addSql(`create table "services" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "key" varchar(255) not null, "slug" jsonb not null, "blocks" jsonb not null, "status" text not null default 'active', "search" tsvector null, primary key ("id"));`);
    this.addSql(`create index "services_tenant_id_created_at_id_index" on "services" ("tenant_id", "created_at", "id");`);
    this.addSql(`create index "services_tenant_id_updated_at_id_index" on "services" ("tenant_id", "updated_at", "id");`);
    this.addSql(`create index "services_tenant_id_status_created_at_id_index" on "services" ("tenant_id", "status", "created_at", "id");`);
    this.addSql(`create index "services_search" on "services" using gin ("search");`);
    this.addSql(`alter table "services" add constraint "services_tenant_id_key_unique" unique ("tenant_id", "key");`);

    this.addSql(`create table "service_providers" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "service_id" uuid not null, "provider_id" uuid not null, "working_days" jsonb not null, "specific_dates" jsonb not null, "durations" jsonb not null, "prices" jsonb not null, "slot_interval" int not null, "concurrent_limit" int not null default 1, primary key ("id"));`);
    this.addSql(`create index "service_providers_provider_id_index" on "service_providers" ("provider_id");`);
    this.addSql(`create index "service_providers_tenant_id_created_at_id_index" on "service_providers" ("tenant_id", "created_at", "id");`);
    this.addSql(`create index "service_providers_tenant_id_updated_at_id_index" on "service_providers" ("tenant_id", "updated_at", "id");`);
    this.addSql(`alter table "service_providers" add constraint "service_providers_service_id_provider_id_unique" unique ("service_id", "provider_id");`);

    this.addSql(`create table "shipments" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "order_id" uuid not null, "items" jsonb not null, "carrier" varchar(255) null, "tracking_number" varchar(255) null, primary key ("id"));`);
    this.addSql(`create index "shipments_order_id_created_at_id_index" on "shipments" ("order_id", "created_at", "id");`);

    this.addSql(`create table "webhooks" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "events" jsonb not null, "enabled" boolean not null default true, primary key ("id"));`);
    this.addSql(`create index "webhooks_tenant_id_created_at_id_index" on "webhooks" ("tenant_id", "created_at", "id");`);

    this.addSql(`alter table "orders" add "promo_code" varchar(255) null;`);

    this.addSql(`create index "products_taxonomies" on "products" using gin ("taxonomies" jsonb_path_ops) with (fastupdate = off);`);

    this.addSql(`alter table "order_lines" add "shipped_quantity" int not null default 0;`);
    this.addSql(`alter table "order_lines" add "ordered_at" bigint null;`);
    this.addSql(`update "order_lines" set "ordered_at" = (select "created_at" from "orders" where "orders"."id" = "order_lines"."order_id");`);
    this.addSql(`alter table "order_lines" alter column "ordered_at" set not null;`);
    this.addSql(`drop index "order_lines_tenant_id_product_id_order_id_index";`);
    this.addSql(`drop index "order_lines_tenant_id_status_order_id_index";`);
    this.addSql(`create index "order_lines_tenant_id_product_id_ordered_at_order_id_index" on "order_lines" ("tenant_id", "product_id", "ordered_at", "order_id");`);
    this.addSql(`create index "order_lines_tenant_id_status_ordered_at_order_id_index" on "order_lines" ("tenant_id", "status", "ordered_at", "order_id");`);
    this.addSql(`alter table "order_lines" add constraint "order_lines_shipped" check (shipped_quantity >= 0 and shipped_quantity <= quantity);`);

    this.addSql(`alter table "order_bookings" add constraint "order_bookings_order_id_foreign" foreign key ("order_id") references "orders" ("id") on delete cascade;`);
    this.addSql(`alter table "order_bookings" add constraint "order_bookings_status_check" check ("status" in ('pending', 'confirmed', 'completed', 'no_show', 'cancelled'));`);

    this.addSql(`alter table "promo_codes" add constraint "promo_codes_uses" check (uses >= 0);`);
    this.addSql(`alter table "promo_codes" add constraint "promo_codes_status_check" check ("status" in ('active', 'archived'));`);

    this.addSql(`alter table "promo_redemptions" add constraint "promo_redemptions_promo_code_id_foreign" foreign key ("promo_code_id") references "promo_codes" ("id") on delete cascade;`);
    this.addSql(`alter table "promo_redemptions" add constraint "promo_redemptions_order_id_foreign" foreign key ("order_id") references "orders" ("id") on delete cascade;`);

    this.addSql(`alter table "providers" add constraint "providers_status_check" check ("status" in ('active', 'draft', 'archived'));`);

    this.addSql(`alter table "schedule_days" add constraint "schedule_days_provider_id_foreign" foreign key ("provider_id") references "providers" ("id") on delete cascade;`);

    this.addSql(`alter table "services" add constraint "services_status_check" check ("status" in ('active', 'draft', 'archived'));`);

    this.addSql(`alter table "service_providers" add constraint "service_providers_service_id_foreign" foreign key ("service_id") references "services" ("id") on delete cascade;`);
    this.addSql(`alter table "service_providers" add constraint "service_providers_provider_id_foreign" foreign key ("provider_id") references "providers" ("id") on delete cascade;`);
    this.addSql(`alter table "service_providers" add constraint "service_providers_positive" check (slot_interval > 0 and concurrent_limit > 0);`);

    this.addSql(`alter table "shipments" add constraint "shipments_order_id_foreign" foreign key ("order_id") references "orders" ("id") on delete cascade;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "promo_redemptions" drop constraint "promo_redemptions_promo_code_id_foreign";`);
    this.addSql(`alter table "schedule_days" drop constraint "schedule_days_provider_id_foreign";`);
    this.addSql(`alter table "service_providers" drop constraint "service_providers_provider_id_foreign";`);
    this.addSql(`alter table "service_providers" drop constraint "service_providers_service_id_foreign";`);

    this.addSql(`drop table if exists "events" cascade;`);
    this.addSql(`drop table if exists "order_bookings" cascade;`);
    this.addSql(`drop table if exists "promo_codes" cascade;`);
    this.addSql(`drop table if exists "promo_redemptions" cascade;`);
    this.addSql(`drop table if exists "providers" cascade;`);
    this.addSql(`drop table if exists "schedule_days" cascade;`);
    this.addSql(`drop table if exists "services" cascade;`);
    this.addSql(`drop table if exists "service_providers" cascade;`);
    this.addSql(`drop table if exists "shipments" cascade;`);
    this.addSql(`drop table if exists "webhooks" cascade;`);

    this.addSql(`drop index "products_taxonomies";`);

    this.addSql(`alter table "order_lines" drop constraint "order_lines_shipped";`);
    this.addSql(`alter table "order_lines" drop column "shipped_quantity";`);
    this.addSql(`alter table "order_lines" drop column "ordered_at";`);
    this.addSql(`create index "order_lines_tenant_id_product_id_order_id_index" on "order_lines" ("tenant_id", "product_id", "order_id");`);
    this.addSql(`create index "order_lines_tenant_id_status_order_id_index" on "order_lines" ("tenant_id", "status", "order_id");`);

    this.addSql(`alter table "orders" drop column "promo_code";`);
  }

}
