import { Migration } from '@mikro-orm/migrations';

export class Migration20261123000006_inbound extends Migration {

  override name = 'Migration20261123000006_inbound';

  override up(): void | Promise<void> {
    this.addSql(`create index "campaign_messages_bounced_address" on "campaign_messages" ("tenant_id", "address", "bounced_at") where bounced_at is not null;`);
    this.addSql(`create index "mailboxes_inbox" on "mailboxes" ("imap_checked_at") where imap_host is not null;`);
  }

  override down(): void | Promise<void> {
    for (const index of ['campaign_messages_bounced_address', 'mailboxes_inbox']) this.addSql(`drop index "${index}";`);
  }

}
