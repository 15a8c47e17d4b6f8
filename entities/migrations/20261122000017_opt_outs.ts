import { Migration } from '@mikro-orm/migrations';

export class Migration20261122000017_opt_outs extends Migration {

  override name = 'Migration20261122000017_opt_outs';

  override up(): void | Promise<void> {
    this.addSql(`alter table "audience_members" add "opted_out" boolean not null default false;`);
    this.addSql(`update "audience_members" set "opted_out" = true where "delivery_status" = 'unsubscribed';`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "audience_members" drop column "opted_out";`);
  }

}
