import { Migration } from '@mikro-orm/migrations';

export class Migration20261128000010_plan_disputes extends Migration {

  override name = 'Migration20261128000010_plan-disputes';

  override up(): void | Promise<void> {
    this.addSql(`alter table "disputes" alter column "provider_account_id" drop not null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`delete from "disputes" where "provider_account_id" is null;`);
    this.addSql(`alter table "disputes" alter column "provider_account_id" set not null;`);
  }

}
