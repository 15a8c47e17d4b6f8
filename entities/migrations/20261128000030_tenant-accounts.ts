import { Migration } from '@mikro-orm/migrations';

export class Migration20261128000030_tenant_accounts extends Migration {

  override name = 'Migration20261128000030_tenant-accounts';

  override up(): void | Promise<void> {
    this.addSql(`alter table "tenants" add "created_by" uuid null;`);
    // The creator became the first member, in the second of the creation.
    this.addSql(`update "tenants" t set "created_by" = (select m.account_id from "team_members" m where m.tenant_id = t.id and m.created_at = t.created_at order by m.id limit 1);`);
    this.addSql(`alter table "tenants" add constraint "tenants_created_by_foreign" foreign key ("created_by") references "accounts" ("id") on delete set null not valid;`);
    this.addSql(`alter table "mailboxes" add "imap_slow" int not null default 0;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "mailboxes" drop column "imap_slow";`);
    this.addSql(`alter table "tenants" drop constraint "tenants_created_by_foreign", drop column "created_by";`);
  }

}
