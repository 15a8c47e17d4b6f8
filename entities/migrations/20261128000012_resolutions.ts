import { Migration } from '@mikro-orm/migrations';

const tables = ['social_reveals', 'authorization_ends', 'payment_sessions', 'session_expiries', 'subscription_changes'];

export class Migration20261128000012_resolutions extends Migration {

  override name = 'Migration20261128000012_resolutions';

  override isTransactional(): boolean {
    return false;
  }

  override up(): void | Promise<void> {
    // Each statement is a transaction: a checkout that holds one of these tables waits for no other.
    for (const table of tables) this.addSql(`alter table "${table}" add column if not exists "resolution" jsonb null;`);
  }

  override down(): void | Promise<void> {
    for (const table of tables) this.addSql(`alter table "${table}" drop column if exists "resolution";`);
  }

}
