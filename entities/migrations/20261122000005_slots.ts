import { Migration } from '@mikro-orm/migrations';

export class Migration20261122000005_slots extends Migration {

  override name = 'Migration20261122000005_slots';

  override up(): void | Promise<void> {
    this.addSql(`alter table "task_slot_counts" add column "account_id" uuid null;`);
    this.addSql(`update "task_slot_counts" c set account_id = coalesce((select m.account_id from memberships m where m.tenant_id = c.tenant_id order by m.created_at, m.id limit 1), c.tenant_id);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "task_slot_counts" drop column "account_id";`);
  }

}
