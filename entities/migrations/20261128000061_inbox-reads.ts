import { Migration } from '@mikro-orm/migrations';

export class Migration20261128000061_inbox_reads extends Migration {

  override name = 'Migration20261128000061_inbox-reads';

  override up(): void | Promise<void> {
    this.addSql(`alter table "mailboxes" add column "imap_read_at" bigint null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "mailboxes" drop column "imap_read_at";`);
  }

}
