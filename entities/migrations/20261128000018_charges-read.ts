import { Migration } from '@mikro-orm/migrations';

export class Migration20261128000018_charges_read extends Migration {

  override name = 'Migration20261128000018_charges-read';

  override up(): void | Promise<void> {
    this.addSql(`alter table "subscriptions" add "charges_read_at" bigint null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "subscriptions" drop column "charges_read_at";`);
  }

}
