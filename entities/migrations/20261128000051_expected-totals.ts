import { Migration } from '@mikro-orm/migrations';

export class Migration20261128000051_expected_totals extends Migration {

  override name = 'Migration20261128000051_expected-totals';

  override up(): void | Promise<void> {
    this.addSql(`alter table "subscriptions" add "expected_total" bigint null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "subscriptions" drop column "expected_total";`);
  }

}
