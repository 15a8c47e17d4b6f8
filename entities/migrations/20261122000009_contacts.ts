import { Migration } from '@mikro-orm/migrations';

/** Contacts are listed and searched, channels have types and consent, and merges are recorded. Processes of the version before must be stopped first (CHANGELOG, 0.2.0). */
export class Migration20261122000009_contacts extends Migration {

  override name = 'Migration20261122000009_contacts';

  override up(): void | Promise<void> {
    this.addSql(`create table "contact_merges" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "source_id" uuid not null, "target_id" uuid not null, "account_id" uuid not null, primary key ("id"));`);
    this.addSql(`alter table "contact_merges" add constraint "contact_merges_source_id_unique" unique ("source_id");`);

    this.addSql(`alter table "contacts" add "anonymous" boolean not null default true, add "search" tsvector null;`);
    // Addresses are ASCII: the words are those of rules/search/search.ts. No contact has taxonomies yet.
    this.addSql(`update "contacts" c set anonymous = false, search = to_tsvector('simple', regexp_replace(h.addresses, '[^a-zA-Z0-9]+', ' ', 'g')) from (select contact_id, string_agg(address, ' ' order by address) as addresses from contact_channels group by contact_id) h where h.contact_id = c.id;`);
    this.addSql(`update "contacts" set anonymous = false, search = '' where anonymous and taxonomies <> '[]';`);
    this.addSql(`drop index "contacts_tenant_id_created_at_id_index";`);
    this.addSql(`create index "contacts_tenant_id_anonymous_created_at_id_index" on "contacts" ("tenant_id", "anonymous", "created_at", "id");`);
    this.addSql(`create index "contacts_tenant_id_anonymous_updated_at_id_index" on "contacts" ("tenant_id", "anonymous", "updated_at", "id");`);
    this.addSql(`create index "contacts_status" on "contacts" ("tenant_id", "status", "created_at", "id") where not anonymous;`);
    this.addSql(`create index "contacts_search" on "contacts" using gin ("search") where not anonymous;`);
    // As for the other records that are filed under taxonomies (20261121000004_content).
    this.addSql(`alter table "contacts" alter column "created_at" set (n_distinct = 2);`);

    this.addSql(`alter table "contact_channels" add "provider" varchar(64) null, add "provider_subject" varchar(254) null, add "is_primary" boolean not null default false, add "status" text not null default 'active', add "consent_status" text not null default 'unknown', add "consent_source" varchar(100) null, add "consent_at" bigint null;`);
    this.addSql(`alter table "contact_channels" drop constraint "contact_channels_type_check";`);
    this.addSql(`alter table "contact_channels" add constraint "contact_channels_type_check" check ("type" in ('email', 'phone', 'social', 'custom'));`);
    this.addSql(`alter table "contact_channels" add constraint "contact_channels_status_check" check ("status" in ('active', 'bounced', 'complained'));`);
    this.addSql(`alter table "contact_channels" add constraint "contact_channels_consent_status_check" check ("consent_status" in ('unknown', 'granted', 'withdrawn'));`);
    this.addSql(`update "contact_channels" set is_primary = true where id in (select distinct on (contact_id) id from contact_channels where owned order by contact_id, verified_at desc nulls last, id);`);
    this.addSql(`alter table "contact_channels" drop constraint "contact_channels_contact_id_type_address_unique";`);
    this.addSql(`create unique index "contact_channels_contact" on "contact_channels" ("contact_id", "type", "address", coalesce("provider", ''));`);
    this.addSql(`drop index "contact_channels_owner";`);
    this.addSql(`create unique index "contact_channels_owner" on "contact_channels" ("tenant_id", "type", "address") where owned and type = 'email';`);
    this.addSql(`create unique index "contact_channels_subject" on "contact_channels" ("tenant_id", "provider", "provider_subject") where provider_subject is not null;`);
    this.addSql(`create unique index "contact_channels_primary" on "contact_channels" ("contact_id", "type") where is_primary;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`delete from "contact_channels" where type <> 'email' or provider is not null;`);
    this.addSql(`drop index "contact_channels_primary";`);
    this.addSql(`drop index "contact_channels_subject";`);
    this.addSql(`drop index "contact_channels_owner";`);
    this.addSql(`create unique index "contact_channels_owner" on "contact_channels" ("tenant_id", "type", "address") where owned;`);
    this.addSql(`drop index "contact_channels_contact";`);
    this.addSql(`alter table "contact_channels" add constraint "contact_channels_contact_id_type_address_unique" unique ("contact_id", "type", "address");`);
    this.addSql(`alter table "contact_channels" drop constraint "contact_channels_consent_status_check";`);
    this.addSql(`alter table "contact_channels" drop constraint "contact_channels_status_check";`);
    this.addSql(`alter table "contact_channels" drop constraint "contact_channels_type_check";`);
    this.addSql(`alter table "contact_channels" add constraint "contact_channels_type_check" check ("type" in ('email'));`);
    this.addSql(`alter table "contact_channels" drop column "provider", drop column "provider_subject", drop column "is_primary", drop column "status", drop column "consent_status", drop column "consent_source", drop column "consent_at";`);
    this.addSql(`alter table "contacts" alter column "created_at" reset (n_distinct);`);
    this.addSql(`drop index "contacts_search";`);
    this.addSql(`drop index "contacts_status";`);
    this.addSql(`drop index "contacts_tenant_id_anonymous_updated_at_id_index";`);
    this.addSql(`drop index "contacts_tenant_id_anonymous_created_at_id_index";`);
    this.addSql(`create index "contacts_tenant_id_created_at_id_index" on "contacts" ("tenant_id", "created_at", "id");`);
    this.addSql(`alter table "contacts" drop column "anonymous", drop column "search";`);
    this.addSql(`drop table if exists "contact_merges" cascade;`);
  }

}
