import { Migration } from '@mikro-orm/migrations';

export class Migration20261123000003_enrollment_lists extends Migration {

  override name = 'Migration20261123000003_enrollment_lists';

  override up(): void | Promise<void> {
    this.addSql(`create index "enrollments_address" on "enrollments" ("campaign_id", "address" text_pattern_ops);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "enrollments_address";`);
  }

}
