import { IndexMigration } from '../kit/database/build-index.ts';

export class Migration20261125000021_channel_columns extends IndexMigration {

  override name = 'Migration20261125000021_channel-columns';

  override async up(): Promise<void> {
    this.addSql(`alter table "chats" add column if not exists "external_id" varchar(255) null;`);
    this.addSql(`alter table "chat_messages" add column if not exists "channel_id" uuid null, add column if not exists "update_id" bigint null, add column if not exists "delivery_status" text null;`);
    this.addSql(`alter table "chat_messages" drop constraint if exists "chat_messages_delivery_status_check";`);
    this.addSql(`alter table "chat_messages" add constraint "chat_messages_delivery_status_check" check ("delivery_status" in ('pending', 'sent', 'rejected', 'failed', 'unknown')) not valid;`);
    this.addSql(`alter table "chat_messages" validate constraint "chat_messages_delivery_status_check";`);
    await this.buildIndex(`create index concurrently "chats_external" on "chats" ("channel_id", "external_id", "created_at", "id") where channel_id is not null`);
    await this.buildIndex(`create unique index concurrently "chat_messages_update" on "chat_messages" ("channel_id", "update_id") where update_id is not null`);
  }

  override async down(): Promise<void> {
    for (const index of ['chats_external', 'chat_messages_update']) await this.dropIndex(index);
    this.addSql(`alter table "chat_messages" drop column if exists "channel_id", drop column if exists "update_id", drop column if exists "delivery_status";`);
    this.addSql(`alter table "chats" drop column if exists "external_id";`);
  }

}
