import { Migration } from '@mikro-orm/migrations';

export class Migration20261128000013_erasures_open extends Migration {

  override name = 'Migration20261128000013_erasures-open';

  override up(): void | Promise<void> {
    this.addSql(`alter table "erasures" add column "needs_attention" boolean not null default false, add column "continued" jsonb null, add column "open" jsonb null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "erasures" drop column "needs_attention", drop column "continued", drop column "open";`);
  }

}
