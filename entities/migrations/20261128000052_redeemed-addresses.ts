import { IndexMigration } from '../kit/database/build-index.ts';

export class Migration20261128000052_redeemed_addresses extends IndexMigration {

  override name = 'Migration20261128000052_redeemed-addresses';

  override async up(): Promise<void> {
    this.addSql(`alter table "promo_redemptions" add column if not exists "address" varchar(254) null;`);
    await this.buildIndex(`create index concurrently "promo_redemptions_address" on "promo_redemptions" ("promo_code_id", "address") where address is not null`);
    // Uses of codes that are limited per customer, a sixteenth at a time: ids end in random digits.
    for (const part of '0123456789abcdef') {
      this.addSql(`update "promo_redemptions" r set "address" = coalesce(o.email, s.claimed_address)
        from "promo_redemptions" x
        join "promo_codes" c on c.id = x.promo_code_id and c.conditions @> '[{"type": "max_uses_per_user"}]'
        left join "orders" o on o.id = x.order_id and o.tenant_id = x.tenant_id
        left join "subscriptions" s on s.id = x.subscription_id and s.tenant_id = x.tenant_id
        where r.id = x.id and right(x.id::text, 1) = '${part}' and r.address is null and coalesce(o.email, s.claimed_address) is not null;`);
    }
  }

  override async down(): Promise<void> {
    await this.dropIndex('promo_redemptions_address');
    this.addSql(`alter table "promo_redemptions" drop column if exists "address";`);
  }

}
