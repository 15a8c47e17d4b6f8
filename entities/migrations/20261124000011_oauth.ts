import { Migration } from '@mikro-orm/migrations';

export class Migration20261124000011_oauth extends Migration {

  override name = 'Migration20261124000011_oauth';

  override up(): void | Promise<void> {
    this.addSql(`create table "oauth_exchanges" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "kind" text not null, "provider" varchar(255) not null, "connection_id" uuid not null, "integration_id" uuid not null, "code_digest" varchar(64) null, "oauth_grant" text null, "tokens" text null, "status" text not null default 'requested', "fingerprint" varchar(64) not null, "request" text null, "attempt" int not null default 0, "token" varchar(255) null, "claimed_at" timestamptz(3) null, "sent_at" timestamptz(3) null, "deadline_at" timestamptz(3) null, "answered_at" timestamptz(3) null, "settled_at" timestamptz(3) null, "evidence" jsonb null, "late_evidence" jsonb null, "error" jsonb null, primary key ("id"));`);
    this.addSql(`create index "oauth_exchanges_status_created_at_index" on "oauth_exchanges" ("status", "created_at");`);
    this.addSql(`create index "oauth_exchanges_connection_id_created_at_index" on "oauth_exchanges" ("connection_id", "created_at");`);
    this.addSql(`alter table "oauth_exchanges" add constraint "oauth_exchanges_tenant_id_code_digest_unique" unique ("tenant_id", "code_digest");`);
    this.addSql(`alter table "oauth_exchanges" add constraint "oauth_exchanges_kind_check" check ("kind" in ('exchange', 'revoke'));`);
    this.addSql(`alter table "oauth_exchanges" add constraint "oauth_exchanges_status_check" check ("status" in ('requested', 'processing', 'succeeded', 'rejected', 'failed', 'unknown'));`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "oauth_exchanges" cascade;`);
  }

}
