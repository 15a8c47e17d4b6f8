import { Migration } from '@mikro-orm/migrations';

export class Migration20261125000021_channel_columns extends Migration {

  override name = 'Migration20261125000021_channel-columns';

  override isTransactional(): boolean {
    return false;
  }

  override up(): void | Promise<void> {
    this.addSql(`alter table "chats" add column if not exists "external_id" varchar(255) null;`);
    this.addSql(`alter table "chat_messages" add column if not exists "channel_id" uuid null, add column if not exists "update_id" bigint null, add column if not exists "delivery_status" text null;`);
    this.addSql(`alter table "chat_messages" drop constraint if exists "chat_messages_delivery_status_check";`);
    this.addSql(`alter table "chat_messages" add constraint "chat_messages_delivery_status_check" check ("delivery_status" in ('pending', 'sent', 'rejected', 'failed', 'unknown')) not valid;`);
    this.addSql(`alter table "chat_messages" validate constraint "chat_messages_delivery_status_check";`);
    this.addSql(`drop index concurrently if exists "chats_external";`);
    this.addSql(`create index concurrently "chats_external" on "chats" ("channel_id", "external_id", "created_at", "id") where channel_id is not null;`);
    this.addSql(`drop index concurrently if exists "chat_messages_update";`);
    this.addSql(`create unique index concurrently "chat_messages_update" on "chat_messages" ("channel_id", "update_id") where update_id is not null;`);
  }

  override down(): void | Promise<void> {
    for (const index of ['chats_external', 'chat_messages_update']) this.addSql(`drop index concurrently if exists "${index}";`);
    this.addSql(`alter table "chat_messages" drop column if exists "channel_id", drop column if exists "update_id", drop column if exists "delivery_status";`);
    this.addSql(`alter table "chats" drop column if exists "external_id";`);
  }

}
