import { Migration } from '@mikro-orm/migrations';

export class Migration20261128000021_accepted_memberships extends Migration {

  override name = 'Migration20261128000021_accepted-memberships';

  override up(): void | Promise<void> {
    this.addSql(`alter table "team_members" add column "accepted_at" bigint null;`);
    // Members of before stay visible to their teams. A row that the previous version adds meanwhile is accepted when its member acts.
    this.addSql(`update "team_members" set "accepted_at" = "created_at" where "accepted_at" is null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "team_members" drop column "accepted_at";`);
  }

}
