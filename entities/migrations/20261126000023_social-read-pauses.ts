import { Migration } from '@mikro-orm/migrations';

export class Migration20261126000023_social_read_pauses extends Migration {

  override name = 'Migration20261126000023_social-read-pauses';

  override up(): void | Promise<void> {
    this.addSql(`alter table "social_connections" add column "reads_paused_until" bigint null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "social_connections" drop column "reads_paused_until";`);
  }

}
