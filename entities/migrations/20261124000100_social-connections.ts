import { Migration } from '@mikro-orm/migrations';

export class Migration20261124000100_social_connections extends Migration {

  override name = 'Migration20261124000100_social_connections';

  override up(): void | Promise<void> {
    this.addSql(`create table "social_connections" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "type" text not null, "provider_account_id" varchar(255) not null, "name" varchar(255) not null, "username" varchar(255) null, "scopes" jsonb not null, "status" text not null default 'active', "reason" jsonb null, "reconnect_by" bigint null, "connected_by" uuid not null, "granted_by" varchar(255) not null, "access_token" text null, "refresh_token" text null, "token_version" int not null default 1, "token_expires_at" bigint null, "refreshed_at" bigint not null, "notified" boolean not null default false, "look_at" bigint null, primary key ("id"));`);
    this.addSql(`create index "social_connections_tenant_id_created_at_id_index" on "social_connections" ("tenant_id", "created_at", "id");`);
    this.addSql(`create index "social_connections_tenant_id_updated_at_id_index" on "social_connections" ("tenant_id", "updated_at", "id");`);
    this.addSql(`create index "social_connections_type_granted_by_index" on "social_connections" ("type", "granted_by");`);
    this.addSql(`create index "social_connections_due" on "social_connections" ("look_at") where status = 'active' and look_at is not null;`);
    this.addSql(`alter table "social_connections" add constraint "social_connections_tenant_id_type_provider_account_id_unique" unique ("tenant_id", "type", "provider_account_id");`);
    this.addSql(`alter table "social_connections" add constraint "social_connections_type_check" check ("type" in ('network_a_page', 'network_b_business', 'network_c_channel', 'network_d_account', 'network_e_account'));`);
    this.addSql(`alter table "social_connections" add constraint "social_connections_status_check" check ("status" in ('active', 'needs_reconnect', 'disconnected'));`);
    this.addSql(`create table "social_authorizations" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "type" text not null, "state_digest" varchar(64) not null, "code_verifier" text null, "code" text null, "code_digest" varchar(64) null, "redirect_uri" varchar(2048) not null, "return_url" varchar(2048) null, "connected_by" uuid not null, "expires_at" bigint not null, "tokens" text null, "connections" jsonb null, "status" text not null default 'requested', "fingerprint" varchar(64) not null, "request" text null, "attempt" int not null default 0, "token" varchar(255) null, "claimed_at" timestamptz(3) null, "sent_at" timestamptz(3) null, "deadline_at" timestamptz(3) null, "answered_at" timestamptz(3) null, "settled_at" timestamptz(3) null, "evidence" jsonb null, "late_evidence" jsonb null, "error" jsonb null, primary key ("id"));`);
    this.addSql(`create index "social_authorizations_open" on "social_authorizations" ("created_at") where status in ('requested', 'processing') and code is not null;`);
    this.addSql(`create index "social_authorizations_unread" on "social_authorizations" ("settled_at") where tokens is not null;`);
    this.addSql(`alter table "social_authorizations" add constraint "social_authorizations_tenant_id_state_digest_unique" unique ("tenant_id", "state_digest");`);
    this.addSql(`alter table "social_authorizations" add constraint "social_authorizations_type_check" check ("type" in ('network_a_page', 'network_b_business', 'network_c_channel', 'network_d_account', 'network_e_account'));`);
    this.addSql(`alter table "social_authorizations" add constraint "social_authorizations_status_check" check ("status" in ('requested', 'processing', 'succeeded', 'rejected', 'failed', 'unknown'));`);
    this.addSql(`create table "social_token_requests" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "kind" text not null, "type" text not null, "social_connection_id" uuid not null, "token_version" int not null, "held" text null, "tokens" text null, "status" text not null default 'requested', "fingerprint" varchar(64) not null, "request" text null, "attempt" int not null default 0, "token" varchar(255) null, "claimed_at" timestamptz(3) null, "sent_at" timestamptz(3) null, "deadline_at" timestamptz(3) null, "answered_at" timestamptz(3) null, "settled_at" timestamptz(3) null, "evidence" jsonb null, "late_evidence" jsonb null, "error" jsonb null, primary key ("id"));`);
    this.addSql(`create index "social_token_requests_status_created_at_index" on "social_token_requests" ("status", "created_at");`);
    this.addSql(`create index "social_token_requests_social_connection_id_token_version_index" on "social_token_requests" ("social_connection_id", "token_version");`);
    this.addSql(`create unique index "social_token_requests_refresh" on "social_token_requests" ("social_connection_id") where kind = 'refresh' and status in ('requested', 'processing');`);
    this.addSql(`alter table "social_token_requests" add constraint "social_token_requests_kind_check" check ("kind" in ('refresh', 'revoke'));`);
    this.addSql(`alter table "social_token_requests" add constraint "social_token_requests_type_check" check ("type" in ('network_a_page', 'network_b_business', 'network_c_channel', 'network_d_account', 'network_e_account'));`);
    this.addSql(`alter table "social_token_requests" add constraint "social_token_requests_status_check" check ("status" in ('requested', 'processing', 'succeeded', 'rejected', 'failed', 'unknown'));`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "social_token_requests" cascade;`);
    this.addSql(`drop table if exists "social_authorizations" cascade;`);
    this.addSql(`drop table if exists "social_connections" cascade;`);
  }

}
