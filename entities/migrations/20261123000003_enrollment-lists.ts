import { Migration } from '@mikro-orm/migrations';

export class Migration20261123000003_enrollment_lists extends Migration {

  override name = 'Migration20261123000003_enrollment_lists';

  override up(): void | Promise<void> {
    this.addSql(`create index "campaign_messages_campaign_id_step_created_at_id_index" on "campaign_messages" ("campaign_id", "step", "created_at", "id");`);
    this.addSql(`create index "campaign_messages_kind" on "campaign_messages" ("campaign_id", "kind", "created_at", "id") where kind <> 'step';`);
    this.addSql(`create index "campaign_messages_returned" on "campaign_messages" ("campaign_id", "created_at", "id") where bounced_at is not null;`);
  }

  override down(): void | Promise<void> {
    for (const index of ['campaign_messages_campaign_id_step_created_at_id_index', 'campaign_messages_kind', 'campaign_messages_returned'])
      this.addSql(`drop index "${index}";`);
  }

}
