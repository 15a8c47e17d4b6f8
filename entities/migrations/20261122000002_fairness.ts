import { Migration } from '@mikro-orm/migrations';

export class Migration20261122000002_fairness extends Migration {

  override name = 'Migration20261122000002_fairness';

  override up(): void | Promise<void> {
    this.addSql(`create table "task_slots" ("id" uuid not null, "tenant_id" uuid not null, "queue" varchar(255) not null, "kind" varchar(255) not null, "row_id" uuid not null, "worker" uuid null, "granted" boolean not null, "at" timestamptz(3) not null, primary key ("id"));`);
    this.addSql(`create index "task_slots_queue_tenant_id_granted_at_id_index" on "task_slots" ("queue", "tenant_id", "granted", "at", "id");`);
    this.addSql(`create table "task_slot_counts" ("tenant_id" uuid not null, "queue" varchar(255) not null, "held" int not null, "waiting" int not null, "granted" int not null, primary key ("tenant_id", "queue"));`);
    this.addSql(`create table "task_workers" ("id" uuid not null, "queue" varchar(255) not null, "slots" int not null, "seen_at" timestamptz(3) not null, primary key ("id", "queue"));`);
    this.addSql(`alter table "outbox" add "again" boolean not null default false;`);
    this.addSql(`drop index "outbox_kind_parked_not_before_index";`);
    this.addSql(`create index "outbox_turns" on "outbox" ("kind", "tenant_id", "not_before") where not parked;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "outbox_turns";`);
    this.addSql(`create index "outbox_kind_parked_not_before_index" on "outbox" ("kind", "parked", "not_before");`);
    this.addSql(`alter table "outbox" drop column "again";`);
    this.addSql(`drop table if exists "task_workers" cascade;`);
    this.addSql(`drop table if exists "task_slot_counts" cascade;`);
    this.addSql(`drop table if exists "task_slots" cascade;`);
  }

}
