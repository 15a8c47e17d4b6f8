import { Migration } from '@mikro-orm/migrations';

export class Migration20261128000031_tenant_accounts_valid extends Migration {

  override name = 'Migration20261128000031_tenant-accounts-valid';

  override isTransactional(): boolean {
    return false;
  }

  override up(): void | Promise<void> {
    this.addSql(`alter table "tenants" validate constraint "tenants_created_by_foreign";`);
    this.addSql(`drop index concurrently if exists "tenants_created_by_index";`);
    this.addSql(`create index concurrently "tenants_created_by_index" on "tenants" ("created_by");`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index concurrently if exists "tenants_created_by_index";`);
  }

}
