import { Migration } from '@mikro-orm/migrations';

export class Migration20261128000020_refresh_generations extends Migration {

  override name = 'Migration20261128000020_refresh-generations';

  override up(): void | Promise<void> {
    this.addSql(`alter table "account_sessions" add column "generation" int not null default 0;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "account_sessions" drop column "generation";`);
  }

}
