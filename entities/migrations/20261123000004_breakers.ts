import { Migration } from '@mikro-orm/migrations';

export class Migration20261123000004_breakers extends Migration {

  override name = 'Migration20261123000004_breakers';

  override up(): void | Promise<void> {
    this.addSql(`alter table "campaigns" add "breaker_base" jsonb null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "campaigns" drop column "breaker_base";`);
  }

}
