import { Migration } from '@mikro-orm/migrations';

export class Migration20261125000070_social_pauses extends Migration {

  override name = 'Migration20261125000070_social_pauses';

  override up(): void | Promise<void> {
    this.addSql(`alter table "social_connections" add "paused_until" bigint null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "social_connections" drop column "paused_until";`);
  }

}
