import { Migration } from '@mikro-orm/migrations';

export class Migration20261124000041_erasures extends Migration {

  override name = 'Migration20261124000041_erasures';

  override up(): void | Promise<void> {
    this.addSql(`alter table "tenants" add "erasing_at" bigint null;`);
    this.addSql(`create table "erasures" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "erased_id" uuid not null, "key" varchar(63) not null, "requested_by" uuid not null, "status" text not null default 'settling', "progress" jsonb null, "message" text not null, "deleted_at" bigint null, primary key ("id"));`);
    this.addSql(`alter table "erasures" add constraint "erasures_erased_id_unique" unique ("erased_id");`);
    this.addSql(`create index "erasures_open" on "erasures" ("updated_at") where status <> 'succeeded';`);
    this.addSql(`alter table "erasures" add constraint "erasures_status_check" check ("status" in ('settling', 'deleting', 'deleted', 'succeeded'));`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "erasures" cascade;`);
    this.addSql(`alter table "tenants" drop column "erasing_at";`);
  }

}
