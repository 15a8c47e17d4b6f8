import { Migration } from '@mikro-orm/migrations';

export class Migration20261128000053_node_run_resolutions extends Migration {

  override name = 'Migration20261128000053_node-run-resolutions';

  override up(): void | Promise<void> {
    this.addSql(`alter table "node_runs" add "resolution" jsonb null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "node_runs" drop column "resolution";`);
  }

}
