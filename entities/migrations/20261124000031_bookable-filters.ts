import { Migration } from '@mikro-orm/migrations';

const indexes = ['services', 'providers'].flatMap((table) => ['blocks', 'node_ids'].map((column) => [table, column]));

export class Migration20261124000031_bookable_filters extends Migration {

  override name = 'Migration20261124000031_bookable_filters';

  override isTransactional(): boolean {
    return false;
  }

  override up(): void | Promise<void> {
    for (const [table, column] of indexes) {
      this.addSql(`drop index if exists "${table}_${column}";`);
      this.addSql(`create index concurrently "${table}_${column}" on "${table}" using gin ("${column}" jsonb_path_ops);`);
    }
  }

  override down(): void | Promise<void> {
    for (const [table, column] of indexes) this.addSql(`drop index "${table}_${column}";`);
  }

}
