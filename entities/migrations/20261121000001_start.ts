import { Migration } from '@mikro-orm/migrations';

export class Migration20261121000001_start extends Migration {

  override name = 'Migration20261121000001_start';

  override up(): void | Promise<void> {
    this.addSql(`create table "accounts" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "email" varchar(254) not null, "name" varchar(255) null, "last_login_at" bigint null, "onboarding_completed" boolean not null default false, primary key ("id"));`);
    this.addSql(`alter table "accounts" add constraint "accounts_email_unique" unique ("email");`);
    this.addSql(`create index "accounts_created_at_id_index" on "accounts" ("created_at", "id");`);
    this.addSql(`create index "accounts_email_prefix" on "accounts" ("email" varchar_pattern_ops);`);
    this.addSql(`create index "accounts_name_prefix" on "accounts" (lower("name") text_pattern_ops);`);

    this.addSql(`create table "account_sessions" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "account_id" uuid not null, "access_digest" varchar(64) not null, "refresh_digest" varchar(64) not null, "access_expires_at" bigint not null, "refresh_expires_at" bigint not null, "revoked_at" bigint null, "rotated_digest" varchar(64) null, "rotated_at" timestamptz(3) null, "rotated_pair" text null, primary key ("id"));`);
    this.addSql(`alter table "account_sessions" add constraint "account_sessions_access_digest_unique" unique ("access_digest");`);
    this.addSql(`alter table "account_sessions" add constraint "account_sessions_refresh_digest_unique" unique ("refresh_digest");`);
    this.addSql(`create index "account_sessions_account_id_created_at_id_index" on "account_sessions" ("account_id", "created_at", "id");`);
    this.addSql(`create index "account_sessions_rotated_digest_index" on "account_sessions" ("rotated_digest");`);

    this.addSql(`create table "api_tokens" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "account_id" uuid not null, "name" varchar(255) not null, "digest" varchar(64) not null, "expires_at" bigint null, primary key ("id"));`);
    this.addSql(`alter table "api_tokens" add constraint "api_tokens_digest_unique" unique ("digest");`);
    this.addSql(`create index "api_tokens_account_id_created_at_id_index" on "api_tokens" ("account_id", "created_at", "id");`);

    this.addSql(`create table "carts" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "contact_id" uuid not null, "status" text not null default 'open', "is_current" boolean not null default true, "market" varchar(255) not null, "product_items" jsonb not null, "booking_items" jsonb not null, "shipping_address" jsonb null, "billing_address" jsonb null, "forms" jsonb not null, "payment_method_key" varchar(255) null, "shipping_method_id" varchar(255) null, "pickup_location_id" uuid null, "promo_code" varchar(255) null, primary key ("id"));`);
    this.addSql(`create unique index "carts_current" on "carts" ("contact_id") where is_current and status = 'open';`);
    this.addSql(`create index "carts_contact_id_status_index" on "carts" ("contact_id", "status");`);
    this.addSql(`create index "carts_tenant_id_updated_at_index" on "carts" ("tenant_id", "updated_at");`);

    this.addSql(`create table "challenges" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "audience" text not null, "tenant_id" uuid null, "contact_session_id" uuid null, "email" varchar(254) not null, "code_digest" varchar(64) not null, "tries" int not null default 0, "expires_at" bigint not null, "consumed_at" bigint null, primary key ("id"));`);
    this.addSql(`create index "challenges_expires_at_index" on "challenges" ("expires_at");`);
    this.addSql(`create index "challenges_email_created_at_index" on "challenges" ("email", "created_at");`);

    this.addSql(`create table "contacts" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "status" text not null default 'active', "taxonomies" jsonb not null, primary key ("id"));`);
    this.addSql(`create index "contacts_tenant_id_created_at_id_index" on "contacts" ("tenant_id", "created_at", "id");`);

    this.addSql(`create table "contact_channels" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "contact_id" uuid not null, "type" text not null default 'email', "address" varchar(254) not null, "owned" boolean not null default false, "verified_at" bigint null, primary key ("id"));`);
    this.addSql(`create unique index "contact_channels_owner" on "contact_channels" ("tenant_id", "type", "address") where owned;`);
    this.addSql(`create index "contact_channels_address" on "contact_channels" ("tenant_id", "address" text_pattern_ops);`);
    this.addSql(`alter table "contact_channels" add constraint "contact_channels_contact_id_type_address_unique" unique ("contact_id", "type", "address");`);

    this.addSql(`create table "contact_sessions" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "contact_id" uuid not null, "token_digest" varchar(64) not null, "verified_at" bigint null, "revoked_at" bigint null, primary key ("id"));`);
    this.addSql(`alter table "contact_sessions" add constraint "contact_sessions_token_digest_unique" unique ("token_digest");`);
    this.addSql(`create index "contact_sessions_contact_id_created_at_id_index" on "contact_sessions" ("contact_id", "created_at", "id");`);

    this.addSql(`create table "counters" ("tenant_id" uuid not null, "name" varchar(255) not null, "value" bigint not null, primary key ("tenant_id", "name"));`);

    this.addSql(`create table "forms" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "key" varchar(255) not null, "status" text not null default 'active', "schema" jsonb not null, primary key ("id"));`);
    this.addSql(`alter table "forms" add constraint "forms_tenant_id_key_unique" unique ("tenant_id", "key");`);

    this.addSql(`create table "locations" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "key" varchar(255) not null, "address" jsonb null, "is_pickup_location" boolean not null default false, primary key ("id"));`);
    this.addSql(`alter table "locations" add constraint "locations_tenant_id_key_unique" unique ("tenant_id", "key");`);

    this.addSql(`create table "mails" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid null, "kind" varchar(255) not null, "not_after" bigint null, "status" text not null default 'requested', "fingerprint" varchar(64) not null, "request" text null, "attempt" int not null default 0, "token" varchar(255) null, "claimed_at" timestamptz(3) null, "sent_at" timestamptz(3) null, "deadline_at" timestamptz(3) null, "answered_at" timestamptz(3) null, "settled_at" timestamptz(3) null, "evidence" jsonb null, "late_evidence" jsonb null, "error" jsonb null, primary key ("id"));`);
    this.addSql(`create index "mails_status_created_at_index" on "mails" ("status", "created_at");`);

    this.addSql(`create table "markets" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "key" varchar(255) not null, "currency" varchar(3) not null, "tax_mode" text not null, "zones" jsonb not null, "payment_methods" jsonb not null, primary key ("id"));`);
    this.addSql(`create index "markets_tenant_id_created_at_id_index" on "markets" ("tenant_id", "created_at", "id");`);
    this.addSql(`alter table "markets" add constraint "markets_tenant_id_key_unique" unique ("tenant_id", "key");`);

    this.addSql(`create table "memberships" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "account_id" uuid not null, "role" text not null, primary key ("id"));`);
    this.addSql(`create index "memberships_account_id_index" on "memberships" ("account_id");`);
    this.addSql(`alter table "memberships" add constraint "memberships_tenant_id_account_id_unique" unique ("tenant_id", "account_id");`);

    this.addSql(`create table "orders" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "number" bigint not null, "status" text not null default 'pending', "fulfillment_status" text not null, "contact_id" uuid not null, "verified" boolean not null, "source_cart_id" uuid not null, "payment_id" uuid not null, "market" varchar(255) not null, "money" jsonb not null, "shipping_line" jsonb null, "pickup_location_id" uuid null, "shipping_address" jsonb null, "billing_address" jsonb null, "forms" jsonb not null, "version" int not null default 1, "hold_until" timestamptz(3) null, "cancel_requested" boolean not null default false, "cancelled_at" bigint null, "next_cart_id" uuid null, primary key ("id"));`);
    this.addSql(`alter table "orders" add constraint "orders_source_cart_id_unique" unique ("source_cart_id");`);
    this.addSql(`create index "orders_tenant_id_created_at_id_index" on "orders" ("tenant_id", "created_at", "id");`);
    this.addSql(`create index "orders_tenant_id_updated_at_id_index" on "orders" ("tenant_id", "updated_at", "id");`);
    this.addSql(`create index "orders_tenant_id_status_created_at_id_index" on "orders" ("tenant_id", "status", "created_at", "id");`);
    this.addSql(`create index "orders_tenant_id_contact_id_created_at_id_index" on "orders" ("tenant_id", "contact_id", "created_at", "id");`);
    this.addSql(`create index "orders_tenant_id_verified_created_at_id_index" on "orders" ("tenant_id", "verified", "created_at", "id");`);
    this.addSql(`create index "orders_held" on "orders" ("hold_until") where hold_until is not null and status = 'pending';`);
    this.addSql(`alter table "orders" add constraint "orders_tenant_id_number_unique" unique ("tenant_id", "number");`);

    this.addSql(`create table "order_lines" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "order_id" uuid not null, "kind" text not null, "position" int not null, "product_id" uuid not null, "variant_id" uuid not null, "sku" varchar(255) null, "name" varchar(255) null, "requires_shipping" boolean not null, "taxable" boolean not null, "quantity" int not null, "unit_price" bigint not null, "subtotal" bigint not null, "discount" bigint not null, "tax" bigint not null, "total" bigint not null, "status" text not null default 'pending', "allocations" jsonb not null, primary key ("id"));`);
    this.addSql(`create index "order_lines_order_id_position_index" on "order_lines" ("order_id", "position");`);
    this.addSql(`create index "order_lines_tenant_id_product_id_order_id_index" on "order_lines" ("tenant_id", "product_id", "order_id");`);
    this.addSql(`create index "order_lines_tenant_id_status_order_id_index" on "order_lines" ("tenant_id", "status", "order_id");`);

    this.addSql(`create table "outbox" ("id" uuid not null, "tenant_id" uuid null, "kind" varchar(255) not null, "row_id" uuid not null, "not_before" timestamptz(3) not null default clock_timestamp(), "lease_until" timestamptz(3) null, "tries" int not null default 0, "parked" boolean not null default false, "error" text null, primary key ("id"));`);
    this.addSql(`create index "outbox_parked_not_before_index" on "outbox" ("parked", "not_before");`);

    this.addSql(`create table "payments" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "order_id" uuid not null, "type" text not null, "method_key" varchar(255) null, "status" text not null default 'pending', "currency" varchar(3) not null, "amount" bigint not null, "captured_amount" bigint not null default '0', "refunded_amount" bigint not null default '0', "refund_pending_amount" bigint not null default '0', "refund_unknown_amount" bigint not null default '0', "provider" text null, "provider_account_id" varchar(255) null, "provider_session_id" varchar(255) null, "provider_payment_id" varchar(255) null, "evidence" jsonb null, "error" jsonb null, "paid_at" bigint null, primary key ("id"));`);
    this.addSql(`alter table "payments" add constraint "payments_order_id_unique" unique ("order_id");`);
    this.addSql(`create index "payments_provider_session_id_index" on "payments" ("provider_session_id");`);
    this.addSql(`create index "payments_provider_payment_id_index" on "payments" ("provider_payment_id");`);

    this.addSql(`create table "disputes" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "order_id" uuid not null, "payment_id" uuid not null, "provider_account_id" varchar(255) not null, "provider_dispute_id" varchar(255) not null, "amount" bigint not null, "currency" varchar(3) not null, "status" text not null, "reason" varchar(255) null, "evidence_due_at" bigint null, "closed_at" bigint null, "event_at" bigint not null, "evidence" jsonb null, primary key ("id"));`);
    this.addSql(`create index "disputes_order_id_created_at_id_index" on "disputes" ("order_id", "created_at", "id");`);
    this.addSql(`alter table "disputes" add constraint "disputes_provider_account_id_provider_dispute_id_unique" unique ("provider_account_id", "provider_dispute_id");`);

    this.addSql(`create table "payment_providers" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "type" text not null default 'stripe', "country" varchar(2) null, "email" varchar(254) null, "account_id" varchar(255) null, "adopt_account_id" varchar(255) null, "charges_enabled" boolean not null default false, "payouts_enabled" boolean not null default false, "details_submitted" boolean not null default false, "status" text not null default 'requested', "fingerprint" varchar(64) not null, "request" text null, "attempt" int not null default 0, "token" varchar(255) null, "claimed_at" timestamptz(3) null, "sent_at" timestamptz(3) null, "deadline_at" timestamptz(3) null, "answered_at" timestamptz(3) null, "settled_at" timestamptz(3) null, "evidence" jsonb null, "late_evidence" jsonb null, "error" jsonb null, primary key ("id"));`);
    this.addSql(`create index "payment_providers_account_id_index" on "payment_providers" ("account_id");`);
    this.addSql(`create index "payment_providers_status_created_at_index" on "payment_providers" ("status", "created_at");`);
    this.addSql(`alter table "payment_providers" add constraint "payment_providers_tenant_id_type_unique" unique ("tenant_id", "type");`);

    this.addSql(`create table "onboarding_links" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "payment_provider_id" uuid not null, "return_url" text not null, "refresh_url" text not null, "url" text null, "status" text not null default 'requested', "fingerprint" varchar(64) not null, "request" text null, "attempt" int not null default 0, "token" varchar(255) null, "claimed_at" timestamptz(3) null, "sent_at" timestamptz(3) null, "deadline_at" timestamptz(3) null, "answered_at" timestamptz(3) null, "settled_at" timestamptz(3) null, "evidence" jsonb null, "late_evidence" jsonb null, "error" jsonb null, primary key ("id"));`);
    this.addSql(`create index "onboarding_links_payment_provider_id_created_at_index" on "onboarding_links" ("payment_provider_id", "created_at");`);
    this.addSql(`create index "onboarding_links_status_created_at_index" on "onboarding_links" ("status", "created_at");`);

    this.addSql(`create table "payment_sessions" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "order_id" uuid not null, "payment_id" uuid not null, "provider_account_id" varchar(255) not null, "return_url" text not null, "amount" bigint not null, "currency" varchar(3) not null, "expires_at" bigint null, "provider_session_id" varchar(255) null, "client_secret" text null, "state" text null, "status" text not null default 'requested', "fingerprint" varchar(64) not null, "request" text null, "attempt" int not null default 0, "token" varchar(255) null, "claimed_at" timestamptz(3) null, "sent_at" timestamptz(3) null, "deadline_at" timestamptz(3) null, "answered_at" timestamptz(3) null, "settled_at" timestamptz(3) null, "evidence" jsonb null, "late_evidence" jsonb null, "error" jsonb null, primary key ("id"));`);
    this.addSql(`alter table "payment_sessions" add constraint "payment_sessions_order_id_unique" unique ("order_id");`);
    this.addSql(`create index "payment_sessions_status_created_at_index" on "payment_sessions" ("status", "created_at");`);
    this.addSql(`create index "payment_sessions_provider_session_id_index" on "payment_sessions" ("provider_session_id");`);

    this.addSql(`create table "products" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "key" varchar(255) not null, "slug" jsonb not null, "blocks" jsonb not null, "taxonomies" jsonb not null, "status" text not null default 'active', "search" tsvector null, primary key ("id"));`);
    this.addSql(`create index "products_tenant_id_created_at_id_index" on "products" ("tenant_id", "created_at", "id");`);
    this.addSql(`create index "products_tenant_id_updated_at_id_index" on "products" ("tenant_id", "updated_at", "id");`);
    this.addSql(`create index "products_tenant_id_status_created_at_id_index" on "products" ("tenant_id", "status", "created_at", "id");`);
    this.addSql(`create index "products_search" on "products" using gin ("search");`);
    this.addSql(`alter table "products" add constraint "products_tenant_id_key_unique" unique ("tenant_id", "key");`);

    this.addSql(`create table "product_variants" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "product_id" uuid not null, "position" int not null, "sku" varchar(255) null, "prices" jsonb not null, "attributes" jsonb not null, "weight" int null, "requires_shipping" boolean not null default true, "taxable" boolean not null default true, "is_digital" boolean not null default false, primary key ("id"));`);
    this.addSql(`create index "product_variants_product_id_position_index" on "product_variants" ("product_id", "position");`);

    this.addSql(`create table "inventory_levels" ("variant_id" uuid not null, "location_id" uuid not null, "tenant_id" uuid not null, "available" bigint not null, "updated_at" bigint not null, primary key ("variant_id", "location_id"));`);
    this.addSql(`create index "inventory_levels_location_id_index" on "inventory_levels" ("location_id");`);

    this.addSql(`create table "provider_events" ("id" varchar(255) not null, "type" varchar(255) not null, "account" varchar(255) null, "event_at" bigint not null, "received_at" bigint not null, "outcome" varchar(255) null, primary key ("id"));`);
    this.addSql(`create index "provider_events_received_at_index" on "provider_events" ("received_at");`);

    this.addSql(`create table "rate_windows" ("key" varchar(255) not null, "started_at" bigint not null, "count" int not null, "expires_at" bigint not null, primary key ("key", "started_at"));`);
    this.addSql(`create index "rate_windows_expires_at_index" on "rate_windows" ("expires_at");`);

    this.addSql(`create table "refunds" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "refund_id" uuid not null, "order_id" uuid not null, "payment_id" uuid not null, "amount" bigint not null, "currency" varchar(3) not null, "origin" text not null, "provider_account_id" varchar(255) null, "provider_refund_id" varchar(255) null, "resolution" jsonb null, "status" text not null default 'requested', "fingerprint" varchar(64) not null, "request" text null, "attempt" int not null default 0, "token" varchar(255) null, "claimed_at" timestamptz(3) null, "sent_at" timestamptz(3) null, "deadline_at" timestamptz(3) null, "answered_at" timestamptz(3) null, "settled_at" timestamptz(3) null, "evidence" jsonb null, "late_evidence" jsonb null, "error" jsonb null, primary key ("id"));`);
    this.addSql(`create index "refunds_order_id_created_at_id_index" on "refunds" ("order_id", "created_at", "id");`);
    this.addSql(`create index "refunds_payment_id_index" on "refunds" ("payment_id");`);
    this.addSql(`create index "refunds_status_created_at_index" on "refunds" ("status", "created_at");`);
    this.addSql(`create unique index "refunds_system" on "refunds" ("payment_id") where origin = 'system';`);
    this.addSql(`create unique index "refunds_provider_refund" on "refunds" ("provider_account_id", "provider_refund_id") where provider_refund_id is not null;`);
    this.addSql(`alter table "refunds" add constraint "refunds_tenant_id_refund_id_unique" unique ("tenant_id", "refund_id");`);

    this.addSql(`create table "session_expiries" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "payment_session_id" uuid not null, "status" text not null default 'requested', "fingerprint" varchar(64) not null, "request" text null, "attempt" int not null default 0, "token" varchar(255) null, "claimed_at" timestamptz(3) null, "sent_at" timestamptz(3) null, "deadline_at" timestamptz(3) null, "answered_at" timestamptz(3) null, "settled_at" timestamptz(3) null, "evidence" jsonb null, "late_evidence" jsonb null, "error" jsonb null, primary key ("id"));`);
    this.addSql(`alter table "session_expiries" add constraint "session_expiries_payment_session_id_unique" unique ("payment_session_id");`);
    this.addSql(`create index "session_expiries_status_created_at_index" on "session_expiries" ("status", "created_at");`);

    this.addSql(`create table "slugs" ("tenant_id" uuid not null, "kind" varchar(255) not null, "locale" varchar(255) not null, "slug" varchar(255) not null, "owner_id" uuid not null, primary key ("tenant_id", "kind", "locale", "slug"));`);
    this.addSql(`create index "slugs_tenant_id_kind_slug_index" on "slugs" ("tenant_id", "kind", "slug");`);
    this.addSql(`create index "slugs_owner_id_index" on "slugs" ("owner_id");`);

    this.addSql(`create table "tenants" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "kind" text not null default 'store', "key" varchar(63) not null, "timezone" varchar(255) not null, "languages" jsonb not null, "emails" jsonb not null, "settings" jsonb not null, "status" text not null default 'ACTIVE', "is_network" boolean not null default false, "publishable_key" varchar(255) not null, primary key ("id"));`);
    this.addSql(`alter table "tenants" add constraint "tenants_key_unique" unique ("key");`);
    this.addSql(`alter table "tenants" add constraint "tenants_publishable_key_unique" unique ("publishable_key");`);

    this.addSql(`alter table "account_sessions" add constraint "account_sessions_account_id_foreign" foreign key ("account_id") references "accounts" ("id") on delete cascade;`);

    this.addSql(`alter table "api_tokens" add constraint "api_tokens_account_id_foreign" foreign key ("account_id") references "accounts" ("id") on delete cascade;`);

    this.addSql(`alter table "carts" add constraint "carts_status_check" check ("status" in ('open', 'ordered'));`);

    this.addSql(`alter table "challenges" add constraint "challenges_tries" check (tries <= 5);`);
    this.addSql(`alter table "challenges" add constraint "challenges_audience_check" check ("audience" in ('account', 'store', 'contact'));`);

    this.addSql(`alter table "contacts" add constraint "contacts_status_check" check ("status" in ('active', 'archived'));`);

    this.addSql(`alter table "contact_channels" add constraint "contact_channels_contact_id_foreign" foreign key ("contact_id") references "contacts" ("id") on delete cascade;`);
    this.addSql(`alter table "contact_channels" add constraint "contact_channels_type_check" check ("type" in ('email'));`);

    this.addSql(`alter table "contact_sessions" add constraint "contact_sessions_contact_id_foreign" foreign key ("contact_id") references "contacts" ("id") on delete cascade;`);

    this.addSql(`alter table "forms" add constraint "forms_status_check" check ("status" in ('active', 'archived'));`);

    this.addSql(`alter table "mails" add constraint "mails_status_check" check ("status" in ('requested', 'processing', 'succeeded', 'rejected', 'failed', 'unknown'));`);

    this.addSql(`alter table "markets" add constraint "markets_tax_mode_check" check ("tax_mode" in ('exclusive', 'inclusive'));`);

    this.addSql(`alter table "memberships" add constraint "memberships_account_id_foreign" foreign key ("account_id") references "accounts" ("id") on delete cascade;`);
    this.addSql(`alter table "memberships" add constraint "memberships_role_check" check ("role" in ('admin', 'owner', 'super'));`);

    this.addSql(`alter table "orders" add constraint "orders_status_check" check ("status" in ('pending', 'confirmed', 'partially_cancelled', 'cancelled'));`);
    this.addSql(`alter table "orders" add constraint "orders_fulfillment_status_check" check ("fulfillment_status" in ('none', 'unfulfilled', 'partially_fulfilled', 'fulfilled', 'cancelled'));`);

    this.addSql(`alter table "order_lines" add constraint "order_lines_order_id_foreign" foreign key ("order_id") references "orders" ("id") on delete cascade;`);
    this.addSql(`alter table "order_lines" add constraint "order_lines_kind_check" check ("kind" in ('product', 'digital'));`);
    this.addSql(`alter table "order_lines" add constraint "order_lines_status_check" check ("status" in ('pending', 'confirmed', 'cancelled'));`);

    this.addSql(`alter table "payments" add constraint "payments_order_id_foreign" foreign key ("order_id") references "orders" ("id") on delete restrict;`);
    this.addSql(`alter table "payments" add constraint "payments_refunds" check (refunded_amount >= 0 and refund_pending_amount >= 0 and refund_unknown_amount >= 0 and refunded_amount + refund_pending_amount + refund_unknown_amount <= captured_amount);`);
    this.addSql(`alter table "payments" add constraint "payments_amount" check (amount >= 0 and captured_amount >= 0);`);
    this.addSql(`alter table "payments" add constraint "payments_type_check" check ("type" in ('cash', 'card', 'none'));`);
    this.addSql(`alter table "payments" add constraint "payments_status_check" check ("status" in ('pending', 'processing', 'paid', 'failed', 'cancelled'));`);
    this.addSql(`alter table "payments" add constraint "payments_provider_check" check ("provider" in ('stripe'));`);

    this.addSql(`alter table "disputes" add constraint "disputes_payment_id_foreign" foreign key ("payment_id") references "payments" ("id") on delete restrict;`);
    this.addSql(`alter table "disputes" add constraint "disputes_status_check" check ("status" in ('needs_response', 'under_review', 'won', 'lost', 'warning'));`);

    this.addSql(`alter table "payment_providers" add constraint "payment_providers_type_check" check ("type" in ('stripe'));`);
    this.addSql(`alter table "payment_providers" add constraint "payment_providers_status_check" check ("status" in ('requested', 'processing', 'succeeded', 'rejected', 'failed', 'unknown'));`);

    this.addSql(`alter table "onboarding_links" add constraint "onboarding_links_payment_provider_id_foreign" foreign key ("payment_provider_id") references "payment_providers" ("id") on delete cascade;`);
    this.addSql(`alter table "onboarding_links" add constraint "onboarding_links_status_check" check ("status" in ('requested', 'processing', 'succeeded', 'rejected', 'failed', 'unknown'));`);

    this.addSql(`alter table "payment_sessions" add constraint "payment_sessions_order_id_foreign" foreign key ("order_id") references "orders" ("id") on delete restrict;`);
    this.addSql(`alter table "payment_sessions" add constraint "payment_sessions_state_check" check ("state" in ('open', 'complete', 'expired'));`);
    this.addSql(`alter table "payment_sessions" add constraint "payment_sessions_status_check" check ("status" in ('requested', 'processing', 'succeeded', 'rejected', 'failed', 'unknown'));`);

    this.addSql(`alter table "products" add constraint "products_status_check" check ("status" in ('active', 'draft', 'archived'));`);

    this.addSql(`alter table "product_variants" add constraint "product_variants_product_id_foreign" foreign key ("product_id") references "products" ("id") on delete cascade;`);

    this.addSql(`alter table "inventory_levels" add constraint "inventory_levels_variant_id_foreign" foreign key ("variant_id") references "product_variants" ("id") on update cascade on delete cascade;`);
    this.addSql(`alter table "inventory_levels" add constraint "inventory_levels_location_id_foreign" foreign key ("location_id") references "locations" ("id") on update cascade on delete restrict;`);
    this.addSql(`alter table "inventory_levels" add constraint "inventory_levels_available" check (available >= 0);`);

    this.addSql(`alter table "refunds" add constraint "refunds_payment_id_foreign" foreign key ("payment_id") references "payments" ("id") on delete restrict;`);
    this.addSql(`alter table "refunds" add constraint "refunds_amount" check (amount > 0);`);
    this.addSql(`alter table "refunds" add constraint "refunds_origin_check" check ("origin" in ('operator', 'system', 'provider'));`);
    this.addSql(`alter table "refunds" add constraint "refunds_status_check" check ("status" in ('requested', 'processing', 'succeeded', 'rejected', 'failed', 'unknown'));`);

    this.addSql(`alter table "session_expiries" add constraint "session_expiries_payment_session_id_foreign" foreign key ("payment_session_id") references "payment_sessions" ("id") on delete cascade;`);
    this.addSql(`alter table "session_expiries" add constraint "session_expiries_status_check" check ("status" in ('requested', 'processing', 'succeeded', 'rejected', 'failed', 'unknown'));`);

    this.addSql(`alter table "tenants" add constraint "tenants_kind_check" check ("kind" in ('store', 'business'));`);
    this.addSql(`alter table "tenants" add constraint "tenants_status_check" check ("status" in ('DRAFT', 'ACTIVE', 'ARCHIVED'));`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "account_sessions" drop constraint "account_sessions_account_id_foreign";`);
    this.addSql(`alter table "api_tokens" drop constraint "api_tokens_account_id_foreign";`);
    this.addSql(`alter table "memberships" drop constraint "memberships_account_id_foreign";`);
    this.addSql(`alter table "contact_channels" drop constraint "contact_channels_contact_id_foreign";`);
    this.addSql(`alter table "contact_sessions" drop constraint "contact_sessions_contact_id_foreign";`);
    this.addSql(`alter table "inventory_levels" drop constraint "inventory_levels_location_id_foreign";`);
    this.addSql(`alter table "order_lines" drop constraint "order_lines_order_id_foreign";`);
    this.addSql(`alter table "payments" drop constraint "payments_order_id_foreign";`);
    this.addSql(`alter table "payment_sessions" drop constraint "payment_sessions_order_id_foreign";`);
    this.addSql(`alter table "disputes" drop constraint "disputes_payment_id_foreign";`);
    this.addSql(`alter table "refunds" drop constraint "refunds_payment_id_foreign";`);
    this.addSql(`alter table "onboarding_links" drop constraint "onboarding_links_payment_provider_id_foreign";`);
    this.addSql(`alter table "session_expiries" drop constraint "session_expiries_payment_session_id_foreign";`);
    this.addSql(`alter table "product_variants" drop constraint "product_variants_product_id_foreign";`);
    this.addSql(`alter table "inventory_levels" drop constraint "inventory_levels_variant_id_foreign";`);

    this.addSql(`drop table if exists "accounts" cascade;`);
    this.addSql(`drop table if exists "account_sessions" cascade;`);
    this.addSql(`drop table if exists "api_tokens" cascade;`);
    this.addSql(`drop table if exists "carts" cascade;`);
    this.addSql(`drop table if exists "challenges" cascade;`);
    this.addSql(`drop table if exists "contacts" cascade;`);
    this.addSql(`drop table if exists "contact_channels" cascade;`);
    this.addSql(`drop table if exists "contact_sessions" cascade;`);
    this.addSql(`drop table if exists "counters" cascade;`);
    this.addSql(`drop table if exists "forms" cascade;`);
    this.addSql(`drop table if exists "locations" cascade;`);
    this.addSql(`drop table if exists "mails" cascade;`);
    this.addSql(`drop table if exists "markets" cascade;`);
    this.addSql(`drop table if exists "memberships" cascade;`);
    this.addSql(`drop table if exists "orders" cascade;`);
    this.addSql(`drop table if exists "order_lines" cascade;`);
    this.addSql(`drop table if exists "outbox" cascade;`);
    this.addSql(`drop table if exists "payments" cascade;`);
    this.addSql(`drop table if exists "disputes" cascade;`);
    this.addSql(`drop table if exists "payment_providers" cascade;`);
    this.addSql(`drop table if exists "onboarding_links" cascade;`);
    this.addSql(`drop table if exists "payment_sessions" cascade;`);
    this.addSql(`drop table if exists "products" cascade;`);
    this.addSql(`drop table if exists "product_variants" cascade;`);
    this.addSql(`drop table if exists "inventory_levels" cascade;`);
    this.addSql(`drop table if exists "provider_events" cascade;`);
    this.addSql(`drop table if exists "rate_windows" cascade;`);
    this.addSql(`drop table if exists "refunds" cascade;`);
    this.addSql(`drop table if exists "session_expiries" cascade;`);
    this.addSql(`drop table if exists "slugs" cascade;`);
    this.addSql(`drop table if exists "tenants" cascade;`);
  }

}
