import { Migration } from '@mikro-orm/migrations';

export class Migration20261125000040_agents_handover extends Migration {

  override name = 'Migration20261125000040_agents-handover';

  override up(): void | Promise<void> {
    this.addSql(`alter table "agents" add column "handover_email" varchar(255) null;`);
    this.addSql(`alter table "model_usage" add column "in_flight" int not null default 0;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "agents" drop column "handover_email";`);
    this.addSql(`alter table "model_usage" drop column "in_flight";`);
  }

}
