import { Migration } from '@mikro-orm/migrations';

export class Migration20261126000022_social_accounts extends Migration {

  override name = 'Migration20261126000022_social-accounts';

  override isTransactional(): boolean {
    return false;
  }

  override up(): void | Promise<void> {
    this.addSql(`drop index concurrently if exists "social_connections_type_provider_account_id_index";`);
    this.addSql(`create index concurrently "social_connections_type_provider_account_id_index" on "social_connections" ("type", "provider_account_id");`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index concurrently if exists "social_connections_type_provider_account_id_index";`);
  }

}
