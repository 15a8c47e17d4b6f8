import { Migration } from '@mikro-orm/migrations';

export class Migration20261122000017_opt_outs extends Migration {

  override name = 'Migration20261122000017_opt_outs';

  override up(): void | Promise<void> {
    this.addSql(`alter table "audience_members" add "opted_out" boolean not null default false;`);
    this.addSql(`update "audience_members" set "opted_out" = true where "delivery_status" = 'unsubscribed';`);
    this.addSql(`create table "audience_opt_outs" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "audience_id" uuid not null, "address" varchar(254) not null, "claimant_id" uuid null, primary key ("id"));`);
    this.addSql(`create unique index "audience_opt_outs_address" on "audience_opt_outs" ("audience_id", "address", "claimant_id") nulls not distinct;`);
    this.addSql(`create index "audience_opt_outs_claimant" on "audience_opt_outs" ("claimant_id") where claimant_id is not null;`);
    this.addSql(`alter table "audience_opt_outs" add constraint "audience_opt_outs_audience_id_foreign" foreign key ("audience_id") references "audiences" ("id") on delete cascade;`);
    // The ids are those of the members, which are in the order of time as those of later members.
    this.addSql(`insert into "audience_opt_outs" (id, created_at, updated_at, tenant_id, audience_id, address, claimant_id) select m.id, m.updated_at, m.updated_at, m.tenant_id, m.audience_id, h.address, case when not h.owned then m.id end from "audience_members" m join lateral (select k.address, k.owned from "contact_channels" k where k.tenant_id = m.tenant_id and k.contact_id = m.contact_id and k.type = 'email' order by k.is_primary desc, k.owned desc, k.verified_at desc nulls last, k.updated_at desc, k.id limit 1) h on true where m.opted_out on conflict do nothing;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table "audience_opt_outs";`);
    this.addSql(`alter table "audience_members" drop column "opted_out";`);
  }

}
