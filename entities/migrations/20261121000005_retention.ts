import { Migration } from '@mikro-orm/migrations';

export class Migration20261121000005_retention extends Migration {

  override name = 'Migration20261121000005_retention';

  override up(): void | Promise<void> {
    this.addSql(`create index "account_sessions_over" on "account_sessions" (least("refresh_expires_at", "revoked_at"));`);
    this.addSql(`create index "account_sessions_rotated" on "account_sessions" ("rotated_at") where rotated_pair is not null;`);
    this.addSql(`create index "contact_sessions_revoked" on "contact_sessions" ("revoked_at") where revoked_at is not null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "account_sessions_over";`);
    this.addSql(`drop index "account_sessions_rotated";`);
    this.addSql(`drop index "contact_sessions_revoked";`);
  }

}
