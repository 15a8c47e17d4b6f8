import { Migration } from '@mikro-orm/migrations';

export class Migration20261124000040_invitations extends Migration {

  override name = 'Migration20261124000040_invitations';

  override up(): void | Promise<void> {
    this.addSql(`create table "invitations" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "email" varchar(254) not null, "role" text not null, "token_digest" varchar(64) not null, "status" text not null default 'pending', "invited_by" uuid not null, "mailed_at" bigint not null, "expires_at" bigint not null, primary key ("id"));`);
    this.addSql(`alter table "invitations" add constraint "invitations_token_digest_unique" unique ("token_digest");`);
    this.addSql(`create index "invitations_expires_at_index" on "invitations" ("expires_at");`);
    this.addSql(`create unique index "invitations_pending" on "invitations" ("tenant_id", "email") where status = 'pending';`);
    this.addSql(`alter table "invitations" add constraint "invitations_role_check" check ("role" in ('admin', 'owner', 'super'));`);
    this.addSql(`alter table "invitations" add constraint "invitations_status_check" check ("status" in ('pending', 'accepted', 'rejected', 'expired'));`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "invitations" cascade;`);
  }

}
