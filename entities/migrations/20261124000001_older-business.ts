import { Migration } from '@mikro-orm/migrations';

export class Migration20261124000001_olderbusiness extends Migration {

  override name = 'Migration20261124000001_older-business';

  override up(): void | Promise<void> {
    this.addSql(`alter table "webhook_tests" alter column "webhook_id" drop not null, add "target" text null;`);
    this.addSql(`alter table "subscriptions" add "cancel_url" text null;`);
    this.addSql(`alter table "webhook_tests" add constraint "webhook_tests_target" check ((webhook_id is null) <> (target is null));`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "subscriptions" drop column "cancel_url";`);
    this.addSql(`delete from "webhook_tests" where "webhook_id" is null;`);
    this.addSql(`alter table "webhook_tests" drop column "target", alter column "webhook_id" set not null;`);
  }

}
