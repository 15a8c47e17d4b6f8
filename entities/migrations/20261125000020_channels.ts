import { Migration } from '@mikro-orm/migrations';

export class Migration20261125000020_channels extends Migration {

  override name = 'Migration20261125000020_channels';

  override up(): void | Promise<void> {
    this.addSql(`create table "channels" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "secret" text not null, "status" text not null default 'pending', "error" jsonb null, "username" varchar(255) null, "version" int not null default 1, "is_set" boolean not null default false, "former" text null, "look_at" bigint null, "tries" int not null default 0, "deleted_at" bigint null, primary key ("id"));`);
    this.addSql(`create index "channels_tenant_id_index" on "channels" ("tenant_id");`);
    this.addSql(`create index "channels_due" on "channels" ("look_at") where look_at is not null;`);
    this.addSql(`create table "channel_messages" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "channel_id" uuid not null, "chat_id" uuid not null, "message_id" uuid not null, "seq" int not null, "part" int not null, "try" int not null default 1, "version" int null, "due_at" timestamptz(3) null, "retry_after" int null, "provider_message_id" varchar(255) null, "status" text not null default 'requested', "fingerprint" varchar(64) not null, "request" text null, "attempt" int not null default 0, "token" varchar(255) null, "claimed_at" timestamptz(3) null, "sent_at" timestamptz(3) null, "deadline_at" timestamptz(3) null, "answered_at" timestamptz(3) null, "settled_at" timestamptz(3) null, "evidence" jsonb null, "late_evidence" jsonb null, "error" jsonb null, primary key ("id"));`);
    this.addSql(`create index "channel_messages_status_created_at_index" on "channel_messages" ("status", "created_at");`);
    this.addSql(`create index "channel_messages_open" on "channel_messages" ("chat_id", "seq", "part", "try") where status in ('requested', 'processing');`);
    this.addSql(`alter table "channel_messages" add constraint "channel_messages_tenant_id_message_id_part_try_unique" unique ("tenant_id", "message_id", "part", "try");`);
    this.addSql(`alter table "channels" add constraint "channels_status_check" check ("status" in ('pending', 'connected', 'failed'));`);
    this.addSql(`alter table "channel_messages" add constraint "channel_messages_status_check" check ("status" in ('requested', 'processing', 'succeeded', 'rejected', 'failed', 'unknown'));`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "channel_messages" cascade;`);
    this.addSql(`drop table if exists "channels" cascade;`);
  }

}
