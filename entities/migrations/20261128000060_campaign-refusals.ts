import { Migration } from '@mikro-orm/migrations';

export class Migration20261128000060_campaign_refusals extends Migration {

  override name = 'Migration20261128000060_campaign-refusals';

  override up(): void | Promise<void> {
    this.addSql(`alter table "campaign_stats" add column "refused" int not null default 0, add column "distrusted" int not null default 0;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "campaign_stats" drop column "refused", drop column "distrusted";`);
  }

}
