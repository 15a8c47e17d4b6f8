import { Migration } from '@mikro-orm/migrations';

export class Migration20261128000061_inbox_reads extends Migration {

  override name = 'Migration20261128000061_inbox-reads';

  override isTransactional(): boolean {
    return false;
  }

  override up(): void | Promise<void> {
    this.addSql(`alter table "mailboxes" add column if not exists "imap_read_at" bigint null;`);
    // The last look of a mailbox without an error has read everything.
    this.addSql(`update "mailboxes" set "imap_read_at" = "imap_checked_at" where "imap_read_at" is null and "imap_error" is null and "imap_checked_at" is not null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "mailboxes" drop column if exists "imap_read_at";`);
  }

}
