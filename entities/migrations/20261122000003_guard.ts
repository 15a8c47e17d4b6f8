import { Migration } from '@mikro-orm/migrations';

export class Migration20261122000003_guard extends Migration {

  override name = 'Migration20261122000003_guard';

  override up(): void | Promise<void> {
    // Sessions of before keep null: they act in all stores of their account, as they did.
    this.addSql(`alter table "account_sessions" add column "tenant_id" uuid null;`);
    this.addSql(`alter table "mails" add column "due_at" timestamptz(3) null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "account_sessions" drop column "tenant_id";`);
    this.addSql(`alter table "mails" drop column "due_at";`);
  }

}
