import { Migration } from '@mikro-orm/migrations';

export class Migration20261128000012_resolutions extends Migration {

  override name = 'Migration20261128000012_resolutions';

  override up(): void | Promise<void> {
    this.addSql(`alter table "social_reveals" add column "resolution" jsonb null;`);
    for (const table of ['authorization_ends', 'payment_sessions', 'session_expiries', 'subscription_changes']) this.addSql(`alter table "${table}" add column "resolution" jsonb null;`);
  }

  override down(): void | Promise<void> {
    for (const table of ['social_reveals', 'authorization_ends', 'payment_sessions', 'session_expiries', 'subscription_changes']) this.addSql(`alter table "${table}" drop column "resolution";`);
  }

}
