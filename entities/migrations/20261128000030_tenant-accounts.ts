import { Migration } from '@mikro-orm/migrations';

export class Migration20261128000030_tenant_accounts extends Migration {

  override name = 'Migration20261128000030_tenant-accounts';

  override isTransactional(): boolean {
    return false;
  }

  override up(): void | Promise<void> {
    this.addSql(`alter table "tenants" add column if not exists "created_by" uuid null;`);
    this.addSql(`alter table "tenants" drop constraint if exists "tenants_created_by_foreign";`);
    this.addSql(`alter table "tenants" add constraint "tenants_created_by_foreign" foreign key ("created_by") references "accounts" ("id") on delete set null not valid;`);
    // The creator became the first member, in the second of the creation. A sixteenth at a time: ids end in random digits.
    for (const part of '0123456789abcdef')
      this.addSql(`update "tenants" t set "created_by" = (select m.account_id from "team_members" m where m.tenant_id = t.id and m.created_at = t.created_at order by m.id limit 1)
        where t.created_by is null and right(t.id::text, 1) = '${part}';`);
    this.addSql(`alter table "mailboxes" add column if not exists "imap_slow" int not null default 0;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "mailboxes" drop column if exists "imap_slow";`);
    this.addSql(`alter table "tenants" drop constraint if exists "tenants_created_by_foreign", drop column if exists "created_by";`);
  }

}
