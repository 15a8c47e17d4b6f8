import { Migration } from '@mikro-orm/migrations';

export class Migration20261128000021_accepted_memberships extends Migration {

  override name = 'Migration20261128000021_accepted-memberships';

  override isTransactional(): boolean {
    return false;
  }

  override up(): void | Promise<void> {
    this.addSql(`alter table "team_members" add column if not exists "accepted_at" bigint null;`);
    // Members of before stay visible to their teams, a sixteenth at a time: ids end in random digits. A row that the previous version adds meanwhile is accepted when its member acts.
    for (const part of '0123456789abcdef')
      this.addSql(`update "team_members" set "accepted_at" = "created_at" where "accepted_at" is null and right(id::text, 1) = '${part}';`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "team_members" drop column if exists "accepted_at";`);
  }

}
