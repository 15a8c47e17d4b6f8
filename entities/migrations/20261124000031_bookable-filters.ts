import { IndexMigration } from '../kit/database/build-index.ts';

const indexes = ['services', 'providers'].flatMap((table) => ['blocks', 'node_ids'].map((column) => [table, column]));

export class Migration20261124000031_bookable_filters extends IndexMigration {

  override name = 'Migration20261124000031_bookable_filters';

  override async up(): Promise<void> {
    for (const [table, column] of indexes) {
      await this.buildIndex(`create index concurrently "${table}_${column}" on "${table}" using gin ("${column}" jsonb_path_ops)`);
    }
  }

  override async down(): Promise<void> {
    for (const [table, column] of indexes) await this.dropIndex(`${table}_${column}`);
  }

}
