import { Migration } from '@mikro-orm/migrations';

export class Migration20261123000005_campaign_messages extends Migration {

  override name = 'Migration20261123000005_campaign_messages';

  override up(): void | Promise<void> {
    this.addSql(`alter table "campaign_messages" add "resolution" jsonb null;`);
    // A link that was mailed proves the address that it was mailed to. Without one it proves what its contact shows at this moment, and later none.
    this.addSql(`update "member_tokens" t set "address" = k."address" from (select m.id, (select h.address from contact_channels h where h.tenant_id = m.tenant_id and h.contact_id = m.contact_id and h.type = 'email' order by h.is_primary desc, h.owned desc, h.verified_at desc nulls last, h.updated_at desc, h.id limit 1) as address from audience_members m) k where k.id = t."member_id" and t."scope" = 'unsubscribe' and t."address" is null and k.address is not null;`);
    this.addSql(`delete from "member_tokens" where "scope" = 'unsubscribe' and "address" is null;`);
    this.addSql(`alter table "member_tokens" add constraint "member_tokens_address" check (scope <> 'unsubscribe' or address is not null) not valid;`);
    this.addSql(`alter table "member_tokens" validate constraint "member_tokens_address";`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "member_tokens" drop constraint "member_tokens_address";`);
    this.addSql(`alter table "campaign_messages" drop column "resolution";`);
  }

}
