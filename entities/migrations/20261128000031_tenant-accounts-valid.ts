import { IndexMigration } from '../kit/database/build-index.ts';

export class Migration20261128000031_tenant_accounts_valid extends IndexMigration {

  override name = 'Migration20261128000031_tenant-accounts-valid';

  override async up(): Promise<void> {
    this.addSql(`alter table "tenants" validate constraint "tenants_created_by_foreign";`);
    await this.buildIndex(`create index concurrently "tenants_created_by_index" on "tenants" ("created_by")`);
  }

  override async down(): Promise<void> {
    await this.dropIndex('tenants_created_by_index');
  }

}
