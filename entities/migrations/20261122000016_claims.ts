import { Migration } from '@mikro-orm/migrations';

export class Migration20261122000016_claims extends Migration {

  override name = 'Migration20261122000016_claims';

  override up(): void | Promise<void> {
    this.addSql(`alter table "subscriptions" add "claimed_address" varchar(254) null;`);
    this.addSql(`create index "subscriptions_claimed" on "subscriptions" ("tenant_id", "claimed_address") where claimed_address is not null and status in ('live', 'ended');`);
    this.addSql(`create index "audience_members_audience_id_source_created_at_id_index" on "audience_members" ("audience_id", "source", "created_at", "id");`);
    this.addSql(`create index "audience_members_audience_id_billing_status_created_at_id_index" on "audience_members" ("audience_id", "billing_status", "created_at", "id");`);
    this.addSql(`create index "audience_members_grace" on "audience_members" ("audience_id", "paid_through_at") where status = 'active' and paid_through_at is not null;`);
  }

  override down(): void | Promise<void> {
    for (const index of ['audience_members_grace', 'audience_members_audience_id_billing_status_created_at_id_index', 'audience_members_audience_id_source_created_at_id_index', 'subscriptions_claimed'])
      this.addSql(`drop index if exists "${index}";`);
    this.addSql(`alter table "subscriptions" drop column "claimed_address";`);
  }

}
