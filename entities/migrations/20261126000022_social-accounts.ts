import { IndexMigration } from '../kit/database/build-index.ts';

export class Migration20261126000022_social_accounts extends IndexMigration {

  override name = 'Migration20261126000022_social-accounts';

  override async up(): Promise<void> {
    await this.buildIndex(`create index concurrently "social_connections_type_provider_account_id_index" on "social_connections" ("type", "provider_account_id")`);
  }

  override async down(): Promise<void> {
    await this.dropIndex('social_connections_type_provider_account_id_index');
  }

}
