import { Migration } from '@mikro-orm/migrations';

export class Migration20261128000022_session_proofs extends Migration {

  override name = 'Migration20261128000022_session-proofs';

  override up(): void | Promise<void> {
    this.addSql(`alter table "contact_sessions" add column "verified_address" varchar(254) null, add column "used_at" bigint null, add column "previous_digest" varchar(64) null, add column "previous_until" bigint null;`);
    this.addSql(`alter table "carts" add column "made_by" uuid null;`);
    this.addSql(`alter table "orders" add column "made_by" uuid null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "orders" drop column "made_by";`);
    this.addSql(`alter table "carts" drop column "made_by";`);
    this.addSql(`alter table "contact_sessions" drop column "verified_address", drop column "used_at", drop column "previous_digest", drop column "previous_until";`);
  }

}
