import { Migration } from '@mikro-orm/migrations';

export class Migration20261124000010_integrations extends Migration {

  override name = 'Migration20261124000010_integrations';

  override up(): void | Promise<void> {
    // The previous version inserts drives only, which the defaults describe.
    this.addSql(`alter table "integrations" add "category" text not null default 'drive', add "active" boolean not null default true;`);
    this.addSql(`alter table "integrations" add constraint "integrations_category_check" check ("category" in ('drive', 'payment', 'shipping', 'analytics', 'oauth', 'ai', 'email', 'messaging', 'channel', 'deploy', 'other')) not valid;`);
    this.addSql(`alter table "integrations" validate constraint "integrations_category_check";`);
    this.addSql(`alter table "integrations" drop constraint "integrations_type_check";`);
    this.addSql(`create unique index "integrations_active" on "integrations" ("tenant_id", "category") where active and category in ('payment', 'shipping', 'analytics');`);
  }

  override down(): void | Promise<void> {
    this.addSql(`delete from "integrations" where "category" <> 'drive';`);
    this.addSql(`drop index "integrations_active";`);
    this.addSql(`alter table "integrations" add constraint "integrations_type_check" check ("type" in ('s3', 'webdav'));`);
    this.addSql(`alter table "integrations" drop column "category", drop column "active";`);
  }

}
