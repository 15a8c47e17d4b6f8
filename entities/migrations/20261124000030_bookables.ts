import { Migration } from '@mikro-orm/migrations';

export class Migration20261124000030_bookables extends Migration {

  override name = 'Migration20261124000030_bookables';

  override up(): void | Promise<void> {
    this.addSql(`alter table "services" add "access" text not null default 'public', add "node_ids" jsonb not null default '[]', add "network_ids" jsonb not null default '[]', add "prices" jsonb not null default '[]', add "segments" jsonb not null default '[]', add "durations" jsonb not null default '[]', add "is_approval_required" boolean not null default false, add "location" jsonb null;`);
    this.addSql(`alter table "services" add constraint "services_access_check" check ("access" in ('public', 'private'));`);
    this.addSql(`alter table "providers" add "access" text not null default 'public', add "node_ids" jsonb not null default '[]', add "network_ids" jsonb not null default '[]', add "audience_ids" jsonb not null default '[]', add "concurrent_limit" int null;`);
    this.addSql(`alter table "providers" add constraint "providers_access_check" check ("access" in ('public', 'private'));`);
    this.addSql(`alter table "providers" add constraint "providers_positive" check (concurrent_limit > 0);`);
    this.addSql(`alter table "service_providers" add "segments" jsonb not null default '[]';`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "service_providers" drop column "segments";`);
    this.addSql(`alter table "providers" drop column "access", drop column "node_ids", drop column "network_ids", drop column "audience_ids", drop column "concurrent_limit";`);
    this.addSql(`alter table "services" drop column "access", drop column "node_ids", drop column "network_ids", drop column "prices", drop column "segments", drop column "durations", drop column "is_approval_required", drop column "location";`);
  }

}
